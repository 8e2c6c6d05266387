import { readdirSync } from "node:fs";
import { type Piece, render, type Word } from "@hooks/shell";
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
  const pattern = patternOf(word, home);
  const base = patternOf(cwd, home);
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
  if (piece.kind === "glob") return piece.text;
  if (piece.kind !== "variable") return undefined;
  if (piece.name === "HOME") return escapeName(home);
  // Another user's home directory, by the name the resolver knows it by.
  if (piece.name.startsWith("~") && place === 0) return piece.name;
  return HARMLESS.test(piece.name) ? "0" : undefined;
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
    return readdirSync(directory);
  } catch {
    return [];
  }
}

/** A word for a message. */
export function shownWord(word: Word): string {
  const text = render(word);
  return text.length > 80 ? `${text.slice(0, 80)}...` : text;
}
