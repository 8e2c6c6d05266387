import type { Json } from "@hooks/core";
import { Dict, Float, List, type Thread, Tuple, typeName, type Value } from "@hooks/starlark";

/** JSON as Starlark sees it: objects are dicts in their order, whole numbers are ints. The run that wants it pays for it. */
export function toStarlark(thread: Thread, json: Json, depth = 0): Value {
  switch (typeof json) {
    case "string":
    case "boolean":
      return json;
    case "number":
      return Number.isSafeInteger(json) ? json : Number.isInteger(json) ? BigInt(json) : new Float(json);
  }
  if (json === null || json === undefined) return null;
  if (depth >= thread.maxNesting) thread.tooDeep();
  if (Array.isArray(json)) {
    thread.charge(json.length, 32 + 8 * json.length);
    return new List(json.map((item) => toStarlark(thread, item as Json, depth + 1)));
  }
  const dict = new Dict();
  const keys = Object.keys(json);
  thread.charge(keys.length, 48 * keys.length);
  for (const key of keys) dict.putText(key, toStarlark(thread, (json as Record<string, Json>)[key] as Json, depth + 1));
  return dict;
}

/** A value JSON has no word for, and where it was found. */
export class NotJson extends Error {}

const MAX_DEPTH = 100;
/** A list that holds the same list twice is written out twice, and doubles with every list around it. */
const MAX_VALUES = 1_000_000;

/** The JSON of a Starlark value; throws NotJson for functions, sets, keys that are no strings, and ints out of range. */
export function toJson(value: Value): Json {
  let values = 0;
  const convert = (value: Value, depth: number): Json => {
    if (depth > MAX_DEPTH) throw new NotJson("it is nested too deeply");
    if (++values > MAX_VALUES) throw new NotJson(`it is more than ${MAX_VALUES} values and`);
    if (value === null || typeof value === "string" || typeof value === "boolean" || typeof value === "number")
      return value;
    if (typeof value === "bigint") throw new NotJson("an int out of range");
    if (value instanceof Float) {
      if (!Number.isFinite(value.value)) throw new NotJson(`a float that is ${value.value}`);
      return value.value;
    }
    if (value instanceof List || value instanceof Tuple) return value.items.map((item) => convert(item, depth + 1));
    if (!(value instanceof Dict)) throw new NotJson(`a ${typeName(value)}`);
    const object: Record<string, Json> = Object.create(null);
    for (const [key, item] of value.entries.values()) {
      if (typeof key !== "string") throw new NotJson(`a key that is a ${typeName(key)}`);
      object[key] = convert(item, depth + 1);
    }
    return object;
  };
  return convert(value, 0);
}
