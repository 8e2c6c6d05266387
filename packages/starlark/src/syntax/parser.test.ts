import { describe, expect, test } from "vitest";
import { StarlarkSyntaxError } from "../errors.js";
import { parseExpression, parseFile } from "./parser.js";
import type { Expression } from "./tree.js";

/** An expression with all of its parentheses. */
function grouped(node: Expression): string {
  switch (node.kind) {
    case "name":
      return node.name;
    case "literal":
      return JSON.stringify(typeof node.value === "bigint" ? Number(node.value) : node.value);
    case "binary":
      return `(${grouped(node.left)} ${node.operator} ${grouped(node.right)})`;
    case "unary":
      return `(${node.operator} ${grouped(node.operand)})`;
    case "conditional":
      return `(${grouped(node.then)} if ${grouped(node.test)} else ${grouped(node.otherwise)})`;
    case "lambda":
      return `(lambda ${node.parameters.map(({ kind, name }) => `${kind}:${name}`).join(" ")}: ${grouped(node.body)})`;
    case "tuple":
    case "list":
      return `${node.kind}(${node.items.map(grouped).join(" ")})`;
    case "dot":
      return `${grouped(node.object)}.${node.name}`;
    case "index":
      return `${grouped(node.object)}[${grouped(node.index)}]`;
    case "slice":
      return `${grouped(node.object)}[${[node.start, node.stop, node.step].map((part) => part && grouped(part)).join(":")}]`;
    case "call":
      return `${grouped(node.callee)}(${node.args.map((arg) => `${arg.kind}${"name" in arg ? `:${arg.name}` : ""} ${grouped(arg.value)}`).join(", ")})`;
    default:
      return node.kind;
  }
}

describe("expressions bind as the grammar says", () => {
  test.each([
    ["a + b * c", "(a + (b * c))"],
    ["a - b - c", "((a - b) - c)"],
    ["a or b and not c", "(a or (b and (not c)))"],
    ["not a == b", "(not (a == b))"],
    ["not a in b", "(not (a in b))"],
    ["a not in b", "(a not in b)"],
    ["a | b ^ c & d << e + f * -g", "(a | (b ^ (c & (d << (e + (f * (- g)))))))"],
    ["a < b + c", "(a < (b + c))"],
    ["-a.b[c](d)", "(- a.b[c](positional d))"],
    ["- -~+a", "(- (- (~ (+ a))))"],
    ["a if b else c if d else e", "(a if b else (c if d else e))"],
    ["lambda: a, b", "tuple((lambda : a) b)"],
    ["lambda x, y = 1, *z, w, **k: x if y else z", "(lambda plain:x plain:y args:z plain:w kwargs:k: (x if y else z))"],
    ["a, b", "tuple(a b)"],
    ["(a,)", "tuple(a)"],
    ["a[b,]", "a[tuple(b)]"],
    ["()", "tuple()"],
    ["(a)", "a"],
    ["(a,)", "tuple(a)"],
    ["[a, b,]", "list(a b)"],
    ["a[b, c]", "a[tuple(b c)]"],
    ["a[:]", "a[::]"],
    ["a[b:c:d]", "a[b:c:d]"],
    ["a[::b]", "a[::b]"],
    ["f(a, b = c, *d, **e)", "f(positional a, named:b c, args d, kwargs e)"],
    ["f(a)(b).c", "f(positional a)(positional b).c"],
    ["(a\n + b)", "(a + b)"],
    ["{}", "dict"],
    ["[a for b in c]", "comprehension"],
    ["a % b % c", "((a % b) % c)"],
  ])("%s", (source, expected) => {
    expect(grouped(parseExpression(source, "test.star"))).toBe(expected);
  });
});

test("statements", () => {
  const kinds = parseFile(
    "x = 1; y += 2\nload('m', 'a', b = 'c')\ndef f(a): return\nif x: pass\nelif y: pass\nelse: pass\n",
  );
  expect(kinds.map(({ kind }) => kind)).toEqual(["assign", "augment", "load", "def", "if"]);
  expect(kinds[4]).toMatchObject({ branches: [{ body: [{ kind: "pass" }] }, {}], otherwise: [{ kind: "pass" }] });
  expect(kinds[2]).toMatchObject({
    names: [
      { local: "a", exported: "a" },
      { local: "b", exported: "c" },
    ],
  });
});

test("a chain of a hundred thousand operators is a tree like any other", () => {
  const chain = parseExpression(Array(100_000).fill("a").join(" + "), "test.star");
  expect(chain.kind).toBe("binary");
});

describe("refuses, with a place and what to do", () => {
  test.each([
    ["x = ", 1, 5, "got the end of the line, want an expression"],
    ["def f(:", 1, 7, 'got ":", want a name'],
    ["def f():\nx", 2, 1, "want an indented block"],
    ["def f():\n    \\\n\nx", 4, 1, "want an indented block"],
    ["  x", 1, 3, "unexpected indentation"],
    ["x y", 1, 3, "want the end of the line"],
    ["1 < 2 < 3", 1, 7, "use and"],
    ["a = b = c", 1, 7, "one target"],
    ["f(x for x in y)", 1, 5, "list comprehension"],
    ["{a, b}", 1, 3, "set([...])"],
    ["a ** b", 1, 3, "no ** operator"],
    ["a && b", 1, 4, "use and"],
    ["a || b", 1, 4, "use or"],
    ["(a := b)", 1, 4, "no := operator"],
    ["x: int = 1", 1, 2, "type annotations"],
    ["def f(x: int): pass", 1, 8, "type annotations"],
    ["def f() -> int: pass", 1, 9, "type annotations"],
    ["@f\ndef g(): pass", 1, 1, "decorators"],
    ["assert x", 1, 1, "fail(message)"],
    ["print 'x'", 1, 1, "print(...)"],
    ["if x = 1: pass", 1, 6, "use == to compare"],
    ["for x in y: pass\nelse: pass", 2, 1, "no else"],
    ["[*a]", 1, 2, "arguments of a call"],
    ["x if y", 1, 7, "needs an else"],
    ["load('m')", 1, 1, "at least one name"],
    ["load(m, 'a')", 1, 6, "as a string"],
    ["f(a = 1, b)", 1, 10, "positional argument may not follow named"],
    ["f(*a, b)", 1, 7, "positional argument may not follow *args"],
    ["f(**a, b = 1)", 1, 8, "keyword argument may not follow **kwargs"],
    ["f(**a, **b)", 1, 8, "multiple **kwargs"],
    ["x += y += z", 1, 8, "want the end of the line"],
    ["while x: pass\nelse: pass", 2, 1, "no else"],
    [`${"-".repeat(1_000)}1`, 1, 200, "nested too deeply"],
  ])("%j", (source, line, column, message) => {
    let thrown: unknown;
    try {
      parseFile(source);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(StarlarkSyntaxError);
    expect(thrown).toMatchObject({ message: expect.stringContaining(message), line, column });
  });
});
