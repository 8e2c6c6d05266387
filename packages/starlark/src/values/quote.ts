const ESCAPES: ReadonlyMap<number, string> = new Map([
  [0x07, "\\a"],
  [0x08, "\\b"],
  [0x09, "\\t"],
  [0x0a, "\\n"],
  [0x0b, "\\v"],
  [0x0c, "\\f"],
  [0x0d, "\\r"],
  [0x22, '\\"'],
  [0x5c, "\\\\"],
]);

// What leaves no mark of its own, or reorders what stands around it: controls, spaces but the plain one, formats, private
// use, surrogates without a partner. A list and not \p{C}: the same text on every version of Unicode.
const HIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
  /["\\\u0000-\u001f\u007f-\u00a0\u00ad\u061c\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ud800-\udfff\ue000-\uf8ff\ufeff\ufff0-\uffff\u{e0000}-\u{e0fff}\u{f0000}-\u{10ffff}]/gu;

/** A string as a literal, in double quotes. */
export function quote(text: string): string {
  return `"${text.replace(HIDDEN, (character) => escapeOf(character.codePointAt(0) as number))}"`;
}

function escapeOf(code: number): string {
  const known = ESCAPES.get(code);
  if (known !== undefined) return known;
  if (code === 0xfffd) return "\ufffd";
  const digits = code.toString(16);
  if (code < 0x80) return `\\x${digits.padStart(2, "0")}`;
  return code < 0x10000 ? `\\u${digits.padStart(4, "0")}` : `\\U${digits.padStart(8, "0")}`;
}

/** Bytes as a literal without its b: text where they are UTF-8, escapes where not. */
export function quoteBytes(data: Uint8Array): string {
  let quoted = "";
  for (let at = 0; at < data.length; ) {
    const code = codePointAt(data, at);
    if (code === undefined) {
      quoted += `\\x${(data[at] as number).toString(16).padStart(2, "0")}`;
      at++;
    } else {
      const character = String.fromCodePoint(code);
      quoted +=
        code >= 0x20 && code < 0x7f && code !== 0x22 && code !== 0x5c ? character : quote(character).slice(1, -1);
      at += utf8Length(code);
    }
  }
  return `"${quoted}"`;
}

function utf8Length(code: number): number {
  return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}

/** The character that starts at a place in UTF-8; undefined where none does. */
function codePointAt(data: Uint8Array, at: number): number | undefined {
  const first = data[at] as number;
  if (first < 0x80) return first;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 0;
  if (length === 0 || first > 0xf4 || at + length > data.length) return undefined;
  let code = first & (0xff >> (length + 1));
  for (let i = 1; i < length; i++) {
    const next = data[at + i] as number;
    if ((next & 0xc0) !== 0x80) return undefined;
    code = (code << 6) | (next & 0x3f);
  }
  // The shortest form only, and no surrogates.
  const least = length === 2 ? 0x80 : length === 3 ? 0x800 : 0x10000;
  return code < least || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ? undefined : code;
}

const DECODER = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true });

/** The text of UTF-8 bytes; every byte that is no part of a character becomes U+FFFD. */
export function decodeUtf8(data: Uint8Array): string {
  try {
    return DECODER.decode(data);
  } catch {
    let text = "";
    for (let at = 0; at < data.length; ) {
      const code = codePointAt(data, at);
      text += code === undefined ? "\ufffd" : String.fromCodePoint(code);
      at += code === undefined ? 1 : utf8Length(code);
    }
    return text;
  }
}
