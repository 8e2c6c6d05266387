import { describe, expect, test } from "vitest";
import {
  compileExpression,
  defineFunction,
  defineModule,
  defineValue,
  fromJson,
  type Json,
  Program,
  StarlarkBudgetError,
  StarlarkConversionError,
  toJson,
} from "./index.js";

const calls: unknown[] = [];
const predeclared = {
  take: defineFunction(
    "take",
    {
      s: "string",
      i: "int?",
      f: "float?",
      b: "bool?",
      l: "list?",
      d: "dict?",
      j: "json?",
      c: "callable?",
      y: "bytes?",
    },
    (args) => {
      calls.push({ ...args });
      return args.i;
    },
  ),
  log: defineModule(
    "log",
    { warn: defineFunction("warn", { m: "string" }, ({ m }) => `warn ${m}`) },
    defineFunction("log", { m: "any" }, () => "plain"),
  ),
  limits: defineValue({ most: 3, names: ["a"] }),
};
const run = (source: string) => Program.compile(`x = ${source}`, { predeclared }).run().globals.get("x");

describe("functions of the host", () => {
  test("get their arguments by name, checked and unwrapped", () => {
    run('take("a", 1, f = 2, b = True, j = {"k": (1, None)})');
    expect(calls.at(-1)).toMatchObject({ s: "a", i: 1, f: 2, b: true, j: { k: [1, null] }, l: undefined });
    run('take(s = "a", i = None, f = 1.5)');
    expect(calls.at(-1)).toMatchObject({ i: undefined, f: 1.5 });
  });

  test("return a value, or nothing, which is None", () => {
    expect(run('take("a", 5)')).toBe(5);
    expect(run('take("a")')).toBe(null);
  });

  test("must return a value, as everything a host hands over must be one", () => {
    for (const wrong of [0.5, 2 ** 60, 1n, {}, [1], () => 1, Symbol("x"), new Date(), Number.NaN]) {
      const value = wrong as never;
      const lie = defineFunction("lie", {}, () => value);
      expect(() => Program.compile("x = lie()", { predeclared: { lie } }).run()).toThrow(
        "what lie() returned is not a",
      );
      expect(() => Program.compile("x = lie", { predeclared: { lie: value } })).toThrow("the predeclared lie is not a");
      expect(() => defineModule("m", { lie: value })).toThrow("m.lie is not a Starlark value");
      expect(() => Program.compile("def f(x): pass").call("f", [value])).toThrow("argument 1 of f() is not a");
      expect(() => compileExpression("x", { names: ["x"] }).evaluate({ x: value })).toThrow(
        "x is not a Starlark value",
      );
      const load = () => new Map([["lie", value]]);
      expect(() => Program.compile('load("m", "lie")', { load }).run()).toThrow("lie of module m is not a");
    }
  });

  test.each([
    ["take()", "missing argument for s"],
    ["take(1)", "for parameter s: got int, want string"],
    ['take("a", "b")', "for parameter i: got string, want int"],
    ['take("a", f = 1 << 2000)', "int too large to convert to float"],
    ['take("a", 1.0)', "for parameter i: got float, want int"],
    ['take("a", True)', "for parameter i: got bool, want int"],
    ['take("a", 1 << 70)', "too large"],
    ['take("a", f = "1")', "for parameter f: got string, want float"],
    ['take("a", l = ())', "want list"],
    ['take("a", c = 1)', "want callable"],
    ['take("a", s = "b")', "multiple values"],
    ['take("a", z = 1)', 'unexpected keyword argument "z"'],
    ['take("a", j = {1: 2})', "int as key"],
    ['take("a", j = [len])', "$[0]: a builtin_function_or_method is not JSON"],
    ['take("a", 1, 1, True, [], {}, None, len, b"", 1)', "got 10 arguments, want at most 9"],
  ])("%s", (source, message) => {
    expect(() => run(source)).toThrow(message);
    expect(() => run(source)).toThrow(/^Error in take: /);
  });

  test("a parameter cannot have the one name that would change what objects are", () => {
    expect(() => defineFunction("f", JSON.parse('{"__proto__": "any"}'), () => null)).toThrow(TypeError);
  });
});

test("modules of the host have members, and may be called themselves", () => {
  expect([run('log("x")'), run('log.warn("x")'), run("type(log)"), run("dir(log)[0]")]).toEqual([
    "plain",
    "warn x",
    "module",
    "warn",
  ]);
  expect(() => run("log.wran")).toThrow("log has no .wran field or method; did you mean warn?");
  expect(run("limits['names'][0]")).toBe("a");
  expect(() => run("limits['names'].append(1)")).toThrow("frozen");
});

describe("JSON", () => {
  test.each<[Json]>([
    [null],
    [true],
    [1],
    [-0.5],
    ["é"],
    [[]],
    [{}],
    [{ a: [1, { b: null }] }],
    [Number.MAX_SAFE_INTEGER],
  ])("%j comes back as it was", (json) => {
    expect(toJson(fromJson(json))).toEqual(json);
  });

  test("bigints come in exactly, and what JSON cannot say is refused with its place", () => {
    expect(fromJson(2n ** 70n)).toBe(2n ** 70n);
    expect(fromJson(5n)).toBe(5);
    expect(toJson(2n ** 70n)).toBe(2 ** 70);
    expect(() => toJson(2n ** 70n + 1n)).toThrow("too large");
    expect(() => fromJson({ a: [1, Number.NaN] })).toThrow("$.a[1]: NaN is not JSON");
    expect(() => toJson(run("{'a': {1: 2}}") ?? null)).toThrow("$.a: a dict with a int as key is not JSON");
    expect(() => toJson(run("[float('inf')]") ?? null)).toThrow(StarlarkConversionError);
  });

  test("whatever can be iterated over becomes an array", () => {
    expect(toJson(run("[(1,), set([2]), range(3, 9, 3), 'ab'.elems(), b'a'.elems()]") ?? null)).toEqual([
      [1],
      [2],
      [3, 6],
      ["a", "b"],
      [97],
    ]);
    expect(() => toJson(run("range(1000000000000)") ?? null)).toThrow("more than 10000000 values");
    expect(() => run("take('a', j = range(1000000000000))")).toThrow(StarlarkBudgetError);
  });

  test("neither depth nor sharing can hurt the host", () => {
    let deep: Json = [];
    for (let i = 0; i < 100_000; i++) deep = [deep];
    expect(() => fromJson(deep)).toThrow("nested too deeply");
    const shared = Program.compile("def f():\n    a = []\n    for i in range(60): a = [a, a]\n    return a\nx = f()")
      .run()
      .globals.get("x");
    expect(() => toJson(shared ?? null)).toThrow("more than 10000000 values");
  });
});
