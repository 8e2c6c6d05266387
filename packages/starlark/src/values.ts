import type { Thread } from "./thread.js";

/**
 * A Starlark value. None is null; bools and strings are JavaScript's own; an int is a number while it is a safe integer
 * and a bigint beyond, so that a number is never a float.
 */
export type Value =
  | null
  | boolean
  | number
  | bigint
  | string
  | Float
  | Bytes
  | List
  | Tuple
  | Dict
  | StarSet
  | Range
  | Callable
  | Namespace;

export class Float {
  constructor(readonly value: number) {}
}

export class Bytes {
  constructor(readonly data: Uint8Array) {}
}

export class Tuple {
  constructor(readonly items: readonly Value[]) {}
}

/** What may change until it is frozen, and not while something iterates over it. */
abstract class Mutable {
  isFrozen = false;
  iterators = 0;

  /** Fails unless this may be changed now. */
  change(thread: Thread, verb: string): void {
    const what = typeName(this as unknown as Value);
    if (this.isFrozen) thread.fail(`cannot ${verb} frozen ${what}`);
    if (this.iterators > 0) thread.fail(`cannot ${verb} ${what} during iteration: it is temporarily immutable`);
  }
}

export class List extends Mutable {
  constructor(readonly items: Value[]) {
    super();
  }
}

export class Dict extends Mutable {
  readonly entries = new Map<Key, [key: Value, value: Value]>();

  get(thread: Thread, key: Value): Value | undefined {
    return this.entries.get(keyOf(thread, key))?.[1];
  }

  /** Sets without asking whether it may: for dicts that are being built. */
  put(thread: Thread, key: Value, value: Value): void {
    const hashed = keyOf(thread, key);
    const entry = this.entries.get(hashed);
    if (entry !== undefined) {
      entry[1] = value;
      return;
    }
    thread.allocate(48);
    this.entries.set(hashed, [key, value]);
  }

  /** Sets a string key without a run that pays for it. */
  putText(key: string, value: Value): void {
    this.entries.set(textKey(key), [key, value]);
  }

  set(thread: Thread, key: Value, value: Value): void {
    this.change(thread, "insert into");
    this.put(thread, key, value);
  }
}

export class StarSet extends Mutable {
  readonly entries = new Map<Key, Value>();

  put(thread: Thread, value: Value): void {
    const key = keyOf(thread, value);
    if (this.entries.has(key)) return;
    thread.allocate(40);
    this.entries.set(key, value);
  }
}

export class Range {
  readonly length: number;

  constructor(
    readonly start: number,
    readonly stop: number,
    readonly step: number,
  ) {
    this.length = Math.max(0, Math.ceil((stop - start) / step));
  }
}

export type Arguments = readonly Value[];
export type Keywords = ReadonlyMap<string, Value>;

/** Anything that can be called. */
export interface Callable {
  readonly name: string;
  readonly isBuiltin: boolean;
  call(thread: Thread, args: Arguments, keywords: Keywords): Value;
}

/** A name for a group of host functions and values: `json`, `re`. */
export class Namespace {
  constructor(
    readonly name: string,
    readonly members: ReadonlyMap<string, Value>,
  ) {}
}

export type Key = string | number | bigint | boolean | null | object;

function textKey(text: string): string {
  return text.charCodeAt(0) === 0 ? `\0s${text}` : text;
}

/** What a value is found by in a dict or set: equal values have equal keys. Strings are their own keys. */
export function keyOf(thread: Thread, value: Value): Key {
  if (typeof value === "string") return textKey(value);
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Float || value instanceof Tuple || value instanceof Bytes) return compoundKey(thread, value, 0);
  if (isCallable(value)) return value;
  return thread.fail(`unhashable type: '${typeName(value)}'`);
}

function compoundKey(thread: Thread, value: Value, depth: number): Key {
  if (value instanceof Float) {
    // 1 and 1.0 are equal, and so must their keys be.
    return Number.isInteger(value.value) ? normalize(BigInt(value.value)) : `\0f${value.value}`;
  }
  if (value instanceof Bytes) return `\0b${value.data.join(",")}`;
  if (!(value instanceof Tuple)) return keyOf(thread, value);
  if (depth > thread.maxNesting) thread.tooDeep();
  thread.step(value.items.length);
  const parts = value.items.map((item) => {
    const key = compoundKey(thread, item, depth + 1);
    const text = typeof key === "object" && key !== null ? `o${identityOf(key)}` : `${typeof key}${String(key)}`;
    return `${text.length}:${text}`;
  });
  return `\0t${parts.join("")}`;
}

const identities = new WeakMap<object, number>();
let nextIdentity = 0;

function identityOf(value: object): number {
  const known = identities.get(value) ?? ++nextIdentity;
  identities.set(value, known);
  return known;
}

export function isCallable(value: Value): value is Callable {
  return typeof value === "object" && value !== null && "call" in value && typeof value.call === "function";
}

export function isInt(value: Value): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}

/** The smallest form of an int. */
export function normalize(value: bigint): number | bigint {
  return value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;
}

export function typeName(value: Value): string {
  switch (typeof value) {
    case "string":
      return "string";
    case "boolean":
      return "bool";
    case "number":
    case "bigint":
      return "int";
  }
  if (value === null) return "NoneType";
  if (value instanceof Float) return "float";
  if (value instanceof Bytes) return "bytes";
  if (value instanceof List) return "list";
  if (value instanceof Tuple) return "tuple";
  if (value instanceof Dict) return "dict";
  if (value instanceof StarSet) return "set";
  if (value instanceof Range) return "range";
  if (value instanceof Namespace) return "module";
  return value.isBuiltin ? "builtin_function_or_method" : "function";
}

export function isTrue(value: Value): boolean {
  if (typeof value !== "object") return Boolean(value);
  if (value === null) return false;
  if (value instanceof Float) return value.value !== 0;
  if (value instanceof Bytes) return value.data.length > 0;
  if (value instanceof List || value instanceof Tuple) return value.items.length > 0;
  if (value instanceof Dict || value instanceof StarSet) return value.entries.size > 0;
  return value instanceof Range ? value.length > 0 : true;
}

/** Makes a value and everything it holds unchangeable. */
export function freeze(root: Value): void {
  const waiting: Value[] = [root];
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (value instanceof Tuple) for (const item of value.items) waiting.push(item);
    else if (value instanceof List && !value.isFrozen) {
      value.isFrozen = true;
      for (const item of value.items) waiting.push(item);
    } else if (value instanceof Dict && !value.isFrozen) {
      value.isFrozen = true;
      for (const [key, item] of value.entries.values()) waiting.push(key, item);
    } else if (value instanceof StarSet) value.isFrozen = true;
    else if (typeof value === "object" && value !== null && "freeze" in value) (value.freeze as () => void)();
  }
}
