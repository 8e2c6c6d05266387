import type { OptionSpec } from "@hooks/shell";

/** What becomes of a program's operands. */
type Operands =
  | "none"
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
  treeWith: [...RECURSIVE, "--dereference-recursive"],
  followsWith: ["-R", "--dereference-recursive"],
  looksHere: "tree",
};
const packer: Program = {
  operands: "write",
  short: "S",
  readsWith: ["-c", "--stdout", "--to-stdout", "-t", "-l", "--test", "--list"],
};
const editor: Program = { operands: "write", short: "cSuT", long: ["cmd"], scripts: ["-c", "--cmd"] };
const copier: Program = {
  operands: "copy",
  short: "tSmog",
  long: ["target-directory", "suffix", "mode", "owner", "group"],
  into: ["-t", "--target-directory"],
  treeWith: [...RECURSIVE, "-a", "--archive"],
  followsWith: ["-L", "--dereference", "--copy-links", "-H"],
};
const mode: Program = {
  operands: "write",
  skip: 1,
  instead: ["--reference"],
  reads: ["--reference"],
  treeWith: ["-R", "--recursive"],
};

const NOTHING =
  "echo printf true false : test [ [[ sleep date seq expr kill killall pkill ps whoami id uname hostname exit return export unset set shopt alias unalias type which hash ulimit umask wait read declare local typeset let shift trap jobs fg bg history times getopts nproc free uptime df arch tput clear stty tty groups users who w last yes factor basename dirname git-lfs brew apt apt-get yum dnf apk pacman systemctl service crontab bc dc cal lsof pgrep top htop ping dig host nslookup ip ifconfig netstat ss popd dirs break continue eval";
const READERS =
  "cat tac head tail less more bat nl od hexdump strings file stat wc md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum diff cmp comm join paste cut sort uniq fold fmt pr column expand unexpand rev tr ls dir vdir tree du exa eza readlink realpath cd pushd chdir source . base64 base32 shasum iconv view zcat bzcat xzcat zless zmore zgrep nm objdump readelf ldd size pdftotext catdog open xdg-open";
const WRITERS =
  "touch rm rmdir unlink shred mkdir mknod mkfifo truncate tee sponge dos2unix unix2dos chattr srm wipe rename trash mount umount chroot sqlite3";
const LISTING: readonly string[] = ["ls", "tree", "du", "dir"];

const SPECIAL: Readonly<Record<string, Program>> = {
  head: { operands: "read", short: "nc" },
  tail: { operands: "read", short: "nc" },
  cut: { operands: "read", short: "dfbc" },
  tr: none,
  sort: { operands: "read", short: "oktST", writes: ["-o", "--output", "-T", "--temporary-directory"] },
  uniq: { operands: "convert", short: "fsw" },
  xxd: { operands: "convert", short: "lcgso" },
  split: { operands: "convert", short: "bClnan" },
  csplit: { operands: "read", short: "fbn", writes: ["-f", "--prefix"] },
  touch: { operands: "write", short: "drt", long: ["date", "reference"], reads: ["-r", "--reference"] },
  truncate: { operands: "write", short: "sr", long: ["size", "reference"] },
  mkdir: { operands: "write", short: "mZ", long: ["mode"] },
  shred: { operands: "write", short: "ns" },
  rm: { operands: "write", treeWith: RECURSIVE },
  mktemp: { operands: "write", short: "p", long: ["tmpdir", "suffix"], writes: ["-p", "--tmpdir"] },
  chmod: mode,
  chown: mode,
  chgrp: mode,
  setfacl: { operands: "write", short: "mxbMX" },
  cp: copier,
  install: copier,
  ditto: copier,
  scp: { operands: "copy", short: "iFPoSlcJ", reads: ["-i", "-F"], treeWith: ["-r"], followsWith: ["-r"] },
  rsync: {
    operands: "copy",
    short: "efTBM",
    long: ["exclude", "include", "filter", "rsh", "files-from", "exclude-from", "include-from", "log-file"],
    reads: ["--files-from", "--exclude-from", "--include-from", "--password-file"],
    writes: ["-T", "--temp-dir", "--backup-dir", "--partial-dir", "--log-file"],
    followsWith: ["-L", "--copy-links", "-k", "--copy-dirlinks"],
    isTree: true,
  },
  mv: { ...copier, operands: "move", isTree: true },
  grep,
  egrep: grep,
  fgrep: grep,
  zgrep: grep,
  rg: {
    ...grep,
    short: "efgtTmABCrjM",
    reads: ["-f", "--file", "--ignore-file"],
    followsWith: ["-L", "--follow"],
    isTree: true,
  },
  ag: { ...grep, short: "GmABC", isTree: true },
  ack: { ...grep, isTree: true },
  jq: { operands: "read", skip: 1, short: "fL", instead: ["-f", "--from-file"], reads: ["-f", "--from-file", "-L"] },
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
  patch: {
    operands: "write",
    short: "idopBrDFVYz",
    reads: ["-i", "--input"],
    writes: ["-o", "--output", "-d", "--directory", "-r"],
  },
  curl: {
    operands: "none",
    short: "oTKDcbdFHXuAeEmrwxyYz",
    long: [
      "output",
      "output-dir",
      "upload-file",
      "config",
      "dump-header",
      "cookie-jar",
      "cookie",
      "data",
      "data-binary",
      "data-raw",
      "form",
      "header",
      "request",
      "user",
      "cert",
      "key",
      "cacert",
      "trace",
      "trace-ascii",
      "stderr",
      "netrc-file",
      "json",
      "url",
      "max-time",
      "retry",
      "write-out",
    ],
    reads: ["-T", "--upload-file", "-K", "--config", "--cert", "--key", "--cacert", "-E", "--netrc-file"],
    writes: [
      "-o",
      "--output",
      "--output-dir",
      "-D",
      "--dump-header",
      "-c",
      "--cookie-jar",
      "--trace",
      "--trace-ascii",
      "--stderr",
    ],
  },
  wget: {
    operands: "none",
    short: "OPoaiUtTwQe",
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
    writes: ["-O", "--output-document", "-P", "--directory-prefix", "-o", "--output-file", "-a", "--append-output"],
  },
  unzip: { operands: "read", short: "dxP", writes: ["-d"] },
  zip: { operands: "pack", short: "bntx", treeWith: ["-r"], followsWith: ["-r"] },
  openssl: { operands: "none", long: [] },
  ssh: { operands: "none", short: "iFEopLRDWJlbcemOQSw", reads: ["-i", "-F"], writes: ["-E"] },
  "ssh-keygen": { operands: "none", short: "fCtbNPO", writes: ["-f"] },
  gpg: {
    operands: "read",
    short: "oru",
    long: ["output", "recipient", "homedir"],
    writes: ["-o", "--output"],
    reads: ["--homedir"],
  },
  make: {
    operands: "none",
    short: "CfIjlo",
    long: ["directory", "file", "makefile"],
    reads: ["-f", "--file", "--makefile"],
    writes: ["-C", "--directory"],
  },
  gcc: { operands: "read", short: "oILDxl", reads: ["-I", "-L"], writes: ["-o"] },
  env: { operands: "none", short: "uCS", long: ["unset", "chdir"], reads: ["-C", "--chdir"], stops: true },
  sudo: {
    operands: "none",
    short: "ugCDRTUhp",
    long: ["chdir", "chroot"],
    reads: ["-D", "--chdir", "-R", "--chroot"],
    stops: true,
  },
  xargs: { operands: "none", short: "aIdEnPsL", long: ["arg-file"], reads: ["-a", "--arg-file"], stops: true },
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
