import type { Thread } from "../evaluator/thread.js";
import { wordsOf } from "./integers.js";
import {
  Bytes,
  Dict,
  Float,
  isCallable,
  isInt,
  List,
  normalize,
  StarSet,
  Tuple,
  typeName,
  type Value,
} from "./values.js";

/** What a value is found by in a dict or set. */
export type Key = string | number | boolean | null | object;

/** Keys that are texts of other things start with a zero, so a string that starts with one is set apart. */
export function textKey(text: string): string {
  return text.charCodeAt(0) === 0 ? `\0s${text}` : text;
}

/** Equal values have equal keys. A string is its own key; lists, dicts and sets have none until they are frozen. */
export function keyOf(thread: Thread, value: Value): Key {
  if (typeof value === "string") {
    if (value.length > 64) thread.step(value.length >> 6);
    return textKey(value);
  }
  if (isInt(value)) return intKey(thread, value);
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Float) return floatKey(thread, value.value);
  if (isCompound(value)) return compoundKey(thread, value, 0);
  if (isCallable(value)) return value;
  return thread.fail(`unhashable type: '${typeName(value)}'`);
}

/** Up to here there are too few ints to collide with each other. */
const FEW = 2 ** 16;

// V8 hashes a bigint by its lowest 64 bits alone, so that a dict of 1 << 64, 2 << 64 and so on would be a list; and other
// numbers without a secret, so that whoever knows how finds thousands that collide. Strings are hashed with a secret.
function intKey(thread: Thread, value: number | bigint): Key {
  if (typeof value === "number") {
    if (value < FEW && value > -FEW) return value;
    thread.allocate(32);
    return `\0i${value}`;
  }
  const words = wordsOf(value);
  thread.charge(words, 32 * words);
  return `\0I${value.toString(16)}`;
}

// 1 and 1.0 are equal, and so must their keys be.
function floatKey(thread: Thread, value: number): Key {
  if (!Number.isInteger(value)) return `\0f${value}`;
  return intKey(thread, normalize(BigInt(value)));
}

type Compound = Tuple | Bytes | List | Dict | StarSet;

function isCompound(value: Value): value is Compound {
  if (value instanceof Tuple || value instanceof Bytes) return true;
  return (value instanceof List || value instanceof Dict || value instanceof StarSet) && value.isFrozen;
}

function compoundKey(thread: Thread, value: Compound, depth: number): string {
  if (value instanceof Bytes) {
    thread.charge(value.data.length >> 3, 4 * value.data.length);
    return `\0b${value.data.join(",")}`;
  }
  if (depth >= thread.maxNesting) thread.tooDeep();
  const part = (item: Value) => partKey(thread, item, depth);
  if (value instanceof Tuple) return joined(thread, "\0t", value.items, part);
  if (value instanceof List) return joined(thread, "\0l", value.items, part);
  // Dicts and sets are equal in any order.
  const { size } = value.entries;
  thread.charge(size * (32 - Math.clz32(size)), 32 * size);
  const parts =
    value instanceof Dict
      ? Array.from(value.entries.values(), (entry) => joined(thread, "", entry, part))
      : Array.from(value.entries.values(), part);
  return joined(
    thread,
    value instanceof Dict ? "\0d" : "\0u",
    parts.sort((a, b) => (a < b ? -1 : 1)),
    (text) => text,
  );
}

/** Texts of several things in one, so that no others make the same. */
function joined<T>(thread: Thread, tag: string, items: readonly T[], textOf: (item: T) => string): string {
  thread.charge(items.length, 16 * items.length);
  let key = tag;
  for (const item of items) {
    const text = textOf(item);
    thread.allocate(2 * text.length);
    key += `${text.length}:${text}`;
  }
  return key;
}

function partKey(thread: Thread, item: Value, depth: number): string {
  const isInside = typeof item === "object" && item !== null && isCompound(item);
  const key = isInside ? compoundKey(thread, item, depth + 1) : keyOf(thread, item);
  // As many digits for each: what a key costs does not depend on how many there were before.
  if (typeof key === "object" && key !== null) return `o${String(identityOf(key)).padStart(15, "0")}`;
  return `${typeof key}${String(key)}`;
}

const identities = new WeakMap<object, number>();
let lastIdentity = 0;

function identityOf(value: object): number {
  const known = identities.get(value) ?? ++lastIdentity;
  identities.set(value, known);
  return known;
}
