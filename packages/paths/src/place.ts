import { readdirSync } from "node:fs";
import { type Piece, render, type Unknown, type Word } from "@hooks/shell";
import { isThere } from "./disk.js";
import { componentsOf } from "./globs.js";
import { escapeName, hasWildcard, matchesName } from "./wildcard.js";

/** Where words of a command lead: paths, or the reason why nobody knows. */
export interface Placed {
  readonly paths: readonly string[];
  /** Whether a pattern stands for more than could be listed: whatever is below its directory may be meant. */
  readonly isTree: boolean;
}

const MAX_LISTED = 500;
// Numbers and lists of letters: they cannot lead out of anything.
const HARMLESS = /^(?:[?$#!]|RANDOM|SECONDS|LINENO|PPID|BASHPID|EPOCHSECONDS|UID|EUID|\d+%)$/;

/** The paths a word stands for, its patterns held against the disk; undefined when only a run shows them. */
export function placeWord(word: Word, cwd: Word, home: string): Placed | undefined {
  const base = patternOf(cwd, home);
  // What stands in a process's own pipe was judged where it is made.
  if (word.pieces.length === 1 && isPipe(word.pieces[0])) return { paths: [], isTree: false };
  const pattern = patternOf(word, home);
  if (pattern === undefined || base === undefined) return undefined;
  if (!hasWildcard(pattern) && !hasWildcard(base)) return { paths: [plain(pattern)], isTree: false };
  const isAbsolute = pattern.startsWith("/");
  const parts = componentsOf(isAbsolute ? pattern : `${base}/${pattern}`);
  if (parts.includes("**"))
    return { paths: [plain(`/${parts.slice(0, parts.indexOf("**")).join("/")}`)], isTree: true };
  const listed = list(parts);
  return listed ?? { paths: [plain(`/${certain(parts).join("/")}`)], isTree: true };
}

function patternOf(word: Word, home: string): string | undefined {
  let text = "";
  for (const [place, piece] of word.pieces.entries()) {
    const part = textOf(piece, place, home);
    if (part === undefined) return undefined;
    text += part;
  }
  return text;
}

function textOf(piece: Piece, place: number, home: string): string | undefined {
  if (piece.kind === "text") return escapeName(piece.text);
  if (piece.kind === "glob") return globOf(piece.text);
  if (piece.kind === "unknown") return printedBy(piece);
  if (piece.name === "HOME") return escapeName(home);
  // Another user's home directory, by the name the resolver knows it by.
  if (piece.name.startsWith("~") && place === 0) return piece.name;
  return HARMLESS.test(piece.name) ? "0" : undefined;
}

/** `@(a|b)` is any name here, unless it may go upwards or deeper. */
function globOf(text: string): string | undefined {
  const [, inner] = /^[?*+@!]\((.*)\)$/s.exec(text) ?? [];
  if (inner === undefined) return text;
  return inner.split("|").some((one) => /\/|\.\.|^\.*$/.test(one)) ? undefined : "*";
}

function isPipe(piece: Piece | undefined): boolean {
  return piece?.kind === "unknown" && /^[<>]\(/.test(piece.source);
}

/** Programs that print a number or a name without separators. */
const COUNTERS = /^(?:seq|nproc|wc|date|whoami|uname|arch|uuidgen|expr)$/;

/** What a command prints as far as it matters for a path: something that is one name, or the top of a repository. */
function printedBy({ from = [] }: Unknown): string | undefined {
  const [only, other] = from;
  if (only === undefined || other !== undefined) return undefined;
  const words = only.argv.map(({ text }) => text);
  const isPlain = words.slice(1).every((text) => text !== null && /^[-+%\w: ]*$/.test(text));
  const isCounting =
    COUNTERS.test(only.program ?? "") &&
    (only.program !== "wc" || words.slice(1).every((text) => text?.startsWith("-")));
  if (isCounting && isPlain) return "0";
  if (only.program === "basename") return oneName(only.argv[1]);
  if (only.program !== "git" || words[1] !== "rev-parse") return undefined;
  if (words[2] === "--show-toplevel" && words.length === 3)
    return only.cwd.text === null ? undefined : topOf(only.cwd.text);
  return words.slice(2).every((text) => /^(?:--short|--abbrev-ref|HEAD)$/.test(text ?? "")) ? "0" : undefined;
}

/** A name that is certain to be one: the last part of a path that a pattern or a text ends with. */
function oneName(word: Word | undefined): string | undefined {
  const last = word?.pieces.at(-1);
  if (last?.kind === "glob") return "0";
  return last?.kind === "text" && !/(?:^|\/)\.{0,2}\/*$/.test(last.text) ? "0" : undefined;
}

/** The repository a directory belongs to. */
function topOf(cwd: string): string | undefined {
  for (let at = cwd; at !== ""; at = at.slice(0, at.lastIndexOf("/"))) {
    if (isThere(`${at}/.git`)) return escapeName(at);
  }
  return undefined;
}

function plain(pattern: string): string {
  return pattern.replace(/\\(.)/gs, "$1");
}

/** The components before the first pattern. */
function certain(parts: readonly string[]): string[] {
  const first = parts.findIndex(hasWildcard);
  return parts.slice(0, first === -1 ? parts.length : first);
}

/** What a pattern finds. Nothing found: the shell hands it on as it is written. Too much: null. */
function list(parts: readonly string[]): Placed | null {
  let found = [""];
  for (const part of parts) {
    if (!hasWildcard(part)) found = found.map((path) => `${path}/${plain(part)}`);
    else
      found = found.flatMap((path) =>
        namesIn(path || "/").flatMap((name) => (fits(part, name) ? `${path}/${name}` : [])),
      );
    if (found.length > MAX_LISTED) return null;
  }
  return { paths: found.length === 0 ? [plain(`/${parts.join("/")}`)] : found, isTree: false };
}

function fits(pattern: string, name: string): boolean {
  return (pattern.startsWith(".") || !name.startsWith(".")) && matchesName(pattern, name);
}

function namesIn(directory: string): string[] {
  try {
    // Some shells find these two as well, when a pattern begins with a dot.
    return [...readdirSync(directory), ".", ".."];
  } catch {
    return [];
  }
}

/** A word for a message. */
export function shownWord(word: Word): string {
  const text = render(word);
  return text.length > 80 ? `${text.slice(0, 80)}...` : text;
}
