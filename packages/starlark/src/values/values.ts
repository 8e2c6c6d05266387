import type { Thread } from "../evaluator/thread.js";
import { type Key, keyOf, textKey } from "./key.js";

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
  | Elems
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

/**
 * The oldest entry of a map from which only the oldest are taken. A new iterator would pass over all the places of those
 * that were taken before; one that is kept goes on behind them.
 */
class Oldest<T> {
  private iterator: Iterator<[Key, T]> | undefined;

  next(entries: Map<Key, T>): [Key, T] | undefined {
    this.iterator ??= entries.entries();
    const { done, value } = this.iterator.next();
    if (!done) return value;
    // One that has come to the end stays there, whatever is added later.
    this.iterator = undefined;
    return entries.size === 0 ? undefined : this.next(entries);
  }
}

export class List extends Mutable {
  constructor(readonly items: Value[]) {
    super();
  }
}

type Entries = Map<Key, [key: Value, value: Value]>;

export class Dict extends Mutable {
  /** Made when it is asked for: most empty dicts are fallbacks, as in `x.get("a", {})`, and stay empty. */
  private known: Entries | undefined;
  private oldest: Oldest<[key: Value, value: Value]> | undefined;

  get entries(): Entries {
    this.known ??= new Map();
    return this.known;
  }

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

  /** Takes the oldest entry out; undefined where there is none. */
  takeFirst(): [key: Value, value: Value] | undefined {
    this.oldest ??= new Oldest();
    const first = this.oldest.next(this.entries);
    if (first !== undefined) this.entries.delete(first[0]);
    return first?.[1];
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
  private oldest: Oldest<Value> | undefined;

  /** Adds without asking whether it may: for sets that are being built. */
  put(thread: Thread, value: Value): void {
    this.keep(thread, keyOf(thread, value), value);
  }

  /** The same, with the key known already. */
  keep(thread: Thread, key: Key, value: Value): void {
    if (this.entries.has(key)) return;
    thread.allocate(40);
    this.entries.set(key, value);
  }

  /** Takes the oldest element out; undefined where there is none. */
  takeFirst(): Value | undefined {
    this.oldest ??= new Oldest();
    const first = this.oldest.next(this.entries);
    if (first !== undefined) this.entries.delete(first[0]);
    return first?.[1];
  }

  /** Makes it hold what another one does. */
  assign(other: StarSet): void {
    this.entries.clear();
    for (const [key, value] of other.entries) this.entries.set(key, value);
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

  at(index: number): number {
    return this.start + index * this.step;
  }
}

/** What `elems()` and its like give: the elements of a string or of bytes, to be iterated over. */
export class Elems {
  constructor(
    readonly source: string | Bytes,
    readonly method: "elems" | "elem_ords" | "codepoints" | "codepoint_ords",
    readonly items: readonly Value[],
  ) {}

  get type(): string {
    return `${typeName(this.source)}.${this.method.startsWith("elem") ? "elems" : "codepoints"}`;
  }
}

export type Arguments = readonly Value[];
export type Keywords = ReadonlyMap<string, Value>;

/** What a call without named arguments has of them. */
export const NO_KEYWORDS: Keywords = new Map();

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

export function isCallable(value: Value): value is Callable {
  return typeof value === "object" && value !== null && "call" in value && typeof value.call === "function";
}

export function isInt(value: Value): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}

export function isNumber(value: Value): value is number | bigint | Float {
  return typeof value === "number" || typeof value === "bigint" || value instanceof Float;
}

const LEAST = BigInt(Number.MIN_SAFE_INTEGER);
const MOST = BigInt(Number.MAX_SAFE_INTEGER);

/** The smallest form of an int. */
export function normalize(value: bigint): number | bigint {
  return value >= LEAST && value <= MOST ? Number(value) : value;
}

/**
 * Whether what a host hands over is a value. JavaScript's own objects are not, nor is a number that is no safe int: they
 * would be taken for what they are not.
 */
export function isValue(value: unknown): value is Value {
  switch (typeof value) {
    case "string":
    case "boolean":
      return true;
    case "bigint":
      return typeof normalize(value) === "bigint";
    case "number":
      return Number.isSafeInteger(value);
    case "object":
      return value === null || value instanceof Dict || value instanceof List || isRareValue(value);
    default:
      return false;
  }
}

const RARE = [Tuple, Float, StarSet, Bytes, Range, Elems, Namespace] as const;

function isRareValue(value: object): boolean {
  return RARE.some((kind) => value instanceof kind) || isCallable(value as Value);
}

/** Refuses what a host hands over and is no value. */
export function refuseValue(what: string): never {
  throw new TypeError(`${what} is not a Starlark value; make one of it with fromJson()`);
}

/** The name of a value's type, as type() gives it. */
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
  if (value instanceof Elems) return value.type;
  if (value instanceof Namespace) return "module";
  return value.isBuiltin ? "builtin_function_or_method" : "function";
}

/** Whether a value counts as true: None, False, zero and what is empty do not. */
export function isTrue(value: Value): boolean {
  if (typeof value !== "object") return Boolean(value);
  if (value === null) return false;
  if (value instanceof Float) return value.value !== 0;
  if (value instanceof Bytes) return value.data.length > 0;
  if (value instanceof List || value instanceof Tuple || value instanceof Elems) return value.items.length > 0;
  if (value instanceof Dict || value instanceof StarSet) return value.entries.size > 0;
  return value instanceof Range ? value.length > 0 : true;
}
