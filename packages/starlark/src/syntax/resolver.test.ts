import { describe, expect, test } from "vitest";
import { StarlarkResolveError } from "../errors.js";
import { parseFile } from "./parser.js";
import { type Resolution, resolveFile } from "./resolver.js";

const predeclared = new Map([["len", null]]);

function resolve(text: string, options = {}): Resolution {
  const rules = { predeclared, whileLoops: false, topLevelControl: false, globalReassign: false, ...options };
  return resolveFile({ file: "test.star", text }, parseFile(text), rules);
}

/** Every use of a name in the order of the source: how many functions outwards, and at which index. */
function usesOf(text: string): string[] {
  const { names } = resolve(text);
  return [...names]
    .sort(([a], [b]) => a.line - b.line || a.column - b.column)
    .map(
      ([{ name }, binding]) => `${name} ${binding.kind === "variable" ? `${binding.depth}/${binding.index}` : "given"}`,
    );
}

describe("names", () => {
  test.each([
    ["x = len", ["x 0/0", "len given"]],
    ["x = 1\ndef f(y): return x + y", ["x 0/0", "x 1/0", "y 0/0"]],
    ["def f():\n    a = 1\n    return lambda b: a + b", ["a 0/0", "a 1/0", "b 0/0"]],
    ["x = [1]\ny = [x for x in x]", ["x 0/0", "y 0/1", "x 0/2", "x 0/2", "x 0/0"]],
    ["def f(a = 1, *b, c, **d): return (a, b, c, d)", ["a 0/0", "b 0/1", "c 0/2", "d 0/3"]],
    ["def f():\n    return g()\ndef g(): pass", ["g 1/1"]],
    ["len = 1\nx = len", ["len 0/0", "x 0/1", "len 0/0"]],
    ["def f(x = len): pass", ["len given"]],
  ])("of %j", (source, uses) => {
    expect(usesOf(source)).toEqual(uses);
  });

  test("of the module, and of those it loads", () => {
    const { globals, loaded } = resolve("load('m', 'a', b = 'c')\nd = 1\ndef e(): pass");
    expect(globals).toEqual(["a", "b", "d", "e"]);
    expect([...loaded]).toEqual(["a", "b"]);
  });

  test("a function knows how many variables a call of it has, and how deep it goes", () => {
    const { functions } = resolve("def f(a):\n    b = [c for c in a]\n    return b");
    const [layout] = functions.values();
    expect(layout?.size).toBe(3);
    expect(layout?.weight).toBeGreaterThan(5);
  });
});

describe("refuses", () => {
  test.each([
    ["x = y", 1, 5, "undefined: y"],
    ["x = lenn", 1, 5, "did you mean len?"],
    ["total = 1\nx = totl", 2, 5, "did you mean total?"],
    ["x = isinstance", 1, 5, 'use type(x) == "string"'],
    ["x = 1\nx = 2", 2, 1, "cannot reassign global x"],
    ["x = 1\nx += 2", 2, 1, "cannot reassign global x"],
    ["def f(): pass\nf = 1", 2, 1, "cannot reassign global f"],
    ["load('m', 'a')\na = 1", 2, 1, "cannot reassign global a"],
    ["load('m', '_a')", 1, 1, "leading underscores"],
    ["def f():\n    load('m', 'a')", 2, 5, "within a function"],
    ["if 1: pass", 1, 1, "not within a function"],
    ["for x in []: pass", 1, 1, "not within a function"],
    ["def f():\n    while 1: pass", 2, 5, "while is not available"],
    ["return", 1, 1, "not within a function"],
    ["def f(): break", 1, 10, "not in a loop"],
    ["def f():\n    for x in []:\n        def g(): break", 3, 18, "not in a loop"],
    ["x = [a for b in a for a in b]", 1, 17, "undefined: a"],
    [`x = 1\ny = x${".a".repeat(1_000)}`, 2, 0, "nested too deeply"],
  ])("%j", (source, line, column, message) => {
    let thrown: unknown;
    try {
      resolve(source);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(StarlarkResolveError);
    const place = message === "nested too deeply" ? { line } : { line, column };
    expect(thrown).toMatchObject({ ...place, message: expect.stringContaining(message) });
  });

  test("what an option allows is allowed", () => {
    resolve("while 1: pass\nif 1: pass\nx = 1\nx = 2", {
      whileLoops: true,
      topLevelControl: true,
      globalReassign: true,
    });
  });
});

test("a load stands by itself, also where the host allows if and for outside of functions", () => {
  for (const head of ["if len:", "for x in [1]:", "if len: pass\nelse:"]) {
    const source = `${head}\n    load('m', 'a')`;
    expect(() => resolve(source, { topLevelControl: true })).toThrow("load statement within a conditional or a loop");
  }
});
