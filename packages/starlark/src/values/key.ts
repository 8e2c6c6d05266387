import type { Thread } from "../evaluator/thread.js";
import { wordsOf } from "./integers.js";
import { Bytes, Float, isCallable, normalize, Tuple, typeName, type Value } from "./values.js";

/** What a value is found by in a dict or set. */
export type Key = string | number | bigint | boolean | null | object;

/** Keys that are texts of other things start with a zero, so a string that starts with one is set apart. */
export function textKey(text: string): string {
  return text.charCodeAt(0) === 0 ? `\0s${text}` : text;
}

/** Equal values have equal keys. A string is its own key; lists, dicts and sets have none. */
export function keyOf(thread: Thread, value: Value): Key {
  if (typeof value === "string") {
    if (value.length > 64) thread.step(value.length >> 6);
    return textKey(value);
  }
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Float) return floatKey(value.value);
  if (value instanceof Tuple || value instanceof Bytes) return compoundKey(thread, value, 0);
  if (isCallable(value)) return value;
  return thread.fail(`unhashable type: '${typeName(value)}'`);
}

// 1 and 1.0 are equal, and so must their keys be.
function floatKey(value: number): Key {
  return Number.isInteger(value) ? normalize(BigInt(value)) : `\0f${value}`;
}

function compoundKey(thread: Thread, value: Tuple | Bytes, depth: number): string {
  if (value instanceof Bytes) {
    thread.charge(value.data.length >> 3, 4 * value.data.length);
    return `\0b${value.data.join(",")}`;
  }
  if (depth >= thread.maxNesting) thread.tooDeep();
  thread.charge(value.items.length, 16 * value.items.length);
  let key = "\0t";
  for (const item of value.items) {
    const part = partKey(thread, item, depth);
    thread.allocate(2 * part.length);
    key += `${part.length}:${part}`;
  }
  return key;
}

function partKey(thread: Thread, item: Value, depth: number): string {
  const key =
    item instanceof Tuple || item instanceof Bytes ? compoundKey(thread, item, depth + 1) : keyOf(thread, item);
  // As many digits for each: what a key costs does not depend on how many there were before.
  if (typeof key === "object" && key !== null) return `o${String(identityOf(key)).padStart(15, "0")}`;
  if (typeof key === "bigint") thread.step(wordsOf(key));
  return typeof key === "bigint" ? `bigint${key.toString(16)}` : `${typeof key}${String(key)}`;
}

const identities = new WeakMap<object, number>();
let lastIdentity = 0;

function identityOf(value: object): number {
  const known = identities.get(value) ?? ++lastIdentity;
  identities.set(value, known);
  return known;
}
