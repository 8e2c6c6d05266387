import type { Thread } from "../evaluator/thread.js";

// JavaScript's own search takes time as the product of both lengths on texts such as "aaa…": a needle that is long, in a
// text that is long, is found by its own borders instead, in time linear in both (Knuth, Morris and Pratt).
const SHORT_NEEDLE = 16;
const SMALL_PRODUCT = 65_536;

/** Pays for finding a needle once, or all places of it, in a text. */
export function chargeSearch(thread: Thread, text: string, needle: string): void {
  if (isQuick(text.length, needle.length)) thread.step(text.length >> 6);
  else thread.charge((text.length + needle.length) >> 4, 4 * needle.length);
}

function isQuick(text: number, needle: number): boolean {
  return needle <= SHORT_NEEDLE || needle * text <= SMALL_PRODUCT;
}

/** Where the needle first stands at or after `from`; -1 where it does not. */
export function firstIndex(text: string, needle: string, from = 0): number {
  if (isQuick(text.length - from, needle.length)) return text.indexOf(needle, from);
  const size = needle.length;
  const end = scan(
    size,
    text.length - from,
    (i) => needle.charCodeAt(i),
    (i) => text.charCodeAt(from + i),
  );
  return end === -1 ? -1 : from + end - size;
}

/** Where the needle last stands; -1 where it does not. */
export function lastIndex(text: string, needle: string): number {
  if (isQuick(text.length, needle.length)) return text.lastIndexOf(needle);
  const [size, length] = [needle.length, text.length];
  const end = scan(
    size,
    length,
    (i) => needle.charCodeAt(size - 1 - i),
    (i) => text.charCodeAt(length - 1 - i),
  );
  return end === -1 ? -1 : length - end;
}

/** How far the text has been read when the needle was found in it. */
function scan(size: number, length: number, needleAt: (i: number) => number, textAt: (i: number) => number): number {
  if (size > length) return -1;
  const borders = new Int32Array(size);
  for (let i = 1, matched = 0; i < size; i++) {
    while (matched > 0 && needleAt(i) !== needleAt(matched)) matched = borders[matched - 1] as number;
    if (needleAt(i) === needleAt(matched)) matched++;
    borders[i] = matched;
  }
  for (let i = 0, matched = 0; i < length; i++) {
    while (matched > 0 && textAt(i) !== needleAt(matched)) matched = borders[matched - 1] as number;
    if (textAt(i) === needleAt(matched)) matched++;
    if (matched === size) return i + 1;
  }
  return -1;
}
