import type { Thread } from "../evaluator/thread.js";
import { equals } from "./equality.js";
import { wordsOf } from "./integers.js";
import { Bytes, Float, isInt, isNumber, List, StarSet, Tuple, typeName, type Value } from "./values.js";

export type Comparison = "<" | "<=" | ">" | ">=";

/** `x < y` and its like. */
export function order(thread: Thread, operator: Comparison, x: Value, y: Value): boolean {
  const sign = compare(thread, x, y, operator);
  if (operator === "<") return sign < 0;
  if (operator === "<=") return sign <= 0;
  return operator === ">" ? sign > 0 : sign >= 0;
}

/** Orders two values of a kind that has an order: negative, zero or positive. */
export function compare(thread: Thread, x: Value, y: Value, operator: Comparison = "<", depth = 0): number {
  if (typeof x === "string" && typeof y === "string") {
    thread.step(Math.min(x.length, y.length) >> 6);
    return x < y ? -1 : x > y ? 1 : 0;
  }
  if (isInt(x) && isInt(y)) {
    if (typeof x === "bigint" && typeof y === "bigint") thread.step(wordsOf(x) >> 6);
    return x < y ? -1 : x > y ? 1 : 0;
  }
  if (isNumber(x) && isNumber(y)) return compareFloats(x, y);
  if (typeof x === "boolean" && typeof y === "boolean") return Number(x) - Number(y);
  if ((x instanceof List && y instanceof List) || (x instanceof Tuple && y instanceof Tuple)) {
    return compareItems(thread, x.items, y.items, operator, depth);
  }
  if (x instanceof Bytes && y instanceof Bytes) return compareBytes(thread, x.data, y.data);
  const hint = x instanceof StarSet && y instanceof StarSet ? "; use issubset() or issuperset()" : "";
  return thread.fail(`unsupported comparison: ${typeName(x)} ${operator} ${typeName(y)}${hint}`);
}

// NaN stands above all others, so that sorting has an order.
function compareFloats(x: number | bigint | Float, y: number | bigint | Float): number {
  const [a, b] = [x instanceof Float ? x.value : x, y instanceof Float ? y.value : y];
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
  return a < b ? -1 : a > b ? 1 : 0;
}

function compareItems(
  thread: Thread,
  x: readonly Value[],
  y: readonly Value[],
  operator: Comparison,
  depth: number,
): number {
  if (depth >= thread.maxNesting) thread.tooDeep();
  for (let i = 0; i < x.length && i < y.length; i++) {
    const [a, b] = [x[i] as Value, y[i] as Value];
    thread.step();
    // Only the first items that differ have to have an order.
    if (!equals(thread, a, b, depth + 1)) return compare(thread, a, b, operator, depth + 1);
  }
  return x.length - y.length;
}

function compareBytes(thread: Thread, x: Uint8Array, y: Uint8Array): number {
  thread.step(Math.min(x.length, y.length) >> 3);
  for (let i = 0; i < x.length && i < y.length; i++) {
    const difference = (x[i] as number) - (y[i] as number);
    if (difference !== 0) return difference;
  }
  return x.length - y.length;
}

/** Sorts in place and keeps the order of equals; the same comparisons, and so the same steps, on every engine. */
export function sortBy<T>(items: T[], compareItems: (a: T, b: T) => number): T[] {
  let from = items;
  let to = new Array<T>(items.length);
  for (let width = 1; width < items.length; width *= 2) {
    for (let low = 0; low < items.length; low += 2 * width) merge(from, to, low, width, compareItems);
    [from, to] = [to, from];
  }
  return from;
}

function merge<T>(from: readonly T[], to: T[], low: number, width: number, compareItems: (a: T, b: T) => number): void {
  const middle = Math.min(low + width, from.length);
  const high = Math.min(middle + width, from.length);
  let [left, right] = [low, middle];
  for (let at = low; at < high; at++) {
    const isLeft = right >= high || (left < middle && compareItems(from[left] as T, from[right] as T) <= 0);
    to[at] = (isLeft ? from[left++] : from[right++]) as T;
  }
}
