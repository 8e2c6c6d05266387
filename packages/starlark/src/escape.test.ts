import { describe, expect, test } from "vitest";
import {
  compileExpression,
  Dict,
  defineFunction,
  defineModule,
  fromJson,
  json,
  Program,
  re,
  repr,
  StarlarkError,
  Thread,
  toJson,
} from "./index.js";

class Account {
  secret = "s3cret";
  reveal(): string {
    return this.secret;
  }
}

const seen: unknown[] = [];
const predeclared = {
  json,
  re,
  host: defineModule("host", {
    note: defineFunction("note", { x: "json" }, ({ x }) => {
      seen.push(x);
    }),
    call: defineFunction("call", { f: "callable", x: "any?" }, ({ f, x = null }, thread) =>
      f.call(thread, [x], new Map()),
    ),
  }),
};
const dialect = { predeclared, topLevelControl: true, globalReassign: true };
const run = (source: string) => Program.compile(source, dialect).run({ budget: { steps: 100_000 } });

// Every one of these ends as an error of Starlark's, and not with anything of JavaScript in hand.
const ATTEMPTS = [
  // attributes of the values JavaScript would give them
  '"".constructor',
  '"".__proto__',
  '"".length',
  '"".at(0)',
  '"".charCodeAt(0)',
  '"".split.constructor',
  '"".split.call',
  '"".split.bind',
  '"".split.apply(None, [])',
  "[].constructor",
  "[].__proto__",
  "[].length",
  "[].items",
  "[].push(1)",
  "[].isFrozen",
  "[].iterators",
  "{}.__proto__",
  "{}.constructor",
  "{}.entries",
  "{}.hasOwnProperty",
  "{}.put",
  "(1).constructor",
  "(1).toString()",
  "(1.5).value",
  "(1 << 100).toString()",
  "True.constructor",
  "None.constructor",
  "().items",
  "set().entries",
  "range(3).start",
  'b"a".data',
  'b"a".buffer',
  "len.constructor",
  "len.call(None)",
  "len.name",
  "len.run",
  "len.signature",
  "(lambda: 1).code",
  "(lambda: 1).parent",
  "(lambda: 1).fallbacks",
  "(lambda: 1).call",
  "(lambda: 1).__globals__",
  "(lambda: 1).prototype",
  "json.members",
  "json.encode.run",
  "json.__proto__",
  "host.constructor",
  // by name
  'getattr("", "constructor")',
  'getattr([], "__proto__")',
  'getattr({}, "entries")',
  'getattr(len, "call")',
  'getattr(lambda: 1, "code")',
  'getattr(host, "__proto__")',
  'hasattr("", "constructor") or fail("no")',
  'hasattr(host, "toString") or fail("no")',
  'dir("").index("constructor")',
  'dir(host).index("__proto__")',
  // through formats
  '"{0.constructor}".format("")',
  '"{0[constructor]}".format({})',
  '"{x.__class__.__mro__}".format(x = [])',
  '"{__proto__}".format()',
  '"{constructor}".format(a = 1)',
  '"%(__proto__)s" % {}',
  '"%(constructor)s" % {}',
  '"{:{}}".format(1, 2)',
  // as a key or an index
  '{}["__proto__"]',
  '{}["constructor"]',
  '[]["length"]',
  '[]["constructor"]',
  '"abc"["length"]',
  '{}.pop("__proto__")',
  '[1].index("__proto__")',
  '[1, 2]["0"]',
  // names of JavaScript's world
  "globalThis",
  "process",
  "Function",
  "eval",
  "require",
  "import_",
  "this",
  "self",
  "Object",
  "Reflect",
  "Proxy",
  "Symbol",
  "arguments",
  "undefined",
  "__proto__",
  "constructor",
  // by way of built-ins that call, sort or convert
  'sorted([1, 2], key = "constructor")',
  'sorted([1, 2], key = {"constructor": 1}.get("constructor"))',
  "sorted([len, print])",
  "max([lambda: 1, lambda: 2])",
  "len.__call__([1])",
  "int(lambda: 1)",
  'int("constructor", 36).constructor',
  "float({})",
  "bytes({1: 2}).constructor",
  "hash(len)",
  "{[]: 1}",
  "host.note(len)",
  "host.note(host)",
  "host.note(lambda: 1)",
  'host.note(b"a")',
  "host.call(1)",
  "host.call(host.call, host.call)",
  "json.encode(len)",
  "json.encode(host)",
  'json.decode("{\\"__proto__\\": {\\"x\\": 1}}").x',
  're.match("(?<constructor>a)", "a").constructor',
  're.search("a", "a").groups',
  'load("fs", "readFileSync")',
  'load("node:child_process", "exec")',
];

describe("no way to JavaScript", () => {
  test.each(ATTEMPTS)("%s", (attempt) => {
    expect(() => run(attempt.startsWith("load") ? attempt : `x = ${attempt}`)).toThrow(StarlarkError);
  });
});

describe("names that mean something to JavaScript mean nothing here", () => {
  const value = (expression: string) => {
    const module = run(`x = ${expression}`);
    return repr(new Thread(), module.globals.get("x") ?? null);
  };

  test.each([
    ['{"__proto__": 1, "constructor": 2, "toString": 3}', '{"__proto__": 1, "constructor": 2, "toString": 3}'],
    ['{}.get("constructor")', "None"],
    ['{}.setdefault("__proto__", 5)', "5"],
    ['"__proto__" in {}', "False"],
    ["dict(__proto__ = 1, constructor = 2)", '{"__proto__": 1, "constructor": 2}'],
    ["(lambda **k: k)(__proto__ = 1)", '{"__proto__": 1}'],
    ["(lambda __proto__, constructor: __proto__)(1, 2)", "1"],
    ['"{__proto__}".format(__proto__ = 1)', '"1"'],
    ['"%(__proto__)s" % {"__proto__": 1}', '"1"'],
    ['json.decode("{\\"__proto__\\": 1}")', '{"__proto__": 1}'],
    ['json.encode({"__proto__": 1, "toJSON": 2})', '"{\\"__proto__\\":1,\\"toJSON\\":2}"'],
    ['sorted(["__proto__", "constructor"])', '["__proto__", "constructor"]'],
    ['set(["__proto__", "__proto__"])', 'set(["__proto__"])'],
    ["[__proto__ for __proto__ in [1]]", "[1]"],
  ])("%s", (expression, expected) => {
    expect(value(expression)).toBe(expected);
  });

  test("as names of a module's own", () => {
    const module = run("__proto__ = 1\nconstructor = 2\ntoString = 3\ndef valueOf(): return 4");
    expect([...module.globals.keys()]).toEqual(["__proto__", "constructor", "toString", "valueOf"]);
    expect(module.call("valueOf").value).toBe(4);
    expect(() => module.call("hasOwnProperty")).toThrow("no function hasOwnProperty");
    expect(() => Program.compile("x = 1").call("__proto__")).toThrow("no function __proto__");
  });

  test("as a key that goes out to JSON and comes back", () => {
    run('host.note({"__proto__": {"polluted": True}})');
    expect(Object.hasOwn(seen.at(-1) as object, "__proto__")).toBe(true);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    const dict = fromJson(JSON.parse('{"__proto__": 1}'));
    expect(dict instanceof Dict && dict.get(new Thread(), "__proto__")).toBe(1);
    expect(Object.keys(toJson(dict) as object)).toEqual(["__proto__"]);
  });

  test("as the name of a value an expression is called with", () => {
    const names = ["payload"];
    expect(() => compileExpression("constructor", { names })).toThrow("undefined: constructor");
    expect(() => compileExpression("payload", { names: ["toString"] })).toThrow("undefined: payload");
    expect(() => compileExpression("toString", { names: ["toString"] }).evaluate({})).toThrow(
      "got no value for toString",
    );
  });
});

describe("what belongs to the host stays with the host", () => {
  test("objects with a class of their own do not come in as data", () => {
    expect(() => fromJson(new Account() as never)).toThrow(StarlarkError);
    expect(() => fromJson({ a: [() => 1] } as never)).toThrow("$.a[0]");
    expect(() => fromJson({ a: Symbol("x") } as never)).toThrow(StarlarkError);
    expect(() => fromJson({ a: new Map() } as never)).toThrow(StarlarkError);
  });

  test("what the host declares cannot be changed by a program", () => {
    const rules = fromJson({ deny: ["rm"] });
    const program = Program.compile('def f(): rules["deny"].append("ls")\nf()', { predeclared: { rules } });
    expect(() => program.run()).toThrow("cannot append to frozen list");
  });

  test("an error of the host is the host's, and an error of a program shows none of its code", () => {
    const trouble = new RangeError("the host's own");
    const boom = defineFunction("boom", {}, () => {
      throw trouble;
    });
    expect(() => Program.compile("boom()", { predeclared: { boom } }).run()).toThrow(trouble);
    try {
      run('x = "a" + 1');
      expect.unreachable();
    } catch (error) {
      expect((error as StarlarkError).report).not.toMatch(/\.(?:ts|js)\b|node_modules|at /);
    }
  });

  test("one run cannot see another", () => {
    const module = run("log = []\ndef f(x, seen = []):\n    return len(seen) + len(log)");
    expect(module.call("f", [1]).value).toBe(0);
    const grow = run("log = []\ndef f(x):\n    log.append(x)");
    expect(() => grow.call("f", [1])).toThrow("frozen");
    const fallback = run("def f(x, seen = []):\n    seen.append(x)\n    return seen");
    expect(() => fallback.call("f", [1])).toThrow("frozen");
    const method = run("log = []\nadd = log.append\ndef f(x): add(x)");
    expect(() => method.call("f", [1])).toThrow("frozen");
  });
});
