import fc from "fast-check";
import { expect, test } from "vitest";
import { compileExpression } from "../expression.js";
import { decodeUtf8, quote, quoteBytes } from "./quote.js";
import { Bytes } from "./values.js";

test("a quoted string is a literal of it", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(compileExpression(quote(text)).evaluate().value).toBe(text);
    }),
    { numRuns: 1_000 },
  );
});

test("quoted bytes are a literal of them", () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 12 }),
    fc.string({ unit: "binary" }).map((text) => new TextEncoder().encode(text)),
    // What looks like UTF-8 and is not: forms that are too long, surrogates, what lies beyond the last character.
    fc
      .constantFrom(
        [0xc0, 0x80],
        [0xe0, 0x80, 0x80],
        [0xed, 0xa0, 0x80],
        [0xf4, 0x90, 0x80, 0x80],
        [0xf5, 0x80, 0x80, 0x80],
        [0xe4, 0xb8],
      )
      .map((data) => Uint8Array.from(data)),
  );
  fc.assert(
    fc.property(bytes, (data) => {
      const value = compileExpression(`b${quoteBytes(data)}`).evaluate().value;
      expect(value instanceof Bytes && [...value.data]).toEqual([...data]);
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  [[0x68, 0xc3, 0xa9], '"hé"'],
  [[0xff, 0x00, 0x22, 0x5c, 0x0a], '"\\xff\\x00\\"\\\\\\n"'],
  [[0xe2, 0x80, 0x8d], '"\\u200d"'],
  [[0xe4, 0xb8], '"\\xe4\\xb8"'],
])("bytes %j", (data, quoted) => {
  expect(quoteBytes(Uint8Array.from(data))).toBe(quoted);
});

test("a byte order mark is a character like any other", () => {
  expect(decodeUtf8(Uint8Array.of(0xef, 0xbb, 0xbf, 0x61))).toBe("\ufeffa");
});
