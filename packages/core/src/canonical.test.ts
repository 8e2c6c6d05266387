import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalJson } from "./canonical.js";
import type { Json } from "./json.js";

test.each<[Json, string]>([
  [{ b: 1, a: [true, null, { d: 1, c: 2 }] }, '{"a":[true,null,{"c":2,"d":1}],"b":1}'],
  // The examples of the RFC: keys by code unit and not by code point, and the shortest form of a number.
  [
    { "\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\u{1f600}": 5, "\u0080": 6, "\u00f6": 7 },
    '{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"😀":5,"\ufb33":3}',
  ],
  [[333333333.3333333, 1e30, 4.5, 2e-3, 1e-27, -0], "[333333333.3333333,1e+30,4.5,0.002,1e-27,0]"],
  ['\u20ac$\u000f\nA\'B"\\\\"/', '"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"'],
  ["\ud800", '"\\ud800"'],
  [JSON.parse('{"__proto__":{"b":1,"a":2}}'), '{"__proto__":{"a":2,"b":1}}'],
])("%j", (value, text) => {
  expect(canonicalJson(value)).toBe(text);
});

test("what is equal is written in equal bytes, and reads back as what it was", () => {
  const shuffled = (value: Json): Json => {
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map(shuffled);
    return Object.fromEntries(
      Object.entries(value)
        .reverse()
        .map(([key, item]) => [key, shuffled(item)]),
    );
  };
  fc.assert(
    fc.property(fc.jsonValue(), (any) => {
      const value = JSON.parse(JSON.stringify(any)) as Json;
      const text = canonicalJson(value);
      expect(JSON.parse(text)).toEqual(value);
      expect(canonicalJson(shuffled(value))).toBe(text);
    }),
  );
});
