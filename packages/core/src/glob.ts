import picomatch from "picomatch";
import { compileRegex } from "./regex.js";

// picomatch speaks of files: it keeps `.` and `..` segments and empty names out with lookaheads. A policy must not:
// a tool called `exec_/..` would slip past `exec_*`. Without them what is left runs on the linear-time engine.
const FILE_LOOKAHEADS =
  /\(\?!(?:\(\?:\^\|\\\/\))?\\\.\{1,2\}\(\?:\\\/\|\$\)\)|\(\?!\(\?:\\\/\|\^\)\\\.\{1,2\}\(\?:\\\/\|\$\)\)|\(\?=\.\)/g;
const LOOKAROUND = /\(\?(?:[=!]|<[=!])/;
const LITERAL = /^[\w@:./ -]+$/;

/**
 * Compiles an anchored glob. In a name `*` stands for any characters; in a path it stops at `/` and `**` does not.
 * Throws an Error that says what is wrong with it.
 */
export function compileGlob(glob: string, kind: "name" | "path"): (subject: string) => boolean {
  if (glob.startsWith("!") && !glob.startsWith("!(")) {
    const excluded = compileGlob(glob.slice(1), kind);
    return (subject) => !excluded(subject);
  }
  if (LITERAL.test(glob)) return (subject) => subject === glob;
  const files = picomatch.makeRe(glob, {
    dot: true,
    strictBrackets: true,
    nonegate: true,
    windows: false,
    expandRange: (...parts: unknown[]) => rangeOf(parts.filter((part) => typeof part === "string")),
  }).source;
  const open = files.replace(FILE_LOOKAHEADS, "");
  if (LOOKAROUND.test(open)) throw new Error("a negated group has no linear-time form; put `!` in front of the glob");
  return compileRegex(kind === "name" ? open.replaceAll("[^/]", ".") : open, { dotAll: true });
}

const MAX_RANGE = 200;

/** `{1..12}` and `{a..e}` as a shell means them; picomatch alone makes a class of single characters of either. */
function rangeOf([from = "", to = "", ...rest]: readonly string[]): string {
  const written = `{${[from, to, ...rest].join("..")}}`;
  if (/^[a-z]$/i.test(from) && /^[a-z]$/i.test(to) && from <= to && rest.length === 0) return `[${from}-${to}]`;
  const isWhole = [from, to].every((end) => /^-?\d{1,9}$/.test(end));
  const size = Number(to) - Number(from) + 1;
  if (!isWhole || rest.length > 0 || size < 1 || size > MAX_RANGE) {
    throw new Error(`${written} is no range: two whole numbers or two letters, upwards, ${MAX_RANGE} at most`);
  }
  const width = [from, to].some((end) => /^-?0\d/.test(end)) ? Math.max(from.length, to.length) : 0;
  const items = Array.from({ length: size }, (_, index) => String(Number(from) + index).padStart(width, "0"));
  return `(?:${items.join("|")})`;
}
