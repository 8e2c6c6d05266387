import { HarnError, messageOf, payloadNotJson, payloadTooLarge } from "./errors.js";

/** Any JSON value, read-only. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** A JSON object, read-only. */
export interface JsonObject {
  readonly [key: string]: Json;
}

/** How large a value may be before it is refused at the border. */
export interface JsonLimits {
  /** Levels of nesting. */
  readonly depth: number;
  /** UTF-16 units of all strings and keys together, plus 8 for every value. */
  readonly size: number;
}

export const DEFAULT_LIMITS: JsonLimits = { depth: 100, size: 16 * 1024 * 1024 };

/**
 * Copies a value across the border: plain JSON only, null prototypes, frozen all the way down.
 * After this no key is special (`__proto__` is a key like any other) and nobody can change what the next hook sees.
 */
export function copyJson(value: unknown, limits: JsonLimits = DEFAULT_LIMITS, at: readonly string[] = []): Json {
  const trail = [...at];
  let room = limits.size;

  function spend(units: number): void {
    room -= units;
    if (room < 0) throw payloadTooLarge("size", limits.size, trail.join("."));
  }

  function copy(source: unknown, depth: number): Json {
    spend(8);
    switch (typeof source) {
      case "string":
        spend(source.length);
        return source;
      case "number":
        if (!Number.isFinite(source)) throw payloadNotJson(String(source), trail.join("."));
        return source;
      case "boolean":
        return source;
      case "object":
        break;
      default:
        throw payloadNotJson(typeof source, trail.join("."));
    }
    if (source === null) return null;
    if (depth >= limits.depth) throw payloadTooLarge("depth", limits.depth, trail.join("."));
    return Array.isArray(source) ? copyList(source, depth) : copyObject(source, depth);
  }

  function copyList(source: readonly unknown[], depth: number): Json {
    const target: Json[] = [];
    for (let index = 0; index < source.length; index++) {
      trail.push(String(index));
      target.push(copy(source[index], depth + 1));
      trail.pop();
    }
    return Object.freeze(target);
  }

  function copyObject(source: object, depth: number): Json {
    const prototype = Object.getPrototypeOf(source);
    // A plain object of another realm has another Object.prototype, and that one's own prototype is null.
    if (prototype !== null && prototype !== Object.prototype && Object.getPrototypeOf(prototype) !== null) {
      throw payloadNotJson(prototype.constructor?.name || "an object with a prototype", trail.join("."));
    }
    const target: Record<string, Json> = {};
    for (const key of Object.keys(source)) {
      const item = (source as Record<string, unknown>)[key];
      if (item === undefined) continue;
      spend(key.length);
      trail.push(key);
      setOwn(target, key, copy(item, depth + 1));
      trail.pop();
    }
    return seal(target);
  }

  try {
    return copy(value, 0);
  } catch (error) {
    // A getter or a proxy of a hostile payload can throw anything.
    throw error instanceof HarnError ? error : payloadNotJson(`unreadable (${messageOf(error)})`, trail.join("."));
  }
}

function setOwn(target: Record<string, Json>, key: string, value: Json): void {
  if (key === "__proto__") Object.defineProperty(target, key, { value, enumerable: true });
  else target[key] = value;
}

// Filled first and stripped of its prototype then, an object keeps V8's fast properties; Object.create(null) never has
// them, and every hook would pay for that at every access.
function seal(target: Record<string, Json>): JsonObject {
  return Object.freeze(Object.setPrototypeOf(target, null));
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether an object has a key of its own, whatever its prototype says. */
export function has(value: object, key: string): boolean {
  return Object.hasOwn(value, key);
}

/** Deep equality of two JSON values; the order of keys does not matter. */
export function jsonEqual(a: Json, b: Json): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, index) => jsonEqual(item, b[index] as Json));
  }
  const left = a as JsonObject;
  const right = b as JsonObject;
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  return keys.every((key) => has(right, key) && jsonEqual(left[key] as Json, right[key] as Json));
}

/** The value at a path of keys, or undefined where the path does not lead anywhere. */
export function valueAt(root: Json | undefined, path: readonly string[]): Json | undefined {
  let value: Json | undefined = root;
  for (const key of path) {
    if (!isJsonObject(value) || !has(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

/** A copy of the object with one value replaced; everything beside the path is shared. */
export function withValueAt(root: JsonObject, path: readonly string[], value: Json): JsonObject {
  const [key, ...rest] = path;
  if (key === undefined) return root;
  const child = root[key];
  const next = rest.length === 0 ? value : withValueAt(isJsonObject(child) ? child : {}, rest, value);
  return frozenObject({ ...root, [key]: next });
}

/**
 * The JSON text of an object. Arguments of tools are nearly always a few plain texts, for which asking the engine takes
 * twice as long as putting them together.
 */
export function textOf(object: JsonObject): string {
  let text = "";
  for (const key of Object.keys(object)) {
    const value = object[key];
    if (typeof value !== "string" || ESCAPED.test(value) || ESCAPED.test(key)) return JSON.stringify(object);
    text += `${text === "" ? "{" : ","}"${key}":"${value}"`;
  }
  return text === "" ? "{}" : `${text}}`;
}

/** What JSON does not write as it is. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const ESCAPED = /["\\\u0000-\u001f\ud800-\udfff]/;

/** Freezes a view a dialect built around frozen parts; it inherits nothing, like every value a hook sees. */
export function frozenObject(entries: Readonly<Record<string, Json | undefined>>): JsonObject {
  const target = new Bare();
  for (const key of Object.keys(entries)) {
    const value = entries[key];
    if (value !== undefined) setOwn(target, key, value);
  }
  return Object.freeze(target);
}

// Its prototype is empty and has none itself. A view is made for every call of every hook, and this makes one four times
// as fast as taking the prototype away.
const Bare = function Bare() {} as unknown as new () => Record<string, Json>;
Bare.prototype = Object.freeze(Object.create(null));

/** The same for views of always the same keys, with a function that fills them: three times as fast again. */
export function frozenShape<A>(fill: (this: Record<string, Json>, from: A) => void): (from: A) => JsonObject {
  const Shape = fill as unknown as new (from: A) => JsonObject;
  Shape.prototype = Bare.prototype;
  return (from) => Object.freeze(new Shape(from));
}
