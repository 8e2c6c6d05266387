import type { Thread } from "../evaluator/thread.js";
import { UNITS } from "../values/allocation.js";
import { chargeSearch, firstIndex, lastIndex } from "../values/search.js";
import { Elems, List, Tuple, type Value } from "../values/values.js";
import { isSpace } from "./string-text.js";

/** The pieces of a string, each paid for before it is made. */
class Pieces {
  private readonly found: string[] = [];

  constructor(
    private readonly thread: Thread,
    private readonly text: string,
  ) {}

  get count(): number {
    return this.found.length;
  }

  add(from: number, to: number): void {
    this.thread.charge(1, UNITS.part + 2 * (to - from));
    this.found.push(this.text.slice(from, to));
  }

  list(isReversed = false): List {
    this.thread.allocate(UNITS.list + 8 * this.count);
    return new List(isReversed ? this.found.reverse() : this.found);
  }
}

function splitWords(thread: Thread, text: string, limit: number): List {
  const pieces = new Pieces(thread, text);
  for (let at = 0; ; ) {
    while (at < text.length && isSpace(text.charCodeAt(at))) at++;
    if (at === text.length) return pieces.list();
    let end = at;
    if (pieces.count === limit) {
      // The rest stays as it is, white space at its end included.
      pieces.add(at, text.length);
      return pieces.list();
    }
    while (end < text.length && !isSpace(text.charCodeAt(end))) end++;
    pieces.add(at, end);
    at = end;
  }
}

function splitWordsFromRight(thread: Thread, text: string, limit: number): List {
  const pieces = new Pieces(thread, text);
  for (let end = text.length; ; ) {
    while (end > 0 && isSpace(text.charCodeAt(end - 1))) end--;
    if (end === 0) return pieces.list(true);
    let at = end;
    if (pieces.count === limit) {
      pieces.add(0, end);
      return pieces.list(true);
    }
    while (at > 0 && !isSpace(text.charCodeAt(at - 1))) at--;
    pieces.add(at, end);
    end = at;
  }
}

/** split(): at a separator, or at white space where there is none; a negative limit is no limit. */
export function split(thread: Thread, text: string, separator: string | undefined, limit: number): List {
  if (separator === "") return thread.fail("empty separator");
  if (separator === undefined) {
    thread.step(text.length >> 5);
    return splitWords(thread, text, limit);
  }
  chargeSearch(thread, text, separator);
  const pieces = new Pieces(thread, text);
  let from = 0;
  while (pieces.count !== limit) {
    const at = firstIndex(text, separator, from);
    if (at === -1) break;
    pieces.add(from, at);
    from = at + separator.length;
  }
  pieces.add(from, text.length);
  return pieces.list();
}

export function splitFromRight(thread: Thread, text: string, separator: string | undefined, limit: number): List {
  if (limit < 0) return split(thread, text, separator, limit);
  if (separator === "") return thread.fail("empty separator");
  if (separator === undefined) {
    thread.step(text.length >> 5);
    return splitWordsFromRight(thread, text, limit);
  }
  const pieces = new Pieces(thread, text);
  let end = text.length;
  while (pieces.count !== limit) {
    const rest = text.slice(0, end);
    const at = lastIndexPaid(thread, rest, separator);
    if (at === -1) break;
    pieces.add(at + separator.length, end);
    end = at;
  }
  pieces.add(0, end);
  return pieces.list(true);
}

/** Searching from the right looks no further than where it finds something, so that is what it pays for. */
function lastIndexPaid(thread: Thread, text: string, needle: string): number {
  thread.step(1 + (needle.length >> 4));
  const at = lastIndex(text, needle);
  thread.step((text.length - Math.max(at, 0)) >> 4);
  return at;
}

export function partition(thread: Thread, text: string, separator: string, isLast: boolean): Tuple {
  if (separator === "") return thread.fail("empty separator");
  chargeSearch(thread, text, separator);
  thread.text(text.length);
  thread.allocate(UNITS.tuple + 3 * UNITS.part);
  const at = isLast ? lastIndex(text, separator) : firstIndex(text, separator);
  if (at === -1) return new Tuple(isLast ? ["", "", text] : [text, "", ""]);
  return new Tuple([text.slice(0, at), separator, text.slice(at + separator.length)]);
}

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/** splitlines(): at \n, \r and \r\n. */
export function splitLines(thread: Thread, text: string, keepEnds: boolean): List {
  thread.step(text.length >> 5);
  const pieces = new Pieces(thread, text);
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code !== LINE_FEED && code !== CARRIAGE_RETURN) continue;
    const isPair = code === CARRIAGE_RETURN && text.charCodeAt(at + 1) === LINE_FEED;
    const end = at + (isPair ? 2 : 1);
    pieces.add(from, keepEnds ? end : at);
    from = end;
    at = end - 1;
  }
  if (from < text.length) pieces.add(from, text.length);
  return pieces.list();
}

/** elems() and its like: the units or the code points of a string, as strings or as numbers. */
export function elems(thread: Thread, text: string, method: Elems["method"]): Elems {
  const [isOrdinal, byPoint] = [method.endsWith("ords"), method.startsWith("codepoint")];
  thread.charge(text.length, UNITS.list + 24 * text.length);
  const items: Value[] = [];
  for (let at = 0; at < text.length; ) {
    const code = byPoint ? (text.codePointAt(at) as number) : text.charCodeAt(at);
    items.push(isOrdinal ? code : String.fromCodePoint(code));
    at += code > 0xffff ? 2 : 1;
  }
  return new Elems(text, method, items);
}
