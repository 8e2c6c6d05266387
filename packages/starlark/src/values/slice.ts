import type { Thread } from "../evaluator/thread.js";
import { UNITS } from "./allocation.js";
import { lengthOf } from "./sequence.js";
import { Bytes, Dict, Elems, isInt, List, Range, StarSet, Tuple, typeName, type Value } from "./values.js";

/** `value[start:stop:step]`; None is a bound that was left out. */
export function slice(thread: Thread, value: Value, start: Value, stop: Value, step: Value): Value {
  const length = lengthOf(value);
  if (length === undefined || value instanceof Dict || value instanceof StarSet || value instanceof Elems) {
    return thread.fail(`invalid slice operand ${typeName(value)}`);
  }
  const stride = step === null ? 1 : sliceInt(thread, step, "step");
  if (stride === 0) thread.fail("zero is not a valid slice step");
  const [low, high] = stride > 0 ? [0, length] : [-1, length - 1];
  const clamp = (bound: Value, fallback: number) => {
    if (bound === null) return fallback;
    const at = sliceInt(thread, bound, "index");
    return Math.min(Math.max(at < 0 ? at + length : at, low), high);
  };
  const from = clamp(start, stride > 0 ? low : high);
  const to = clamp(stop, stride > 0 ? high : low);
  if (value instanceof Range) {
    const scaled = value.step * stride;
    if (!Number.isSafeInteger(scaled)) thread.fail("the step of the range would be too large");
    thread.allocate(UNITS.range);
    return new Range(value.at(from), value.at(to), scaled);
  }
  const count = Math.max(0, Math.ceil((to - from) / stride));
  return take(thread, value as string | Bytes | List | Tuple, from, stride, count);
}

function take(
  thread: Thread,
  value: string | Bytes | List | Tuple,
  from: number,
  stride: number,
  count: number,
): Value {
  if (typeof value === "string") {
    thread.text(count);
    thread.allocate(UNITS.part);
    if (stride === 1) return value.slice(from, from + count);
    thread.charge(count, 16 * count);
    return Array.from({ length: count }, (_, i) => value.charAt(from + i * stride)).join("");
  }
  if (value instanceof Bytes) {
    thread.charge(count >> 3, UNITS.bytes + count);
    return new Bytes(Uint8Array.from({ length: count }, (_, i) => value.data[from + i * stride] as number));
  }
  const { items } = value;
  thread.charge(count, UNITS.list + 8 * count);
  const taken =
    stride === 1
      ? items.slice(from, from + count)
      : Array.from({ length: count }, (_, i) => items[from + i * stride] as Value);
  return value instanceof List ? new List(taken) : new Tuple(taken);
}

function sliceInt(thread: Thread, value: Value, what: string): number {
  if (!isInt(value)) return thread.fail(`invalid slice ${what}: got ${typeName(value)}, want int`);
  return Math.max(Math.min(Number(value), Number.MAX_SAFE_INTEGER), Number.MIN_SAFE_INTEGER);
}
