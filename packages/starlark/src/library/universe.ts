import type { Thread } from "../evaluator/thread.js";
import { UNITS } from "../values/allocation.js";
import { type Int, intText } from "../values/integers.js";
import { decodeUtf8 } from "../values/quote.js";
import { repr, toText } from "../values/repr.js";
import { elements, isIterable, iterableOf, iterate, lengthOf } from "../values/sequence.js";
import { copySet } from "../values/union.js";
import {
  Bytes,
  type Callable,
  Dict,
  isInt,
  isTrue,
  type Keywords,
  List,
  Tuple,
  typeName,
  type Value,
} from "../values/values.js";
import { attributeNames, findAttribute, missingAttribute } from "./attributes.js";
import { Builtin, type HostFunction } from "./builtin.js";
import { putAll } from "./dict-methods.js";
import { character, magnitude, toFloat, toInt } from "./numbers.js";
import { enumerate, extreme, rangeOf, sorted, zip } from "./sequences.js";
import { toSet } from "./set-methods.js";
import { parameters } from "./signature.js";

type Table = Readonly<Record<string, readonly [string | null, HostFunction]>>;

const ENCODER = new TextEncoder();
/** What list(), tuple() and set() take where nothing is given. */
const NOTHING = new Tuple([]);

function bytesOf(thread: Thread, x: Value): Bytes {
  if (x instanceof Bytes) return x;
  if (typeof x === "string") {
    thread.charge(x.length >> 6, UNITS.bytes + 3 * x.length);
    return new Bytes(ENCODER.encode(x));
  }
  if (!isIterable(x))
    return thread.fail(`got ${typeName(x)}, want string, bytes, or iterable of int: it is not iterable`);
  const items = elements(thread, x);
  thread.allocate(UNITS.bytes + items.length);
  const data = new Uint8Array(items.length);
  for (const [i, item] of items.entries()) {
    if (!isInt(item)) return thread.fail(`at index ${i}, got ${typeName(item)}, want int`);
    if (item < 0 || item > 255) {
      return thread.fail(`at index ${i}, ${intText(thread, item)} is out of range: want a value from 0 to 255`);
    }
    data[i] = Number(item);
  }
  return new Bytes(data);
}

/** Strings as Java hashes them, bytes by FNV-1a with 32 bits: the same on every machine. */
function hash(thread: Thread, x: Value): number {
  if (typeof x === "string") {
    thread.step(x.length >> 5);
    let value = 0;
    for (let i = 0; i < x.length; i++) value = (Math.imul(value, 31) + x.charCodeAt(i)) | 0;
    return value;
  }
  if (!(x instanceof Bytes)) return thread.fail(`got ${typeName(x)}, want string or bytes`);
  thread.step(x.data.length >> 5);
  let value = 0x811c9dc5;
  for (const byte of x.data) value = Math.imul(value ^ byte, 0x01000193);
  return value >>> 0;
}

function ordinal(thread: Thread, c: Value): number {
  if (c instanceof Bytes) {
    return c.data.length === 1 ? (c.data[0] as number) : thread.fail(`bytes has length ${c.data.length}, want 1`);
  }
  if (typeof c !== "string") return thread.fail(`got ${typeName(c)}, want string or bytes`);
  const code = c.codePointAt(0) ?? 0;
  if (c.length !== (code > 0xffff ? 2 : 1)) return thread.fail(`string has length ${c.length}, want 1`);
  return code;
}

/** The arguments of print and fail, as one text. */
function message(thread: Thread, args: readonly (Value | undefined)[], keywords: Keywords): string {
  for (const name of keywords.keys()) if (name !== "sep") thread.fail(`unexpected keyword argument "${name}"`);
  const separator = keywords.get("sep") ?? " ";
  if (typeof separator !== "string") return thread.fail(`for parameter sep: got ${typeName(separator)}, want string`);
  const texts = args.map((item) => toText(thread, item as Value));
  thread.text(texts.reduce((sum, text) => sum + text.length + separator.length, 0));
  return texts.join(separator);
}

/** Whether any element, or all of them, are what they should be; nothing after the one that decides is looked at. */
function some(thread: Thread, iterable: Value, wanted: boolean): boolean {
  let found = false;
  iterate(thread, iterableOf(thread, iterable), (item) => {
    found = isTrue(item) === wanted;
    return found;
  });
  return found;
}

const table: Table = {
  abs: ["x /", (thread, args) => magnitude(thread, args[0] as Value)],
  all: ["iterable /", (thread, args) => !some(thread, args[0] as Value, false)],
  any: ["iterable /", (thread, args) => some(thread, args[0] as Value, true)],
  bool: ["x? /", (_, [x = false]) => isTrue(x)],
  bytes: ["x /", (thread, args) => bytesOf(thread, args[0] as Value)],
  chr: ["i:int /", (thread, args) => character(thread, args[0] as Value)],
  dict: [
    null,
    (thread, args, keywords) => {
      if (args.length > 1) thread.fail(`got ${args.length} arguments, want at most 1`);
      thread.allocate(UNITS.dict);
      const dict = new Dict();
      if (args[0] !== undefined) putAll(thread, args[0], dict);
      for (const [name, value] of keywords) dict.put(thread, name, value);
      return dict;
    },
  ],
  dir: ["x /", (thread, args) => new List(elements(thread, new List(attributeNames(args[0] as Value))))],
  enumerate: [
    "iterable start:int?",
    (thread, [iterable, start = 0]) => enumerate(thread, iterable as Value, start as Int),
  ],
  fail: [null, (thread, args, keywords) => thread.fail(message(thread, args, keywords))],
  float: ["x? /", (thread, args) => toFloat(thread, args[0])],
  getattr: [
    "x name:string default? /",
    (thread, [x, name, fallback]) => {
      thread.allocate(UNITS.method);
      const found = findAttribute(x as Value, name as string);
      if (found !== undefined) return found;
      return fallback === undefined ? missingAttribute(thread, x as Value, name as string) : fallback;
    },
  ],
  hasattr: ["x name:string /", (_, [x, name]) => findAttribute(x as Value, name as string) !== undefined],
  hash: ["x /", (thread, args) => hash(thread, args[0] as Value)],
  int: ["x base:int?", (thread, [x, base]) => toInt(thread, x as Value, base)],
  len: [
    "x /",
    (thread, args) => {
      const length = lengthOf(args[0] as Value);
      return length === undefined ? thread.fail(`value of type ${typeName(args[0] as Value)} has no len`) : length;
    },
  ],
  list: ["iterable? /", (thread, args) => new List(elements(thread, args[0] ?? NOTHING))],
  max: [null, extreme(1)],
  min: [null, extreme(-1)],
  ord: ["c /", (thread, args) => ordinal(thread, args[0] as Value)],
  print: [
    null,
    (thread, args, keywords) => {
      thread.print(message(thread, args, keywords));
      return null;
    },
  ],
  range: [
    "start:int stop:int? step:int? /",
    (thread, [start, stop, step]) => rangeOf(thread, start as Value, stop, step),
  ],
  repr: ["x /", (thread, args) => repr(thread, args[0] as Value)],
  reversed: ["iterable /", (thread, args) => new List(elements(thread, args[0] as Value).reverse())],
  set: [
    "iterable? /",
    (thread, [iterable]) => {
      const set = toSet(thread, iterable ?? NOTHING);
      return set === iterable ? copySet(thread, set) : set;
    },
  ],
  sorted: [
    "iterable key:callable?~ reverse:bool?",
    (thread, [iterable, key, reverse]) =>
      sorted(thread, iterable as Value, (key as Callable | undefined) ?? null, reverse === true),
  ],
  str: [
    "x /",
    (thread, args) => {
      const x = args[0] as Value;
      if (!(x instanceof Bytes)) return toText(thread, x);
      thread.text(x.data.length);
      return decodeUtf8(x.data);
    },
  ],
  tuple: [
    "iterable? /",
    (thread, [iterable]) => {
      if (iterable instanceof Tuple) return iterable;
      return new Tuple(elements(thread, iterable ?? NOTHING));
    },
  ],
  type: ["x /", (_, args) => typeName(args[0] as Value)],
  zip: [null, zip],
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
