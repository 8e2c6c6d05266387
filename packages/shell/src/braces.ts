const MOST_WORDS = 256;
const LONGEST_WORD = 4_096;

/** The words a word with `{a,b}` or `{1..3}` stands for, quotes and all; null where there would be too many, or it does not end. */
export function expandBraces(text: string): string[] | null {
  if (text.length > LONGEST_WORD || isLeftOpen(text)) return null;
  const words: string[] = [];
  const open = [text];
  while (open.length > 0) {
    const next = open.pop();
    if (next === undefined) break;
    const brace = findBrace(next);
    if (brace === null) words.push(next);
    else {
      const alternatives = brace.alternatives;
      if (words.length + open.length + alternatives.length > MOST_WORDS) return null;
      for (let i = alternatives.length - 1; i >= 0; i--) {
        open.push(next.slice(0, brace.start) + SEALED + alternatives[i] + next.slice(brace.end));
      }
    }
  }
  return words.map((word) => word.replaceAll(SEALED, ""));
}

// Stands before what was put in place of a brace, so that `$` before it does not make a `${` of it.
const SEALED = "\uFDD2";

/** Whether a substitution has no end: with every word that braces make of it, it would hold the words after it. */
function isLeftOpen(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const skipped = skipQuoted(text, i);
    if (skipped > text.length && text[i] === "$") return true;
    if (skipped > i) i = skipped - 1;
  }
  return false;
}

interface Brace {
  readonly start: number;
  readonly end: number;
  readonly alternatives: readonly string[];
}

/** The first brace that expands, outside of quotes and of `${...}`. */
function findBrace(text: string): Brace | null {
  for (let i = 0; i < text.length; i++) {
    const skipped = skipQuoted(text, i);
    if (skipped > i) {
      i = skipped - 1;
      continue;
    }
    if (text[i] !== "{" || text[i - 1] === "$") continue;
    const found = readBrace(text, i);
    if (found !== null) return found;
  }
  return null;
}

function readBrace(text: string, start: number): Brace | null {
  const commas: number[] = [];
  let depth = 0;
  for (let i = start; i < text.length; i++) {
    const skipped = skipQuoted(text, i);
    if (skipped > i) {
      i = skipped - 1;
      continue;
    }
    if (text[i] === "{") depth++;
    else if (text[i] === "," && depth === 1) commas.push(i);
    else if (text[i] === "}" && --depth === 0) {
      const alternatives = commas.length > 0 ? cut(text, [start, ...commas, i]) : readRange(text.slice(start + 1, i));
      return alternatives === null ? null : { start, end: i + 1, alternatives };
    }
  }
  return null;
}

function cut(text: string, marks: readonly number[]): string[] {
  return marks.slice(1).map((mark, index) => text.slice((marks[index] ?? 0) + 1, mark));
}

/** `1..5`, `a..e`, `0..10..2`; a range that is too long stays what it is and is a pattern to whoever reads it. */
function readRange(text: string): string[] | null {
  const match = /^(-?\d{1,9}|[A-Za-z])\.\.(-?\d{1,9}|[A-Za-z])(?:\.\.(-?\d{1,4}))?$/.exec(text);
  if (match === null) return null;
  const [, from = "", to = "", by = "1"] = match;
  const letters = /[A-Za-z]/.test(from);
  if (letters !== /[A-Za-z]/.test(to)) return null;
  const first = letters ? from.charCodeAt(0) : Number(from);
  const last = letters ? to.charCodeAt(0) : Number(to);
  const step = Math.max(1, Math.abs(Number(by))) * (first <= last ? 1 : -1);
  if (Math.abs(last - first) / Math.abs(step) >= MOST_WORDS / 2) return null;
  const values: string[] = [];
  for (let value = first; step > 0 ? value <= last : value >= last; value += step) {
    values.push(letters ? String.fromCharCode(value) : String(value));
  }
  return values;
}

/** Where an escape, a quoted stretch or a substitution that begins at `start` ends; `start` where none begins. */
function skipQuoted(text: string, start: number): number {
  const char = text[start];
  if (char === "\\") return start + 2;
  if (char === "'" || char === "`") return endAfter(text, start, char);
  if (char === '"') return endOfDouble(text, start);
  if (char === "$" && (text[start + 1] === "{" || text[start + 1] === "(")) return endOfBracket(text, start + 1);
  return start;
}

function endAfter(text: string, start: number, quote: string): number {
  const end = text.indexOf(quote, start + 1);
  return end === -1 ? text.length : end + 1;
}

function endOfDouble(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    if (text[i] === "\\") i++;
    else if (text[i] === '"') return i + 1;
  }
  return text.length;
}

/** Behind the closing bracket; beyond the text where there is none. */
function endOfBracket(text: string, start: number): number {
  const [open, close] = text[start] === "{" ? "{}" : "()";
  let depth = 0;
  for (let i = start; i < text.length; i++) {
    if (text[i] === "\\") i++;
    else if (text[i] === open) depth++;
    else if (text[i] === close && --depth === 0) return i + 1;
  }
  return text.length + 1;
}
