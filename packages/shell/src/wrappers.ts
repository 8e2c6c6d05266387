import type { Mount } from "./analysis.js";
import { placesOf } from "./mounts.js";
import { type OptionSpec, type ParsedOptions, readOptions } from "./options.js";
import { literal, startOf, type Word } from "./word.js";

/** How a program that starts another one is called. */
interface Wrapper extends OptionSpec {
  /** Operands of its own before the command. */
  readonly operands?: number;
  /** Whether `NAME=value` may stand before the command. */
  readonly assignments?: boolean;
  /** Subcommands after which the command stands: `docker exec`. */
  readonly after?: readonly string[];
  /** Where the command runs, if not here. */
  readonly elsewhere?: boolean;
  /** Whether its own options may stand between its operands, up to `--`: `kubectl exec pod -c box -- ls`. */
  readonly interleaved?: boolean;
  /** Options one of which must be given, or the words are something else: `runuser -u me ls`, but `runuser me`. */
  readonly only?: readonly string[];
  /** Options that say in which directory it starts: `env -C /`. */
  readonly chdir?: readonly string[];
  /** Options with which it starts nothing: `command -v`. */
  readonly not?: readonly string[];
  /** Whether it then takes names alone: nobody looks up `--hard`, and where options follow it is judged as if it ran. */
  readonly looksUp?: boolean;
}

const container: Wrapper = {
  short: "acehlmpuvwe",
  long: [
    "add-host",
    "cap-add",
    "cap-drop",
    "cpus",
    "detach-keys",
    "device",
    "dns",
    "entrypoint",
    "env",
    "env-file",
    "expose",
    "gpus",
    "hostname",
    "index",
    "ip",
    "label",
    "link",
    "log-driver",
    "log-opt",
    "memory",
    "mount",
    "name",
    "network",
    "pid",
    "platform",
    "publish",
    "pull",
    "restart",
    "runtime",
    "security-opt",
    "shm-size",
    "stop-signal",
    "tmpfs",
    "ulimit",
    "user",
    "userns",
    "volume",
    "volumes-from",
    "workdir",
    "context",
    "host",
    "config",
  ],
  after: ["exec", "run"],
  operands: 1,
  elsewhere: true,
};

const runner: Wrapper = {
  after: ["run", "exec"],
  long: ["env-file", "group", "with", "python", "extra", "package", "project", "directory"],
};

const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  sudo: {
    short: "CDghpRrTtUu",
    long: [
      "user",
      "group",
      "host",
      "prompt",
      "chdir",
      "role",
      "type",
      "other-user",
      "close-from",
      "command-timeout",
      "chroot",
    ],
    assignments: true,
    chdir: ["-D", "--chdir"],
    not: ["-l", "-v", "-k", "-K", "-V", "--list", "--validate", "--version"],
  },
  doas: { short: "uCa" },
  pkexec: { long: ["user"] },
  gosu: { operands: 1 },
  "su-exec": { operands: 1 },
  runuser: { short: "cugGsw", long: ["command", "user", "group", "shell"], only: ["-u", "--user"] },
  setuidgid: { operands: 1 },
  "s6-setuidgid": { operands: 1 },
  envdir: { operands: 1 },
  envchain: { operands: 1 },
  chpst: { short: "ueUbnmdopfcrtP/" },
  chronic: {},
  ifne: {},
  nocache: {},
  retry: { short: "tdmse", long: ["times", "delay", "until", "while"] },
  tsp: { short: "LNDE" },
  daemonize: { short: "aceopul" },
  proot: { short: "rbwq" },
  fakechroot: {},
  sshpass: { short: "pfdP" },
  apptainer: { after: ["exec"], short: "BHW", long: ["bind", "home", "pwd"], operands: 1 },
  singularity: { after: ["exec"], short: "BHW", long: ["bind", "home", "pwd"], operands: 1 },
  limactl: { after: ["shell"], operands: 1, elsewhere: true },
  chamber: { after: ["exec"], interleaved: true, operands: 1 },
  infisical: { after: ["run"], long: ["env", "path"] },
  dotenvx: { after: ["run"], short: "f", long: ["env-file"] },
  run0: { long: ["user", "group", "chdir", "unit", "property", "setenv"], chdir: ["--chdir"] },
  env: { short: "uCP", long: ["unset", "chdir"], assignments: true, chdir: ["-C", "--chdir"] },
  nohup: {},
  setsid: {},
  disown: {},
  nice: { short: "n", long: ["adjustment"] },
  ionice: { short: "cnu", long: ["class", "classdata"] },
  chrt: { short: "TPD", operands: 1 },
  taskset: { operands: 1 },
  numactl: { short: "mNCp" },
  prlimit: {},
  cpulimit: { short: "lpe" },
  stdbuf: { short: "ioe", long: ["input", "output", "error"] },
  timeout: { short: "ks", long: ["kill-after", "signal"], operands: 1 },
  gtimeout: { short: "ks", long: ["kill-after", "signal"], operands: 1 },
  time: { short: "fo", long: ["format", "output"] },
  command: { not: ["-v", "-V"], looksUp: true },
  builtin: {},
  exec: { short: "a" },
  busybox: { not: ["--list", "--help"] },
  toybox: {},
  chroot: { long: ["userspec", "groups"], operands: 1 },
  unshare: { short: "SG", long: ["setuid", "setgid", "wd", "root"] },
  nsenter: { short: "tSGW", long: ["target", "setuid", "setgid", "wd"] },
  setpriv: { long: ["reuid", "regid", "groups", "bounding-set"] },
  runcon: { short: "utrl", operands: 1 },
  strace: { short: "abeEIOopPsSuX" },
  ltrace: { short: "aAeEFlnosuwx" },
  valgrind: {},
  caffeinate: { short: "tw" },
  proxychains: { short: "f" },
  proxychains4: { short: "f" },
  torsocks: {},
  torify: {},
  unbuffer: {},
  rlwrap: {},
  winpty: {},
  fakeroot: { short: "lisb" },
  firejail: {},
  bwrap: {
    long: ["bind", "ro-bind", "dev", "proc", "tmpfs", "chdir", "uid", "gid", "setenv"],
    chdir: ["--chdir"],
  },
  eatmydata: {},
  faketime: { short: "f", operands: 1 },
  "xvfb-run": { short: "efnps" },
  "dbus-run-session": { long: ["config-file"] },
  "systemd-run": {
    short: "puMHEt",
    long: [
      "unit",
      "property",
      "slice",
      "description",
      "uid",
      "gid",
      "nice",
      "working-directory",
      "setenv",
      "on-active",
      "on-calendar",
    ],
    chdir: ["--working-directory"],
  },
  "systemd-inhibit": { long: ["what", "who", "why", "mode"] },
  tini: { short: "pe" },
  "dumb-init": {},
  catchsegv: {},
  linux32: {},
  linux64: {},
  setarch: { operands: 1 },
  arch: {},
  npx: { short: "pc", long: ["package"] },
  bunx: {},
  pnpx: {},
  npm: { after: ["exec", "x", "explore"] },
  pnpm: { after: ["exec", "dlx"], short: "CF", long: ["filter", "dir"], chdir: ["-C", "--dir"] },
  yarn: { after: ["exec", "dlx"] },
  bundle: { after: ["exec"] },
  poetry: runner,
  pipenv: runner,
  uv: runner,
  pdm: runner,
  hatch: runner,
  rye: runner,
  conda: { ...runner, short: "np", operands: 0 },
  mamba: { ...runner, short: "np", operands: 0 },
  direnv: { after: ["exec"], operands: 1 },
  mise: { after: ["exec", "x"] },
  asdf: { after: ["exec"] },
  "aws-vault": { after: ["exec"], operands: 1 },
  doppler: { after: ["run"], short: "pc" },
  op: { after: ["run"] },
  dotenv: { short: "ev" },
  docker: container,
  podman: container,
  nerdctl: container,
  "docker-compose": { ...container, short: "uewTpf" },
  kubectl: {
    short: "ncf",
    long: ["namespace", "container", "context", "kubeconfig", "cluster", "user", "image", "overrides"],
    after: ["exec", "debug", "run"],
    operands: 1,
    interleaved: true,
    elsewhere: true,
  },
  oc: {
    short: "nc",
    long: ["namespace", "container", "context"],
    after: ["exec", "rsh"],
    operands: 1,
    interleaved: true,
    elsewhere: true,
  },
  lxc: { after: ["exec"], operands: 1, elsewhere: true },
  adb: { short: "st", after: ["shell"], elsewhere: true },
  wsl: { short: "du" },
  "flatpak-spawn": { long: ["env", "directory"] },
  "distrobox-host-exec": {},
  distrobox: { after: ["enter"], operands: 1 },
  toolbox: { after: ["run"] },
  cgexec: { short: "g" },
  trickle: { short: "sdu" },
  nsjail: {},
  perf: { after: ["stat", "record"], short: "eoF" },
  corepack: {},
  cross: { after: ["exec"] },
  rustup: { after: ["run"], operands: 1 },
  pyenv: { after: ["exec"] },
  rbenv: { after: ["exec"] },
  nvm: { after: ["exec", "run"], operands: 1 },
  volta: { after: ["run"] },
  heroku: { after: ["run"], elsewhere: true },
  fly: { after: ["ssh"], elsewhere: true },
  multipass: { after: ["exec"], operands: 1, elsewhere: true },
};

/** The dynamic linker runs the program it is given. */
const LOADER = /^ld(-linux[\w.-]*|-musl[\w.-]*|\.so)(\.so)?(\.\d+)?$/;

/** A command inside of another. */
export interface Peeled {
  readonly argv: readonly Word[];
  /** `NAME=value` words that stood before it. */
  readonly assignments: readonly Word[];
  readonly elsewhere: boolean;
  /** Where in a container it starts, if that is said. */
  readonly cwd: Word | null;
  /** Directories of this machine that it sees. */
  readonly mounts: readonly Mount[];
}

/** Where `kubectl debug` of a node shows the node's own disk. */
const NODE: readonly Mount[] = [{ host: literal("/"), guest: "/host" }];

const NOWHERE = { cwd: null, mounts: [] as readonly Mount[] };

/** The command a wrapper starts; null where the program is no wrapper or starts none. */
export function peel(program: string, argv: readonly Word[]): Peeled | null {
  const wrapper = Object.hasOwn(WRAPPERS, program) ? WRAPPERS[program] : LOADER.test(program) ? {} : undefined;
  if (wrapper === undefined) {
    // `1A=2 git ...` is no assignment to this shell, and may be one to another.
    return argv.length > 1 && program.includes("=")
      ? { argv: argv.slice(1), assignments: [], elsewhere: false, ...NOWHERE }
      : null;
  }
  let args = argv.slice(1);
  if (wrapper.after !== undefined) {
    const { operands } = readOptions(args, wrapper, true);
    const [sub, second] = operands;
    if (sub?.text === "compose" && wrapper.after.includes(second?.text ?? "")) args = operands.slice(2);
    else if (sub?.text === "container" && wrapper.after.includes(second?.text ?? "")) args = operands.slice(2);
    else if (wrapper.after.includes(sub?.text ?? "")) args = operands.slice(1);
    else return null;
  }
  if (program === "nice" || program === "xargs") args = args.filter(({ text }) => !/^-\d+$/.test(text ?? ""));
  // A dash alone is `-i` to env.
  if (program === "env") args = args.filter(({ text }, index) => text !== "-" || index > 0);
  const end = wrapper.interleaved === true ? args.findIndex(({ text }) => text === "--") : -1;
  const { options, operands } =
    end === -1
      ? readOptions(args, wrapper, true)
      : withCommand(readOptions(args.slice(0, end), wrapper), args.slice(end + 1));
  if (wrapper.only !== undefined && !options.some(({ name }) => wrapper.only?.includes(name))) return null;
  if (options.some(({ name }) => wrapper.not?.includes(name))) {
    if (wrapper.looksUp !== true || !operands.slice(1).some((word) => startOf(word).startsWith("-"))) return null;
  }
  let inner = operands.slice(wrapper.operands ?? 0);
  if (wrapper.operands !== undefined && inner[0]?.text === "--") inner = inner.slice(1);
  const assignments: Word[] = [];
  while (wrapper.assignments && inner[0] !== undefined && /^[A-Za-z_]\w*=/.test(startOf(inner[0]))) {
    assignments.push(inner[0]);
    inner = inner.slice(1);
  }
  return inner.length === 0
    ? null
    : {
        argv: inner,
        assignments,
        elsewhere: wrapper.elsewhere ?? false,
        ...(wrapper === container ? placesOf(options) : NOWHERE),
        ...(program === "kubectl" && argv.some(({ text }) => text === "debug") ? { mounts: NODE } : {}),
        ...(wrapper.chdir === undefined
          ? {}
          : { cwd: options.find(({ name }) => wrapper.chdir?.includes(name))?.value ?? null }),
      };
}

function withCommand({ options, operands }: ParsedOptions, command: readonly Word[]): ParsedOptions {
  return { options, operands: [...operands, ...command] };
}
