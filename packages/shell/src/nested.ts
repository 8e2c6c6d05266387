import type { Assignment, SimpleCommand } from "./analysis.js";
import { joinSpaces } from "./interpreters.js";
import { readOptions } from "./options.js";
import { contentOf } from "./output.js";
import {
  commandAfter,
  joined,
  type Nested,
  optionScript,
  optionText,
  prefixed,
  type Reader,
  script,
} from "./started.js";
import { git } from "./started-by-git.js";
import { crontab, make, sedCommands, terminal } from "./started-from-text.js";
import { fd, find, parallel, xargs } from "./started-per-input.js";
import { SHELLS, scriptFile, shell, sourced } from "./started-shells.js";
import type { State } from "./state.js";
import { dropStart, literal, startOf, type Word } from "./word.js";

/** The scripts and commands a program's own arguments and input make it run. */
export function nestedOf(command: SimpleCommand, state: State): readonly Nested[] {
  const { program } = command;
  if (program === null) return [];
  if (SHELLS.has(program)) return shell(command, state);
  const read = READERS.get(program);
  return read === undefined ? scriptFile(command, state) : read(command, state);
}

/** Variables whose value a program runs as a command line. */
const PROGRAM_VARIABLES =
  /^(PROMPT_COMMAND|GIT_SSH_COMMAND|GIT_SSH|GIT_EDITOR|GIT_SEQUENCE_EDITOR|GIT_PAGER|GIT_ASKPASS|GIT_EXTERNAL_DIFF|GIT_PROXY_COMMAND|SSH_ASKPASS|SUDO_ASKPASS|SUDO_EDITOR|PAGER|MANPAGER|EDITOR|VISUAL|FCEDIT|BROWSER|RSYNC_RSH|CVS_RSH|LESSOPEN|LESSCLOSE)$/;

/** Variables that name a file a shell reads before anything else. */
const START_FILES = /^(BASH_ENV|ENV)$/;

/** Variables in which substitutions run when they are shown. */
const PROMPTS = /^PS[0-4]$/;

/** What the values of a command's variables make it run. */
export function startedByVariables(
  assignments: readonly Assignment[],
  { cwd }: SimpleCommand,
  state: State,
): readonly Nested[] {
  return assignments.flatMap(({ name, value }): Nested[] => {
    const via = `${name}=`;
    if (PROGRAM_VARIABLES.test(name))
      return value.text === null ? [] : [script(literal(value.text.replace(/^\|/, "")), via)];
    if (START_FILES.test(name)) {
      const content = contentOf(value, cwd, state);
      return content === null ? [] : [script(content, via)];
    }
    const text = PROMPTS.test(name) ? value.text : null;
    return text === null || !/[$`]/.test(text) ? [] : [script(literal(`: "${text}"`), via)];
  });
}

const READERS = new Map<string, Reader>([
  [
    "eval",
    ({ argv }) =>
      argv.length < 2 ? [] : [{ kind: "script", script: joinSpaces(argv.slice(1)), via: "eval", here: true }],
  ],
  ["source", sourced],
  [".", sourced],
  ["trap", ({ argv }) => trap(readOptions(argv.slice(1), {}).operands)],
  ["su", optionScript("su -c", { short: "cgGsw", long: ["command", "group", "shell"] }, ["-c", "--command"])],
  [
    "runuser",
    optionScript("runuser -c", { short: "cugGsw", long: ["command", "user", "group", "shell"] }, ["-c", "--command"]),
  ],
  [
    "sg",
    ({ argv }) =>
      argv
        .slice(2)
        .filter(({ text }) => text !== "-c")
        .slice(0, 1)
        .map((word) => script(word, "sg")),
  ],
  ["script", optionScript("script -c", { short: "cEIOBTt", long: ["command"] }, ["-c", "--command"])],
  ["flock", flock],
  ["nix-shell", optionScript("nix-shell --run", { short: "pIAE", long: ["run", "command"] }, ["--run", "--command"])],
  ["nix", ({ argv }) => commandAfter(argv, ["-c", "--command"])],
  [
    "watch",
    ({ argv }) => joined(readOptions(argv.slice(1), { short: "nq", long: ["interval"] }, true).operands, "watch"),
  ],
  ["entr", ({ argv }) => entr(argv)],
  ["ssh", ssh],
  ["xargs", xargs],
  ["find", find],
  ["gfind", find],
  ["fd", ({ argv }) => fd(argv)],
  ["fdfind", ({ argv }) => fd(argv)],
  ["env", ({ argv }) => splitString(argv)],
  ["git", git],
  ["tmux", ({ argv }) => terminal(argv)],
  ["screen", ({ argv }) => terminal(argv)],
  [
    "at",
    ({ stdin }) => (stdin.kind === "text" ? [{ kind: "script", script: stdin.text, via: "at", from: stdin.from }] : []),
  ],
  ["crontab", crontab],
  [
    "hyperfine",
    ({ argv }) =>
      readOptions(argv.slice(1), { short: "wmMrPpcn", long: ["warmup", "runs", "prepare", "cleanup"] }).operands.map(
        (word) => script(word, "hyperfine"),
      ),
  ],
  ["make", make],
  ["gmake", make],
  ["sed", ({ argv }) => sedCommands(argv)],
  ["gsed", ({ argv }) => sedCommands(argv)],
  ["gdb", ({ argv }) => optionText(argv, /^(-ex|--ex|-eval-command|--eval-command)$/, /^\s*(?:shell|!)\s*/, "gdb")],
  ["emacs", ({ argv }) => optionText(argv, /^--?(eval|execute)$/, /\(shell-command\s+"/, "emacs")],
  ["ansible", optionScript("ansible -a", { short: "aimuefl", long: ["args"] }, ["-a", "--args"])],
  ["rsync", optionScript("rsync -e", { short: "e", long: ["rsh", "rsync-path"] }, ["-e", "--rsh", "--rsync-path"])],
  ["man", optionScript("man -P", { short: "P", long: ["pager"] }, ["-P", "--pager"])],
  ["vagrant", optionScript("vagrant -c", { short: "c", long: ["command"] }, ["-c", "--command"])],
  ["gcloud", ({ argv }) => prefixed(argv, /^--command=/, "gcloud")],
  ["socat", ({ argv }) => prefixed(argv, /^(EXEC|SYSTEM):/i, "socat")],
  ["nc", optionScript("nc -c", { short: "cepswX", long: ["sh-exec"] }, ["-c", "--sh-exec"])],
  ["ncat", optionScript("ncat -c", { short: "cepswX", long: ["sh-exec"] }, ["-c", "--sh-exec"])],
  ["zip", optionScript("zip -TT", { long: ["unzip-command"] }, ["--unzip-command"])],
  [
    "batch",
    ({ stdin }) =>
      stdin.kind === "text" ? [{ kind: "script", script: stdin.text, via: "batch", from: stdin.from }] : [],
  ],
  ["tar", ({ argv }) => prefixed(argv, /^--(checkpoint-action=exec=|to-command=|use-compress-program=)/, "tar")],
  ["npx", optionScript("npx -c", { short: "pc", long: ["call", "package"] }, ["-c", "--call"])],
  ["npm", execLine("npm exec -c", "c", ["call", "package", "prefix"], ["-c", "--call"])],
  ["pnpm", pnpm],
  ["yarn", ({ argv }) => (argv[1]?.text === "exec" ? joined(plainWords(argv.slice(2)), "yarn exec") : [])],
  ["parallel", parallel],
  ["vim", ({ argv }) => prefixed(argv, /^[+:]+!/, "vim")],
  ["vi", ({ argv }) => prefixed(argv, /^[+:]+!/, "vi")],
  ["nvim", ({ argv }) => prefixed(argv, /^[+:]+!/, "nvim")],
]);

/** `npm exec -c "line"`: the line is for a shell. */
function execLine(via: string, short: string, long: readonly string[], names: readonly string[]): Reader {
  const read = optionScript(via, { short, long }, names);
  return (command, state) => (/^(exec|x)$/.test(command.argv[1]?.text ?? "") ? read(command, state) : []);
}

/** `pnpm exec -c line` and `pnpm -c exec line`. */
function pnpm({ argv }: SimpleCommand): readonly Nested[] {
  const at = argv.findIndex(({ text }) => text === "exec");
  if (at === -1 || !argv.some(({ text }) => text === "-c" || text === "--shell-mode")) return [];
  return joined(plainWords(argv.slice(at + 1)), "pnpm exec -c");
}

/** The words from the first that is no option. */
function plainWords(words: readonly Word[]): readonly Word[] {
  return readOptions(words, {}, true).operands;
}

function trap([line, signal]: readonly Word[]): readonly Nested[] {
  return line === undefined || signal === undefined || line.text === "-" ? [] : [script(line, "trap")];
}

function flock({ argv }: SimpleCommand): readonly Nested[] {
  const { operands } = readOptions(
    argv.slice(1),
    { short: "wE", long: ["timeout", "wait", "conflict-exit-code"] },
    true,
  );
  const inner = operands.slice(1);
  if (inner[0]?.text === "-c" || inner[0]?.text === "--command") return [script(inner[1], "flock -c")];
  return inner.length === 0 ? [] : [{ kind: "argv", argv: inner }];
}

function entr(argv: readonly Word[]): readonly Nested[] {
  const { options, operands } = readOptions(argv.slice(1), {}, true);
  if (operands.length === 0) return [];
  return options.some(({ name }) => name === "-s")
    ? [script(operands[0], "entr -s")]
    : [{ kind: "argv", argv: operands }];
}

function ssh({ argv, stdin }: SimpleCommand): readonly Nested[] {
  const { options, operands } = readOptions(argv.slice(1), { short: "BbcDEeFIiJLlmOopQRSWw" }, true);
  const local = options.flatMap(({ name, value }) => {
    const command = name === "-o" && value !== null ? /^(ProxyCommand|LocalCommand)[= ]/i.exec(startOf(value)) : null;
    return command === null || value === null ? [] : [script(dropStart(value, command[0].length), "ssh -o")];
  });
  const rest = operands.slice(1);
  if (rest.length > 0) return [...local, ...joined(rest, "ssh", true)];
  if (stdin.kind !== "text" || operands.length === 0) return local;
  return [...local, { kind: "script", script: stdin.text, via: "ssh", elsewhere: true, from: stdin.from }];
}

/** `env -S "rm -rf x"`. */
function splitString(argv: readonly Word[]): readonly Nested[] {
  const { options, operands } = readOptions(
    argv.slice(1),
    { short: "uCPS", long: ["unset", "chdir", "split-string"] },
    true,
  );
  const given = options.find(({ name }) => name === "-S" || name === "--split-string")?.value;
  return given == null ? [] : [{ kind: "script", script: joinSpaces([given, ...operands]), via: "env -S" }];
}
