import type { Thread } from "../evaluator/thread.js";
import { UNITS } from "./allocation.js";
import { bitwiseInts } from "./integers.js";
import { Dict, isInt, StarSet, type Value } from "./values.js";

/** `x & y`, `x | y` and `x ^ y` of ints and sets, and `x | y` of dicts; undefined for anything else. */
export function combine(thread: Thread, operator: "&" | "|" | "^", x: Value, y: Value): Value | undefined {
  if (isInt(x) && isInt(y)) return bitwiseInts(thread, operator, x, y);
  if (x instanceof StarSet && y instanceof StarSet) {
    if (operator === "&") return intersection(thread, x, y);
    return operator === "|" ? union(thread, x, y) : symmetricDifference(thread, x, y);
  }
  if (operator !== "|" || !(x instanceof Dict) || !(y instanceof Dict)) return undefined;
  thread.allocate(UNITS.dict);
  const all = new Dict();
  copyEntries(thread, x, all);
  copyEntries(thread, y, all);
  return all;
}

/** Puts all entries of a dict into another. */
export function copyEntries(thread: Thread, from: Dict, into: Dict): void {
  thread.step(from.entries.size);
  // A dict updated with itself has nothing new; its entries are not walked while they are written.
  if (from === into) return;
  for (const [key, value] of from.entries.values()) into.put(thread, key, value);
}

/** A set with the same elements. */
export function copySet(thread: Thread, set: StarSet): StarSet {
  thread.allocate(UNITS.set);
  const copy = new StarSet();
  addAll(thread, copy, set);
  return copy;
}

function addAll(thread: Thread, into: StarSet, from: StarSet): void {
  for (const [key, item] of from.entries) {
    thread.step();
    into.keep(thread, key, item);
  }
}

export function union(thread: Thread, x: StarSet, y: StarSet): StarSet {
  const result = copySet(thread, x);
  addAll(thread, result, y);
  return result;
}

export function intersection(thread: Thread, x: StarSet, y: StarSet): StarSet {
  return select(thread, x, (key) => y.entries.has(key));
}

export function difference(thread: Thread, x: StarSet, y: StarSet): StarSet {
  return select(thread, x, (key) => !y.entries.has(key));
}

export function symmetricDifference(thread: Thread, x: StarSet, y: StarSet): StarSet {
  const result = difference(thread, x, y);
  addAll(thread, result, difference(thread, y, x));
  return result;
}

type SetKey = Parameters<StarSet["keep"]>[1];

function select(thread: Thread, set: StarSet, isWanted: (key: SetKey) => boolean): StarSet {
  thread.allocate(UNITS.set);
  const result = new StarSet();
  for (const [key, item] of set.entries) {
    thread.step();
    if (isWanted(key)) result.keep(thread, key, item);
  }
  return result;
}
