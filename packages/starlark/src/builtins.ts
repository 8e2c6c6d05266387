import { elements, lengthOf } from "./access.js";
import { methodNames, methodOf } from "./methods.js";
import { binary, compare, isNumber, toDouble } from "./operations.js";
import { repr, toText } from "./text.js";
import type { Thread } from "./thread.js";
import { Builtin, type HostFunction, parameters } from "./unpack.js";
import {
  Bytes,
  type Callable,
  Dict,
  Float,
  isCallable,
  isInt,
  isTrue,
  List,
  Namespace,
  normalize,
  Range,
  StarSet,
  Tuple,
  typeName,
  type Value,
} from "./values.js";

type Table = Readonly<Record<string, readonly [string | null, HostFunction]>>;

function call(thread: Thread, callee: Value, ...args: Value[]): Value {
  thread.step();
  return (callee as Callable).call(thread, args, new Map());
}

function extreme(sign: 1 | -1): HostFunction {
  return (thread, _bound, { args, keywords }) => {
    for (const keyword of keywords.keys())
      if (keyword !== "key") thread.fail(`unexpected keyword argument "${keyword}"`);
    if (args.length === 0) thread.fail(`got no arguments, want at least one item`);
    const items = args.length === 1 ? elements(thread, args[0] as Value) : args;
    const key = keywords.get("key") ?? null;
    if (key !== null && !isCallable(key)) thread.fail(`for parameter key: got ${typeName(key)}, want callable`);
    const [first, ...rest] = items;
    if (first === undefined) return thread.fail(`argument is an empty sequence`);
    let best = first;
    let bestKey = key === null ? first : call(thread, key, first);
    for (const item of rest) {
      thread.step();
      const itemKey = key === null ? item : call(thread, key, item);
      if (compare(thread, itemKey, bestKey) * sign > 0) {
        best = item;
        bestKey = itemKey;
      }
    }
    return best;
  };
}

function toInteger(thread: Thread, x: Value, base: Value | undefined): Value {
  if (typeof x === "string") return parseInteger(thread, x, base === undefined ? 10 : Number(base));
  if (base !== undefined) return thread.fail("can't convert non-string with explicit base");
  if (typeof x === "boolean") return Number(x);
  if (isInt(x)) return x;
  if (!(x instanceof Float)) return thread.fail(`got ${typeName(x)}, want string or number`);
  if (!Number.isFinite(x.value)) thread.fail(`cannot convert float ${repr(thread, x)} to integer`);
  return normalize(BigInt(Math.trunc(x.value)));
}

function parseInteger(thread: Thread, text: string, base: number): Value {
  const invalid = (): never => thread.fail(`invalid literal with base ${base}: ${text}`);
  if (base !== 0 && (base < 2 || base > 36)) return thread.fail("invalid base: must be 0, or from 2 to 36");
  const [, sign = "", prefix = "", body = ""] = /^([+-]?)(0[xXoObB])?(.*)$/s.exec(text) ?? [];
  const named: number = ({ x: 16, o: 8, b: 2 } as Record<string, number>)[prefix.slice(1).toLowerCase()] ?? 0;
  let digits = body;
  let radix = base;
  if (prefix !== "") {
    if (base === 0 || base === named) radix = named;
    else digits = prefix + body;
  } else if (base === 0) {
    if (/^0\d/.test(body) && !/^0+$/.test(body)) return invalid();
    radix = 10;
  }
  if (
    digits === "" ||
    ![...digits.toLowerCase()].every(
      (digit) =>
        "0123456789abcdefghijklmnopqrstuvwxyz".indexOf(digit) >= 0 &&
        "0123456789abcdefghijklmnopqrstuvwxyz".indexOf(digit) < radix,
    )
  ) {
    return invalid();
  }
  thread.step(digits.length);
  thread.allocate(digits.length);
  let value = 0n;
  if (radix === 10) value = BigInt(digits);
  else for (const digit of digits) value = value * BigInt(radix) + BigInt(Number.parseInt(digit, 36));
  return normalize(sign === "-" ? -value : value);
}

function toFloat(thread: Thread, x: Value | undefined): Value {
  if (x === undefined) return new Float(0);
  if (typeof x === "boolean") return new Float(Number(x));
  if (isNumber(x)) return new Float(toDouble(thread, x));
  if (typeof x !== "string") return thread.fail(`got ${typeName(x)}, want number or string`);
  const special = /^([+-]?)(inf|infinity|nan)$/i.exec(x);
  if (special !== null) {
    if (special[2]?.toLowerCase() === "nan") return new Float(Number.NaN);
    return new Float(special[1] === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY);
  }
  if (!/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(x)) thread.fail(`invalid literal: ${x}`);
  const value = Number(x);
  return Number.isFinite(value) ? new Float(value) : thread.fail(`number too large: ${x}`);
}

function rangeOf(thread: Thread, args: (Value | undefined)[]): Value {
  const numbers = args.map((value) => {
    if (typeof value === "bigint") thread.fail("an argument is too large");
    return value as number | undefined;
  });
  const [first = 0, second, step = 1] = numbers;
  if (step === 0) thread.fail("step argument must not be zero");
  return second === undefined ? new Range(0, first, step) : new Range(first, second, step);
}

function sorted(thread: Thread, iterable: Value, key: Value | undefined, reverse: Value | undefined): Value {
  const items = elements(thread, iterable);
  const keyed = items.map((item) => ({ item, key: key === undefined ? item : call(thread, key, item) }));
  const sign = reverse === true ? -1 : 1;
  keyed.sort((a, b) => {
    thread.step();
    return sign * compare(thread, a.key, b.key);
  });
  return new List(keyed.map(({ item }) => item));
}

function pairs(thread: Thread, source: Value, dict: Dict): void {
  if (source instanceof Dict) {
    for (const [key, value] of [...source.entries.values()]) dict.put(thread, key, value);
    return;
  }
  for (const [i, pair] of elements(thread, source).entries()) {
    if (typeof pair !== "object" || pair === null) thread.fail(`element #${i} is not iterable (${typeName(pair)})`);
    const parts = elements(thread, pair);
    if (parts.length !== 2) thread.fail(`element #${i} has length ${parts.length}, want 2`);
    dict.put(thread, parts[0] as Value, parts[1] as Value);
  }
}

function hash(text: string): number {
  let value = 0;
  for (let i = 0; i < text.length; i++) value = (Math.imul(value, 31) + text.charCodeAt(i)) | 0;
  return value;
}

const table: Table = {
  abs: [
    "x /",
    (thread, [x]) => {
      if (x instanceof Float) return new Float(Math.abs(x.value));
      if (!isInt(x as Value)) return thread.fail(`got ${typeName(x as Value)}, want int or float`);
      return (x as number) < 0 ? binary(thread, "-", 0, x as Value) : (x as Value);
    },
  ],
  all: ["iterable /", (thread, [iterable]) => elements(thread, iterable as Value).every(isTrue)],
  any: ["iterable /", (thread, [iterable]) => elements(thread, iterable as Value).some(isTrue)],
  bool: ["x? /", (_thread, [x = false]) => isTrue(x)],
  bytes: [
    "x /",
    (thread, [x]) => {
      if (typeof x === "string") {
        thread.allocate(3 * x.length);
        return new Bytes(new TextEncoder().encode(x));
      }
      if (x instanceof Bytes) return x;
      const data = elements(thread, x as Value).map((item, i) => {
        if (!isInt(item)) return thread.fail(`at index ${i}, got ${typeName(item)}, want int`);
        if (item < 0 || item > 255)
          return thread.fail(`at index ${i}, ${item} out of range .want value in unsigned 8-bit range`);
        return Number(item);
      });
      return new Bytes(Uint8Array.from(data));
    },
  ],
  chr: [
    "i:int /",
    (thread, [i]) => {
      const code = Number(i);
      if (code < 0 || code > 0x10ffff) thread.fail(`Unicode code point ${i} out of range`);
      return String.fromCodePoint(code);
    },
  ],
  dict: [
    null,
    (thread, _bound, { args, keywords }) => {
      if (args.length > 1) thread.fail(`got ${args.length} arguments, want at most 1`);
      const dict = new Dict();
      if (args[0] !== undefined) pairs(thread, args[0], dict);
      for (const [name, value] of keywords) dict.put(thread, name, value);
      return dict;
    },
  ],
  dir: [
    "x /",
    (_thread, [x]) => new List(x instanceof Namespace ? [...x.members.keys()].sort() : methodNames(x as Value)),
  ],
  enumerate: [
    "iterable start:int? /",
    (thread, [iterable, start = 0]) => {
      thread.allocate(48);
      return new List(
        elements(thread, iterable as Value).map((item, i) => new Tuple([binary(thread, "+", start, i), item])),
      );
    },
  ],
  fail: [
    null,
    (thread, _bound, { args, keywords }) => {
      const separator = keywords.get("sep");
      const texts = args.map((item) => toText(thread, item));
      return thread.fail(`${texts.join(typeof separator === "string" ? separator : " ")}`);
    },
  ],
  float: ["x? /", (thread, [x]) => toFloat(thread, x)],
  getattr: [
    "x name:string default? /",
    (thread, [x, name, fallback]) => {
      const found = x instanceof Namespace ? x.members.get(name as string) : methodOf(x as Value, name as string);
      return found ?? fallback ?? thread.fail(`${typeName(x as Value)} has no .${name as string} field or method`);
    },
  ],
  hasattr: [
    "x name:string /",
    (_thread, [x, name]) =>
      x instanceof Namespace ? x.members.has(name as string) : methodOf(x as Value, name as string) !== undefined,
  ],
  hash: [
    "x /",
    (thread, [x]) => {
      if (x instanceof Bytes) return hash(x.data.join(","));
      return typeof x === "string" ? hash(x) : thread.fail(`got ${typeName(x as Value)}, want string or bytes`);
    },
  ],
  int: ["x base:int?", (thread, [x, base]) => toInteger(thread, x as Value, base)],
  len: [
    "x /",
    (thread, [x]) => lengthOf(x as Value) ?? thread.fail(`value of type ${typeName(x as Value)} has no len`),
  ],
  list: ["iterable? /", (thread, [iterable]) => new List(iterable === undefined ? [] : elements(thread, iterable))],
  max: [null, extreme(1)],
  min: [null, extreme(-1)],
  ord: [
    "c /",
    (thread, [c]) => {
      if (c instanceof Bytes)
        return c.data.length === 1 ? (c.data[0] as number) : thread.fail(`bytes has length ${c.data.length}, want 1`);
      if (typeof c !== "string") return thread.fail(`got ${typeName(c as Value)}, want string or bytes`);
      const characters = [...c];
      if (characters.length !== 1) thread.fail(`string encodes ${characters.length} Unicode code points, want 1`);
      return c.codePointAt(0) ?? 0;
    },
  ],
  print: [
    null,
    (thread, _bound, { args, keywords }) => {
      const separator = keywords.get("sep");
      thread.print(args.map((item) => toText(thread, item)).join(typeof separator === "string" ? separator : " "));
      return null;
    },
  ],
  range: ["start:int stop:int? step:int? /", rangeOf],
  repr: ["x /", (thread, [x]) => repr(thread, x as Value)],
  reversed: ["iterable /", (thread, [iterable]) => new List(elements(thread, iterable as Value).reverse())],
  set: [
    "iterable? /",
    (thread, [iterable]) => {
      const set = new StarSet();
      for (const item of iterable === undefined ? [] : elements(thread, iterable)) set.put(thread, item);
      return set;
    },
  ],
  sorted: [
    "iterable key:callable?~ reverse:bool?",
    (thread, [iterable, key, reverse]) => sorted(thread, iterable as Value, key, reverse),
  ],
  str: ["x /", (thread, [x]) => (x instanceof Bytes ? new TextDecoder().decode(x.data) : toText(thread, x as Value))],
  tuple: [
    "iterable? /",
    (thread, [iterable]) =>
      iterable instanceof Tuple ? iterable : new Tuple(iterable === undefined ? [] : elements(thread, iterable)),
  ],
  type: ["x /", (_thread, [x]) => typeName(x as Value)],
  zip: [
    null,
    (thread, _bound, { args, keywords }) => {
      if (keywords.size > 0) thread.fail("unexpected keyword arguments");
      const columns = args.map((arg) => elements(thread, arg));
      const length = columns.length === 0 ? 0 : Math.min(...columns.map((column) => column.length));
      thread.allocate(length * (24 + 8 * columns.length));
      return new List(Array.from({ length }, (_, row) => new Tuple(columns.map((column) => column[row] as Value))));
    },
  ],
};

/** The names every Starlark program has. */
export const universe: ReadonlyMap<string, Value> = new Map<string, Value>([
  ["None", null],
  ["True", true],
  ["False", false],
  ...Object.entries(table).map(([name, [description, run]]): [string, Value] => [
    name,
    new Builtin(name, description === null ? null : parameters(description), run),
  ]),
]);
