import { RE2JS } from "re2js";
import { HarnError, messageOf } from "./errors.js";
import { type Alphabet, canMatch } from "./reach.js";

/** Longest expression a policy may hold: compiling costs more than matching. */
const MAX_LENGTH = 1_000;
/** Longest text one is held against. */
const MAX_TEXT = 1024 * 1024;
/** Steps a match may take at worst, which is instructions times characters: about a second on a slow machine. */
const MAX_STEPS = 40_000_000;

export interface RegexOptions {
  /** Whether a dot stands for a line break too. */
  readonly dotAll?: boolean;
  /** What the texts are made of: an expression that matches none of them is a DeadExpression. */
  readonly within?: Alphabet;
}

/** An expression that no text has a match of. */
export class DeadExpression extends Error {
  override readonly name = "DeadExpression";
}

/**
 * Compiles a regular expression for a linear-time engine, so that no text an agent produces can make a policy hang.
 * Throws an Error that says what is wrong with it. The test it returns throws when a text is too long to be decided:
 * whoever asks must take that for a fault and not for a miss.
 */
export function compileRegex(source: string, { dotAll = false, within }: RegexOptions = {}): (text: string) => boolean {
  if (source.length > MAX_LENGTH) throw new Error(`longer than ${MAX_LENGTH} characters`);
  const compiled = compile(source, dotAll);
  if (within !== undefined && !canMatch(compiled.re2().prog, within)) throw new DeadExpression(source);
  const longest = Math.min(MAX_TEXT, Math.floor(MAX_STEPS / compiled.programSize()));
  return (text) => {
    if (text.length > longest) throw undecided(source, text.length, longest);
    return compiled.matcher(text).find();
  };
}

function compile(source: string, dotAll: boolean): RE2JS {
  try {
    return RE2JS.compile(source, dotAll ? RE2JS.DOTALL : 0);
  } catch (error) {
    throw new Error(messageOf(error).replace(/^error parsing regexp: /, ""));
  }
}

function undecided(source: string, length: number, longest: number): HarnError {
  return new HarnError(
    "HARN_E_PATTERN",
    `${JSON.stringify(source)} cannot be decided: the text has ${length} characters, and ${longest} are looked at`,
    "Write a smaller expression, or decide in the handler.",
  );
}
