/** Finds a fixed set of words in a text, whatever their case, in one pass: nearly every text has none of them. */
export interface Keywords {
  /** Calls back for every word at every place of the text, in the order of places, until that answers true. */
  some(text: string, isEnough: (at: number, word: string) => boolean): boolean;
}

const LETTERS = 128;
const SLOTS = 1 << 15;

/** Small letters for capitals, and 0 for what is not ASCII. */
const FOLD = new Uint8Array(1 << 16);
for (let code = 0; code < LETTERS; code++) FOLD[code] = String.fromCharCode(code).toLowerCase().charCodeAt(0);

/** Compiles words of two or more ASCII characters. */
export function compileKeywords(words: Iterable<string>): Keywords {
  // A place is worth a look when its first three characters begin a word: one table look-up for each character.
  const begins = new Uint8Array(SLOTS);
  const byPair = new Map<number, string[]>();
  for (const word of new Set([...words].map((one) => one.toLowerCase()))) {
    const [first, second, third] = [0, 1, 2].map((place) => word.charCodeAt(place)) as [number, number, number];
    const thirds = word.length > 2 ? [third] : Array.from({ length: LETTERS }, (_, code) => code);
    for (const code of thirds) begins[slotOf(first, second, code)] = 1;
    const pair = first * LETTERS + second;
    byPair.set(pair, [...(byPair.get(pair) ?? []), word]);
  }

  return {
    some(text, isEnough) {
      let first = 0;
      let second = FOLD[text.charCodeAt(0)] ?? 0;
      let third = FOLD[text.charCodeAt(1)] ?? 0;
      for (let at = 0; at < text.length - 1; at++) {
        first = second;
        second = third;
        third = at + 2 < text.length ? (FOLD[text.charCodeAt(at + 2)] as number) : 0;
        if (begins[slotOf(first, second, third)] === 0) continue;
        for (const word of byPair.get(first * LETTERS + second) ?? []) {
          if (startsWith(text, at, word) && isEnough(at, word)) return true;
        }
      }
      return false;
    },
  };
}

function slotOf(first: number, second: number, third: number): number {
  return ((first << 8) ^ (second << 4) ^ third) & (SLOTS - 1);
}

function startsWith(text: string, at: number, word: string): boolean {
  if (at + word.length > text.length) return false;
  for (let i = 2; i < word.length; i++) if (FOLD[text.charCodeAt(at + i)] !== word.charCodeAt(i)) return false;
  return true;
}
