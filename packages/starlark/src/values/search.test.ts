import fc from "fast-check";
import { expect, test } from "vitest";
import { firstIndex, lastIndex } from "./search.js";

test("finds what JavaScript finds, by the linear way too", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 0, maxLength: 40 });
  fc.assert(
    fc.property(text, text, fc.nat(60), fc.boolean(), (haystack, needle, from, isLong) => {
      // Long enough for the linear way, and with the same answer.
      const fill = isLong ? "ab".repeat(2_000) : "";
      const [whole, part] = [fill + haystack + fill, isLong ? needle + "ba".repeat(20) : needle];
      expect(firstIndex(whole, part, Math.min(from, whole.length))).toBe(whole.indexOf(part, from));
      expect(lastIndex(whole, part)).toBe(whole.lastIndexOf(part));
    }),
    { numRuns: 2_000 },
  );
});

test("texts that take JavaScript seconds take no time", () => {
  const haystack = "a".repeat(400_000);
  const needle = `${"a".repeat(100_000)}b${"a".repeat(100_000)}`;
  expect(firstIndex(haystack, needle)).toBe(-1);
  expect(lastIndex(haystack, needle)).toBe(-1);
  expect(firstIndex(haystack + needle, needle)).toBe(400_000);
  expect(lastIndex(needle + haystack, needle)).toBe(0);
});
