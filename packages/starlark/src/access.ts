import { methodOf } from "./methods.js";
import type { Thread } from "./thread.js";
import { Bytes, Dict, isInt, List, Namespace, Range, StarSet, Tuple, typeName, type Value } from "./values.js";

/** Calls `each` for every element until it returns true. What is iterated over cannot change meanwhile. */
export function iterate(thread: Thread, value: Value, each: (item: Value) => boolean): void {
  if (value instanceof List || value instanceof Dict || value instanceof StarSet) {
    value.iterators++;
    try {
      if (value instanceof List) {
        for (const item of value.items) if (each(item)) return;
      } else if (value instanceof Dict) {
        for (const [key] of value.entries.values()) if (each(key)) return;
      } else for (const item of value.entries.values()) if (each(item)) return;
    } finally {
      value.iterators--;
    }
  } else if (value instanceof Tuple) {
    for (const item of value.items) if (each(item)) return;
  } else if (value instanceof Range) {
    for (let i = 0; i < value.length; i++) if (each(value.start + i * value.step)) return;
  } else
    thread.fail(`got value of type '${typeName(value)}', want an iterable: ${typeName(value)} value is not iterable`);
}

/** All elements of something iterable. */
export function elements(thread: Thread, value: Value): Value[] {
  const items: Value[] = [];
  iterate(thread, value, (item) => {
    thread.step();
    thread.allocate(8);
    items.push(item);
    return false;
  });
  return items;
}

export function attribute(thread: Thread, value: Value, name: string): Value {
  if (value instanceof Namespace) {
    const member = value.members.get(name);
    return member === undefined ? thread.fail(`${value.name} has no .${name} field or method`) : member;
  }
  return methodOf(value, name) ?? thread.fail(`${typeName(value)} has no .${name} field or method`);
}

export function getItem(thread: Thread, container: Value, key: Value): Value {
  if (container instanceof Dict) {
    const value = container.get(thread, key);
    return value === undefined ? thread.fail(`key ${keyText(key)} not in dict`) : value;
  }
  if (typeof container === "string") return container[index(thread, key, container.length)] as string;
  if (container instanceof List || container instanceof Tuple) {
    return container.items[index(thread, key, container.items.length)] as Value;
  }
  if (container instanceof Range) return container.start + index(thread, key, container.length) * container.step;
  if (container instanceof Bytes) return container.data[index(thread, key, container.data.length)] as number;
  return thread.fail(`unhandled index operation ${typeName(container)}[${typeName(key)}]`);
}

function keyText(key: Value): string {
  return typeof key === "string" ? JSON.stringify(key) : isInt(key) ? String(key) : typeName(key);
}

export function setItem(thread: Thread, container: Value, key: Value, value: Value): void {
  if (container instanceof Dict) container.set(thread, key, value);
  else if (container instanceof List) {
    const at = index(thread, key, container.items.length);
    container.change(thread, "assign to element of");
    container.items[at] = value;
  } else thread.fail(`${typeName(container)} value does not support item assignment`);
}

function index(thread: Thread, key: Value, length: number): number {
  if (!isInt(key)) return thread.fail(`got ${typeName(key)} for index, want int`);
  const at = key < 0 ? Number(key) + length : Number(key);
  if (at < 0 || at >= length) thread.fail(`index ${key} out of range: index is ${key}, length is ${length}`);
  return at;
}

export function slice(thread: Thread, value: Value, start: Value, stop: Value, step: Value): Value {
  const length = lengthOf(value);
  if (length === undefined || value instanceof Dict || value instanceof StarSet)
    return thread.fail(`invalid slice operand ${typeName(value)}`);
  const stride = step === null ? 1 : sliceInt(thread, step, "step");
  if (stride === 0) thread.fail("zero is not a valid slice step");
  const [low, high] = stride > 0 ? [0, length] : [-1, length - 1];
  const clamp = (bound: Value, fallback: number) => {
    if (bound === null) return fallback;
    const at = sliceInt(thread, bound, "index");
    return Math.min(Math.max(at < 0 ? at + length : at, low), high);
  };
  const [from, to] = [clamp(start, stride > 0 ? low : high), clamp(stop, stride > 0 ? high : low)];
  if (value instanceof Range)
    return new Range(value.start + from * value.step, value.start + to * value.step, value.step * stride);
  const indices: number[] = [];
  for (let i = from; stride > 0 ? i < to : i > to; i += stride) indices.push(i);
  thread.step(indices.length);
  thread.allocate(8 * indices.length);
  if (typeof value === "string")
    return stride === 1 ? value.slice(from, Math.max(from, to)) : indices.map((i) => value[i]).join("");
  if (value instanceof Bytes) return new Bytes(Uint8Array.from(indices, (i) => value.data[i] as number));
  const items = indices.map((i) => (value as List | Tuple).items[i] as Value);
  return value instanceof List ? new List(items) : new Tuple(items);
}

function sliceInt(thread: Thread, value: Value, what: string): number {
  if (!isInt(value)) return thread.fail(`invalid slice ${what}: got ${typeName(value)}, want int`);
  return Math.max(Math.min(Number(value), Number.MAX_SAFE_INTEGER), Number.MIN_SAFE_INTEGER);
}

/** len(), where a value has one. */
export function lengthOf(value: Value): number | undefined {
  if (typeof value === "string") return value.length;
  if (value instanceof List || value instanceof Tuple) return value.items.length;
  if (value instanceof Dict || value instanceof StarSet) return value.entries.size;
  if (value instanceof Range) return value.length;
  return value instanceof Bytes ? value.data.length : undefined;
}
