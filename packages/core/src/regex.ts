import { RE2JS } from "re2js";
import { messageOf } from "./errors.js";

/** Longest expression a policy may hold: compiling costs more than matching. */
const MAX_LENGTH = 1_000;

/**
 * Compiles a regular expression for a linear-time engine, so that no text an agent produces can make a policy hang.
 * Throws an Error that says what is wrong with it.
 */
export function compileRegex(source: string, options: { dotAll?: boolean } = {}): (text: string) => boolean {
  if (source.length > MAX_LENGTH) throw new Error(`longer than ${MAX_LENGTH} characters`);
  try {
    const compiled = RE2JS.compile(source, options.dotAll === true ? RE2JS.DOTALL : 0);
    return (text) => compiled.matcher(text).find();
  } catch (error) {
    throw new Error(messageOf(error).replace(/^error parsing regexp: /, ""));
  }
}
