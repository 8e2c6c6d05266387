import type { Thread } from "../evaluator/thread.js";
import { chargeSearch, firstIndex } from "../values/search.js";

const SPACES = new Set([
  9, 10, 11, 12, 13, 32, 0x85, 0xa0, 0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008,
  0x2009, 0x200a, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000,
]);

/** Whether a character is white space; which ones are does not change between versions of Unicode. */
export function isSpace(code: number): boolean {
  return code === 32 || SPACES.has(code);
}

export type Sides = "both" | "left" | "right";

/** strip(): white space, or the characters of a set, taken off the ends. */
export function strip(thread: Thread, text: string, cutset: string | undefined, sides: Sides): string {
  thread.charge((text.length + (cutset?.length ?? 0)) >> 5, 16 * (cutset?.length ?? 0));
  const cut = cutset === undefined ? undefined : new Set([...cutset].map((character) => character.codePointAt(0)));
  const isCut = (code: number) => (cut === undefined ? isSpace(code) : cut.has(code));
  let [from, to] = [0, text.length];
  if (sides !== "right") {
    while (from < to) {
      const code = text.codePointAt(from) as number;
      if (!isCut(code)) break;
      from += code > 0xffff ? 2 : 1;
    }
  }
  if (sides !== "left") {
    while (to > from) {
      const pair = to - 2 >= from ? (text.codePointAt(to - 2) as number) : 0;
      const [code, width] = pair > 0xffff ? [pair, 2] : [text.charCodeAt(to - 1), 1];
      if (!isCut(code)) break;
      to -= width;
    }
  }
  thread.text(to - from);
  return text.slice(from, to);
}

/** replace(): all places, or the first `most` of them. */
export function replace(thread: Thread, text: string, old: string, next: string, most: number): string {
  if (old === "") return interleave(thread, text, next, most);
  chargeSearch(thread, text, old);
  let places = 0;
  for (let at = firstIndex(text, old); at !== -1 && places < most; at = firstIndex(text, old, at + old.length)) {
    thread.step();
    places++;
  }
  thread.text(text.length + places * (next.length - old.length));
  let result = "";
  let from = 0;
  for (; places > 0; places--) {
    const at = firstIndex(text, old, from);
    result += text.slice(from, at) + next;
    from = at + old.length;
  }
  return result + text.slice(from);
}

/** replace("", x): x before each character and at the end. */
function interleave(thread: Thread, text: string, next: string, most: number): string {
  thread.step(text.length);
  thread.text(text.length + Math.min(text.length + 1, most) * next.length);
  let result = "";
  let places = 0;
  for (const character of text) result += places++ < most ? next + character : character;
  return places < most ? result + next : result;
}

/** How often one string stands in another, without overlapping. */
export function count(thread: Thread, text: string, part: string): number {
  if (part === "") return text.length + 1;
  chargeSearch(thread, text, part);
  let found = 0;
  for (let at = firstIndex(text, part); at !== -1; at = firstIndex(text, part, at + part.length)) {
    thread.step();
    found++;
  }
  return found;
}

/** title(): every letter that follows another in lower case, the rest in title case. */
export function title(text: string): string {
  return text.replace(/\p{L}+/gu, capitalize);
}

export function capitalize(text: string): string {
  const first = String.fromCodePoint(text.codePointAt(0) ?? 0);
  return text === "" ? "" : titleCase(first) + text.slice(first.length).toLowerCase();
}

/** Letters that stand for two have a form with only the first of them in upper case. */
const DIGRAPHS: ReadonlyMap<string, string> = new Map([
  ["\u01c4", "\u01c5"],
  ["\u01c7", "\u01c8"],
  ["\u01ca", "\u01cb"],
  ["\u01f1", "\u01f2"],
]);

function titleCase(letter: string): string {
  const [first = "", ...others] = letter.toUpperCase();
  return (DIGRAPHS.get(first) ?? first) + others.join("").toLowerCase();
}

/** Whether a string has letters with a case, and all of them have this one. */
export function isCased(text: string, cased: string): boolean {
  return text === cased && text.toLowerCase() !== text.toUpperCase();
}
