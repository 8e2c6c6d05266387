import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fromJson, type Json } from "../conversion.js";
import { Thread } from "../evaluator/thread.js";
import { compileExpression } from "../expression.js";
import { equals } from "./equality.js";
import { freeze } from "./freeze.js";
import { keyOf } from "./key.js";
import { compare, sortBy } from "./order.js";
import { repr } from "./repr.js";
import { slice } from "./slice.js";
import { Bytes, Dict, Float, List, StarSet, Tuple, type Value } from "./values.js";

const free = () => new Thread({ budget: { steps: Infinity, memory: Infinity } });

function frozen<T extends Value>(value: T): T {
  freeze(value);
  return value;
}

function dictOf(entries: readonly (readonly [Value, Value])[]): Dict {
  const dict = new Dict();
  for (const [key, value] of entries) dict.put(free(), key, value);
  return frozen(dict);
}

function setOf(items: readonly Value[]): StarSet {
  const set = new StarSet();
  for (const item of items) set.put(free(), item);
  return frozen(set);
}

/** Values that have keys. */
const { hashable } = fc.letrec<{ hashable: Value }>((tie) => ({
  hashable: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom<Value>(null, true, false, 0, 1, "", "\0", "\0t1", "1", "a"),
    fc.string({ unit: "binary", maxLength: 3 }),
    fc.double().map((value) => new Float(value)),
    fc.integer({ min: -2, max: 2 }).map((value) => new Float(value)),
    fc.constantFrom<Value>(2n ** 70n, -(2n ** 70n), new Float(2 ** 70), 2n ** 70n + 1n, 2n ** 71n),
    fc.constantFrom<Value>(2 ** 31, new Float(2 ** 31), -(2 ** 16), 0x10000000000000, BigInt("0x10000000000000000")),
    fc.uint8Array({ maxLength: 2 }).map((data) => new Bytes(data)),
    fc.array(tie("hashable"), { maxLength: 3 }).map((items) => new Tuple(items)),
    fc.array(tie("hashable"), { maxLength: 2 }).map((items) => frozen(new List(items))),
    fc.array(tie("hashable"), { maxLength: 2 }).map(setOf),
    fc.array(fc.tuple(tie("hashable"), tie("hashable")), { maxLength: 2 }).map(dictOf),
  ),
}));

test("values have equal keys when, and only when, they are equal", () => {
  fc.assert(
    fc.property(hashable, hashable, (x, y) => {
      const thread = free();
      const [a, b] = [keyOf(thread, x), keyOf(thread, y)];
      expect(a === b).toBe(equals(thread, x, y));
    }),
    { numRuns: 5_000 },
  );
});

test("no key is a number that JavaScript's map would find by a hash without a secret", () => {
  for (const value of [2n ** 70n, new Float(2 ** 70), new Tuple([2n ** 70n]), 2 ** 16, -(2 ** 31), 2 ** 53 - 1]) {
    expect(typeof keyOf(free(), value)).toBe("string");
  }
});

test("what is printed of a value of data is a program that makes it", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (json) => {
      const value = fromJson(json as Json);
      const text = repr(free(), value);
      expect(repr(free(), compileExpression(text).evaluate({}).value)).toBe(text);
    }),
  );
});

test("slices are what they would be element by element", () => {
  const bound = fc.option(fc.integer({ min: -8, max: 8 }));
  fc.assert(
    fc.property(
      fc.nat(6),
      bound,
      bound,
      fc.integer({ min: -3, max: 3 }).filter((n) => n !== 0),
      (length, start, stop, step) => {
        const items = Array.from({ length }, (_, i) => i);
        const wanted = step > 0 ? [0, length] : [length - 1, -1];
        const place = (at: number | null, fallback: number) => {
          if (at === null) return fallback;
          const index = at < 0 ? at + length : at;
          return step > 0 ? Math.min(Math.max(index, 0), length) : Math.min(Math.max(index, -1), length - 1);
        };
        const expected: number[] = [];
        const end = place(stop, wanted[1] as number);
        for (let i = place(start, wanted[0] as number); step > 0 ? i < end : i > end; i += step) expected.push(i);
        expect((slice(free(), new List(items), start, stop, step) as List).items).toEqual(expected);
        const text = items.join("");
        expect(slice(free(), text, start, stop, step)).toBe(expected.join(""));
      },
    ),
    { numRuns: 2_000 },
  );
});

test("sorting is stable, and the same as JavaScript's", () => {
  fc.assert(
    fc.property(fc.array(fc.record({ key: fc.nat(5), id: fc.nat() })), (items) => {
      const order = (a: { key: number }, b: { key: number }) => a.key - b.key;
      expect(sortBy([...items], order)).toEqual([...items].sort(order));
    }),
  );
});

test("comparison is an order", () => {
  const number = fc.oneof(
    fc.integer({ min: -3, max: 3 }),
    fc.double().map((value) => new Float(value)),
    fc.constantFrom<Value>(2n ** 53n + 1n, 2n ** 70n, new Float(2 ** 53)),
  );
  fc.assert(
    fc.property(number, number, number, (x, y, z) => {
      const thread = free();
      const sign = (a: Value, b: Value) => Math.sign(compare(thread, a, b));
      expect(sign(x, y) + sign(y, x)).toBe(0);
      expect(sign(x, y) === 0).toBe(equals(thread, x, y));
      if (sign(x, y) <= 0 && sign(y, z) <= 0) expect(sign(x, z)).toBeLessThanOrEqual(0);
    }),
    { numRuns: 2_000 },
  );
});

describe("freezing", () => {
  test("reaches everything, through every kind of container", () => {
    const inner = new List([]);
    const set = new StarSet();
    const dict = new Dict();
    dict.putText("a", new Tuple([inner, set]));
    freeze(new List([dict]));
    expect([dict.isFrozen, inner.isFrozen, set.isFrozen]).toEqual([true, true, true]);
  });

  test("goes as deep as values do, and looks at nothing twice", () => {
    let deep: Value = new List([]);
    for (let i = 0; i < 200_000; i++) deep = new List([deep]);
    freeze(deep);
    let shared: Value = new Tuple([]);
    for (let i = 0; i < 200; i++) shared = new Tuple([shared, shared]);
    freeze(shared);
    const cycle = new List([]);
    cycle.items.push(cycle);
    freeze(cycle);
    expect(cycle.isFrozen).toBe(true);
  });
});

describe("values inside values are followed so far and no further", () => {
  const thread = new Thread({ budget: { depth: 30 } });
  const nest = (depth: number, wrap: (value: Value) => Value) => {
    let value: Value = wrap(1);
    for (let i = 0; i < depth; i++) value = wrap(value);
    return value;
  };
  const list = (value: Value) => new List([value]);
  const tuple = (value: Value) => new Tuple([value]);
  test.each<[string, () => unknown]>([
    ["repr", () => repr(thread, nest(100_000, list))],
    ["equality", () => equals(thread, nest(100_000, list), nest(100_000, list))],
    ["order", () => compare(thread, nest(100_000, tuple), nest(100_000, tuple))],
    ["keys", () => keyOf(thread, nest(100_000, tuple))],
  ])("by %s", (_, run) => {
    expect(run).toThrow(expect.objectContaining({ name: "StarlarkBudgetError", resource: "depth" }));
  });
});
