import type { Thread } from "../evaluator/thread.js";
import { wordsOf } from "./integers.js";
import { Bytes, Dict, Elems, Float, isInt, List, Range, StarSet, Tuple, type Value } from "./values.js";

/** `x == y`: by value, whatever the types; a NaN equals itself, so that dicts and sorting can find it. */
export function equals(thread: Thread, x: Value, y: Value, depth = 0): boolean {
  if (typeof x === "string") return typeof y === "string" && equalTexts(thread, x, y);
  if (x === y) return true;
  if (typeof x === "bigint" && typeof y === "bigint") {
    thread.step(wordsOf(x) >> 6);
    return x === y;
  }
  if (x instanceof Float) return equalsFloat(x.value, y);
  if (y instanceof Float) return equalsFloat(y.value, x);
  if (typeof x !== "object" || typeof y !== "object" || x === null || y === null) return false;
  if ((x instanceof List && y instanceof List) || (x instanceof Tuple && y instanceof Tuple)) {
    return equalItems(thread, x.items, y.items, depth);
  }
  if (x instanceof Dict) return y instanceof Dict && equalDicts(thread, x, y, depth);
  if (x instanceof StarSet) return y instanceof StarSet && equalSets(thread, x, y);
  if (x instanceof Elems) return y instanceof Elems && x.method === y.method && equals(thread, x.source, y.source);
  if (x instanceof Bytes) return y instanceof Bytes && equalBytes(thread, x.data, y.data);
  if (!(x instanceof Range) || !(y instanceof Range)) return false;
  return x.length === y.length && (x.length === 0 || (x.start === y.start && (x.length === 1 || x.step === y.step)));
}

function equalTexts(thread: Thread, x: string, y: string): boolean {
  if (x.length !== y.length) return false;
  if (x.length > 64) thread.step(x.length >> 6);
  return x === y;
}

function equalsFloat(x: number, y: Value): boolean {
  if (y instanceof Float) return x === y.value || (Number.isNaN(x) && Number.isNaN(y.value));
  if (!isInt(y) || !Number.isInteger(x)) return false;
  return typeof y === "number" ? x === y : BigInt(x) === y;
}

function equalItems(thread: Thread, x: readonly Value[], y: readonly Value[], depth: number): boolean {
  if (x.length !== y.length) return false;
  if (depth >= thread.maxNesting) thread.tooDeep();
  for (let i = 0; i < x.length; i++) {
    thread.step();
    if (!equals(thread, x[i] as Value, y[i] as Value, depth + 1)) return false;
  }
  return true;
}

function equalDicts(thread: Thread, x: Dict, y: Dict, depth: number): boolean {
  if (x.entries.size !== y.entries.size) return false;
  if (depth >= thread.maxNesting) thread.tooDeep();
  for (const [key, [, value]] of x.entries) {
    thread.step();
    const other = y.entries.get(key);
    if (other === undefined || !equals(thread, value, other[1], depth + 1)) return false;
  }
  return true;
}

function equalSets(thread: Thread, x: StarSet, y: StarSet): boolean {
  return x.entries.size === y.entries.size && isSubset(thread, x, y);
}

/** Whether a set holds everything another one does. */
export function isSubset(thread: Thread, small: StarSet, large: StarSet): boolean {
  if (small.entries.size > large.entries.size) return false;
  for (const key of small.entries.keys()) {
    thread.step();
    if (!large.entries.has(key)) return false;
  }
  return true;
}

function equalBytes(thread: Thread, x: Uint8Array, y: Uint8Array): boolean {
  if (x.length !== y.length) return false;
  thread.step(x.length >> 3);
  return x.every((byte, i) => byte === y[i]);
}
