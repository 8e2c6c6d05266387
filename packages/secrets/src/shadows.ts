/** A text as it reads when something is taken out of it or decoded, and where each of its characters comes from. */
export interface Shadow {
  readonly text: string;
  /** Where in the original a character begins, and at the end where the original ends. */
  readonly places: Int32Array;
}

/** What a colour begins with. */
const ESCAPE = "\u001b";

/** Characters nobody sees, as the inside of a class: looking each up by its property takes ten times as long. */
export const UNSEEN =
  "\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u3164\\udb40\\ufe00-\\ufe0f\\ufeff\\uffa0";

/** Colours and cursor movements, characters nobody sees, escapes of URLs and of texts in programs. */
const DISGUISE = new RegExp(
  [
    `(?:${ESCAPE}|\\\\{1,8}(?:u001b|x1b|033|e))\\[[0-9;:?]*[ -/]*[@-~]`,
    "\\p{Default_Ignorable_Code_Point}",
    "%[2-7][0-9A-Fa-f]",
    "\\\\{1,8}(?:[\"'/nrt]|(?:u00|x)[2-7][0-9A-Fa-f])",
  ].join("|"),
  "gu",
);
/** A first look: nearly every text has none of these. */
const HINT = new RegExp(`[${ESCAPE}%\\\\${UNSEEN}]`);

/** The text without what hides a secret from an expression, but not from who reads it; null where nothing does. */
export function shadowOf(text: string): Shadow | null {
  if (!HINT.test(text)) return null;
  const parts: string[] = [];
  const places: number[] = [];
  let from = 0;
  const keep = (until: number) => {
    parts.push(text.slice(from, until));
    for (let at = from; at < until; at++) places.push(at);
  };
  for (const { 0: found, index } of text.matchAll(DISGUISE)) {
    keep(index);
    const plain = plainOf(found);
    parts.push(plain);
    for (let n = 0; n < plain.length; n++) places.push(index);
    from = index + found.length;
  }
  if (from === 0) return null;
  keep(text.length);
  places.push(text.length);
  return { text: parts.join(""), places: Int32Array.from(places) };
}

function plainOf(found: string): string {
  const [, code] = /^(?:%|\\+u00|\\+x)([0-9A-Fa-f]{2})$/.exec(found) ?? [];
  if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
  if (!found.startsWith("\\") || found.includes("[")) return "";
  return /[nrt]$/.test(found) ? "\n" : found.slice(-1);
}
