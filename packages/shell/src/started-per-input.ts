import type { SimpleCommand } from "./analysis.js";
import { Fields } from "./fields.js";
import { foundBy, readFd, readFind } from "./found.js";
import { joinSpaces } from "./interpreters.js";
import { type GivenOption, readOptions } from "./options.js";
import { contentOf } from "./output.js";
import { each, type Nested, script } from "./started.js";
import type { State } from "./state.js";
import { bounded, literal, type Piece, render, startOf, unknownWord, type Word } from "./word.js";

export function xargs({ argv, stdin, cwd }: SimpleCommand, state: State): readonly Nested[] {
  const spec = {
    short: "adEILnPsJR",
    long: ["arg-file", "delimiter", "max-lines", "max-args", "max-procs", "max-chars", "process-slot-var"],
  };
  // `-i` and `--replace` take a mark only where it is joined to them.
  const joinedMark = argv.findIndex(({ text }) => /^-i./.test(text ?? ""));
  const args = argv
    .slice(1)
    .map((word, index) => (index + 1 === joinedMark ? literal(`-I${word.text?.slice(2)}`) : word));
  const { options, operands } = readOptions(args, spec, true);
  if (operands.length === 0) return [];
  const marks = options.filter(({ name }) => /^(-I|-J|-i|--replace)$/.test(name));
  const mark = marks.length === 0 ? null : marks[0]?.value?.text || "{}";
  const file = options.find(({ name }) => name === "-a" || name === "--arg-file")?.value;
  const text =
    file != null
      ? (contentOf(file, cwd, state) ?? unknownWord(`lines of ${render(file)}`))
      : stdin.kind === "text"
        ? stdin.text
        : unknownWord("input");
  const found = file == null && stdin.kind === "text" ? foundBy(stdin.from) : [];
  const inputs = found.length > 0 ? found : inputWords(text, separatorsOf(options, mark !== null));
  if (mark !== null)
    return each(inputs, (input) => ({ kind: "argv", argv: operands.map((word) => replaceMark(word, mark, input)) }));
  const most = Number(options.find(({ name }) => /^(-n|--max-args)$/.test(name))?.value?.text ?? Number.NaN);
  if (!(most > 0 && most < inputs.length)) return [{ kind: "argv", argv: [...operands, ...inputs] }];
  const size = Math.ceil(most);
  const firsts = inputs.filter((_, index) => index % size === 0);
  return each(firsts, (_, run) => ({
    kind: "argv",
    argv: [...operands, ...inputs.slice(run * size, (run + 1) * size)],
  }));
}

/** What parts the words `xargs` reads; null where blanks do, and quotes keep words together. */
function separatorsOf(options: readonly GivenOption[], lines: boolean): string | null {
  const delimiter = options.find(({ name }) => name === "-d" || name === "--delimiter")?.value?.text;
  if (delimiter != null) return delimiter.replace("\\n", "\n").replace("\\0", "\0").replace("\\t", "\t") || " ";
  if (options.some(({ name }) => name === "-0" || name === "--null")) return "\0";
  return lines ? "\n\0" : null;
}

/** `parallel rm -rf ::: a b` and `... | parallel rm`. */
export function parallel({ argv, stdin }: SimpleCommand): readonly Nested[] {
  const spec = {
    short: "jSNLnPdaI",
    long: ["jobs", "colsep", "delay", "timeout", "arg-file", "joblog", "results", "sshlogin"],
  };
  const { operands } = readOptions(argv.slice(1), spec, true);
  const at = operands.findIndex(({ text }) => /^:::+\+?$/.test(text ?? ""));
  const command = at === -1 ? operands : operands.slice(0, at);
  const inputs =
    at === -1 ? inputWords(stdin.kind === "text" ? stdin.text : unknownWord("input"), "\n\0") : operands.slice(at + 1);
  if (command.length === 0) return each(inputs, (input) => script(input, "parallel"));
  return each(inputs, (input) => {
    const replaced = command.map((word) => replaceMark(word, "{}", input));
    const used = replaced.some((word, index) => word !== command[index]);
    const whole = used ? replaced : [...replaced, input];
    // One word is a line for a shell; several are a program and its arguments.
    return command.length === 1 && /\s/.test(startOf(command[0] as Word))
      ? { kind: "script", script: joinSpaces(whole), via: "parallel" }
      : { kind: "argv", argv: whole };
  });
}

export function find({ argv }: SimpleCommand): readonly Nested[] {
  const { commands, found } = readFind(argv);
  return commands.flatMap((command) =>
    each(found, (path) => ({ kind: "argv", argv: command.map((word) => replaceMark(word, "{}", path)) })),
  );
}

export function fd(argv: readonly Word[]): readonly Nested[] {
  const at = argv.findIndex(({ text }) => /^(-x|-X|--exec|--exec-batch)$/.test(text ?? ""));
  if (at === -1 || at + 1 >= argv.length) return [];
  const command = argv.slice(at + 1);
  return each(readFd(argv.slice(0, at)), (input) => {
    const replaced = command.map((word) => replaceMark(word, "{}", input));
    const isPlaced = replaced.some((word, index) => word !== command[index]);
    return { kind: "argv", argv: isPlaced ? replaced : [...replaced, input] };
  });
}

function inputWords(text: Word, separators: string | null): Word[] {
  const fields = new Fields(separators ?? " \t\n\0");
  for (const piece of text.pieces) {
    if (piece.kind !== "text") fields.add([piece]);
    else if (separators === null) addQuoted(fields, piece.text);
    else fields.addSplit([piece]);
  }
  return fields.finish();
}

/** Text as `xargs` reads it: what stands in quotes is one word. */
function addQuoted(fields: Fields, text: string): void {
  for (const [part] of text.matchAll(/'[^'\n]*'|"[^"\n]*"|\\[\s\S]|[^'"\\]+|['"\\]/g)) {
    if (part.length > 1 && /^['"]/.test(part)) fields.add(literal(part.slice(1, -1)).pieces);
    else if (part.length === 2 && part.startsWith("\\")) fields.add(literal(part.slice(1)).pieces);
    else fields.addSplit([{ kind: "text", text: part }]);
  }
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
  // A mark that stands there again and again makes of a long input one that nothing could hold.
  return bounded(pieces);
}
