import { repr } from "./text.js";
import type { Thread } from "./thread.js";
import {
  Bytes,
  Dict,
  Float,
  isInt,
  isTrue,
  keyOf,
  List,
  normalize,
  Range,
  StarSet,
  Tuple,
  typeName,
  type Value,
} from "./values.js";

/** `x op y` for every operator that does not decide which side to evaluate. */
export function binary(thread: Thread, operator: string, x: Value, y: Value): Value {
  switch (operator) {
    case "+":
      return add(thread, x, y);
    case "-":
      return subtract(thread, x, y);
    case "*":
      return multiply(thread, x, y);
    case "/":
    case "//":
      return divide(thread, operator, x, y);
    case "%":
      return typeof x === "string" ? interpolate(thread, x, y) : modulo(thread, x, y);
    case "&":
    case "|":
    case "^":
      return bitwise(thread, operator, x, y);
    case "<<":
    case ">>":
      return shift(thread, operator, x, y);
    case "==":
      return equals(thread, x, y);
    case "!=":
      return !equals(thread, x, y);
    case "in":
      return contains(thread, x, y);
    case "not in":
      return !contains(thread, x, y);
    default:
      return order(thread, operator, x, y);
  }
}

function unknown(thread: Thread, operator: string, x: Value, y: Value): never {
  return thread.fail(`unknown binary op: ${typeName(x)} ${operator} ${typeName(y)}`);
}

function add(thread: Thread, x: Value, y: Value): Value {
  if (typeof x === "number" && typeof y === "number") {
    const sum = x + y;
    return Number.isSafeInteger(sum) ? sum : BigInt(x) + BigInt(y);
  }
  if (typeof x === "string" && typeof y === "string") {
    thread.allocate(2 * (x.length + y.length));
    return x + y;
  }
  if (isInt(x) && isInt(y)) return bounded(thread, BigInt(x) + BigInt(y));
  if (isNumber(x) && isNumber(y)) return new Float(toDouble(thread, x) + toDouble(thread, y));
  if (x instanceof List && y instanceof List) return new List(joined(thread, x.items, y.items));
  if (x instanceof Tuple && y instanceof Tuple) return new Tuple(joined(thread, x.items, y.items));
  if (x instanceof Bytes && y instanceof Bytes) {
    thread.allocate(x.data.length + y.data.length);
    const data = new Uint8Array(x.data.length + y.data.length);
    data.set(x.data);
    data.set(y.data, x.data.length);
    return new Bytes(data);
  }
  return unknown(thread, "+", x, y);
}

function joined(thread: Thread, x: readonly Value[], y: readonly Value[]): Value[] {
  const length = x.length + y.length;
  thread.step(length);
  thread.allocate(8 * length);
  return x.concat(y);
}

function subtract(thread: Thread, x: Value, y: Value): Value {
  if (typeof x === "number" && typeof y === "number") {
    const difference = x - y;
    return Number.isSafeInteger(difference) ? difference : BigInt(x) - BigInt(y);
  }
  if (isInt(x) && isInt(y)) return bounded(thread, BigInt(x) - BigInt(y));
  if (isNumber(x) && isNumber(y)) return new Float(toDouble(thread, x) - toDouble(thread, y));
  if (x instanceof StarSet && y instanceof StarSet)
    return setOf(
      thread,
      [...x.entries].filter(([key]) => !y.entries.has(key)),
    );
  return unknown(thread, "-", x, y);
}

function multiply(thread: Thread, x: Value, y: Value): Value {
  if (isInt(x) && isInt(y)) {
    const product = Number(x) * Number(y);
    if (Number.isSafeInteger(product) && typeof x === "number" && typeof y === "number")
      return product === 0 ? 0 : product;
    const [a, b] = [BigInt(x), BigInt(y)];
    thread.allocate((bits(a) + bits(b)) / 8);
    return bounded(thread, a * b);
  }
  if (isNumber(x) && isNumber(y)) return new Float(toDouble(thread, x) * toDouble(thread, y));
  if (isInt(x) && !isInt(y)) return repeat(thread, y, x) ?? unknown(thread, "*", x, y);
  if (isInt(y) && !isInt(x)) return repeat(thread, x, y) ?? unknown(thread, "*", x, y);
  return unknown(thread, "*", x, y);
}

function repeat(thread: Thread, value: Value, times: number | bigint): Value | undefined {
  const count = Math.max(0, Number(times));
  if (typeof value === "string") {
    thread.allocate(2 * value.length * count);
    return value.length === 0 ? "" : value.repeat(count);
  }
  if (value instanceof Bytes) {
    thread.allocate(value.data.length * count);
    const data = new Uint8Array(value.data.length * count);
    for (let i = 0; i < count; i++) data.set(value.data, i * value.data.length);
    return new Bytes(data);
  }
  if (!(value instanceof List) && !(value instanceof Tuple)) return undefined;
  const length = value.items.length * count;
  thread.allocate(8 * length);
  thread.step(length);
  const items: Value[] = [];
  for (let i = 0; i < length; i++) items.push(value.items[i % value.items.length] as Value);
  return value instanceof List ? new List(items) : new Tuple(items);
}

function divide(thread: Thread, operator: string, x: Value, y: Value): Value {
  if (operator === "//" && isInt(x) && isInt(y)) {
    if (Number(y) === 0) thread.fail("integer division by zero");
    if (typeof x === "number" && typeof y === "number") return noMinusZero(Math.floor(x / y), x, y);
    const [a, b] = [BigInt(x), BigInt(y)];
    const quotient = a / b;
    return normalize(a % b !== 0n && a < 0n !== b < 0n ? quotient - 1n : quotient);
  }
  if (!isNumber(x) || !isNumber(y)) return unknown(thread, operator, x, y);
  const [a, b] = [toDouble(thread, x), toDouble(thread, y)];
  if (b === 0) thread.fail("floating-point division by zero");
  return new Float(operator === "/" ? a / b : Math.floor(a / b));
}

// Large quotients lose digits as doubles, so those go the exact way.
function noMinusZero(quotient: number, x: number, y: number): number | bigint {
  if (Math.abs(x) <= 2 ** 50) return quotient === 0 ? 0 : quotient;
  const [a, b] = [BigInt(x), BigInt(y)];
  const exact = a / b;
  return normalize(a % b !== 0n && a < 0n !== b < 0n ? exact - 1n : exact);
}

function modulo(thread: Thread, x: Value, y: Value): Value {
  if (isInt(x) && isInt(y)) {
    if (Number(y) === 0) thread.fail("integer modulo by zero");
    if (typeof x === "number" && typeof y === "number") {
      const rest = x % y;
      return rest !== 0 && rest < 0 !== y < 0 ? rest + y : rest === 0 ? 0 : rest;
    }
    const [a, b] = [BigInt(x), BigInt(y)];
    const rest = a % b;
    return normalize(rest !== 0n && rest < 0n !== b < 0n ? rest + b : rest);
  }
  if (!isNumber(x) || !isNumber(y)) return unknown(thread, "%", x, y);
  const [a, b] = [toDouble(thread, x), toDouble(thread, y)];
  if (b === 0) thread.fail("floating-point modulo by zero");
  const rest = a % b;
  return new Float(rest !== 0 && rest < 0 !== b < 0 ? rest + b : rest);
}

function bitwise(thread: Thread, operator: string, x: Value, y: Value): Value {
  if (isInt(x) && isInt(y)) {
    const [a, b] = [BigInt(x), BigInt(y)];
    return normalize(operator === "&" ? a & b : operator === "|" ? a | b : a ^ b);
  }
  if (x instanceof StarSet && y instanceof StarSet) {
    const [mine, others] = [[...x.entries], [...y.entries]];
    const inBoth = mine.filter(([key]) => y.entries.has(key));
    const onlyMine = mine.filter(([key]) => !y.entries.has(key));
    const onlyTheirs = others.filter(([key]) => !x.entries.has(key));
    if (operator === "&") return setOf(thread, inBoth);
    return setOf(thread, operator === "|" ? [...mine, ...onlyTheirs] : [...onlyMine, ...onlyTheirs]);
  }
  if (operator === "|" && x instanceof Dict && y instanceof Dict) {
    const union = new Dict();
    thread.step(x.entries.size + y.entries.size);
    for (const [key, value] of [...x.entries.values(), ...y.entries.values()]) union.put(thread, key, value);
    return union;
  }
  return unknown(thread, operator, x, y);
}

function setOf(thread: Thread, entries: readonly [unknown, Value][]): StarSet {
  const set = new StarSet();
  thread.step(entries.length);
  for (const [, value] of entries) set.put(thread, value);
  return set;
}

const MAX_SHIFT = 100_000;

function shift(thread: Thread, operator: string, x: Value, y: Value): Value {
  if (!isInt(x) || !isInt(y)) return unknown(thread, operator, x, y);
  if (y < 0) thread.fail(`negative shift count: ${y}`);
  if (operator === ">>") return y > MAX_SHIFT ? (x < 0 ? -1 : 0) : normalize(BigInt(x) >> BigInt(y));
  if (x === 0) return 0;
  if (y > MAX_SHIFT) thread.fail(`shift count too large: ${y}`);
  thread.allocate(Number(y) / 8);
  return bounded(thread, BigInt(x) << BigInt(y));
}

function bits(value: bigint): number {
  return value.toString(16).length * 4;
}

/** An int of any size, as long as it is not absurd: it counts as memory. */
function bounded(thread: Thread, value: bigint): number | bigint {
  const small = normalize(value);
  if (typeof small === "bigint") thread.allocate(bits(small) / 8);
  return small;
}

export function isNumber(value: Value): value is number | bigint | Float {
  return isInt(value) || value instanceof Float;
}

/** The double nearest to a number; an int beyond all doubles fails. */
export function toDouble(thread: Thread, value: number | bigint | Float): number {
  if (value instanceof Float) return value.value;
  const double = Number(value);
  return Number.isFinite(double) ? double : thread.fail("int too large to convert to float");
}

export function equals(thread: Thread, x: Value, y: Value, depth = 0): boolean {
  if (x === y) return true;
  if (depth > thread.maxNesting) thread.tooDeep();
  if (x instanceof Float || y instanceof Float) {
    if (!isNumber(x) || !isNumber(y)) return false;
    if (x instanceof Float && y instanceof Float)
      return x.value === y.value || (Number.isNaN(x.value) && Number.isNaN(y.value));
    const [float, int] = x instanceof Float ? [x.value, y as number | bigint] : [(y as Float).value, x];
    return Number.isInteger(float) && BigInt(float) === BigInt(int as number | bigint);
  }
  if (typeof x !== "object" || typeof y !== "object" || x === null || y === null) return false;
  if ((x instanceof List && y instanceof List) || (x instanceof Tuple && y instanceof Tuple)) {
    thread.step(Math.min(x.items.length, y.items.length));
    return (
      x.items.length === y.items.length &&
      x.items.every((item, i) => equals(thread, item, y.items[i] as Value, depth + 1))
    );
  }
  if (x instanceof Bytes && y instanceof Bytes) {
    return x.data.length === y.data.length && x.data.every((byte, i) => byte === y.data[i]);
  }
  if (x instanceof Range && y instanceof Range) {
    return x.length === y.length && (x.length === 0 || (x.start === y.start && (x.length === 1 || x.step === y.step)));
  }
  if (x instanceof StarSet && y instanceof StarSet) {
    thread.step(x.entries.size);
    return x.entries.size === y.entries.size && [...x.entries.keys()].every((key) => y.entries.has(key));
  }
  if (!(x instanceof Dict) || !(y instanceof Dict) || x.entries.size !== y.entries.size) return false;
  thread.step(x.entries.size);
  for (const [key, [, value]] of x.entries) {
    const other = y.entries.get(key);
    if (other === undefined || !equals(thread, value, other[1], depth + 1)) return false;
  }
  return true;
}

function order(thread: Thread, operator: string, x: Value, y: Value): boolean {
  if (x instanceof StarSet && y instanceof StarSet) {
    const [small, large] = operator.startsWith("<") ? [x, y] : [y, x];
    const isSubset = [...small.entries.keys()].every((key) => large.entries.has(key));
    return isSubset && (operator.endsWith("=") || small.entries.size < large.entries.size);
  }
  const sign = compare(thread, x, y, operator);
  switch (operator) {
    case "<":
      return sign < 0;
    case "<=":
      return sign <= 0;
    case ">":
      return sign > 0;
    default:
      return sign >= 0;
  }
}

/** Orders two values of a kind that has an order: negative, zero or positive. */
export function compare(thread: Thread, x: Value, y: Value, operator = "<", depth = 0): number {
  if (depth > thread.maxNesting) thread.tooDeep();
  if (typeof x === "string" && typeof y === "string") return x < y ? -1 : x > y ? 1 : 0;
  if (isInt(x) && isInt(y)) return x < y ? -1 : x > y ? 1 : 0;
  if (typeof x === "boolean" && typeof y === "boolean") return Number(x) - Number(y);
  if (isNumber(x) && isNumber(y)) return compareFloats(x, y);
  if (x instanceof Bytes && y instanceof Bytes) {
    return compareLists([...x.data], [...y.data], (a, b) => Number(a) - Number(b));
  }
  if ((x instanceof List && y instanceof List) || (x instanceof Tuple && y instanceof Tuple)) {
    thread.step(Math.min(x.items.length, y.items.length));
    return compareLists(x.items, y.items, (a, b) =>
      equals(thread, a, b, depth) ? 0 : compare(thread, a, b, operator, depth + 1),
    );
  }
  return thread.fail(`unsupported comparison: ${typeName(x)} ${operator} ${typeName(y)}`);
}

// NaN stands above all others, so that sorting has an order.
function compareFloats(x: number | bigint | Float, y: number | bigint | Float): number {
  const [a, b] = [x instanceof Float ? x.value : x, y instanceof Float ? y.value : y];
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
  return a < b ? -1 : a > b ? 1 : 0;
}

function compareLists<T>(x: readonly T[], y: readonly T[], compareItems: (a: T, b: T) => number): number {
  for (let i = 0; i < x.length && i < y.length; i++) {
    const sign = compareItems(x[i] as T, y[i] as T);
    if (sign !== 0) return sign;
  }
  return x.length - y.length;
}

export function contains(thread: Thread, x: Value, y: Value): boolean {
  if (typeof y === "string") {
    if (typeof x !== "string") thread.fail(`'in <string>' requires string as left operand, not ${typeName(x)}`);
    thread.step(Math.ceil(y.length / 64));
    return y.includes(x);
  }
  if (y instanceof Dict || y instanceof StarSet) return y.entries.has(keyOf(thread, x));
  if (y instanceof List || y instanceof Tuple) {
    return y.items.some((item) => {
      thread.step();
      return equals(thread, x, item);
    });
  }
  if (y instanceof Range) {
    if (typeof x !== "number") return false;
    const offset = (x - y.start) / y.step;
    return Number.isInteger(offset) && offset >= 0 && offset < y.length;
  }
  if (y instanceof Bytes) return bytesContain(thread, x, y);
  return unknown(thread, "in", x, y);
}

function bytesContain(thread: Thread, x: Value, { data }: Bytes): boolean {
  if (isInt(x)) {
    if (x < 0 || x > 255) thread.fail(`int in bytes: ${x} out of range`);
    return data.includes(Number(x));
  }
  if (!(x instanceof Bytes)) thread.fail(`'in bytes' requires bytes or int as left operand, not ${typeName(x)}`);
  const needle = x.data;
  for (let at = 0; at + needle.length <= data.length; at++) {
    if (needle.every((byte, i) => byte === data[at + i])) return true;
  }
  return false;
}

export function unary(thread: Thread, operator: string, x: Value): Value {
  if (operator === "not") return !isTrue(x);
  if (operator === "~" && isInt(x)) return normalize(~BigInt(x));
  if (operator === "-" && isInt(x)) return typeof x === "number" ? 0 - x : normalize(-x);
  if (operator === "-" && x instanceof Float) return new Float(-x.value);
  if (operator === "+" && isNumber(x)) return x;
  return thread.fail(`unknown unary op: ${operator}${typeName(x)}`);
}

/** `format % values`. */
function interpolate(thread: Thread, format: string, argument: Value): string {
  const values = argument instanceof Tuple ? argument.items : [argument];
  let used = 0;
  const text = format.replace(/%(?:\(([^)]*)\))?(.?)/gs, (_, name: string | undefined, verb: string) => {
    thread.step();
    if (verb === "%") return "%";
    let value: Value | undefined;
    if (name !== undefined) {
      if (!(argument instanceof Dict)) thread.fail("format requires a mapping");
      value = argument.get(thread, name);
      if (value === undefined) thread.fail(`key not found: ${name}`);
      used = 1;
    } else value = values[used++];
    if (value === undefined) thread.fail("not enough arguments for format string");
    const shown = conversion(thread, verb, value);
    thread.allocate(2 * shown.length);
    return shown;
  });
  if (used < values.length && !(argument instanceof Dict)) thread.fail("too many arguments for format string");
  return text;
}

function conversion(thread: Thread, verb: string, value: Value): string {
  switch (verb) {
    case "s":
      return typeof value === "string" ? value : repr(thread, value);
    case "r":
      return repr(thread, value);
    case "d":
    case "i":
    case "o":
    case "x":
    case "X":
      return integerText(thread, verb, value);
    case "e":
    case "f":
    case "g":
    case "E":
    case "F":
    case "G":
      return floatText(thread, verb, value);
    case "c":
      return characterText(thread, value);
    case "":
      return thread.fail("incomplete format");
    default:
      return thread.fail(`unknown conversion %${verb}`);
  }
}

function integerText(thread: Thread, verb: string, value: Value): string {
  const int =
    value instanceof Float && Number.isFinite(value.value) ? normalize(BigInt(Math.trunc(value.value))) : value;
  if (!isInt(int)) return thread.fail(`%${verb} format requires integer: got ${typeName(value)}`);
  const text = int.toString(verb === "o" ? 8 : verb === "x" || verb === "X" ? 16 : 10);
  return verb === "X" ? text.toUpperCase() : text;
}

function floatText(thread: Thread, verb: string, value: Value): string {
  if (!isNumber(value)) return thread.fail(`%${verb} format requires float: got ${typeName(value)}`);
  const double = toDouble(thread, value);
  if (!Number.isFinite(double)) return Number.isNaN(double) ? "nan" : double > 0 ? "+inf" : "-inf";
  const exponential = (text: string) => text.replace(/e([+-])(\d)$/, "e$10$2");
  const lower = verb.toLowerCase();
  const general = () => {
    const text = repr(thread, new Float(double));
    return /^-?\d+\.0$/.test(text) ? text : text;
  };
  const text = lower === "e" ? exponential(double.toExponential(6)) : lower === "f" ? double.toFixed(6) : general();
  return verb === lower ? text : text.toUpperCase();
}

function characterText(thread: Thread, value: Value): string {
  if (typeof value === "number") {
    if (value < 0 || value > 0x10ffff) thread.fail(`%c format requires a valid Unicode code point, got ${value}`);
    return String.fromCodePoint(value);
  }
  if (typeof value !== "string" || [...value].length !== 1) thread.fail("%c format requires a single-character string");
  return value;
}
