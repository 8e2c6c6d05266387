import type { Thread } from "../evaluator/thread.js";
import { normalize } from "./values.js";

/** An int: a number while it is safe, a bigint beyond. */
export type Int = number | bigint;

/** JavaScript's own limit is 2**30 bits. */
const MAX_WORDS = 2 ** 23;
/** Where JavaScript multiplies, divides or converts, one step pays for so many products of two words. */
const PRODUCTS_PER_STEP = 32;

/** How many words of 64 bits an int takes. */
export function wordsOf(value: Int): number {
  if (typeof value === "number") return 1;
  VIEW.setFloat64(0, Number(value));
  const exponent = (VIEW.getUint16(0) >> 4) & 0x7ff;
  // Beyond all doubles the digits are counted, which takes time linear in them.
  const bits = exponent < 0x7ff ? exponent - 1022 : 4 * value.toString(16).length;
  return Math.ceil(bits / 64);
}

/** What the exponent of a double is read from; Math.log2 may be rounded in another way by another engine. */
const VIEW = new DataView(new ArrayBuffer(8));

/** No fewer bits than a digit of a base has. */
function bitsPerDigit(radix: number): number {
  return 32 - Math.clz32(radix - 1);
}

function reserve(thread: Thread, words: number): void {
  if (words > MAX_WORDS) thread.tooLarge("int");
  thread.charge(words >> 4, 8 * words);
}

/** Pays for what takes time as the product of two lengths. */
export function chargeProduct(thread: Thread, words: number, others: number): void {
  thread.step(Math.floor((words * others) / PRODUCTS_PER_STEP));
}

export function addInts(thread: Thread, x: Int, y: Int): Int {
  if (typeof x === "number" && typeof y === "number") {
    const sum = x + y;
    if (Number.isSafeInteger(sum)) return sum;
  }
  reserve(thread, Math.max(wordsOf(x), wordsOf(y)) + 1);
  return normalize(BigInt(x) + BigInt(y));
}

export function subtractInts(thread: Thread, x: Int, y: Int): Int {
  if (typeof x === "number" && typeof y === "number") {
    const difference = x - y;
    if (Number.isSafeInteger(difference)) return difference;
  }
  reserve(thread, Math.max(wordsOf(x), wordsOf(y)) + 1);
  return normalize(BigInt(x) - BigInt(y));
}

export function multiplyInts(thread: Thread, x: Int, y: Int): Int {
  if (typeof x === "number" && typeof y === "number") {
    const product = x * y;
    // Adding zero turns -0 into the only zero ints have.
    if (Number.isSafeInteger(product)) return product + 0;
  }
  const [a, b] = [wordsOf(x), wordsOf(y)];
  reserve(thread, a + b);
  chargeProduct(thread, a, b);
  return normalize(BigInt(x) * BigInt(y));
}

/** Doubles divide ints up to here without losing the digit that decides where the floor is. */
const EXACT_QUOTIENT = 2 ** 50;

export function floorDivide(thread: Thread, x: Int, y: Int): Int {
  if (y === 0) return thread.fail("integer division by zero");
  if (typeof x === "number" && typeof y === "number" && Math.abs(x) <= EXACT_QUOTIENT) return Math.floor(x / y) + 0;
  const [a, b] = divisible(thread, x, y);
  const quotient = a / b;
  return normalize(a % b !== 0n && a < 0n !== b < 0n ? quotient - 1n : quotient);
}

export function floorModulo(thread: Thread, x: Int, y: Int): Int {
  if (y === 0) return thread.fail("integer modulo by zero");
  if (typeof x === "number" && typeof y === "number") {
    const rest = x % y;
    return rest !== 0 && rest < 0 !== y < 0 ? rest + y : rest + 0;
  }
  const [a, b] = divisible(thread, x, y);
  const rest = a % b;
  return normalize(rest !== 0n && rest < 0n !== b < 0n ? rest + b : rest);
}

function divisible(thread: Thread, x: Int, y: Int): [bigint, bigint] {
  const [a, b] = [wordsOf(x), wordsOf(y)];
  reserve(thread, a);
  chargeProduct(thread, a, b);
  return [BigInt(x), BigInt(y)];
}

export function bitwiseInts(thread: Thread, operator: "&" | "|" | "^", x: Int, y: Int): Int {
  if (isSmall(x) && isSmall(y)) return operator === "&" ? x & y : operator === "|" ? x | y : x ^ y;
  reserve(thread, Math.max(wordsOf(x), wordsOf(y)) + 1);
  const [a, b] = [BigInt(x), BigInt(y)];
  return normalize(operator === "&" ? a & b : operator === "|" ? a | b : a ^ b);
}

function isSmall(value: Int): value is number {
  return typeof value === "number" && (value | 0) === value;
}

export function shiftLeft(thread: Thread, x: Int, count: Int): Int {
  if (count < 0) return thread.fail(`negative shift count: ${count}`);
  if (x === 0) return 0;
  reserve(thread, Math.ceil(wordsOf(x) + Number(count) / 64));
  return normalize(BigInt(x) << BigInt(count));
}

export function shiftRight(thread: Thread, x: Int, count: Int): Int {
  if (count < 0) return thread.fail(`negative shift count: ${count}`);
  const words = wordsOf(x);
  if (count >= 64 * words) return x < 0 ? -1 : 0;
  reserve(thread, words);
  return normalize(BigInt(x) >> BigInt(count));
}

export function invert(thread: Thread, x: Int): Int {
  if (typeof x === "number" && x < Number.MAX_SAFE_INTEGER) return -x - 1;
  reserve(thread, wordsOf(x) + 1);
  return normalize(~BigInt(x));
}

export function negate(thread: Thread, x: Int): Int {
  if (typeof x === "number") return 0 - x;
  reserve(thread, wordsOf(x));
  return normalize(-x);
}

/** The digits of an int, paid for: decimal ones take time as the square of their number. */
export function intText(thread: Thread, value: Int, radix: 8 | 10 | 16 = 10): string {
  if (typeof value === "number") return value.toString(radix);
  const words = wordsOf(value);
  if (radix === 10) chargeProduct(thread, words, words);
  thread.text(22 * words);
  return value.toString(radix);
}

const DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz";

/** The int that digits spell in a base from 2 to 36; undefined where one of them is no digit of it. */
export function parseDigits(thread: Thread, digits: string, radix: number): Int | undefined {
  if (digits === "") return undefined;
  const words = Math.ceil((digits.length * bitsPerDigit(radix)) / 64);
  thread.charge(digits.length >> 3, 2 * digits.length);
  chargeProduct(thread, words, words);
  const lower = digits.toLowerCase();
  for (let i = 0; i < lower.length; i++) {
    const digit = DIGITS.indexOf(lower.charAt(i));
    if (digit < 0 || digit >= radix) return undefined;
  }
  if (digits.length <= 9) return Number.parseInt(lower, radix);
  return normalize(toBigInt(lower, radix));
}

const PREFIXES: Readonly<Record<number, string>> = { 2: "0b", 8: "0o", 10: "", 16: "0x" };

function toBigInt(digits: string, radix: number): bigint {
  const prefix = PREFIXES[radix];
  if (prefix !== undefined) return BigInt(prefix + digits);
  let value = 0n;
  // Nine digits of any base are a safe number.
  for (let at = 0; at < digits.length; at += 9) {
    const part = digits.slice(at, at + 9);
    value = value * BigInt(radix ** part.length) + BigInt(Number.parseInt(part, radix));
  }
  return value;
}

/** The double nearest to an int; one beyond all doubles fails. */
export function intToDouble(thread: Thread, value: Int): number {
  const double = Number(value);
  return Number.isFinite(double) ? double : thread.fail("int too large to convert to float");
}
