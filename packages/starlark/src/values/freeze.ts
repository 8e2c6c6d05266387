import { Dict, List, StarSet, Tuple, type Value } from "./values.js";

/** A value that is not plain data and holds others: it freezes itself and says what it holds. */
export interface Holder {
  freeze(waiting: Value[]): void;
}

/**
 * Makes a value and everything it holds unchangeable. What waits is a list and not the stack of calls, and what was
 * seen is not looked at again: values may be nested as deeply, and shared as often, as they like.
 */
export function freeze(root: Value): void {
  if (typeof root !== "object" || root === null) return;
  const waiting: Value[] = [root];
  const tuples = new Set<Tuple>();
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (typeof value !== "object" || value === null) continue;
    if (value instanceof Tuple) {
      if (tuples.has(value)) continue;
      tuples.add(value);
      for (const item of value.items) waiting.push(item);
    } else if (value instanceof List) {
      if (value.isFrozen) continue;
      value.isFrozen = true;
      for (const item of value.items) waiting.push(item);
    } else if (value instanceof Dict) {
      if (value.isFrozen) continue;
      value.isFrozen = true;
      for (const [key, item] of value.entries.values()) waiting.push(key, item);
    } else if (value instanceof StarSet) {
      if (value.isFrozen) continue;
      value.isFrozen = true;
      for (const item of value.entries.values()) waiting.push(item);
    } else if (isHolder(value)) value.freeze(waiting);
  }
}

function isHolder(value: object): value is Holder {
  return "freeze" in value && typeof value.freeze === "function";
}
