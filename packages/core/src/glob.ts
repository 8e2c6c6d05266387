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
  const files = picomatch.makeRe(glob, { dot: true, strictBrackets: true, nonegate: true, windows: false }).source;
  const open = files.replace(FILE_LOOKAHEADS, "");
  if (LOOKAROUND.test(open)) throw new Error("a negated group has no linear-time form; put `!` in front of the glob");
  return compileRegex(kind === "name" ? open.replaceAll("[^/]", ".") : open, { dotAll: true });
}
