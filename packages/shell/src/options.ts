import type { Word } from "./word.js";

/** Which options of a program take the next argument as their value. */
export interface OptionSpec {
  /** Letters: `"uC"` for `-u NAME` and `-C DIR`. */
  readonly short?: string;
  /** Names without dashes, for those that are not written with `=`. */
  readonly long?: readonly string[];
}

/** One option as it was given. */
export interface GivenOption {
  /** `-x` or `--name`. */
  readonly name: string;
  readonly value: Word | null;
}

export interface ParsedOptions {
  readonly options: readonly GivenOption[];
  readonly operands: readonly Word[];
}

/**
 * Reads the arguments of a program the way getopt does: bundles of letters, values joined or apart, `--`. With `stop` it
 * ends at the first operand, as wrappers do, and leaves everything after it untouched.
 */
export function readOptions(args: readonly Word[], spec: OptionSpec, stop = false): ParsedOptions {
  const options: GivenOption[] = [];
  const operands: Word[] = [];
  for (let i = 0; i < args.length; i++) {
    const word = args[i] as Word;
    const start = word.pieces[0]?.kind === "text" ? word.pieces[0].text : "";
    if (start === "--" && word.text !== null) {
      operands.push(...args.slice(i + 1));
      break;
    }
    if (!start.startsWith("-") || start === "-") {
      if (stop) {
        operands.push(...args.slice(i));
        break;
      }
      operands.push(word);
    } else if (start.startsWith("--")) i += readLong(word, start, spec, args[i + 1], options);
    else i += readBundle(word, start, spec, args[i + 1], options);
  }
  return { options, operands };
}

/** How many further arguments it took. */
function readLong(word: Word, start: string, spec: OptionSpec, next: Word | undefined, into: GivenOption[]): number {
  const equals = start.indexOf("=");
  if (equals !== -1) {
    into.push({ name: start.slice(0, equals), value: tail(word, equals + 1) });
    return 0;
  }
  const takes = spec.long?.includes(start.slice(2)) === true && next !== undefined;
  into.push({ name: start, value: takes ? next : null });
  return takes ? 1 : 0;
}

function readBundle(word: Word, start: string, spec: OptionSpec, next: Word | undefined, into: GivenOption[]): number {
  for (let at = 1; at < start.length; at++) {
    const letter = start.charAt(at);
    if (spec.short?.includes(letter) !== true) {
      into.push({ name: `-${letter}`, value: null });
      continue;
    }
    const rest = tail(word, at + 1);
    const joined = rest.pieces.length > 0;
    into.push({ name: `-${letter}`, value: joined ? rest : (next ?? null) });
    return joined || next === undefined ? 0 : 1;
  }
  return 0;
}

function tail(word: Word, from: number): Word {
  if (word.text !== null) {
    const text = word.text.slice(from);
    return { pieces: text === "" ? [] : [{ kind: "text", text }], text };
  }
  const [first, ...rest] = word.pieces;
  if (first?.kind !== "text") return word;
  const text = first.text.slice(from);
  return { pieces: text === "" ? rest : [{ kind: "text", text }, ...rest], text: null };
}
