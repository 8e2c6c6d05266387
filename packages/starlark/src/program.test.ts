import { describe, expect, test } from "vitest";
import {
  compileExpression,
  defineFunction,
  fromJson,
  type List,
  type LoadPort,
  type Module,
  Program,
  StarlarkError,
  StarlarkEvalError,
  StarlarkSyntaxError,
} from "./index.js";

function failure(run: () => unknown): StarlarkError {
  try {
    run();
  } catch (error) {
    if (error instanceof StarlarkError) return error;
    throw error;
  }
  throw new Error("it did not fail");
}

describe("a module", () => {
  const module = Program.compile("limit = 3\ndef allowed(n): return n <= limit\n_hidden = 1").run();

  test("has its names, and functions that are called many times", () => {
    expect([...module.globals.keys()]).toEqual(["limit", "allowed", "_hidden"]);
    expect([module.has("allowed"), module.has("limit"), module.has("other")]).toEqual([true, false, false]);
    expect([module.call("allowed", [3]).value, module.call("allowed", [4]).value]).toEqual([true, false]);
    expect(() => module.call("limit")).toThrow("the module has no function limit");
  });

  test("is frozen when it has run", () => {
    const frozen = Program.compile("data = [1]\ndef grow(): data.append(2)").run();
    expect(() => frozen.call("grow")).toThrow("cannot append to frozen list");
    const closure = Program.compile(
      "def make():\n    n = []\n    def f(): n.append(1)\n    return f\ngrow = make()",
    ).run();
    expect(() => closure.call("grow")).toThrow("frozen");
  });

  test("and a program that is called runs in a scope of its own each time", () => {
    const ticks: number[] = [];
    const tick = defineFunction("tick", {}, () => ticks.push(ticks.length));
    const program = Program.compile("start = tick()\ndef f(): return start", { predeclared: { tick } });
    expect([program.call("f").value, program.call("f").value]).toEqual([1, 2]);
    expect(program.names).toEqual(["start", "f"]);
  });

  test("does not see what another run of the same program did", () => {
    const program = Program.compile("items = []\nitems.append(1)\ndef f(): return len(items)");
    expect([program.call("f").value, program.run().call("f").value]).toEqual([1, 1]);
  });
});

describe("load", () => {
  const modules = new Map<string, Module>();
  const load: LoadPort = (name) => modules.get(name) ?? null;
  const run = (source: string, filename = "main.star") => Program.compile(source, { load, filename }).run();
  modules.set("lib", run("x = [1]\ndef double(n): return n * factor\nfactor = 2\n_private = 1", "lib.star"));
  modules.set("again", run('load("lib", "double")\ny = double(4)', "again.star"));

  test("brings names in, under the same or another name", () => {
    expect(run('load("lib", "x", twice = "double")\nz = twice(x[0])').globals.get("z")).toBe(2);
  });

  test("what is frozen has a hash: equal values find each other, others do not", () => {
    modules.set(
      "frozen",
      Program.compile(`
def made():
    return [[1, "a"], {1: [2], "b": None}, set([1, "x"]), ([3],)]
one = made()
other = [[1.0, "a"], {"b": None, 1.0: [2]}, set(["x", 1]), ([3.0],)]
like = [(1, "a"), [(1, [2]), ("b", None)], {1: 1, "x": 1}, [[3]], [1], ["1a"], {1: [2]}, set([1])]
empty = [[], {}, set(), ()]
`).run(),
    );
    const value = run(`
load("frozen", "one", "other", "like", "empty", "made")
def f():
    d = {key: index for index, key in enumerate(one)}
    return [d[key] for key in other] + [key in d for key in like] + [len(set(empty))]
x = f()`).globals.get("x") as List;
    expect(value.items).toEqual([0, 1, 2, 3, ...Array(8).fill(false), 4]);
    expect(() => run('load("frozen", "made")\nx = {made()[0]: 1}')).toThrow("unhashable type: 'list'");
    expect(() => run('load("frozen", "one")\nx = {(one, []): 1}')).toThrow("unhashable type: 'list'");
  });

  test("makes them no names of the module that loads", () => {
    expect([...run('load("lib", "x")\nz = x').globals.keys()]).toEqual(["z"]);
    expect(modules.get("again")?.globals.has("double")).toBe(false);
    expect(() => run('load("again", "double")')).toThrow("double not found in module again");
  });

  test.each([
    ['load("lib", "missing")', "missing not found"],
    ['load("nowhere", "x")', 'no module "nowhere"'],
    ['load("lib", "_private")', "leading underscores"],
    ['load("lib", "no name")', '"no name" is not a name'],
    ['load("lib", x = "if")', '"if" is not a name'],
    ['load("lib", "x")\nx.append(1)', "frozen"],
    ['load("lib", "x")\nx = 1', "cannot reassign"],
  ])("%s", (source, message) => {
    expect(() => run(source)).toThrow(message);
  });

  test("is refused where the host has no modules", () => {
    expect(() => Program.compile('load("m", "x")').run()).toThrow("no modules to load");
  });

  test("and a failure in a loaded function has its own file in the traceback", () => {
    const error = failure(() => run('load("lib", "double")\ndouble([])\ndouble(None)')) as StarlarkEvalError;
    expect(error.traceback).toContain("main.star:3:7: in <toplevel>\n  lib.star:2:25: in double");
    expect(error.frame).toContain("def double(n): return n * factor");
  });
});

describe("errors", () => {
  test("know file, line, column, and the line itself", () => {
    const error = failure(() => Program.compile("def f():\n    x =\t= 1\n", { filename: "policy.star" }));
    expect(error).toBeInstanceOf(StarlarkSyntaxError);
    expect(error).toMatchObject({ code: "STARLARK_E_SYNTAX", file: "policy.star", line: 2, column: 9 });
    expect(error.frame).toBe("2 |     x =\t= 1\n  |        \t^");
    expect(error.report).toBe(
      'policy.star:2:9: syntax error: got "=", want an expression\n2 |     x =\t= 1\n  |        \t^',
    );
  });

  test("at run time know the calls that led there", () => {
    const source = "def inner(x):\n    return x[3]\n\ndef outer():\n    return [inner(y) for y in [[1]]]\n\nouter()\n";
    const error = failure(() => Program.compile(source, { filename: "policy.star" }).run()) as StarlarkEvalError;
    expect(error.report).toBe(`Traceback (most recent call last):
  policy.star:7:6: in <toplevel>
  policy.star:5:18: in outer
  policy.star:2:13: in inner
Error: index 3 out of range: index is 3, length is 1
2 |     return x[3]
  |             ^`);
  });

  test.each([
    ['x = (1 +\n  "a")', 1, 8],
    ['x = [1,\n  2 + "a"]', 2, 5],
    ["x = len(\n  [1],\n  2)", 1, 8],
    ['x = "a".foo', 1, 8],
    ["x = {1: 2}[3]", 1, 11],
    ["x = -None", 1, 5],
    ['x = [i for i in range(3) if i + "a"]', 1, 31],
    ["def f(a): pass\nx = f()", 2, 6],
    ["x = [1][2:3:0]", 1, 8],
    ["a, b = 1", 1, 1],
    ["x = {[]: 1}", 1, 6],
    ['x = "%d" % None', 1, 10],
    ["x = 1 + 1 + 1 + 1 + 1 + 1 + None", 1, 27],
    ["x = sorted([1, None])", 1, 11],
    ["x = sorted([1], key = lambda y: y.z)", 1, 34],
  ])("point at what went wrong in %j", (source, line, column) => {
    expect(failure(() => Program.compile(source).run())).toMatchObject({ line, column });
  });

  test("of a built-in carry its name, and those of a function it calls do not", () => {
    expect(failure(() => Program.compile("x = int([])").run()).message).toMatch(/^Error in int: /);
    expect(failure(() => Program.compile("x = max([1], key = lambda y: y + None)").run()).message).toBe(
      "unknown binary op: int + NoneType",
    );
  });

  test("a host may catch one and go on", () => {
    const attempt = defineFunction("attempt", { f: "callable" }, ({ f }, thread) => {
      try {
        return f.call(thread, [], new Map());
      } catch (error) {
        if (error instanceof StarlarkEvalError) return error.message;
        throw error;
      }
    });
    const source =
      'items = [1]\ndef bad():\n    for i in items: fail("no")\nx = attempt(bad)\nitems.append(2)\ny = [1][5]';
    const error = failure(() => Program.compile(source, { predeclared: { attempt } }).run()) as StarlarkEvalError;
    expect(error.calls.map(({ name }) => name)).toEqual(["<toplevel>"]);
    expect(error).toMatchObject({ line: 6, column: 8 });
  });
});

describe("options that are off", () => {
  test.each([
    ["while", "def f():\n    while True: break\nf()", { whileLoops: true }, "while is not available"],
    ["recursion", "def f(n): return n and f(n - 1)\nf(3)", { recursion: true }, "called recursively"],
    ["control at the top", "if True: pass", { topLevelControl: true }, "not within a function"],
    ["assigning again", "x = 1\nx = 2", { globalReassign: true }, "cannot reassign"],
  ])("%s", (_, source, option, message) => {
    expect(() => Program.compile(source).run()).toThrow(message);
    Program.compile(source, option).run();
  });
});

test("an expression sees the values of each call, and nothing else", () => {
  const isLong = compileExpression("len(payload) > limit", { names: ["payload", "limit"] });
  expect(isLong.evaluate({ payload: "abc", limit: 2 }).value).toBe(true);
  expect(isLong.evaluate({ payload: "abc", limit: 3 }).value).toBe(false);
  expect(() => isLong.evaluate({ payload: "abc" })).toThrow("got no value for limit");
  expect(() => compileExpression("other", { names: ["payload"] })).toThrow("undefined: other");
  expect(() => compileExpression("x = 1")).toThrow("use == to compare");
  expect(() => compileExpression("")).toThrow(StarlarkError);
  expect(() => compileExpression("1 2")).toThrow("the end of the expression");
  expect(
    compileExpression("\n  [x\n for x in p]\n", { names: ["p"] }).evaluate({ p: fromJson([1]) }).steps,
  ).toBeGreaterThan(0);
  const error = failure(() => compileExpression("p.x", { names: ["p"], filename: "when" }).evaluate({ p: 1 }));
  expect(error.report).toContain("when:1:2: in <expression>");
});
