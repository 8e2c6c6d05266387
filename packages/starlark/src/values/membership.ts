import type { Thread } from "../evaluator/thread.js";
import { equals } from "./equality.js";
import { keyOf } from "./key.js";
import { chargeSearch, firstIndex } from "./search.js";
import {
  Bytes,
  Dict,
  Elems,
  Float,
  isInt,
  isNumber,
  List,
  Range,
  StarSet,
  Tuple,
  typeName,
  type Value,
} from "./values.js";

/** `x in y` */
export function contains(thread: Thread, x: Value, y: Value): boolean {
  if (typeof y === "string") {
    if (typeof x !== "string") thread.fail(`'in <string>' requires string as left operand, not ${typeName(x)}`);
    chargeSearch(thread, y, x);
    return firstIndex(y, x) !== -1;
  }
  if (y instanceof Dict || y instanceof StarSet) return y.entries.has(keyOf(thread, x));
  if (y instanceof List || y instanceof Tuple || y instanceof Elems) {
    for (let i = 0; i < y.items.length; i++) {
      thread.step();
      if (equals(thread, x, y.items[i] as Value)) return true;
    }
    return false;
  }
  if (y instanceof Range) {
    if (!isNumber(x)) thread.fail(`'in <range>' requires a number as left operand, not ${typeName(x)}`);
    return isInRange(x instanceof Float ? x.value : x, y);
  }
  if (y instanceof Bytes) return isInBytes(thread, x, y);
  return thread.fail(`unknown binary op: ${typeName(x)} in ${typeName(y)}`);
}

function isInRange(x: number | bigint, range: Range): boolean {
  if (typeof x !== "number") return false;
  const offset = (x - range.start) / range.step;
  return Number.isInteger(offset) && offset >= 0 && offset < range.length;
}

function isInBytes(thread: Thread, x: Value, { data }: Bytes): boolean {
  if (isInt(x)) {
    if (x < 0 || x > 255) thread.fail(`int in bytes: ${typeof x === "number" ? x : "it is"} out of range`);
    thread.step(data.length >> 6);
    return data.includes(Number(x));
  }
  if (!(x instanceof Bytes)) thread.fail(`'in bytes' requires bytes or int as left operand, not ${typeName(x)}`);
  thread.charge((data.length + x.data.length) >> 3, 2 * (data.length + x.data.length));
  const [text, needle] = [latin(data), latin(x.data)];
  chargeSearch(thread, text, needle);
  return firstIndex(text, needle) !== -1;
}

/** Bytes as a string of one character each, to be searched like one. */
function latin(data: Uint8Array): string {
  let text = "";
  for (let at = 0; at < data.length; at += 4_096) text += String.fromCharCode(...data.subarray(at, at + 4_096));
  return text;
}
