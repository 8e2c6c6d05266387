import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  compileExpression,
  Program,
  repr,
  StarlarkBudgetError,
  StarlarkError,
  StarlarkEvalError,
  Thread,
} from "./index.js";

const budget = { steps: 10_000, memory: 100_000, depth: 50 };
const run = (source: string) => Program.compile(source).run({ budget });
const value = (expression: string) => {
  const thread = new Thread();
  return repr(thread, Program.compile(`x = ${expression}`).run({ budget }).globals.get("x") ?? null);
};

describe("budgets", () => {
  test.each([
    ["a string that would explode", 'x = "a" * 1000000000', "memory"],
    ["a list that would explode", "x = [0] * 1000000000", "memory"],
    [
      "an int that would explode",
      "x = 1 << 100000\ny = x * x * x * x * x * x * x * x * x * x * x * x * x * x",
      "memory",
    ],
    ["a range that never ends", "x = max(range(1000000000000))", "steps"],
    ["nested comprehensions", "x = [[[0 for a in range(100)] for b in range(100)] for c in range(100)]", "steps"],
    ["doubling", 'def f():\n    s = "x"\n    for i in range(100):\n        s += s\nf()', "memory"],
    ["join", 'x = ("a" * 1000).join(["b"] * 1000)', "memory"],
    ["replace", 'x = ("a" * 1000).replace("a", "b" * 1000)', "memory"],
    ["sorting", "x = sorted(range(100000))", "steps"],
  ])("stop %s", (_, source, resource) => {
    expect(() => run(source)).toThrow(expect.objectContaining({ name: "StarlarkBudgetError", resource }));
  });

  test("are the same on every run", () => {
    const source = "x = [i * i for i in range(100) if i % 3 == 0]";
    expect(run(source).steps).toBe(run(source).steps);
  });

  test("cancellation", () => {
    const program = Program.compile("x = [i for i in range(1000000)]");
    expect(() => program.run({ signal: { aborted: true } })).toThrow(StarlarkBudgetError);
  });
});

describe("no way out", () => {
  test.each([
    '"".constructor',
    '"".__proto__',
    "[].constructor",
    "{}.__proto__",
    "(1).constructor",
    "len.constructor",
    "len.call",
    '"".format.constructor',
    'getattr("", "constructor")',
    'getattr([], "__proto__")',
    'getattr(len, "call")',
    'getattr({}, "entries")',
    'getattr([], "items")',
    '"{0.constructor}".format("")',
    '"{x[0]}".format(x = "")',
    "globalThis",
    "process",
    "Function",
    "eval",
    "require",
    "this",
    "Object",
    'hasattr("", "constructor") or fail("no")',
    'dir("").index("constructor")',
  ])("through %s", (expression) => {
    expect(() => run(`x = ${expression}`)).toThrow(StarlarkError);
  });

  test("dict keys are only keys", () => {
    expect(value('{"__proto__": 1, "constructor": 2, "toString": 3}')).toBe(
      '{"__proto__": 1, "constructor": 2, "toString": 3}',
    );
    expect(value('{}.get("constructor")')).toBe("None");
  });
});

describe("values", () => {
  test.each([
    ["2 ** 3", null],
    ["100000000000 * 100000000000", "10000000000000000000000"],
    ["-7 // 2", "-4"],
    ["-7 % 3", "2"],
    ["7 % -3", "-2"],
    ["1 == 1.0 and {1: 2}[1.0] == 2", "True"],
    ["True == 1", "False"],
    ["1e6", "1000000.0"],
    ["1.0 / 3", "0.3333333333333333"],
    ['float("inf")', "+inf"],
    ['b"\\x00\\xff"', 'b"\\x00\\xff"'],
    ["{None: None}.get(None, 1)", "None"],
    ["[x for x in range(3)] + [x for x in (9,)]", "[0, 1, 2, 9]"],
    ["(lambda *a, b = 2, **k: (a, b, k))(1, c = 3)", '((1,), 2, {"c": 3})'],
    ['"%s %r %d" % ("a", "b", 3)', '"a \\"b\\" 3"'],
  ])("%s", (expression, expected) => {
    if (expected === null) expect(() => value(expression)).toThrow(StarlarkError);
    else expect(value(expression)).toBe(expected);
  });

  test("are frozen after a module has run", () => {
    const module = Program.compile("data = [1]\ndef grow(): data.append(2)").run();
    expect(() => module.call("grow", [])).toThrow("cannot append to frozen list");
  });

  test("an error knows its place and the calls that led there", () => {
    const source = "def inner(x):\n    return x[3]\n\ndef outer():\n    return inner([1])\n\nouter()\n";
    try {
      Program.compile(source, { filename: "policy.star" }).run();
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(StarlarkEvalError);
      const { position, calls, traceback } = error as StarlarkEvalError;
      expect(position).toEqual({ file: "policy.star", line: 2, column: 13 });
      expect(calls.map(({ name }) => name)).toEqual(["<toplevel>", "outer", "inner"]);
      expect(traceback).toContain("policy.star:5:17: in outer");
    }
  });
});

test("an expression sees the values of each call, and nothing else", () => {
  const isLong = compileExpression("len(payload) > limit", { names: ["payload", "limit"] });
  expect(isLong.evaluate({ payload: "abc", limit: 2 }).value).toBe(true);
  expect(isLong.evaluate({ payload: "abc", limit: 3 }).value).toBe(false);
  expect(() => isLong.evaluate({ payload: "abc" })).toThrow("got no value for limit");
  expect(() => compileExpression("other", { names: ["payload"] })).toThrow("undefined: other");
  expect(() => compileExpression("x = 1")).toThrow(StarlarkError);
});

test("no text makes it crash or hang", () => {
  const words =
    "def f(x): return x\n|x = |[1, 2]|{'a': 1}|for i in range(3):\n    pass\n|lambda x: x|(|)|[|]|:|\n|    |if |else |+|*|%|'s'|1|1.5|not |in |x.y|f(1)|*args|**kw|\\|#c\n|;|,|==|and |None|b'x'|.format(|\t|\r\n|💥".split(
      "|",
    );
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...words), { maxLength: 30 }), (parts) => {
      try {
        Program.compile(parts.join(""), { topLevelControl: true, globalReassign: true }).run({ budget });
      } catch (error) {
        if (!(error instanceof StarlarkError)) throw error;
      }
    }),
    { numRuns: 5_000 },
  );
});
