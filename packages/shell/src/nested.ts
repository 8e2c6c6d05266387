import type { Assignment, SimpleCommand } from "./analysis.js";
import { joinSpaces } from "./interpreters.js";
import { readOptions } from "./options.js";
import { contentOf } from "./output.js";
import {
  commandAfter,
  joined,
  type Nested,
  optionScript,
  prefixed,
  type Reader,
  script,
  scriptsIn,
} from "./started.js";
import { ed, emacs, pager, vim } from "./started-by-editors.js";
import { git } from "./started-by-git.js";
import { optionReader } from "./started-by-options.js";
import { crontab, make, packageScripts, sedCommands, terminal } from "./started-from-text.js";
import { fd, find, parallel, xargs } from "./started-per-input.js";
import { SHELLS, scriptFile, shell, sourced } from "./started-shells.js";
import type { State } from "./state.js";
import { dropStart, literal, startOf, type Word } from "./word.js";

/** The scripts and commands a program's own arguments and input make it run. */
export function nestedOf(command: SimpleCommand, state: State): readonly Nested[] {
  const { program } = command;
  if (program === null) return [];
  if (SHELLS.has(program)) return shell(command, state);
  const [read, byOptions] = [READERS.get(program), optionReader(program)];
  const started = read === undefined ? scriptFile(command, state) : read(command, state);
  return byOptions === undefined ? started : [...started, ...byOptions(command, state)];
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
  [
    "sg",
    ({ argv }) =>
      argv
        .slice(2)
        .filter(({ text }) => text !== "-c")
        .slice(0, 1)
        .map((word) => script(word, "sg")),
  ],
  ["flock", flock],
  ["tar", ({ argv }) => prefixed(argv, /^--checkpoint-action=exec=/, "tar")],
  [
    "zip",
    ({ argv }) => argv.flatMap(({ text }, index) => (text === "-TT" ? [script(argv[index + 1], "zip -TT")] : [])),
  ],
  ["nix", ({ argv }) => commandAfter(argv, ["-c", "--command"])],
  [
    "watch",
    ({ argv }) => joined(readOptions(argv.slice(1), { short: "nq", long: ["interval"] }, true).operands, "watch"),
  ],
  ["entr", ({ argv }) => entr(argv)],
  [
    "repo",
    ({ argv }) =>
      argv[1]?.text === "forall" ? scriptsIn(argv.slice(2), "repo forall", { short: "crgij" }, ["-c"]) : [],
  ],
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
      readOptions(argv.slice(1), {
        short: "wmMrPpcnS",
        long: ["warmup", "runs", "prepare", "cleanup", "setup"],
      }).operands.map((word) => script(word, "hyperfine")),
  ],
  ["make", make],
  ["gmake", make],
  ["sed", sedCommands],
  ["gsed", sedCommands],
  ["gdb", ({ argv }) => gdb(argv)],
  ["emacs", emacs],
  ["emacsclient", emacs],
  ["socat", ({ argv }) => prefixed(argv, /^(EXEC|SYSTEM):/i, "socat")],
  [
    "batch",
    ({ stdin }) =>
      stdin.kind === "text" ? [{ kind: "script", script: stdin.text, via: "batch", from: stdin.from }] : [],
  ],
  ["npm", execLine("npm exec -c", "c", ["call", "package", "prefix"], ["-c", "--call"])],
  ["pnpm", pnpm],
  ["bun", packageScripts],
  [
    "yarn",
    (command, state) =>
      command.argv[1]?.text === "exec"
        ? joined(plainWords(command.argv.slice(2)), "yarn exec")
        : packageScripts(command, state),
  ],
  ["parallel", parallel],
  ["sem", parallel],
  ...["vim", "vi", "nvim", "gvim", "view", "ex", "vimdiff"].map((name): [string, Reader] => [name, vim]),
  ["ed", ed],
  ["red", ed],
  ...["less", "more", "most"].map((name): [string, Reader] => [name, pager]),
  ["sftp", ({ stdin }) => bangLines(stdin, "sftp")],
  ["ftp", ({ stdin }) => bangLines(stdin, "ftp")],
  ["gh", ({ argv }) => ghAlias(argv)],
  [
    "sops",
    ({ argv }) => (/^exec-(env|file)$/.test(argv[1]?.text ?? "") ? [script(argv[argv.length - 1], "sops")] : []),
  ],
  ["aws", ({ argv }) => ssmCommands(argv)],
]);

/** `npm exec -c "line"`: the line is for a shell. */
function execLine(via: string, short: string, long: readonly string[], names: readonly string[]): Reader {
  const read = optionScript(via, { short, long }, names);
  return (command, state) =>
    /^(exec|x)$/.test(command.argv[1]?.text ?? "") ? read(command, state) : packageScripts(command, state);
}

/** `pnpm exec -c line` and `pnpm -c exec line`. */
function pnpm(command: SimpleCommand, state: State): readonly Nested[] {
  const { argv } = command;
  const at = argv.findIndex(({ text }) => text === "exec");
  if (at === -1) return packageScripts(command, state);
  if (!argv.some(({ text }) => text === "-c" || text === "--shell-mode")) return [];
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

/** gdb's `shell` and `!`. */
function gdb(argv: readonly Word[]): readonly Nested[] {
  const given = argv.flatMap(({ text }, index) =>
    /^--?(ex|eval-command)$/.test(text ?? "")
      ? [argv[index + 1]?.text ?? ""]
      : [/^--?(?:ex|eval-command)=([\s\S]*)/.exec(text ?? "")?.[1] ?? ""],
  );
  return given.flatMap((text) => {
    const line = /^\s*(?:shell|!)\s*(.+)/.exec(text)?.[1];
    return line === undefined ? [] : [script(literal(line), "gdb")];
  });
}

/** Lines of a dialogue that begin with `!` are for a shell. */
function bangLines(stdin: SimpleCommand["stdin"], via: string): readonly Nested[] {
  const lines = stdin.kind === "text" ? (stdin.text.text ?? "").split("\n") : [];
  return lines.flatMap((line) => (/^\s*!./.test(line) ? [script(literal(line.replace(/^\s*!/, "")), via)] : []));
}

/** `gh alias set x '!line'`. */
function ghAlias(argv: readonly Word[]): readonly Nested[] {
  if (argv[1]?.text !== "alias" || argv[2]?.text !== "set") return [];
  const { options, operands } = readOptions(argv.slice(3), {});
  const line = operands[1];
  const isShell = options.some(({ name }) => name === "-s" || name === "--shell");
  if (line === undefined || !(isShell || startOf(line).startsWith("!"))) return [];
  return [script(startOf(line).startsWith("!") ? dropStart(line, 1) : line, "gh alias")];
}

/** `aws ssm send-command --parameters 'commands=["ls"]'` runs on other machines. */
function ssmCommands(argv: readonly Word[]): readonly Nested[] {
  if (argv[1]?.text !== "ssm") return [];
  return argv.slice(2).flatMap(({ text }): Nested[] => {
    const list = /commands["']?\s*[=:]\s*(\[[^\]]*\]|.+)/.exec(text ?? "")?.[1];
    const lines = [...(list ?? "").matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'/g)].map(([, a, b]) => a ?? b ?? "");
    const texts = lines.length > 0 ? lines : list === undefined ? [] : [list.replace(/^\[|\]$/g, "")];
    return texts.map((line) => ({ kind: "script", script: literal(line), via: "aws ssm", elsewhere: true }));
  });
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
