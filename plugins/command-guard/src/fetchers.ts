/** Programs that bring text from another machine. */
export const FETCHERS: ReadonlySet<string> = new Set(
  "curl wget fetch http https httpie xh aria2c lwp-request lwp-download get lynx w3m elinks links links2 nc ncat netcat socat telnet ftp sftp tftp dig nslookup host drill ssh invoke-webrequest invoke-restmethod bitsadmin certutil start-bitstransfer gsutil s3cmd ipfs rclone finger".split(
    " ",
  ),
);

/** Programs that send what they are given to another machine. */
export const SENDERS: ReadonlySet<string> = new Set([
  ...FETCHERS,
  ..."scp rsync aws gcloud az mail mailx sendmail mutt msmtp swaks openssl gh hub glab curlftpfs lftp ncftpput wormhole croc transfer magic-wormhole ngrok logger invoke-restmethod send-mailmessage tee-http pastebinit termbin ping traceroute".split(
    " ",
  ),
]);
