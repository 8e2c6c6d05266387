import type { SimpleCommand } from "./analysis.js";
import { joinSpaces } from "./interpreters.js";
import { type OptionSpec, readOptions } from "./options.js";
import type { State } from "./state.js";
import { dropStart, literal, startOf, type Word } from "./word.js";

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
      /** What it sees as `$0`. */
      readonly zero?: Word | undefined;
      /** The commands that write the script. */
      readonly from?: readonly SimpleCommand[];
    }
  | { readonly kind: "argv"; readonly argv: readonly Word[]; readonly elsewhere?: boolean }
  /** The same for each of many inputs; made one at a time, so that the budget ends it and not the memory. */
  | { readonly kind: "each"; readonly inputs: readonly Word[]; readonly runOf: (input: Word, index: number) => Nested }
  /** A part of its text that is not read; what stands there may run as well. */
  | { readonly kind: "unread"; readonly detail: string };

/** Reads from a command what it starts. */
export type Reader = (command: SimpleCommand, state: State) => readonly Nested[];

/** One run for each input; none where there is no input. */
export function each(inputs: readonly Word[], runOf: (input: Word, index: number) => Nested): readonly Nested[] {
  return inputs.length === 0 ? [] : [{ kind: "each", inputs, runOf }];
}

/** The longest text that is searched for what it runs. */
export const LONGEST_READ = 32_768;

/** As much of a text as is read, and what to note where that is not all of it. */
export function readable(text: string, what: string): { readonly text: string; readonly unread: readonly Nested[] } {
  if (text.length <= LONGEST_READ) return { text, unread: [] };
  return { text: text.slice(0, LONGEST_READ), unread: [unread(what)] };
}

export function unread(what: string): Nested {
  return { kind: "unread", detail: `${what} is longer than what is read of it` };
}

export function script(word: Word | undefined, via: string): Nested {
  return { kind: "script", script: word ?? literal(""), via };
}

export function joined(words: readonly Word[], via: string, elsewhere = false): readonly Nested[] {
  return words.length === 0 ? [] : [{ kind: "script", script: joinSpaces(words), via, elsewhere }];
}

export function optionScript(via: string, spec: OptionSpec, names: readonly string[]): Reader {
  return ({ argv }) => scriptsIn(argv.slice(1), via, spec, names);
}

export function scriptsIn(
  args: readonly Word[],
  via: string,
  spec: OptionSpec,
  names: readonly string[],
): readonly Nested[] {
  const { options } = readOptions(args, spec);
  return options.flatMap(({ name, value }) => (names.includes(name) && value !== null ? [script(value, via)] : []));
}

export function commandAfter(argv: readonly Word[], marks: readonly string[]): readonly Nested[] {
  const at = argv.findIndex(({ text }) => marks.includes(text ?? ""));
  return at === -1 || at + 1 >= argv.length ? [] : [{ kind: "argv", argv: argv.slice(at + 1) }];
}

export function prefixed(argv: readonly Word[], prefix: RegExp, via: string): readonly Nested[] {
  return argv.slice(1).flatMap((word) => {
    const match = prefix.exec(startOf(word));
    return match === null ? [] : [script(dropStart(word, match[0].length), via)];
  });
}
