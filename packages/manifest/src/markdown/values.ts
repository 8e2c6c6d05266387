import type { Json } from "@hooks/core";
import { Dict, Float, List, type Thread, Tuple, typeName, type Value } from "@hooks/starlark";

/** JSON as Starlark sees it: objects are dicts in their order, whole numbers are ints. */
export function toStarlark(thread: Thread, json: Json): Value {
  switch (typeof json) {
    case "string":
    case "boolean":
      return json;
    case "number":
      return Number.isSafeInteger(json) ? json : Number.isInteger(json) ? BigInt(json) : new Float(json);
  }
  if (json === null || json === undefined) return null;
  if (Array.isArray(json)) return new List(json.map((item) => toStarlark(thread, item as Json)));
  const dict = new Dict();
  for (const key of Object.keys(json))
    dict.put(thread, key, toStarlark(thread, (json as Record<string, Json>)[key] as Json));
  return dict;
}

/** A value JSON has no word for, and where it was found. */
export class NotJson extends Error {}

const MAX_DEPTH = 100;

/** The JSON of a Starlark value; throws NotJson for functions, sets, keys that are no strings, and ints out of range. */
export function toJson(value: Value, depth = 0): Json {
  if (depth > MAX_DEPTH) throw new NotJson("it is nested too deeply");
  if (value === null || typeof value === "string" || typeof value === "boolean" || typeof value === "number")
    return value;
  if (typeof value === "bigint") throw new NotJson(`the int ${String(value).slice(0, 40)} is out of range`);
  if (value instanceof Float) {
    if (!Number.isFinite(value.value)) throw new NotJson(`a float that is ${value.value}`);
    return value.value;
  }
  if (value instanceof List || value instanceof Tuple) return value.items.map((item) => toJson(item, depth + 1));
  if (!(value instanceof Dict)) throw new NotJson(`a ${typeName(value)}`);
  const object: Record<string, Json> = Object.create(null);
  for (const [key, item] of value.entries.values()) {
    if (typeof key !== "string") throw new NotJson(`a key that is a ${typeName(key)}`);
    object[key] = toJson(item, depth + 1);
  }
  return object;
}
