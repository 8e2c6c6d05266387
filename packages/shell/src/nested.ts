import type { SimpleCommand } from "./analysis.js";
import { Fields } from "./fields.js";
import { foundBy, readFind } from "./found.js";
import { joinSpaces } from "./interpreters.js";
import { type OptionSpec, readOptions } from "./options.js";
import { contentOf } from "./output.js";
import type { State } from "./state.js";
import { dropStart, literal, type Piece, render, startOf, unknownWord, type Word, wordOf } from "./word.js";

/** Something a command runs besides itself. */
export type Nested =
  | {
      readonly kind: "script";
      readonly script: Word;
      readonly via: string;
      /** Whether it runs in the shell itself, as `eval` does, and not in one of its own. */
      readonly here?: boolean;
      readonly elsewhere?: boolean;
      readonly positional?: readonly Word[];
      /** The commands that write the script. */
      readonly from?: readonly SimpleCommand[];
    }
  | { readonly kind: "argv"; readonly argv: readonly Word[]; readonly elsewhere?: boolean };

const SHELLS = new Set([
  "sh",
  "bash",
  "zsh",
  "dash",
  "ash",
  "ksh",
  "ksh93",
  "mksh",
  "yash",
  "rbash",
  "fish",
  "csh",
  "tcsh",
]);

/** The scripts and commands a program's own arguments and input make it run. */
export function nestedOf(command: SimpleCommand, state: State): readonly Nested[] {
  const { program } = command;
  if (program === null) return [];
  if (SHELLS.has(program)) return shell(command, state);
  const read = READERS.get(program);
  return read === undefined ? scriptFile(command, state) : read(command, state);
}

type Reader = (command: SimpleCommand, state: State) => readonly Nested[];

const READERS = new Map<string, Reader>([
  [
    "eval",
    ({ argv }) =>
      argv.length < 2 ? [] : [{ kind: "script", script: joinSpaces(argv.slice(1)), via: "eval", here: true }],
  ],
  ["source", sourced],
  [".", sourced],
  ["trap", ({ argv }) => (argv.length < 3 || argv[1]?.text === "-" ? [] : [script(argv[1], "trap")])],
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
  [
    "batch",
    ({ stdin }) =>
      stdin.kind === "text" ? [{ kind: "script", script: stdin.text, via: "batch", from: stdin.from }] : [],
  ],
  ["tar", ({ argv }) => prefixed(argv, /^--(checkpoint-action=exec=|to-command=|use-compress-program=)/, "tar")],
  ["npx", optionScript("npx -c", { short: "pc", long: ["call", "package"] }, ["-c", "--call"])],
  ["parallel", parallel],
  ["vim", ({ argv }) => prefixed(argv, /^[+:]+!/, "vim")],
  ["vi", ({ argv }) => prefixed(argv, /^[+:]+!/, "vi")],
  ["nvim", ({ argv }) => prefixed(argv, /^[+:]+!/, "nvim")],
]);

function script(word: Word | undefined, via: string): Nested {
  return { kind: "script", script: word ?? literal(""), via };
}

function joined(words: readonly Word[], via: string, elsewhere = false): readonly Nested[] {
  return words.length === 0 ? [] : [{ kind: "script", script: joinSpaces(words), via, elsewhere }];
}

function shell({ program, argv, stdin, cwd }: SimpleCommand, state: State): readonly Nested[] {
  const { options, operands } = readOptions(
    argv.slice(1),
    { short: "oO", long: ["rcfile", "init-file", "init-command"] },
    true,
  );
  const name = program ?? "sh";
  if (options.some((option) => option.name === "--version" || option.name === "--help")) return [];
  if (options.some((option) => option.name === "-c")) {
    return operands.length === 0
      ? []
      : [{ kind: "script", script: operands[0] as Word, via: `${name} -c`, positional: operands.slice(2) }];
  }
  const onStdin = options.some((option) => option.name === "-s");
  const file = onStdin ? undefined : operands[0];
  const rest = onStdin ? operands : operands.slice(1);
  if (file !== undefined && file.text !== "/dev/stdin" && file.text !== "-") {
    const content = contentOf(file, cwd, state);
    const from = file.pieces.flatMap((piece) => (piece.kind === "unknown" ? (piece.from ?? []) : []));
    return content === null
      ? []
      : [{ kind: "script", script: content, via: `${name} ${render(file)}`, positional: rest, from }];
  }
  return stdin.kind === "text"
    ? [{ kind: "script", script: stdin.text, via: `${name} <stdin`, positional: rest, from: stdin.from }]
    : [];
}

/** A file this command wrote and then runs. */
function scriptFile({ argv, cwd }: SimpleCommand, state: State): readonly Nested[] {
  const [file] = argv;
  if (state.files.size === 0 || file === undefined || !render(file).includes("/")) return [];
  const content = contentOf(file, cwd, state);
  return content === null ? [] : [{ kind: "script", script: content, via: render(file), positional: argv.slice(1) }];
}

function sourced({ argv, stdin, cwd }: SimpleCommand, state: State): readonly Nested[] {
  const [, file] = argv;
  if (file === undefined) return [];
  if (file.text === "/dev/stdin" && stdin.kind === "text") {
    return [{ kind: "script", script: stdin.text, via: "source", here: true, from: stdin.from }];
  }
  const content = contentOf(file, cwd, state);
  const from = file.pieces.flatMap((piece) => (piece.kind === "unknown" ? (piece.from ?? []) : []));
  return content === null ? [] : [{ kind: "script", script: content, via: `source ${render(file)}`, here: true, from }];
}

function optionScript(via: string, spec: OptionSpec, names: readonly string[]): Reader {
  return ({ argv }) => scriptsIn(argv.slice(1), via, spec, names);
}

function scriptsIn(args: readonly Word[], via: string, spec: OptionSpec, names: readonly string[]): readonly Nested[] {
  const { options } = readOptions(args, spec);
  return options.flatMap(({ name, value }) => (names.includes(name) && value !== null ? [script(value, via)] : []));
}

function commandAfter(argv: readonly Word[], marks: readonly string[]): readonly Nested[] {
  const at = argv.findIndex(({ text }) => marks.includes(text ?? ""));
  return at === -1 || at + 1 >= argv.length ? [] : [{ kind: "argv", argv: argv.slice(at + 1) }];
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

function xargs({ argv, stdin }: SimpleCommand): readonly Nested[] {
  const spec = {
    short: "adEILnPsJR",
    long: ["arg-file", "delimiter", "max-lines", "max-args", "max-procs", "max-chars", "replace"],
  };
  const { options, operands } = readOptions(argv.slice(1), spec, true);
  if (operands.length === 0) return [];
  const mark =
    options.find(({ name }) => name === "-I" || name === "-J" || name === "--replace")?.value?.text ??
    (options.some(({ name }) => name === "-i") ? "{}" : null);
  const found = stdin.kind === "text" ? foundBy(stdin.from) : [];
  const inputs =
    found.length > 0 ? found : inputWords(stdin.kind === "text" ? stdin.text : unknownWord("input"), mark !== null);
  if (mark === null) return [{ kind: "argv", argv: [...operands, ...inputs] }];
  return inputs
    .slice(0, 64)
    .map((input) => ({ kind: "argv", argv: operands.map((word) => replaceMark(word, mark, input)) }));
}

function inputWords(text: Word, lines: boolean): Word[] {
  const fields = new Fields(lines ? "\n\0" : " \t\n\0");
  for (const piece of text.pieces) {
    if (piece.kind !== "text") fields.add([piece]);
    else fields.addSplit([piece]);
  }
  return fields.finish();
}

/** Puts what was found or read in the place of `{}`. */
function replaceMark(word: Word, mark: string, by: Word): Word {
  if (mark === "" || !word.pieces.some((piece) => piece.kind === "text" && piece.text.includes(mark))) return word;
  const pieces = word.pieces.flatMap((piece): readonly Piece[] => {
    if (piece.kind !== "text") return [piece];
    return piece.text
      .split(mark)
      .flatMap((part, index): readonly Piece[] => [
        ...(index > 0 ? by.pieces : []),
        ...(part === "" ? [] : [{ kind: "text" as const, text: part }]),
      ]);
  });
  return wordOf(pieces);
}

function find({ argv }: SimpleCommand): readonly Nested[] {
  const { commands, found } = readFind(argv);
  return commands.flatMap((command) =>
    found.map((path) => ({ kind: "argv" as const, argv: command.map((word) => replaceMark(word, "{}", path)) })),
  );
}

function fd(argv: readonly Word[]): readonly Nested[] {
  const at = argv.findIndex(({ text }) => /^(-x|-X|--exec|--exec-batch)$/.test(text ?? ""));
  if (at === -1 || at + 1 >= argv.length) return [];
  const command = argv.slice(at + 1);
  const input = unknownWord("found");
  const replaced = command.map((word) => replaceMark(word, "{}", input));
  return [
    { kind: "argv", argv: replaced.some((word, index) => word !== command[index]) ? replaced : [...replaced, input] },
  ];
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

const GIT_PROGRAMS =
  /^(core\.(pager|editor|sshcommand|fsmonitor|hookspath|askpass)|sequence\.editor|diff\.external|credential\.helper|pager\.\w+)=/i;

function git({ argv }: SimpleCommand): readonly Nested[] {
  const { options, operands } = readOptions(
    argv.slice(1),
    { short: "cC", long: ["git-dir", "work-tree", "namespace", "exec-path", "config-env"] },
    true,
  );
  const configured = options.flatMap(({ name, value }): Nested[] => {
    if (name !== "-c" || value === null) return [];
    const alias = /^alias\.[^=]+=!/i.exec(startOf(value)) ?? GIT_PROGRAMS.exec(startOf(value));
    if (alias !== null) return [script(dropStart(value, alias[0].length), "git -c")];
    const plain = /^alias\.([^=]+)=/i.exec(startOf(value));
    if (plain?.[1] === undefined || operands[0]?.text !== plain[1]) return [];
    return [
      {
        kind: "script",
        script: joinSpaces([literal("git"), dropStart(value, plain[0].length), ...operands.slice(1)]),
        via: "git -c",
      },
    ];
  });
  const [sub, ...rest] = operands;
  if (sub?.text === "rebase")
    return [
      ...configured,
      ...scriptsIn(rest, "git rebase --exec", { short: "xs", long: ["exec", "onto", "strategy"] }, ["-x", "--exec"]),
    ];
  if (sub?.text === "filter-branch")
    return [
      ...configured,
      ...rest.flatMap(({ text }, index) =>
        /^--(tree|index|msg|env|parent|commit|tag-name)-filter$/.test(text ?? "") && rest[index + 1]
          ? [script(rest[index + 1], "git filter-branch")]
          : [],
      ),
    ];
  if (sub?.text === "submodule" && rest.some(({ text }) => text === "foreach")) {
    const at = rest.findIndex(({ text }) => text === "foreach");
    return [...configured, ...joined(readOptions(rest.slice(at + 1), {}, true).operands, "git submodule foreach")];
  }
  if (sub?.text === "bisect" && rest[0]?.text === "run") return [...configured, { kind: "argv", argv: rest.slice(1) }];
  return configured;
}

/** tmux and screen type or start what they are given. */
function terminal(argv: readonly Word[]): readonly Nested[] {
  const { operands } = readOptions(argv.slice(1), { short: "LSfctnxyFesXpT" }, true);
  const [sub, ...rest] = operands;
  if (/^(send-keys|send)$/.test(sub?.text ?? "")) {
    const keys = readOptions(rest, { short: "tNc" }).operands.filter(
      ({ text }) => !/^(Enter|C-m|C-c|Escape|Space|Tab)$/.test(text ?? ""),
    );
    return joined(keys, "tmux send-keys");
  }
  if (
    /^(new|new-session|neww|new-window|splitw|split-window|run|run-shell|respawn-pane|respawn-window)$/.test(
      sub?.text ?? "",
    )
  ) {
    return joined(readOptions(rest, { short: "tncsFxyel" }, true).operands, `tmux ${sub?.text}`);
  }
  if (sub?.text === "stuff") return joined(rest, "screen stuff");
  return argv[0]?.text === "screen" && operands.length > 0 ? [{ kind: "argv", argv: operands }] : [];
}

function prefixed(argv: readonly Word[], prefix: RegExp, via: string): readonly Nested[] {
  return argv.slice(1).flatMap((word) => {
    const match = prefix.exec(startOf(word));
    return match === null ? [] : [script(dropStart(word, match[0].length), via)];
  });
}

/** `parallel rm -rf ::: a b` and `... | parallel rm`. */
function parallel({ argv, stdin }: SimpleCommand): readonly Nested[] {
  const spec = {
    short: "jSNLnPdaI",
    long: ["jobs", "colsep", "delay", "timeout", "arg-file", "joblog", "results", "sshlogin"],
  };
  const { operands } = readOptions(argv.slice(1), spec, true);
  const at = operands.findIndex(({ text }) => /^:::+\+?$/.test(text ?? ""));
  const command = at === -1 ? operands : operands.slice(0, at);
  const inputs =
    at === -1 ? inputWords(stdin.kind === "text" ? stdin.text : unknownWord("input"), true) : operands.slice(at + 1);
  if (command.length === 0) return inputs.map((input) => script(input, "parallel"));
  return inputs.slice(0, 64).map((input) => {
    const replaced = command.map((word) => replaceMark(word, "{}", input));
    const used = replaced.some((word, index) => word !== command[index]);
    return { kind: "script", script: joinSpaces(used ? replaced : [...replaced, input]), via: "parallel" };
  });
}
