import type { SimpleCommand } from "./analysis.js";
import { readOptions } from "./options.js";
import { contentOf } from "./output.js";
import { type Nested, script } from "./started.js";
import type { State } from "./state.js";
import { producersOf, render, type Word } from "./word.js";

/** Shells that read the language this package reads. */
export const SHELLS = new Set([
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
  "osh",
  "oil",
  "ysh",
  "nu",
  "elvish",
  "xonsh",
  "hush",
]);

export function shell({ program, argv, stdin, cwd }: SimpleCommand, state: State): readonly Nested[] {
  const { options, operands } = readOptions(
    argv.slice(1),
    { short: "oO", long: ["rcfile", "init-file", "init-command"] },
    true,
  );
  const name = program ?? "sh";
  const started = options.flatMap(({ name: option, value }) => {
    if (!/^--(rcfile|init-file|init-command)$/.test(option) || value === null) return [];
    const content = option === "--init-command" ? value : contentOf(value, cwd, state);
    return content === null ? [] : [script(content, `${name} ${option}`)];
  });
  if (started.length > 0) return started;
  if (options.some((option) => option.name === "--version" || option.name === "--help")) return [];
  if (options.some((option) => option.name === "-c")) {
    return operands.length === 0
      ? []
      : [
          {
            kind: "script",
            script: operands[0] as Word,
            via: `${name} -c`,
            positional: operands.slice(2),
            zero: operands[1],
          },
        ];
  }
  const onStdin = options.some((option) => option.name === "-s");
  const file = onStdin ? undefined : operands[0];
  const rest = onStdin ? operands : operands.slice(1);
  if (file !== undefined && file.text !== "/dev/stdin" && file.text !== "-") {
    const content = contentOf(file, cwd, state);
    const from = [...producersOf(file), ...(content === null ? [] : producersOf(content))];
    return content === null
      ? []
      : [{ kind: "script", script: content, via: `${name} ${render(file)}`, positional: rest, from }];
  }
  return stdin.kind === "text"
    ? [{ kind: "script", script: stdin.text, via: `${name} <stdin`, positional: rest, from: stdin.from }]
    : [];
}

/** A file this command wrote and then runs. */
export function scriptFile({ argv, cwd }: SimpleCommand, state: State): readonly Nested[] {
  const [file] = argv;
  if (state.files.size === 0 || file === undefined || !render(file).includes("/")) return [];
  const content = contentOf(file, cwd, state);
  return content === null ? [] : [{ kind: "script", script: content, via: render(file), positional: argv.slice(1) }];
}

export function sourced({ argv, stdin, cwd }: SimpleCommand, state: State): readonly Nested[] {
  const [, file] = argv;
  if (file === undefined) return [];
  if (file.text === "/dev/stdin" && stdin.kind === "text") {
    return [{ kind: "script", script: stdin.text, via: "source", here: true, from: stdin.from }];
  }
  const content = contentOf(file, cwd, state);
  const from = [...producersOf(file), ...(content === null ? [] : producersOf(content))];
  return content === null ? [] : [{ kind: "script", script: content, via: `source ${render(file)}`, here: true, from }];
}
