import type { SimpleCommand } from "./analysis.js";
import { readOptions } from "./options.js";
import { type Nested, script } from "./started.js";
import { literal, type Word } from "./word.js";

/** Commands of vi and its like: `-c '!ls'`, `+'call system("ls")'`, `--cmd 'lua os.execute("ls")'`, and those on its input. */
export function vim({ argv, stdin, program }: SimpleCommand): readonly Nested[] {
  const { options, operands } = readOptions(argv.slice(1), { short: "cSuUwWTt", long: ["cmd"] });
  const given = options.flatMap(({ name, value }) =>
    (name === "-c" || name === "--cmd") && value?.text != null ? [value.text] : [],
  );
  const plus = operands.flatMap(({ text }) => (text?.startsWith("+") === true ? [text.slice(1)] : []));
  return [...given, ...plus, ...typed(stdin)].flatMap((line) => exCommand(line, program ?? "vim"));
}

/** `ed` and `ex` read their commands; a line that begins with `!` is for a shell. */
export function ed({ stdin, program }: SimpleCommand): readonly Nested[] {
  return typed(stdin).flatMap((line) => exCommand(line, program ?? "ed"));
}

/** `less '+!ls'`. */
export function pager({ argv, program }: SimpleCommand): readonly Nested[] {
  return argv.slice(1).flatMap(({ text }) => {
    const line = /^\+{1,2}[!|]\$?(.+)/.exec(text ?? "")?.[1];
    return line === undefined ? [] : [script(literal(line), program ?? "less")];
  });
}

function typed(stdin: SimpleCommand["stdin"]): string[] {
  return stdin.kind === "text" && stdin.text.text !== null ? (stdin.text.text.match(/[^\n]+/g) ?? []) : [];
}

const BANG = /^[\s:%.,$\d]*(?:(?:sil(?:ent)?!?|r(?:ead)?|w(?:rite)?|exe(?:cute)?\s*["'])\s*)*!+\s*(.+)$/s;
const STARTS_SHELL = /^[\s:]*(?:ter(?:minal)?|sh(?:ell)?)\s+(.+)$/;
const CALLS =
  /\b(?:system|systemlist|job_start|termopen|jobstart|os\.execute|io\.popen|os\.system|subprocess\.\w+)\s*\(\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')/g;

function exCommand(line: string, via: string): Nested[] {
  const direct = (BANG.exec(line) ?? STARTS_SHELL.exec(line))?.[1];
  const called = [...line.matchAll(CALLS)].map(([, double, single]) => double ?? single ?? "");
  return [...(direct === undefined ? [] : [direct]), ...called].map((text) => script(literal(text), via));
}

const LISP_RUNS =
  /\(\s*(?:async-)?(?:shell-command|shell-command-to-string|call-process-shell-command|start-process-shell-command)\s+(?:"[^"]*"\s+nil\s+)?"((?:[^"\\]|\\.)*)"/g;
const LISP_DELETES = /\(\s*delete-directory\s+(?:\(expand-file-name\s+)?"((?:[^"\\]|\\.)*)"/g;

/** `emacs --eval '(shell-command "ls")'`. */
export function emacs({ argv }: SimpleCommand): readonly Nested[] {
  return argv.flatMap(({ text }, index) => {
    const code = /^--?(eval|execute)$/.test(text ?? "")
      ? argv[index + 1]?.text
      : /^--?(?:eval|execute)=([\s\S]*)/.exec(text ?? "")?.[1];
    if (code == null) return [];
    const runs = [...code.matchAll(LISP_RUNS)].map((found) => script(literal(found[1] ?? ""), "emacs"));
    // What deletes a tree is a deletion in whatever language it is said.
    const deletes = [...code.matchAll(LISP_DELETES)].map(
      (found): Nested => ({ kind: "argv", argv: ["rm", "-r", "-f"].map(literal).concat(tilde(found[1] ?? "")) }),
    );
    return [...runs, ...deletes];
  });
}

function tilde(path: string): Word {
  if (!/^~(\/|$)/.test(path)) return literal(path);
  const rest = path.slice(1);
  return {
    pieces: [{ kind: "variable", name: "HOME", required: true }, ...literal(rest).pieces],
    text: null,
  };
}
