import type { Thread } from "../evaluator/thread.js";
import { newFloat } from "../values/allocation.js";
import { toDouble } from "../values/arithmetic.js";
import { floatText } from "../values/floats.js";
import { intText, negate, parseDigits } from "../values/integers.js";
import { quote } from "../values/quote.js";
import { Float, isInt, isNumber, normalize, typeName, type Value } from "../values/values.js";

/** How much of a text that is no number an error shows. */
const LONGEST_SHOWN = 60;

function shown(text: string): string {
  return quote(text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}...` : text);
}

/** int(x), int(text, base) */
export function toInt(thread: Thread, x: Value, base: Value | undefined): Value {
  if (typeof x === "string") return parsed(thread, x, base === undefined ? 10 : Number(base));
  if (base !== undefined) return thread.fail("can't convert non-string with explicit base");
  if (typeof x === "boolean") return Number(x);
  if (isInt(x)) return x;
  if (!(x instanceof Float)) return thread.fail(`got ${typeName(x)}, want string or number`);
  if (!Number.isFinite(x.value)) return thread.fail(`cannot convert float ${floatText(x.value)} to integer`);
  return normalize(BigInt(Math.trunc(x.value)));
}

const NAMED_BASES: Readonly<Record<string, number>> = { "0x": 16, "0o": 8, "0b": 2 };

function parsed(thread: Thread, text: string, base: number): Value {
  if (base !== 0 && !(base >= 2 && base <= 36)) return thread.fail("invalid base: must be 0, or from 2 to 36");
  const hasSign = text.startsWith("+") || text.startsWith("-");
  const unsigned = hasSign ? text.slice(1) : text;
  const prefix = unsigned.slice(0, 2).toLowerCase();
  const named = Object.hasOwn(NAMED_BASES, prefix) ? NAMED_BASES[prefix] : undefined;
  const isPrefixed = named !== undefined && (base === 0 || base === named);
  // Without a base, zeros in front are a mistake: other languages read an octal number there.
  const isOctal =
    base === 0 && !isPrefixed && unsigned.length > 1 && unsigned.startsWith("0") && /[1-9]/.test(unsigned);
  const digits = isPrefixed ? unsigned.slice(2) : unsigned;
  const value = isOctal ? undefined : parseDigits(thread, digits, isPrefixed ? named : base || 10);
  if (value === undefined) return thread.fail(`invalid literal with base ${base}: ${shown(text)}`);
  return text.startsWith("-") ? negate(thread, value) : value;
}

const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const SPECIAL = /^([+-]?)(inf|infinity|nan)$/i;

/** float(x) */
export function toFloat(thread: Thread, x: Value | undefined): Value {
  if (x === undefined) return newFloat(thread, 0);
  if (typeof x === "boolean") return newFloat(thread, Number(x));
  if (isNumber(x)) return x instanceof Float ? x : newFloat(thread, toDouble(thread, x));
  if (typeof x !== "string") return thread.fail(`got ${typeName(x)}, want number or string`);
  if (x === "") return thread.fail("invalid float literal: empty string");
  thread.step(x.length >> 3);
  const [, sign, word] = SPECIAL.exec(x) ?? [];
  if (word !== undefined) {
    if (word.toLowerCase() === "nan") return newFloat(thread, Number.NaN);
    return newFloat(thread, sign === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY);
  }
  if (!DECIMAL.test(x)) return thread.fail(`invalid float literal: ${shown(x)}`);
  const value = Number(x);
  return Number.isFinite(value) ? newFloat(thread, value) : thread.fail(`floating-point number too large: ${shown(x)}`);
}

/** abs(x) */
export function magnitude(thread: Thread, x: Value): Value {
  if (x instanceof Float) return newFloat(thread, Math.abs(x.value));
  if (!isInt(x)) return thread.fail(`got ${typeName(x)}, want int or float`);
  return x < 0 ? negate(thread, x) : x;
}

/** chr(i) */
export function character(thread: Thread, code: Value): string {
  if (!isInt(code) || code < 0 || code > 0x10ffff) {
    return thread.fail(`Unicode code point ${isInt(code) ? intText(thread, code) : typeName(code)} out of range`);
  }
  return String.fromCodePoint(Number(code));
}
