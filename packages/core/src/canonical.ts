import type { Json, JsonObject } from "./json.js";

/**
 * JSON in its canonical form (RFC 8785): keys sorted by UTF-16 code unit, no space, numbers and strings as ECMAScript
 * writes them. Equal values are equal texts. A lone surrogate, which the RFC refuses, is written as its escape: what
 * an agent chose to send must not be the reason that it is not recorded.
 */
export function canonicalJson(value: Json): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const object = value as JsonObject;
  let members = "";
  for (const key of sortedKeys(object)) {
    const item = object[key];
    if (item !== undefined) members += `${members === "" ? "" : ","}${JSON.stringify(key)}:${canonicalJson(item)}`;
  }
  return `{${members}}`;
}

/** Most objects have few keys, and many have them in order. */
function sortedKeys(object: JsonObject): string[] {
  const keys = Object.keys(object);
  for (let place = 1; place < keys.length; place++) {
    if ((keys[place - 1] as string) > (keys[place] as string)) return keys.sort();
  }
  return keys;
}
