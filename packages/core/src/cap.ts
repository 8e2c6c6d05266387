/** A text cut to a bound, and what the cut cost. */
export interface CappedText {
  readonly text: string;
  /** UTF-16 units of the original that are not in the text any more; 0 when nothing was cut. */
  readonly dropped: number;
}

/**
 * Cuts a text to at most `max` UTF-16 units (`text.length`), the marker included. Head and tail are kept, cut on line
 * ends where that costs less than half of either, and never inside a grapheme.
 */
export function capText(text: string, max: number): CappedText {
  if (text.length <= max) return { text, dropped: 0 };
  // The marker's count has no more digits than the text's length has, so this room is always enough.
  const longest = marker(text.length).length;
  const explains = longest * 2 <= max;
  const room = Math.max(0, max - (explains ? longest : ELLIPSIS.length));
  const head = text.slice(0, headEnd(text, Math.ceil(room / 2)));
  const tail = text.slice(tailStart(text, text.length - Math.floor(room / 2)));
  const dropped = text.length - head.length - tail.length;
  const middle = explains ? marker(dropped) : ELLIPSIS.slice(0, max);
  return { text: head + middle + tail, dropped };
}

const ELLIPSIS = "…";

function marker(dropped: number): string {
  return `\n[... ${dropped} characters dropped ...]\n`;
}

function headEnd(text: string, most: number): number {
  if (most === 0) return 0;
  const newline = text.lastIndexOf("\n", most - 1);
  return newline + 1 > most / 2 ? newline + 1 : graphemeAt(text, most).start;
}

function tailStart(text: string, least: number): number {
  const newline = text.indexOf("\n", least);
  return newline !== -1 && newline + 1 - least < (text.length - least) / 2 ? newline + 1 : graphemeAt(text, least).end;
}

let segmenter: Intl.Segmenter | undefined;

/** Where the grapheme that a cut at `index` would split starts and ends; both are `index` at a boundary. */
function graphemeAt(text: string, index: number): { start: number; end: number } {
  if (index <= 0 || index >= text.length || isPlainBoundary(text, index)) return { start: index, end: index };
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  const found = segmenter.segment(text).containing(index);
  if (found === undefined || found.index === index) return { start: index, end: index };
  return { start: found.index, end: found.index + found.segment.length };
}

// Between two characters below U+0300 there is always a boundary, but for CR LF: no need to ask the segmenter.
function isPlainBoundary(text: string, index: number): boolean {
  const before = text.charCodeAt(index - 1);
  const after = text.charCodeAt(index);
  return before < 0x300 && after < 0x300 && !(before === 0x0d && after === 0x0a);
}

/**
 * How many tokens a text has, rather too many than too few. Letters come about four to a token; digits and signs two; of other scripts every unit may be one.
 */
export function estimateTokens(text: string): number {
  let quarters = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    const isLetter = code === 32 || (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
    quarters += isLetter ? 1 : code < 128 ? 2 : 4;
  }
  return Math.ceil(quarters / 4);
}
