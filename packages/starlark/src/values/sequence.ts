import type { Thread } from "../evaluator/thread.js";
import { UNITS } from "./allocation.js";
import { intText } from "./integers.js";
import { quote } from "./quote.js";
import { Bytes, Dict, Elems, isInt, List, Range, StarSet, Tuple, typeName, type Value } from "./values.js";

export type Iterable = List | Tuple | Dict | StarSet | Range | Elems;

/** Whether a value has elements; strings and bytes have none of their own. */
export function isIterable(value: Value): value is Iterable {
  return (
    value instanceof List ||
    value instanceof Tuple ||
    value instanceof Dict ||
    value instanceof StarSet ||
    value instanceof Range ||
    value instanceof Elems
  );
}

/** The same value, as something that has elements; fails where it has none. */
export function iterableOf(thread: Thread, value: Value): Iterable {
  if (isIterable(value)) return value;
  return thread.fail(
    `got value of type '${typeName(value)}', want an iterable: ${typeName(value)} value is not iterable`,
  );
}

/** Calls `each` for every element until it returns true, one step for each. What is iterated over cannot change meanwhile. */
export function iterate(thread: Thread, value: Iterable, each: (item: Value) => boolean): void {
  if (value instanceof Range) {
    for (let i = 0; i < value.length; i++) {
      thread.step();
      if (each(value.at(i))) return;
    }
  } else if (value instanceof Tuple || value instanceof Elems || value.isFrozen) visit(thread, value, each);
  else {
    value.iterators++;
    try {
      visit(thread, value, each);
    } finally {
      value.iterators--;
    }
  }
}

function visit(thread: Thread, value: Exclude<Iterable, Range>, each: (item: Value) => boolean): void {
  if (value instanceof List || value instanceof Tuple || value instanceof Elems) {
    const { items } = value;
    for (let i = 0; i < items.length; i++) {
      thread.step();
      if (each(items[i] as Value)) return;
    }
  } else if (value instanceof Dict) {
    for (const [key] of value.entries.values()) {
      thread.step();
      if (each(key)) return;
    }
  } else {
    for (const item of value.entries.values()) {
      thread.step();
      if (each(item)) return;
    }
  }
}

/** All elements of something iterable, in an array of the caller's own; paid for before they are there. */
export function elements(thread: Thread, value: Value): Value[] {
  const iterable = iterableOf(thread, value);
  const length = lengthOf(iterable) as number;
  thread.charge(length, UNITS.list + 8 * length);
  if (iterable instanceof StarSet) return [...iterable.entries.values()];
  if (!(iterable instanceof Range) && !(iterable instanceof Dict)) return iterable.items.slice();
  const items: Value[] = [];
  if (iterable instanceof Range) for (let i = 0; i < length; i++) items.push(iterable.at(i));
  else for (const [key] of iterable.entries.values()) items.push(key);
  return items;
}

/** len(), where a value has one. */
export function lengthOf(value: Value): number | undefined {
  if (typeof value === "string") return value.length;
  if (value instanceof List || value instanceof Tuple || value instanceof Elems) return value.items.length;
  if (value instanceof Dict || value instanceof StarSet) return value.entries.size;
  if (value instanceof Range) return value.length;
  return value instanceof Bytes ? value.data.length : undefined;
}

/** `container[key]` */
export function getItem(thread: Thread, container: Value, key: Value): Value {
  if (container instanceof Dict) {
    const value = container.get(thread, key);
    return value === undefined ? thread.fail(`key ${keyText(thread, key)} not in dict`) : value;
  }
  if (typeof container === "string") return container.charAt(indexOf(thread, key, container.length));
  if (container instanceof List || container instanceof Tuple || container instanceof Elems) {
    return container.items[indexOf(thread, key, container.items.length)] as Value;
  }
  if (container instanceof Range) return container.at(indexOf(thread, key, container.length));
  if (container instanceof Bytes) return container.data[indexOf(thread, key, container.data.length)] as number;
  return thread.fail(`unhandled index operation ${typeName(container)}[${typeName(key)}]`);
}

const LONGEST_KEY = 100;

function keyText(thread: Thread, key: Value): string {
  if (isInt(key)) return intText(thread, key);
  if (typeof key !== "string") return typeName(key);
  return quote(key.length > LONGEST_KEY ? `${key.slice(0, LONGEST_KEY)}...` : key);
}

/** `container[key] = value` */
export function setItem(thread: Thread, container: Value, key: Value, value: Value): void {
  if (container instanceof Dict) container.set(thread, key, value);
  else if (container instanceof List) {
    const at = indexOf(thread, key, container.items.length);
    container.change(thread, "assign to element of");
    container.items[at] = value;
  } else thread.fail(`${typeName(container)} value does not support item assignment`);
}

function indexOf(thread: Thread, key: Value, length: number): number {
  if (!isInt(key)) return thread.fail(`got ${typeName(key)} for index, want int`);
  const at = key < 0 ? Number(key) + length : Number(key);
  if (at < 0 || at >= length) {
    const shown = intText(thread, key);
    thread.fail(`index ${shown} out of range: index is ${shown}, length is ${length}`);
  }
  return at;
}
