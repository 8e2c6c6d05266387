import { describe, expect, test } from "vitest";
import { compileExpression, json, Program, type RunOptions, re, StarlarkBudgetError } from "../index.js";

const budget = { steps: 10_000, memory: 100_000, depth: 50 };
const dialect = { predeclared: { json, re }, topLevelControl: true, globalReassign: true, whileLoops: true };
const run = (source: string, options: RunOptions = { budget }) => Program.compile(source, dialect).run(options);

function exhausted(source: string, options?: RunOptions): StarlarkBudgetError {
  try {
    run(source, options);
  } catch (error) {
    if (error instanceof StarlarkBudgetError) return error;
    throw error;
  }
  throw new Error("it ran to its end");
}

describe("what would explode is refused before it is built", () => {
  test.each([
    ['x = "a" * 1000000000', "memory"],
    ['x = 1000000000000000000000 * "a"', "memory"],
    ["x = [0] * 1000000000", "memory"],
    ["x = (0,) * 1000000000", "memory"],
    ['x = b"a" * 1000000000', "memory"],
    ["x = 1 << 1000000000", "memory"],
    ["x = 1 << (1 << 100)", "memory"],
    ["x = 1 << 600000\ny = str(x)", "steps"],
    ['x = "%d" % (1 << 600000)', "steps"],
    ['x = "%x" % (1 << 400000)', "memory"],
    ["x = [1 << 400000, 1 << 400000]\ny = x[0] * x[1]", "memory"],
    ["x = 3\nfor i in range(100): x = x * x", "steps"],
    ["x = list(range(1000000000000))", "memory"],
    ["x = tuple(range(1000000000000))", "memory"],
    ["x = set(range(1000000000000))", "memory"],
    ["x = dict(range(1000000000000))", "memory"],
    ["x = max(range(1000000000000))", "steps"],
    ["x = min(range(1000000000000), key = str)", "steps"],
    ["x = sorted(range(1000000000000))", "memory"],
    ["x = sorted(range(2000))", "steps"],
    ["x = reversed(range(1000000000000))", "memory"],
    ["x = enumerate(range(1000000000000))", "memory"],
    ["x = zip(range(1000000000000), range(1000000000000))", "memory"],
    ["x = all(range(1, 1000000000000))", "steps"],
    ["x = any([0] * 9000 + [0] * 9000)", "memory"],
    ["x = 999999999999.5 in list(range(1000000))", "memory"],
    ["x = [0]\nx.extend(range(1000000000000))", "memory"],
    ["x = [0]\nx += range(1000000000000)", "memory"],
    ["a, b = range(1000000000000)", "unpack"],
    ["x = len(*range(1000000000000))", "memory"],
    ["x = range(1000000000000)[::2][5:]\ny = list(x)", "memory"],
    ['x = ("a" * 1000).join(["b"] * 1000)', "memory"],
    ['x = ("a" * 1000).replace("a", "b" * 1000)', "memory"],
    ['x = ("a" * 1000).replace("", "b" * 1000)', "memory"],
    ['x = ("a," * 9000).split(",")', "memory"],
    ['x = ("a\\n" * 9000).splitlines()', "memory"],
    ['x = ("a " * 9000).split()', "memory"],
    ['x = ("a" * 30000).elems()', "memory"],
    ['x = ("a" * 30000)[::-1]', "memory"],
    ['x = "%s%s%s" % ("a" * 20000, "a" * 20000, "a" * 20000)', "memory"],
    ['x = "{0}{0}{0}".format("a" * 20000)', "memory"],
    ['x = "{0}" * 2000\ny = x.format("a" * 100)', "memory"],
    ['s = "x"\nfor i in range(100): s += s', "memory"],
    ['s = "x"\nfor i in range(100): s = "%s%s" % (s, s)', "memory"],
    ["a = []\nfor i in range(40): a = [a, a]\nx = str(a)", "steps"],
    ["a = []\nfor i in range(40): a = [a, a]\nx = json.encode(a)", "steps"],
    ["a = ()\nb = ()\nfor i in range(40):\n    a = (a, a)\n    b = (b, b)\nx = a == b", "steps"],
    ["a = ()\nfor i in range(40): a = (a, a)\nx = {a: 1}", "memory"],
    ["a = []\nfor i in range(1000): a = [a]\nx = str(a)", "depth"],
    ["a = ()\nfor i in range(1000): a = (a,)\nx = {a: 1}", "depth"],
    ["a = []\na.append(a)\nb = []\nb.append(b)\nx = a == b", "depth"],
    ["a = []\na.append(a)\nx = json.encode(a)", "depth"],
    ['x = json.decode("[" * 10000)', "depth"],
    ['x = json.decode("9" * 15000)', "steps"],
    ['x = int("9" * 15000)', "steps"],
    ['x = re.search(".{900}x", "a" * 20000)', "steps"],
    ['x = re.findall("a*b|a", "a" * 9000)', "steps"],
    ['x = re.match("a{1000}" * 140, "")', "steps"],
    ['x = re.match("(?i)" + "\\\\pL" * 300, "")', "steps"],
    ['x = re.match("((a{10}){10}){10}" * 8, "")', "steps"],
    ['x = re.match("(?i)" + "[\\\\x{80}-\\\\x{10ffff}]" * 3, "")', "steps"],
    ['x = re.match("(?is)" + "[^é-U0010ffff]" * 3, "")', "steps"],
    ['x = re.search("(a*)" * 100, "a" * 200)', "steps"],
    ['x = "a".strip("b" * 40000)', "memory"],
    ["x = {i: i for i in range(5000)}", "memory"],
    ["x = [i + 0.5 for i in range(4000)]", "memory"],
    ["x = [list() for i in range(2000)]", "memory"],
    ["x = [dict() for i in range(2000)]", "memory"],
    ["x = [set() for i in range(2000)]", "memory"],
    ["x = [range(i) for i in range(3000)]", "memory"],
    ['x = [b"a"[:] for i in range(900)]', "memory"],
    ["x = [[].append for i in range(1500)]", "memory"],
    ['x = ["a,b".partition(",") for i in range(1000)]', "memory"],
    ["def f(**k): return k\nx = [f() for i in range(900)]", "memory"],
    ['x = [("\u0390" * 100).upper() for i in range(200)]', "memory"],
    ["x = [[[0 for a in range(100)] for b in range(100)] for c in range(100)]", "steps"],
    ["x = {1: 2}\nfor i in range(5000): x |= {i: 1}", "memory"],
    ["x = set([1])\nfor i in range(5000): x = x | set([i])", "memory"],
    ["while True: pass", "steps"],
    ["def f(n): return [f2(n) for i in range(100)]\ndef f2(n): return [n] * 100\nx = f(1)", "steps"],
  ])("%s", (source, resource) => {
    // A range that does not fit on the left side is a mistake, and not too long.
    if (resource === "unpack") expect(() => run(source)).toThrow("too many values to unpack");
    else expect(exhausted(source).resource).toBe(resource);
  });
});

test("a budget error knows its place, the calls and what was used", () => {
  const error = exhausted('def fill(n):\n    return "x" * n\n\nfill(1000000)\n');
  expect(error).toMatchObject({ code: "STARLARK_E_MEMORY", line: 2, column: 16 });
  expect(error.calls.map(({ name }) => name)).toEqual(["<toplevel>", "fill"]);
  expect(error.usage.memory).toBeGreaterThan(budget.memory);
  expect(error.usage.steps).toBeLessThan(10);
});

describe("JavaScript's own stack is never filled", () => {
  const many = (count: number, body: (i: number) => string) =>
    Array.from({ length: count }, (_, i) => body(i)).join("\n");
  test.each([
    [
      "calls in deep expressions",
      `${many(99, (i) => `def f${i}(): return ${"(0 + ".repeat(60)}f${i + 1}()${")".repeat(60)}`)}\ndef f99(): return 1\nf0()`,
    ],
    [
      "calls in deep lists",
      `${many(99, (i) => `def f${i}(): return ${"[".repeat(90)}f${i + 1}()${"]".repeat(90)}`)}\ndef f99(): return 1\nf0()`,
    ],
    [
      "keys of sorted in keys of sorted",
      `${many(99, (i) => `def f${i}(x): return ${"[".repeat(30)}sorted([1], key = f${i + 1})${"]".repeat(30)}`)}\ndef f99(x): return 1\nf0(1)`,
    ],
  ])("by %s", (_, source) => {
    expect(exhausted(source, { budget: { depth: 1_000_000 } }).resource).toBe("depth");
  });

  test("by recursion, where the host allows it", () => {
    const source = "def f(n): return 0 if n == 0 else 1 + f(n - 1)\nx = f(100)\ny = f(1000000)";
    const program = Program.compile(source, { recursion: true });
    expect(() => program.run({ budget: { depth: 1_000_000, steps: 1e9 } })).toThrow(
      expect.objectContaining({ resource: "depth" }),
    );
    expect(() => program.run({ budget: { depth: 10 } })).toThrow("more than 10 calls deep");
  });

  test.each([
    ["a chain of operators", `a = 1\nx = ${Array(50_000).fill("a").join(" + ")}`],
    ["a chain of and", `a = 1\nx = ${Array(50_000).fill("a").join(" and ")}`],
    [
      "a chain of elif",
      `def f(x):\n    if x == -1: return 0\n${many(20_000, (i) => `    elif x == ${i}: return x`)}\nx = f(19999)`,
    ],
    ["a long list", `x = [${Array(50_000).fill("1").join(", ")}]`],
    ["a long call", `x = max(${Array(50_000).fill("1").join(", ")})`],
    ["a hundred nested brackets", `x = ${"[".repeat(100)}${"]".repeat(100)}`],
    [
      "a long chain of closures",
      "def w(g): return lambda: g\ndef f():\n    x = None\n    for i in range(50000): x = w(x)\n    return x\nx = f()",
    ],
  ])("and %s runs", (_, source) => {
    run(source, {});
  });

  test("not even where the host left little of it", () => {
    const program = Program.compile("def f(x): return sorted([x], key = lambda y: [y])", { recursion: true });
    const module = program.run();
    let outcome: unknown;
    const descend = (): void => {
      try {
        descend();
      } catch {
        // Here the stack is all but full; what is still thrown has to be Starlark's.
        if (outcome !== undefined) return;
        try {
          outcome = module.call("f", [1]).steps > 0;
        } catch (error) {
          outcome = error;
        }
      }
    };
    descend();
    expect(outcome === true || outcome instanceof StarlarkBudgetError || outcome instanceof RangeError).toBe(true);
  });
});

test("cancellation is noticed in loops and in built-ins", () => {
  const signal = { aborted: true };
  for (const source of [
    "while True: pass",
    "x = [i for i in range(100000)]",
    "x = sorted(range(20000))",
    "x = all(range(1, 100000))",
  ]) {
    expect(exhausted(source, { signal }).resource).toBe("cancelled");
  }
});

test("what was cancelled before it began does not begin", () => {
  const printed: string[] = [];
  const options = { signal: AbortSignal.abort(), print: (text: string) => printed.push(text) };
  expect(exhausted('print("x")', options)).toMatchObject({ code: "STARLARK_E_CANCELLED", resource: "cancelled" });
  const module = Program.compile('def f(): print("x")').run();
  expect(() => module.call("f", [], options)).toThrow("cancelled");
  expect(() => compileExpression("1").evaluate({}, options)).toThrow("cancelled");
  expect(printed).toEqual([]);
});

test("a signal that stays silent costs no steps", () => {
  const source = "x = [i for i in range(5000)]";
  expect(run(source, { signal: { aborted: false } }).steps).toBe(run(source, {}).steps);
});

test("the same program takes the same steps and memory, whatever ran before", () => {
  const source =
    'x = {(len, i): [str(i)] for i in range(20)}\ny = sorted(["b", "a"], key = lambda s: s + "c")\nz = "%s" % x';
  const first = run(source, {});
  run("x = {(len, print, str): 1}", {});
  const again = run(source, {});
  expect([again.steps, again.memory]).toEqual([first.steps, first.memory]);
});
