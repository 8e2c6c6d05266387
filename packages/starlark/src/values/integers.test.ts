import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Thread } from "../evaluator/thread.js";
import {
  addInts,
  bitwiseInts,
  floorDivide,
  floorModulo,
  type Int,
  intText,
  invert,
  multiplyInts,
  negate,
  parseDigits,
  shiftLeft,
  shiftRight,
  subtractInts,
  wordsOf,
} from "./integers.js";
import { normalize } from "./values.js";

const free = () => new Thread({ budget: { steps: Infinity, memory: Infinity } });
/** Ints around the places where their form changes. */
const int = fc
  .oneof(
    fc.bigInt({ min: -300n, max: 300n }),
    fc.bigInt({ min: -(2n ** 55n), max: 2n ** 55n }),
    fc.bigInt({ min: -(2n ** 130n), max: 2n ** 130n }),
    fc.constantFrom(2n ** 31n, -(2n ** 31n), 2n ** 53n, 2n ** 53n - 1n, -(2n ** 53n), 2n ** 50n, 2n ** 50n + 1n),
  )
  .map(normalize);

function floor(x: bigint, y: bigint): bigint {
  const quotient = x / y;
  return x % y !== 0n && x < 0n !== y < 0n ? quotient - 1n : quotient;
}

describe("ints are exact, and as small as they can be", () => {
  const same = (name: string, ours: (x: Int, y: Int) => Int, exact: (x: bigint, y: bigint) => bigint) =>
    test(name, () => {
      fc.assert(
        fc.property(int, int, (x, y) => {
          const result = ours(x, y);
          expect(BigInt(result)).toBe(exact(BigInt(x), BigInt(y)));
          expect(Object.is(result, -0)).toBe(false);
          expect(typeof result === "number").toBe(
            Number.isSafeInteger(Number(result)) && BigInt(Number(result)) === BigInt(result),
          );
        }),
        { numRuns: 2_000 },
      );
    });
  same(
    "+",
    (x, y) => addInts(free(), x, y),
    (x, y) => x + y,
  );
  same(
    "-",
    (x, y) => subtractInts(free(), x, y),
    (x, y) => x - y,
  );
  same(
    "*",
    (x, y) => multiplyInts(free(), x, y),
    (x, y) => x * y,
  );
  same(
    "&",
    (x, y) => bitwiseInts(free(), "&", x, y),
    (x, y) => x & y,
  );
  same(
    "|",
    (x, y) => bitwiseInts(free(), "|", x, y),
    (x, y) => x | y,
  );
  same(
    "^",
    (x, y) => bitwiseInts(free(), "^", x, y),
    (x, y) => x ^ y,
  );
  same(
    "~",
    (x) => invert(free(), x),
    (x) => ~x,
  );
  same(
    "negation",
    (x) => negate(free(), x),
    (x) => -x,
  );
  same(
    "//",
    (x, y) => (y === 0 ? 0 : floorDivide(free(), x, y)),
    (x, y) => (y === 0n ? 0n : floor(x, y)),
  );
  same(
    "%",
    (x, y) => (y === 0 ? 0 : floorModulo(free(), x, y)),
    (x, y) => (y === 0n ? 0n : x - floor(x, y) * y),
  );
  const count = (y: Int) => Number(BigInt.asUintN(7, BigInt(y)));
  same(
    "<<",
    (x, y) => shiftLeft(free(), x, count(y)),
    (x, y) => x << BigInt.asUintN(7, y),
  );
  same(
    ">>",
    (x, y) => shiftRight(free(), x, count(y)),
    (x, y) => x >> BigInt.asUintN(7, y),
  );
});

test("what is written in a base is read in it", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 200n }), fc.integer({ min: 2, max: 36 }), (value, radix) => {
      expect(BigInt(parseDigits(free(), value.toString(radix), radix) ?? -1)).toBe(value);
      expect(intText(free(), normalize(value))).toBe(String(value));
    }),
  );
  expect(parseDigits(free(), "12", 2)).toBeUndefined();
  expect(parseDigits(free(), "", 10)).toBeUndefined();
});

test("the words of an int are counted", () => {
  expect([1, 2n ** 63n, 2n ** 64n, -(2n ** 640n), 2n ** 6400n].map(wordsOf)).toEqual([1, 1, 2, 11, 101]);
});

describe("are refused before they are made", () => {
  const tight = () => new Thread({ budget: { steps: 10_000, memory: 100_000 } });
  const large = 2n ** 100_000n;
  test.each([
    ["<<", () => shiftLeft(tight(), 1, 1_000_000_000)],
    ["<< by an int beyond all", () => shiftLeft(tight(), 1, 2n ** 100n)],
    ["*", () => multiplyInts(tight(), large, large)],
    ["//", () => floorDivide(tight(), large, large - 1n)],
    ["%", () => floorModulo(tight(), large, large - 1n)],
    ["text", () => intText(tight(), large)],
    ["digits", () => parseDigits(tight(), "9".repeat(60_000), 10)],
  ])("%s", (_, run) => {
    expect(run).toThrow(expect.objectContaining({ name: "StarlarkBudgetError" }));
  });

  test("also where the host sets no limit, because JavaScript has one", () => {
    expect(() => shiftLeft(free(), 1, 2 ** 40)).toThrow("too large");
  });
});
