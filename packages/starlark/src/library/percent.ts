import type { Thread } from "../evaluator/thread.js";
import { exponentialText, fixedText, floatText } from "../values/floats.js";
import { intText, intToDouble } from "../values/integers.js";
import { repr, toText } from "../values/repr.js";
import { Dict, Float, isInt, isNumber, normalize, Tuple, typeName, type Value } from "../values/values.js";

/** `format % values`: a tuple is several values, a dict is asked by `%(name)s`, anything else is one. */
export function formatPercent(thread: Thread, format: string, argument: Value): string {
  const values = argument instanceof Tuple ? argument.items : [argument];
  let used = 0;
  let result = "";
  const add = (part: string) => {
    thread.text(part.length);
    result += part;
  };
  thread.step(format.length >> 6);
  for (let at = 0; ; ) {
    const percent = format.indexOf("%", at);
    add(percent === -1 ? format.slice(at) : format.slice(at, percent));
    if (percent === -1) break;
    thread.step();
    at = percent + 1;
    let value: Value | undefined;
    if (format[at] === "(") {
      const close = format.indexOf(")", at);
      if (close === -1) thread.fail("incomplete format key");
      value = named(thread, argument, format.slice(at + 1, close));
      at = close + 1;
    }
    const verb = String.fromCodePoint(format.codePointAt(at) ?? 0);
    if (at >= format.length) thread.fail("incomplete format");
    at += verb.length;
    if (verb === "%") {
      add("%");
      continue;
    }
    if (value === undefined) value = values[used++];
    if (value === undefined) thread.fail("not enough arguments for format string");
    add(conversion(thread, verb, value));
  }
  if (used < values.length && !(argument instanceof Dict)) thread.fail("too many arguments for format string");
  return result;
}

function named(thread: Thread, argument: Value, name: string): Value {
  if (!(argument instanceof Dict)) return thread.fail("format requires a mapping");
  const value = argument.get(thread, name);
  return value === undefined ? thread.fail(`key not found: ${name}`) : value;
}

function conversion(thread: Thread, verb: string, value: Value): string {
  switch (verb) {
    case "s":
      return toText(thread, value);
    case "r":
      return repr(thread, value);
    case "d":
    case "i":
    case "o":
    case "x":
    case "X":
      return integer(thread, verb, value);
    case "e":
    case "f":
    case "g":
    case "E":
    case "F":
    case "G":
      return float(thread, verb, value);
    case "c":
      return character(thread, value);
    default:
      return thread.fail(
        `unknown conversion %${verb}${"0123456789.-+# *".includes(verb) ? "; widths, flags and precisions are not supported" : ""}`,
      );
  }
}

function integer(thread: Thread, verb: string, value: Value): string {
  const int =
    value instanceof Float && Number.isFinite(value.value) ? normalize(BigInt(Math.trunc(value.value))) : value;
  if (!isInt(int)) return thread.fail(`%${verb} format requires integer: got ${typeName(value)}`);
  const text = intText(thread, int, verb === "o" ? 8 : verb === "x" || verb === "X" ? 16 : 10);
  return verb === "X" ? text.toUpperCase() : text;
}

function float(thread: Thread, verb: string, value: Value): string {
  if (!isNumber(value)) return thread.fail(`%${verb} format requires float: got ${typeName(value)}`);
  // Digits of a double are found with large ints, by JavaScript.
  thread.step(8);
  const double = value instanceof Float ? value.value : intToDouble(thread, value);
  const lower = verb.toLowerCase();
  const text = lower === "e" ? exponentialText(double) : lower === "f" ? fixedText(double) : floatText(double);
  // Only the letter of an exponent has a case; infinities and NaN keep theirs.
  return verb === lower || !Number.isFinite(double) ? text : text.toUpperCase();
}

function character(thread: Thread, value: Value): string {
  if (isInt(value)) {
    if (value >= 0 && value <= 0x10ffff) return String.fromCodePoint(Number(value));
    return thread.fail(`%c format requires a valid Unicode code point, got ${intText(thread, value)}`);
  }
  if (typeof value !== "string") {
    return thread.fail(`%c format requires int or single-character string, not ${typeName(value)}`);
  }
  const [first = "", ...others] = value.slice(0, 4);
  return first === "" || others.length > 0 ? thread.fail("%c format requires a single-character string") : first;
}
