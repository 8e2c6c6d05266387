import type { Thread } from "../evaluator/thread.js";
import { formatPercent } from "../library/percent.js";
import { newFloat, UNITS } from "./allocation.js";
import {
  addInts,
  floorDivide,
  floorModulo,
  type Int,
  intToDouble,
  invert,
  multiplyInts,
  negate,
  shiftLeft,
  shiftRight,
  subtractInts,
} from "./integers.js";
import { combine, difference } from "./union.js";
import { Bytes, Float, isInt, isNumber, List, StarSet, Tuple, typeName, type Value } from "./values.js";

export function unknown(thread: Thread, operator: string, x: Value, y: Value): never {
  return thread.fail(`unknown binary op: ${typeName(x)} ${operator} ${typeName(y)}`);
}

/** The double nearest to a number; an int beyond all doubles fails. */
export function toDouble(thread: Thread, value: Int | Float): number {
  return value instanceof Float ? value.value : intToDouble(thread, value);
}

export function add(thread: Thread, x: Value, y: Value): Value {
  if (typeof x === "string" && typeof y === "string") {
    thread.text(x.length + y.length);
    return x + y;
  }
  if (isInt(x) && isInt(y)) return addInts(thread, x, y);
  if (isNumber(x) && isNumber(y)) return newFloat(thread, toDouble(thread, x) + toDouble(thread, y));
  if (x instanceof List && y instanceof List) return new List(joined(thread, x.items, y.items));
  if (x instanceof Tuple && y instanceof Tuple) return new Tuple(joined(thread, x.items, y.items));
  if (!(x instanceof Bytes) || !(y instanceof Bytes)) return unknown(thread, "+", x, y);
  const length = x.data.length + y.data.length;
  thread.charge(length >> 6, UNITS.bytes + length);
  const data = new Uint8Array(length);
  data.set(x.data);
  data.set(y.data, x.data.length);
  return new Bytes(data);
}

function joined(thread: Thread, x: readonly Value[], y: readonly Value[]): Value[] {
  const length = x.length + y.length;
  thread.charge(length, UNITS.list + 8 * length);
  return x.concat(y);
}

export function subtract(thread: Thread, x: Value, y: Value): Value {
  if (isInt(x) && isInt(y)) return subtractInts(thread, x, y);
  if (isNumber(x) && isNumber(y)) return newFloat(thread, toDouble(thread, x) - toDouble(thread, y));
  return x instanceof StarSet && y instanceof StarSet ? difference(thread, x, y) : unknown(thread, "-", x, y);
}

export function multiply(thread: Thread, x: Value, y: Value): Value {
  if (isInt(x)) return isInt(y) ? multiplyInts(thread, x, y) : scale(thread, y, x, x, y);
  if (isInt(y)) return scale(thread, x, y, x, y);
  if (isNumber(x) && isNumber(y)) return newFloat(thread, x.value * y.value);
  return unknown(thread, "*", x, y);
}

/** A float times an int, or a sequence so many times; x and y are the operands as they stand, for the message. */
function scale(thread: Thread, value: Value, by: Int, x: Value, y: Value): Value {
  if (value instanceof Float) return newFloat(thread, value.value * toDouble(thread, by));
  const count = Math.max(0, Number(by));
  if (typeof value === "string") {
    if (value.length === 0) return "";
    thread.text(value.length * count);
    return value.repeat(count);
  }
  if (value instanceof Bytes) {
    const { length } = value.data;
    if (length === 0) return value;
    thread.charge(Math.floor((length * count) / 64), UNITS.bytes + length * count);
    const data = new Uint8Array(length * count);
    for (let i = 0; i < count; i++) data.set(value.data, i * length);
    return new Bytes(data);
  }
  if (!(value instanceof List) && !(value instanceof Tuple)) return unknown(thread, "*", x, y);
  const items = repeated(thread, value.items, count);
  return value instanceof List ? new List(items) : new Tuple(items);
}

function repeated(thread: Thread, items: readonly Value[], count: number): Value[] {
  if (items.length === 0) return [];
  const length = items.length * count;
  thread.charge(length, UNITS.list + 8 * length);
  const result: Value[] = [];
  for (let i = 0; i < length; i++) result.push(items[i % items.length] as Value);
  return result;
}

export function divide(thread: Thread, x: Value, y: Value): Value {
  if (!isNumber(x) || !isNumber(y)) return unknown(thread, "/", x, y);
  const [a, b] = [toDouble(thread, x), toDouble(thread, y)];
  return b === 0 ? thread.fail("floating-point division by zero") : newFloat(thread, a / b);
}

export function divideFloor(thread: Thread, x: Value, y: Value): Value {
  if (isInt(x) && isInt(y)) return floorDivide(thread, x, y);
  if (!isNumber(x) || !isNumber(y)) return unknown(thread, "//", x, y);
  const [a, b] = [toDouble(thread, x), toDouble(thread, y)];
  return b === 0 ? thread.fail("floating-point division by zero") : newFloat(thread, Math.floor(a / b));
}

/** `x % y`: the rest, with the sign of y; or a format and its values. */
export function modulo(thread: Thread, x: Value, y: Value): Value {
  if (isInt(x) && isInt(y)) return floorModulo(thread, x, y);
  if (typeof x === "string") return formatPercent(thread, x, y);
  if (!isNumber(x) || !isNumber(y)) return unknown(thread, "%", x, y);
  const [a, b] = [toDouble(thread, x), toDouble(thread, y)];
  if (b === 0) thread.fail("floating-point modulo by zero");
  const rest = a % b;
  return newFloat(thread, rest !== 0 && rest < 0 !== b < 0 ? rest + b : rest);
}

export function shift(thread: Thread, operator: "<<" | ">>", x: Value, y: Value): Value {
  if (!isInt(x) || !isInt(y)) return unknown(thread, operator, x, y);
  return operator === "<<" ? shiftLeft(thread, x, y) : shiftRight(thread, x, y);
}

export function bitwise(thread: Thread, operator: "&" | "|" | "^", x: Value, y: Value): Value {
  return combine(thread, operator, x, y) ?? unknown(thread, operator, x, y);
}

export function unary(thread: Thread, operator: "-" | "+" | "~", x: Value): Value {
  if (operator === "~" && isInt(x)) return invert(thread, x);
  if (operator === "-" && isInt(x)) return negate(thread, x);
  if (operator === "-" && x instanceof Float) return newFloat(thread, -x.value);
  if (operator === "+" && isNumber(x)) return x;
  return thread.fail(`unknown unary op: ${operator}${typeName(x)}`);
}
