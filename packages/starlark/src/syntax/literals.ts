/** Where a literal ends in the source, and what it means; or what is wrong with it, and where. */
export type Literal<T> =
  | { readonly value: T; readonly end: number }
  | { readonly problem: string; readonly at: number };

const NUMBER = /(?:0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+|(?:\d+\.\d*|\.\d+)(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\d+)/y;
const BASES: ReadonlyMap<string, string> = new Map([
  ["0x", "hex"],
  ["0o", "octal"],
  ["0b", "binary"],
]);
/** Reading an int takes time as the square of its digits, and no budget is there yet to pay for it. */
const MOST_DIGITS = 10_000;

export interface NumberLiteral {
  readonly kind: "int" | "float";
  readonly number: number | bigint;
}

/** Reads a number that starts at an index. */
export function readNumber(source: string, start: number): Literal<NumberLiteral> {
  const end = endOfDigits(source, start);
  // Nearly all numbers are short and plain, and need none of the expressions below, which take long to get ready.
  const isPlain = end > start && end - start < 16 && !".eE_xXoObB".includes(source.charAt(end) || " ");
  if (isPlain && (source[start] !== "0" || end === start + 1)) {
    return { value: { kind: "int", number: Number(source.slice(start, end)) }, end };
  }
  return readAnyNumber(source, start);
}

function endOfDigits(source: string, start: number): number {
  let at = start;
  for (let code = source.charCodeAt(at); code >= 48 && code <= 57; code = source.charCodeAt(at)) at++;
  return at;
}

function readAnyNumber(source: string, start: number): Literal<NumberLiteral> {
  NUMBER.lastIndex = start;
  const text = NUMBER.exec(source)?.[0] ?? "";
  const end = start + text.length;
  const base = BASES.get(source.slice(start, start + 2).toLowerCase());
  if (base !== undefined && (text === "0" || /\w/.test(source[end] ?? ""))) {
    return { problem: `invalid ${base} literal`, at: start };
  }
  if (source[end] === "_") return { problem: "invalid number: digits are not grouped", at: start };
  if (text.length > MOST_DIGITS) return { problem: `a number has more than ${MOST_DIGITS} digits`, at: start };
  if (/^\d*\.|^\d+[eE]/.test(text)) {
    const number = Number(text);
    if (!Number.isFinite(number)) return { problem: "floating-point literal is too large", at: start };
    return { value: { kind: "float", number }, end };
  }
  if (/^0\d/.test(text) && !/^0+$/.test(text)) {
    const isOctal = /^[0-7]+$/.test(text);
    const problem = isOctal ? `obsolete form of octal literal; use 0o${text.slice(1)}` : "invalid octal literal";
    return { problem, at: start };
  }
  const number = Number(text);
  return { value: { kind: "int", number: Number.isSafeInteger(number) ? number : BigInt(text) }, end };
}

const SIMPLE: ReadonlyMap<string, string> = new Map([
  ["a", "\x07"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["v", "\v"],
  ["\\", "\\"],
  ["'", "'"],
  ['"', '"'],
]);

/** What one escape sequence stands for. */
type Escape = { readonly text: string } | { readonly byte: number };

/** Reads the escape sequence at a backslash. */
export function readEscape(source: string, start: number, isBytes: boolean): Literal<Escape> {
  const next = source[start + 1] ?? "";
  const simple = SIMPLE.get(next);
  if (simple !== undefined) return { value: { text: simple }, end: start + 2 };
  const rest = source.slice(start + 1, start + 10);
  const octal = /^[0-7]{1,3}/.exec(rest)?.[0];
  if (octal !== undefined)
    return byteEscape(Number.parseInt(octal, 8), "octal", start, start + 1 + octal.length, isBytes);
  const hex = /^x([0-9a-fA-F]{2})/.exec(rest)?.[1];
  if (hex !== undefined) return byteEscape(Number.parseInt(hex, 16), "hex", start, start + 4, isBytes);
  const unicode = /^u([0-9a-fA-F]{4})|^U([0-9a-fA-F]{8})/.exec(rest);
  if (unicode === null) {
    return { problem: `invalid escape sequence \\${next}; write \\\\ for a backslash`, at: start };
  }
  const code = Number.parseInt(unicode[1] ?? unicode[2] ?? "", 16);
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) {
    return { problem: `invalid escape sequence \\${unicode[0]}: invalid Unicode code point`, at: start };
  }
  return { value: { text: String.fromCodePoint(code) }, end: start + 1 + unicode[0].length };
}

function byteEscape(
  code: number,
  form: "hex" | "octal",
  start: number,
  end: number,
  isBytes: boolean,
): Literal<Escape> {
  if (code > 255) return { problem: "invalid escape sequence: it is larger than a byte", at: start };
  if (isBytes) return { value: { byte: code }, end };
  if (code <= 127) return { value: { text: String.fromCharCode(code) }, end };
  const unicode = code.toString(16).padStart(4, "0");
  return {
    problem: `non-ASCII ${form} escape: a string holds text, write \\u${unicode} for this character`,
    at: start,
  };
}
