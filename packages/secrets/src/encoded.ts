/** A stretch of a text that is another text in base64 or in hexadecimal digits. */
export interface Encoded {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const SHORTEST = 20;
const DIGITS = new Uint8Array(128);
for (const digit of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_")
  DIGITS[digit.charCodeAt(0)] = 1;
const HEX = /^(?:[0-9a-fA-F]{2})+$/;
const SAMPLE = 24;

/** Every stretch that decodes to something a person could read. */
export function* encodedIn(text: string): Generator<Encoded> {
  // A run of that many digits has one of them at every so many characters: the others need no look.
  for (let at = SHORTEST - 1; at < text.length; at += SHORTEST) {
    if (!isDigit(text, at)) continue;
    let start = at;
    while (start > 0 && at - start < SHORTEST && isDigit(text, start - 1)) start--;
    let end = endOfRun(text, at);
    if (end - start < SHORTEST) continue;
    // It is wrapped sometimes.
    for (let next = lineAfter(text, end); next !== -1; next = lineAfter(text, end)) end = endOfRun(text, next);
    const decoded = decode(text.slice(start, end).replace(/\s+/g, ""));
    while (text.charAt(end) === "=") end++;
    if (decoded !== null) yield { start, end, text: decoded };
    at = end;
  }
}

function isDigit(text: string, at: number): boolean {
  return DIGITS[text.charCodeAt(at)] === 1;
}

function endOfRun(text: string, from: number): number {
  let end = from;
  while (end < text.length && isDigit(text, end)) end++;
  return end;
}

/** Where a line goes on that ends here; -1 where it does not. */
function lineAfter(text: string, end: number): number {
  if (text.charAt(end) !== "\n" && !text.startsWith("\r\n", end)) return -1;
  let next = end + (text.charAt(end) === "\n" ? 1 : 2);
  while (text.charAt(next) === " " || text.charAt(next) === "\t") next++;
  return endOfRun(text, next) - next >= 4 ? next : -1;
}

function decode(text: string): string | null {
  const read = HEX.test(text.slice(0, SAMPLE)) && HEX.test(text) ? fromHex : fromBase64;
  // Words, names and pictures nearly always decode to characters that no text has: most are done with here.
  if (!isReadable(read(text.slice(0, SAMPLE)))) return null;
  const whole = read(text);
  return isReadable(whole) ? whole : null;
}

function fromHex(text: string): string {
  return text.replace(/../g, (byte) => String.fromCharCode(Number.parseInt(byte, 16)));
}

function fromBase64(text: string): string {
  const digits = text.replace(/=+$/, "").replaceAll("-", "+").replaceAll("_", "/");
  // A digit too many belongs to what stands behind it.
  return atob(digits.slice(0, digits.length % 4 === 1 ? -1 : undefined));
}

function isReadable(text: string): boolean {
  return text !== "" && !/[^\t\n\r -~]/.test(text);
}
