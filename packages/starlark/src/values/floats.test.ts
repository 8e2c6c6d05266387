import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { exponentialText, fixedText, floatText } from "./floats.js";

describe("floats as Go prints them", () => {
  test.each([
    [0, "0.0"],
    [-0, "-0.0"],
    [1, "1.0"],
    [-1.5, "-1.5"],
    [999_999, "999999.0"],
    [999_999.5, "999999.5"],
    [1e6, "1e+06"],
    [1_234_567, "1.234567e+06"],
    [1e21, "1e+21"],
    [0.0001, "0.0001"],
    [0.00001, "1e-05"],
    [1.5e-7, "1.5e-07"],
    [1e-100, "1e-100"],
    [Number.MAX_VALUE, "1.7976931348623157e+308"],
    [Number.MIN_VALUE, "5e-324"],
    [Number.POSITIVE_INFINITY, "+inf"],
    [Number.NEGATIVE_INFINITY, "-inf"],
    [Number.NaN, "nan"],
  ])("%d", (value, text) => {
    expect(floatText(value)).toBe(text);
  });

  test("read back as themselves", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) =>
        Object.is(Number(floatText(value)), value),
      ),
    );
  });
});

test.each([
  [0.0078125, "0.007812", "7.812500e-03"],
  [0.0234375, "0.023438", "2.343750e-02"],
  [1e22, "10000000000000000000000.000000", "1.000000e+22"],
  [-1e-9, "-0.000000", "-1.000000e-09"],
  [0, "0.000000", "0.000000e+00"],
  [9.9999999, "10.000000", "1.000000e+01"],
  [10_000_005, "10000005.000000", "1.000000e+07"],
  [10_000_015, "10000015.000000", "1.000002e+07"],
  [Number.NaN, "nan", "nan"],
])("%d with %%f and %%e", (value, fixed, exponential) => {
  expect([fixedText(value), exponentialText(value)]).toEqual([fixed, exponential]);
});
