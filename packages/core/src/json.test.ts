import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { copyJson, type JsonObject, jsonEqual, textOf, withValueAt } from "./json.js";

const limits = { depth: 5, size: 200 };

describe("copyJson", () => {
  test("copies every JSON value, frozen, without prototypes", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const value: unknown = JSON.parse(text);
        const copy = copyJson(value);
        expect(JSON.stringify(copy)).toBe(JSON.stringify(value));
        expect(isDeeplySealed(copy)).toBe(true);
      }),
    );
  });

  test("makes hostile keys harmless", () => {
    const copy = copyJson(
      JSON.parse('{"__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}}}'),
    );
    expect(Object.keys(copy as object)).toEqual(["__proto__", "constructor"]);
    expect(Object.getPrototypeOf(copy)).toBeNull();
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect("toString" in (copy as object)).toBe(false);
  });

  test("drops undefined values as JSON does", () => {
    expect(copyJson({ a: undefined, b: 1 })).toEqual({ b: 1 });
  });

  test.each([
    ["a function", () => 0, "is not JSON: function"],
    ["a symbol", Symbol("s"), "is not JSON: symbol"],
    ["a bigint", 1n, "is not JSON: bigint"],
    ["NaN", Number.NaN, "is not JSON: NaN"],
    ["a date", new Date(0), "is not JSON: Date"],
    ["a map", new Map(), "is not JSON: Map"],
    ["undefined in a list", [undefined], "is not JSON: undefined"],
  ])("refuses %s and says where", (_, value, message) => {
    expect(() => copyJson({ deep: [value] })).toThrow(message);
    expect(() => copyJson({ deep: [value] })).toThrow("deep.0");
  });

  test("refuses what throws when it is read", () => {
    const trap = {
      get secret() {
        throw new Error("gotcha");
      },
    };
    expect(() => copyJson({ trap })).toThrow("trap is not JSON: unreadable (gotcha)");
    const proxy = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new TypeError("no");
        },
      },
    );
    expect(() => copyJson(proxy)).toThrow(expect.objectContaining({ code: "HARN_E_PAYLOAD_JSON" }));
  });

  test("bounds depth, cycles included, and size", () => {
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    expect(() => copyJson(cycle, limits)).toThrow("too deep (more than 5 levels) at self.self.self.self.self");
    expect(() => copyJson("x".repeat(201), limits)).toThrow("too large");
    expect(() => copyJson(Array(30).fill(1), limits)).toThrow("too large");
    expect(() => copyJson({ ["k".repeat(300)]: 1 }, limits)).toThrow("too large");
    expect(copyJson([[[[1]]]], limits)).toEqual([[[[1]]]]);
  });

  test("takes a plain object of another realm", async () => {
    const { runInNewContext } = await import("node:vm");
    expect(copyJson(runInNewContext("({a: [1]})"))).toEqual({ a: [1] });
  });
});

test("jsonEqual agrees with canonical text", () => {
  const json = fc.jsonValue();
  fc.assert(
    fc.property(json, json, (a, b) => {
      expect(jsonEqual(a as never, a as never)).toBe(true);
      expect(jsonEqual(a as never, b as never)).toBe(canonical(a) === canonical(b));
    }),
  );
});

test("withValueAt replaces one value and shares the rest", () => {
  const root = copyJson({ a: { b: 1, c: [2] }, __proto__x: 3 }) as { a: { c: unknown } };
  const next = withValueAt(root as never, ["a", "b"], 9) as never as typeof root;
  expect(next).toEqual({ a: { b: 9, c: [2] }, __proto__x: 3 });
  expect(next.a.c).toBe(root.a.c);
  expect(root).toEqual({ a: { b: 1, c: [2] }, __proto__x: 3 });
});

function isDeeplySealed(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  const noPrototype = Array.isArray(value) || Object.getPrototypeOf(value) === null;
  return noPrototype && Object.isFrozen(value) && Object.values(value).every(isDeeplySealed);
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) =>
    typeof item === "object" && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );
}

test("textOf writes what JSON.stringify does", () => {
  const text = fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" }), fc.string());
  const value = fc.oneof({ weight: 9, arbitrary: text }, fc.jsonValue());
  fc.assert(
    fc.property(fc.dictionary(text, value, { maxKeys: 4 }), (object) => {
      const copy = copyJson(object) as JsonObject;
      expect(textOf(copy)).toBe(JSON.stringify(copy));
    }),
    { numRuns: 2_000, examples: [[{}], [{ a: "\u2028\ud800" }], [{ "\n": "" }], [{ a: "1", b: '"' }]] },
  );
});
