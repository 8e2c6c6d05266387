import { type OptionSpec, readOptions } from "./options.js";
import { type Nested, type Reader, script } from "./started.js";
import { dropStart, startOf, type Word } from "./word.js";

/** Options of a program whose value is a line it hands to a shell. */
interface Runs extends OptionSpec {
  readonly run: readonly string[];
  /** What the value begins with before the line, where it is more than the line: `ProxyCommand=...`. */
  readonly after?: RegExp;
}

const SSH_SETTING = /^(ProxyCommand|LocalCommand|KnownHostsCommand|RemoteCommand)[= ]/i;
const sshLike: Runs = { short: "SoFiJlcPBb", run: ["-o"], after: SSH_SETTING };
const su: Runs = { short: "cCugGsw", long: ["command", "user", "group", "shell"], run: ["-c", "--command"] };
const netcat: Runs = { short: "cepswX", long: ["sh-exec"], run: ["-c", "--sh-exec"] };
const apt: Runs = { short: "oct", long: ["option"], run: ["-o", "--option"], after: /^[\w:]*-Invoke(-\w+)*(::)?=/i };

/** Programs with such options. */
const PROGRAMS: Readonly<Record<string, Runs>> = {
  su,
  runuser: su,
  script: { short: "cEIOBTt", long: ["command"], run: ["-c", "--command"] },
  "nix-shell": { short: "pIAE", long: ["run", "command"], run: ["--run", "--command"] },
  ansible: { short: "aimuefl", long: ["args"], run: ["-a", "--args"] },
  rsync: { short: "e", long: ["rsh", "rsync-path"], run: ["-e", "--rsh", "--rsync-path"] },
  man: { short: "PHM", long: ["pager", "html"], run: ["-P", "--pager", "-H", "--html"] },
  vagrant: { short: "c", long: ["command"], run: ["-c", "--command"] },
  nc: netcat,
  ncat: netcat,
  npx: { short: "pc", long: ["call", "package"], run: ["-c", "--call"] },
  zip: { long: ["unzip-command"], run: ["--unzip-command"] },
  tar: {
    short: "fCTXbgHKLNVIF",
    long: [
      "file",
      "directory",
      "exclude",
      "use-compress-program",
      "to-command",
      "info-script",
      "new-volume-script",
      "rsh-command",
      "rmt-command",
    ],
    run: [
      "-I",
      "-F",
      "--use-compress-program",
      "--to-command",
      "--info-script",
      "--new-volume-script",
      "--rsh-command",
      "--rmt-command",
    ],
  },
  split: { short: "abClnt", long: ["filter"], run: ["--filter"] },
  sort: { short: "koStT", long: ["compress-program"], run: ["--compress-program"] },
  scp: sshLike,
  sftp: sshLike,
  apt,
  "apt-get": apt,
  aptitude: apt,
  dpkg: {
    long: ["pre-invoke", "post-invoke"],
    run: ["--pre-invoke", "--post-invoke"],
  },
  gcloud: { long: ["command"], run: ["--command"] },
  az: { long: ["scripts", "run-command"], run: ["--scripts"] },
  mosh: { long: ["ssh", "server"], run: ["--ssh", "--server"] },
  wget: { short: "OPUtTaoiQBe", long: ["use-askpass"], run: ["--use-askpass"] },
  nodemon: { short: "xwe", long: ["exec", "watch", "ext"], run: ["-x", "--exec"] },
  hyperfine: {
    short: "wmMrPpcnS",
    long: ["warmup", "runs", "prepare", "cleanup", "setup", "conclude"],
    run: ["-p", "--prepare", "-c", "--cleanup", "-s", "--setup", "--conclude"],
  },
};

/** What the options of a program make it run; undefined for a program without such options. */
export function optionReader(program: string): Reader | undefined {
  const runs = Object.hasOwn(PROGRAMS, program) ? PROGRAMS[program] : undefined;
  return runs === undefined ? undefined : ({ argv }) => read(program, argv, runs);
}

function read(program: string, argv: readonly Word[], { run, after, ...spec }: Runs): readonly Nested[] {
  const { options } = readOptions(argv.slice(1), spec);
  return options.flatMap(({ name, value }) => {
    if (value === null || !run.includes(name)) return [];
    const via = `${program} ${name}`;
    if (after === undefined) return [script(value, via)];
    const start = after.exec(startOf(value));
    return start === null ? [] : [script(dropStart(value, start[0].length), via)];
  });
}
