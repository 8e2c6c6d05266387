import type { SimpleCommand } from "./analysis.js";
import { readOptions } from "./options.js";
import { contentOf } from "./output.js";
import { crontabLines } from "./start-up.js";
import { joined, type Nested, script } from "./started.js";
import type { State } from "./state.js";
import { dropStart, literal, startOf, type Word } from "./word.js";

/** A crontab on standard input or in a file that was just written: each line is a time and a command. */
export function crontab({ argv, stdin, cwd }: SimpleCommand, state: State): readonly Nested[] {
  const [file] = readOptions(argv.slice(1), { short: "u" }).operands;
  const table =
    file === undefined || file.text === "-" ? (stdin.kind === "text" ? stdin.text : null) : contentOf(file, cwd, state);
  return table === null ? [] : crontabLines(table, false).map((line) => script(literal(line), "crontab"));
}

/** `make -f -` and `--eval`: recipes are lines for a shell. */
export function make({ argv, stdin, cwd }: SimpleCommand, state: State): readonly Nested[] {
  const { options, operands } = readOptions(argv.slice(1), {
    short: "CfIjloW",
    long: ["file", "makefile", "eval", "directory"],
  });
  const shells = operands.flatMap((word) =>
    /^SHELL=./.test(startOf(word)) ? [script(dropStart(word, 6), "make SHELL=")] : [],
  );
  const isNamed = options.some(({ name }) => /^(-f|--file|--makefile)$/.test(name));
  const usual = isNamed
    ? []
    : ["GNUmakefile", "makefile", "Makefile"].map((name) => ({ name: "-f", value: literal(name) }));
  const recipes = [...options, ...usual].flatMap(({ name, value }) => {
    if (value === null || !/^(-f|--file|--makefile|--eval)$/.test(name)) return [];
    const text =
      name === "--eval"
        ? value
        : /^(-|\/dev\/stdin)$/.test(value.text ?? "") && stdin.kind === "text"
          ? stdin.text
          : contentOf(value, cwd, state);
    const lines = (text?.text ?? "").split("\n");
    const commands = lines.flatMap((line) => /^(?:\t|[^#\t=:]*:[^=;]*;)[ \t]{0,8}[@+-]*(.+)$/s.exec(line)?.[1] ?? []);
    const called = lines.flatMap((line) =>
      [...line.matchAll(/\$[({]shell\s+([^)}]*)/g)].map((found) => found[1] ?? ""),
    );
    return [...commands, ...called].map((line) => script(literal(line), "make"));
  });
  return [...shells, ...recipes];
}

/** Scripts of a `package.json` that the command itself wrote. */
export function packageScripts({ argv, cwd }: SimpleCommand, state: State): readonly Nested[] {
  const spec = { short: "CFw", long: ["filter", "prefix", "workspace"] };
  const [sub, name] = readOptions(argv.slice(1), spec).operands;
  const wanted = /^(run|run-script)$/.test(sub?.text ?? "") ? name?.text : sub?.text;
  const text = state.files.size === 0 ? null : contentOf(literal("package.json"), cwd, state)?.text;
  const lines = text == null || wanted == null ? {} : scriptsOf(text);
  return [`pre${wanted}`, `${wanted}`, `post${wanted}`].flatMap((one) => {
    const line = Object.hasOwn(lines, one) ? lines[one] : undefined;
    return typeof line === "string" ? [script(literal(line), `npm run ${one}`)] : [];
  });
}

function scriptsOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const { scripts } = JSON.parse(text) as { scripts?: Record<string, unknown> };
    return typeof scripts === "object" && scripts !== null ? scripts : {};
  } catch {
    return {};
  }
}

/** GNU sed runs what follows an `e` command, and the result of `s///e`. */
export function sedCommands({ argv, cwd }: SimpleCommand, state: State): readonly Nested[] {
  const { options, operands } = readOptions(argv.slice(1), { short: "ef", long: ["expression", "file"] });
  const given = options.flatMap(({ name, value }) =>
    /^(-e|--expression)$/.test(name) && value !== null
      ? [value]
      : /^(-f|--file)$/.test(name) && value !== null
        ? [contentOf(value, cwd, state) ?? literal("")]
        : [],
  );
  return (given.length > 0 ? given : operands.slice(0, 1)).flatMap(({ text }) => {
    const command = /(?:^|[;{\n])[ \t]{0,8}(?:\d{1,9}|\$|\/[^/\n]{0,200}\/)?[ \t]{0,8}e[ \t]+([^;\n]+)/.exec(
      text ?? "",
    )?.[1];
    const replaced = /^\s*s(\W)(?:\\.|(?!\1)[^\\])*\1((?:\\.|(?!\1)[^\\])*)\1[gIip0-9]*e/.exec(text ?? "")?.[2];
    return [command, replaced?.replace(/\\(.)/g, "$1")].flatMap((line) =>
      line === undefined ? [] : [script(literal(line), "sed")],
    );
  });
}

/** tmux and screen type or start what they are given. */
export function terminal(argv: readonly Word[]): readonly Nested[] {
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
  const stuff = argv.findIndex(({ text }) => text === "stuff");
  if (argv[0]?.text === "screen" && stuff !== -1)
    return argv
      .slice(stuff + 1)
      .map(({ text }) => script(literal((text ?? "").replace(/(\\[nr]|\^M)+$/, "")), "screen stuff"));
  return argv[0]?.text === "screen" && operands.length > 0 ? [{ kind: "argv", argv: operands }] : [];
}
