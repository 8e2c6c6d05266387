import fc from "fast-check";
import { expect, test } from "vitest";
import { compileKeywords } from "./keywords.js";

function found(words: readonly string[], text: string): string[] {
  const hits: string[] = [];
  compileKeywords(words).some(text, (at, word) => hits.push(`${at} ${word}`) === 0);
  return hits.sort();
}

test("finds every word at every place, as looking for each of them everywhere does", () => {
  const word = fc.stringMatching(/^[ab~K:]{2,4}$/);
  const text = fc.array(fc.constantFrom("a", "A", "b", "B", "~", "k", "K", ":", "é", "𝒳", "\u0000"), { maxLength: 30 });
  fc.assert(
    fc.property(fc.array(word, { maxLength: 5 }), text, (words, letters) => {
      const all = letters.join("");
      const expected = new Set<string>();
      for (const one of words.map((w) => w.toLowerCase())) {
        for (let at = 0; at < all.length; at++) {
          if (all.slice(at, at + one.length).toLowerCase() === one) expected.add(`${at} ${one}`);
        }
      }
      expect(found(words, all)).toEqual([...expected].sort());
    }),
    { numRuns: 2_000 },
  );
});

test("stops when it has heard enough", () => {
  let heard = 0;
  expect(compileKeywords(["ab"]).some("ab ab", () => ++heard === 1)).toBe(true);
  expect(heard).toBe(1);
});
