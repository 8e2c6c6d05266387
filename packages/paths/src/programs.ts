import type { OptionSpec } from "@hooks/shell";

/** What becomes of a program's operands. */
type Operands =
  | "none"
  /** No paths, but what stands behind an option may be one. */
  | "values"
  | "read"
  | "write"
  /** All but the last are read, the last is written; with one operand it is the working directory. */
  | "copy"
  /** Like copy, and what is moved is gone afterwards. */
  | "move"
  /** The first is read, the second written. */
  | "convert"
  /** The first is written, the others are read. */
  | "pack";

export interface Program extends OptionSpec {
  readonly operands: Operands;
  /** How many operands come first that are no paths: a pattern, a mode, an owner. */
  readonly skip?: number;
  /** Options that take the place of what is skipped. */
  readonly instead?: readonly string[];
  readonly reads?: readonly string[];
  readonly writes?: readonly string[];
  /** Whether a directory goes with everything in it, also without an option. */
  readonly copiesWhole?: boolean;
  /** Options that name where all operands go. */
  readonly into?: readonly string[];
  /** Options that make writes of reads. */
  readonly writesWith?: readonly string[];
  /** Options that make reads of writes. */
  readonly readsWith?: readonly string[];
  /** Options with which everything below a directory counts. */
  readonly treeWith?: readonly string[];
  readonly isTree?: boolean;
  /** Options with which links that are found below a directory are followed. */
  readonly followsWith?: readonly string[];
  /** What it looks at when nothing is named: what is below the working directory, or that alone. */
  readonly looksHere?: "tree" | "list";
  /** Options whose value leads nowhere: a pattern, a message, a number. Of all others it may be a path. */
  readonly texts?: readonly string[];
  /** Options whose value is a text of commands; what looks like a path in it is written. */
  readonly scripts?: readonly string[];
  /** Whether it starts another program: what comes after its own options is not its. */
  readonly stops?: boolean;
}

const none: Program = { operands: "none" };
const read: Program = { operands: "read" };
const write: Program = { operands: "write" };
const RECURSIVE = ["-r", "-R", "--recursive"];
const grep: Program = {
  operands: "read",
  short: "efmABCdD",
  long: ["regexp", "file", "max-count", "after-context", "before-context", "context", "include", "exclude"],
  skip: 1,
  instead: ["-e", "-f", "--regexp", "--file"],
  reads: ["-f", "--file", "--exclude-from"],
  texts: ["-e", "--regexp", "--include", "--exclude", "--exclude-dir", "-d", "-D", "--colour", "--color", "--label"],
  treeWith: [...RECURSIVE, "--dereference-recursive"],
  followsWith: ["-R", "--dereference-recursive"],
  looksHere: "tree",
};
const packer: Program = {
  operands: "write",
  short: "S",
  readsWith: ["-c", "--stdout", "--to-stdout", "-t", "-l", "--test", "--list"],
};
const editor: Program = {
  operands: "write",
  short: "cSuTp",
  long: ["cmd", "eval"],
  scripts: ["-c", "--cmd", "--eval"],
};
const copier: Program = {
  operands: "copy",
  texts: ["-S", "--suffix", "-m", "--mode", "-o", "--owner", "-g", "--group"],
  short: "tSmog",
  long: ["target-directory", "suffix", "mode", "owner", "group"],
  into: ["-t", "--target-directory"],
  treeWith: [...RECURSIVE, "-a", "--archive"],
  followsWith: ["-L", "--dereference", "--copy-links", "-H"],
};
const mode: Program = {
  operands: "write",
  skip: 1,
  // chmod -w: a mode may look like an option.
  instead: ["--reference", "-r", "-w", "-x", "-X", "-s", "-t"],
  reads: ["--reference"],
  treeWith: ["-R", "--recursive"],
};

const NOTHING =
  "echo printf true false : test [ [[ sleep seq expr kill killall pkill ps whoami id uname hostname exit return export unset set shopt alias unalias type which hash ulimit umask wait read declare local typeset let shift trap jobs fg bg times getopts nproc free uptime df arch tput clear stty tty groups users who w last yes factor basename dirname cal pgrep top htop ping dig host nslookup ip ifconfig netstat ss popd dirs break continue eval";
const READERS =
  "cat tac head tail less more bat nl od hexdump strings file stat wc md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum diff cmp comm join paste cut sort uniq fold fmt pr column expand unexpand rev tr ls dir vdir tree du exa eza readlink realpath cd pushd chdir source . base64 base32 shasum iconv view zcat bzcat xzcat zless zmore zgrep nm objdump readelf ldd size pdftotext catdog open xdg-open";
const WRITERS =
  "touch rm rmdir unlink shred mkdir mknod mkfifo truncate tee sponge dos2unix unix2dos chattr srm wipe rename trash mount umount chroot sqlite3";
const LISTING: readonly string[] = ["ls", "tree", "du", "dir"];

const SPECIAL: Readonly<Record<string, Program>> = {
  date: {
    operands: "none",
    short: "dfrs",
    reads: ["-f", "--file", "-r", "--reference"],
    texts: ["-d", "--date", "-s"],
  },
  crontab: { operands: "read", short: "u", texts: ["-u"] },
  bc: read,
  dc: { operands: "read", short: "ef", reads: ["-f", "--file"], texts: ["-e", "--expression"] },
  head: { operands: "read", short: "nc" },
  tail: { operands: "read", short: "nc" },
  cut: { operands: "read", short: "dfbc", texts: ["-d", "--delimiter", "--output-delimiter"] },
  paste: { operands: "read", short: "d", texts: ["-d", "--delimiters"] },
  join: { operands: "read", short: "t12ejo", texts: ["-t", "-e"] },
  column: { operands: "read", short: "tsoNcT", texts: ["-s", "-o", "-N"] },
  diff: {
    operands: "read",
    short: "IFxXSUC",
    reads: ["-X", "--exclude-from"],
    texts: ["-I", "-F", "-x", "--exclude", "--label"],
  },
  tr: none,
  sort: {
    operands: "read",
    short: "oktST",
    long: [
      "output",
      "temporary-directory",
      "files0-from",
      "random-source",
      "compress-program",
      "key",
      "field-separator",
    ],
    writes: ["-o", "--output", "-T", "--temporary-directory"],
    texts: ["-k", "-t", "-S", "--key", "--field-separator"],
  },
  uniq: { operands: "convert", short: "fsw" },
  xxd: { operands: "convert", short: "lcgso" },
  split: { operands: "convert", short: "bClnant", texts: ["-t", "--separator"] },
  csplit: { operands: "read", short: "fbn", writes: ["-f", "--prefix"] },
  touch: {
    operands: "write",
    short: "drt",
    long: ["date", "reference"],
    reads: ["-r", "--reference"],
    texts: ["-d", "--date", "-t"],
  },
  truncate: { operands: "write", short: "sr", long: ["size", "reference"], reads: ["-r", "--reference"] },
  mkdir: { operands: "write", short: "mZ", long: ["mode"] },
  shred: { operands: "write", short: "ns" },
  rm: { operands: "write", treeWith: RECURSIVE },
  mktemp: { operands: "write", short: "p", long: ["tmpdir", "suffix"], writes: ["-p", "--tmpdir"] },
  chmod: mode,
  chown: mode,
  chgrp: mode,
  setfacl: { operands: "write", short: "mxMX", texts: ["-m", "-x"], writes: ["--restore"] },
  cp: copier,
  install: copier,
  ditto: copier,
  scp: { operands: "copy", short: "iFPoSlcJDX", reads: ["-i", "-F", "-S"], treeWith: ["-r"], followsWith: ["-r"] },
  sftp: { operands: "copy", short: "bBcDFiJloPRSsX", reads: ["-b", "-i", "-F"] },
  rsync: {
    operands: "copy",
    short: "efTBM",
    long: ["exclude", "include", "filter", "rsh", "files-from", "exclude-from", "include-from", "log-file"],
    reads: ["--files-from", "--exclude-from", "--include-from", "--password-file", "--read-batch"],
    writes: ["-T", "--temp-dir", "--backup-dir", "--partial-dir", "--log-file", "--write-batch", "--only-write-batch"],
    texts: ["--exclude", "--include", "--filter", "-f", "--rsync-path", "--suffix", "--chown", "--chmod"],
    followsWith: ["-L", "--copy-links", "-k", "--copy-dirlinks"],
    isTree: true,
  },
  mv: { ...copier, operands: "move", isTree: true, copiesWhole: true },
  grep,
  egrep: grep,
  fgrep: grep,
  zgrep: grep,
  rg: {
    ...grep,
    short: "efgtTmABCrjM",
    long: "regexp file glob iglob type type-not type-add replace max-count max-depth after-context before-context context sort sortr threads pre pre-glob ignore-file color colors encoding engine max-columns max-filesize".split(
      " ",
    ),
    reads: ["-f", "--file", "--ignore-file"],
    texts: [
      "-e",
      "--regexp",
      "-g",
      "--glob",
      "--iglob",
      "-t",
      "-T",
      "--type",
      "--type-not",
      "-r",
      "--replace",
      "--sort",
    ],
    followsWith: ["-L", "--follow"],
    isTree: true,
  },
  ag: { ...grep, short: "GmABC", texts: ["-G", "--ignore", "--ignore-dir"], isTree: true },
  ack: { ...grep, isTree: true },
  yq: { operands: "read", skip: 1, writesWith: ["-i", "--inplace"] },
  gzip: packer,
  gunzip: packer,
  bzip2: packer,
  bunzip2: packer,
  xz: packer,
  unxz: packer,
  zstd: { ...packer, short: "oD", writes: ["-o"] },
  vi: editor,
  vim: editor,
  nvim: editor,
  nano: editor,
  emacs: editor,
  ed: editor,
  ex: editor,
  pico: editor,
  code: editor,
  curl: {
    operands: "values",
    short: "oTKDcbdFHXuAeEmrwxyYzCQtUP",
    long: "output output-dir upload-file config dump-header cookie-jar cookie data data-binary data-raw data-urlencode form header request user cert key cacert capath trace trace-ascii stderr netrc-file json url max-time retry write-out user-agent referer proxy unix-socket etag-save etag-compare hsts alt-svc libcurl".split(
      " ",
    ),
    reads: ["-T", "--upload-file", "-K", "--config", "--cert", "--key", "--cacert", "--capath", "-E", "--netrc-file"],
    writes:
      "-o --output --output-dir -D --dump-header -c --cookie-jar --trace --trace-ascii --stderr --etag-save --hsts --alt-svc --libcurl --unix-socket --abstract-unix-socket".split(
        " ",
      ),
  },
  wget: {
    operands: "values",
    short: "OPoaiUtTwQeARDIXl",
    texts:
      "-U --user-agent --header -t --tries -T --timeout -w -Q -A -R -D -I -X -l --post-data --body-data --method --user --password --referer --accept --reject --level".split(
        " ",
      ),
    long: [
      "output-document",
      "directory-prefix",
      "output-file",
      "append-output",
      "input-file",
      "post-file",
      "body-file",
      "header",
      "user-agent",
      "tries",
      "timeout",
    ],
    reads: ["-i", "--input-file", "--post-file", "--body-file"],
    writes:
      "-O --output-document -P --directory-prefix -o --output-file -a --append-output --save-cookies --warc-file --rejected-log".split(
        " ",
      ),
  },
  zip: {
    operands: "pack",
    short: "bntxiP",
    texts: ["-x", "-i", "-n", "-t", "-P"],
    treeWith: ["-r"],
    followsWith: ["-r"],
  },
  ssh: {
    operands: "none",
    short: "iFEopLRDWJlbcemOQSwIB",
    reads: ["-i", "-F"],
    writes: ["-E", "-S"],
    texts: ["-L", "-R", "-D", "-W", "-J", "-l", "-p", "-b", "-c", "-m", "-e", "-Q", "-O", "-w", "-B"],
    stops: true,
  },
  "ssh-keygen": {
    operands: "values",
    short: "fCtbNPOaIVzsn",
    writes: ["-f"],
    texts: ["-C", "-N", "-P", "-t", "-b", "-O"],
  },
  gpg: {
    operands: "read",
    short: "oru",
    long: ["output", "recipient", "homedir"],
    texts: ["-r", "-u", "--recipient"],
    writes: ["-o", "--output"],
    reads: ["--homedir"],
  },
  make: {
    operands: "values",
    short: "CfIjlo",
    long: ["directory", "file", "makefile"],
    reads: ["-f", "--file", "--makefile"],
    writes: ["-C", "--directory"],
  },
  gcc: { operands: "read", short: "oILDxlU", reads: ["-I", "-L"], writes: ["-o"], texts: ["-D", "-U", "-x", "-l"] },
  env: {
    operands: "none",
    short: "uCSP",
    long: ["unset", "chdir"],
    reads: ["-C", "--chdir"],
    texts: ["-S"],
    stops: true,
  },
  sudo: {
    operands: "none",
    short: "ugCDRTUhp",
    long: ["chdir", "chroot"],
    reads: ["-D", "--chdir", "-R", "--chroot"],
    texts: ["-u", "-g", "-p", "-h"],
    stops: true,
  },
  xargs: {
    operands: "none",
    short: "aIdEnPsL",
    long: ["arg-file", "delimiter"],
    reads: ["-a", "--arg-file"],
    texts: ["-I", "-d", "-E", "--delimiter", "--replace"],
    stops: true,
  },
};

const table = new Map<string, Program>([
  ...NOTHING.split(" ").map((name): [string, Program] => [name, none]),
  ...READERS.split(" ").map((name): [string, Program] => [
    name,
    LISTING.includes(name) ? { operands: "read", treeWith: ["-R", "-r"], looksHere: "list" } : read,
  ]),
  ...WRITERS.split(" ").map((name): [string, Program] => [name, write]),
  ...Object.entries(SPECIAL),
  ...["cc", "clang", "g++", "c++", "clang++", "ld", "rustc", "javac"].map((name): [string, Program] => [
    name,
    SPECIAL.gcc as Program,
  ]),
]);

/** What is known of a program; undefined when nothing is. */
export function programOf(name: string): Program | undefined {
  return table.get(name);
}
