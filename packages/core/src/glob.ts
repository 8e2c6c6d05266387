import picomatch from "picomatch";
import type { Alphabet } from "./reach.js";
import { compileRegex } from "./regex.js";

// picomatch speaks of files: it keeps `.` and `..` segments and empty names out with lookaheads. A policy must not:
// a tool called `exec_/..` would slip past `exec_*`. Without them what is left runs on the linear-time engine.
const FILE_LOOKAHEADS =
  /\(\?!(?:\(\?:\^\|\\\/\))?\\\.\{1,2\}\(\?:\\\/\|\$\)\)|\(\?!\(\?:\\\/\|\^\)\\\.\{1,2\}\(\?:\\\/\|\$\)\)|\(\?=\.\)/g;
const LOOKAROUND = /\(\?(?:[=!]|<[=!])/;
const LITERAL = /^[\w@:./ -]+$/;
const SIMPLE = /^([\w@:*-]*)(?:\{([\w@:*-]+(?:,[\w@:*-]+)+)\}([\w@:*-]*))?$/;

/**
 * Compiles an anchored glob. In a name `*` stands for any characters; in a path it stops at `/` and `**` does not.
 * Throws an Error that says what is wrong with it, a DeadExpression when no subject of the alphabet matches.
 */
export function compileGlob(glob: string, kind: "name" | "path", within?: Alphabet): (subject: string) => boolean {
  if (glob.startsWith("!") && !glob.startsWith("!(")) {
    const excluded = compileGlob(glob.slice(1), kind, within);
    return (subject) => !excluded(subject);
  }
  if (LITERAL.test(glob)) return (subject) => subject === glob;
  const [, head = "", list, tail = ""] = (kind === "name" && glob !== "" && SIMPLE.exec(glob)) || [];
  // Most patterns there are. They need no engine, which takes longer to load than everything else.
  if (head !== "" || list !== undefined) return anyOf((list?.split(",") ?? [""]).map((item) => head + item + tail));
  const files = picomatch.makeRe(glob, {
    dot: true,
    strictBrackets: true,
    nonegate: true,
    windows: false,
    expandRange: (...parts: unknown[]) => rangeOf(parts.filter((part) => typeof part === "string")),
  }).source;
  if (files === "$^") throw new Error("it is no glob: a bracket or a backslash in it stands for nothing");
  const open = files.replace(FILE_LOOKAHEADS, "");
  if (LOOKAROUND.test(open)) throw new Error("a negated group has no linear-time form; put `!` in front of the glob");
  return compileRegex(kind === "name" ? open.replaceAll("[^/]", ".") : open, {
    dotAll: true,
    ...(within === undefined ? {} : { within }),
  });
}

function anyOf(globs: readonly string[]): (subject: string) => boolean {
  const literals = new Set(globs.filter((glob) => !glob.includes("*")));
  const starred = globs.filter((glob) => glob.includes("*")).map((glob) => glob.split("*"));
  return (subject) => literals.has(subject) || starred.some((parts) => hasParts(subject, parts));
}

/** Whether a text begins with the first part, ends with the last, and has the others between them in their order. */
function hasParts(subject: string, parts: readonly string[]): boolean {
  const [first = "", last = ""] = [parts[0], parts.at(-1)];
  if (!subject.startsWith(first)) return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = subject.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return subject.length - last.length >= at && subject.endsWith(last);
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
