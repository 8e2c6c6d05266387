import fc from "fast-check";
import { expect, test } from "vitest";
import { parseExpression, parseFile } from "./parser.js";
import { printExpression, printFile } from "./printer.js";
import type { Argument, Clause, Entry, Expression, Parameter, Statement } from "./tree.js";

const at = { line: 1, column: 1 };
const name = fc.constantFrom("a", "b", "c", "é", "_x1");
const text = fc.string({ unit: "binary", maxLength: 8 });

/** Random trees that a source could have: nothing the parser would refuse. */
const { expression, parameters } = fc.letrec<{
  expression: Expression;
  small: Expression;
  target: Expression;
  clauses: Clause[];
  parameters: Parameter[];
  args: Argument[];
  entry: Entry;
}>((tie) => {
  const inner = tie("expression");
  const items = fc.array(inner, { maxLength: 3 });
  return {
    small: fc.oneof(
      name.map((name): Expression => ({ kind: "name", name, ...at })),
      fc
        .oneof(fc.nat(), fc.bigInt({ min: 2n ** 53n, max: 2n ** 90n }), text)
        .map((value): Expression => ({ kind: "literal", value, ...at })),
      fc
        .double({ min: 0, noNaN: true, noDefaultInfinity: true })
        .map((value): Expression => ({ kind: "float", value: value + 0, ...at })),
      fc
        .uint8Array({ maxLength: 6 })
        .map((value): Expression => ({ kind: "bytes", value: Uint8Array.from(value), ...at })),
    ),
    expression: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      tie("small"),
      fc
        .record({ kind: fc.constantFrom("list" as const, "tuple" as const), items })
        .map((node): Expression => ({ ...node, ...at })),
      fc.array(tie("entry"), { maxLength: 2 }).map((entries): Expression => ({ kind: "dict", entries, ...at })),
      fc
        .record({ body: fc.oneof(inner, tie("entry")), clauses: tie("clauses") })
        .map((node): Expression => ({ kind: "comprehension", ...node, ...at })),
      fc
        .record({ operator: fc.constantFrom("-" as const, "+" as const, "~" as const, "not" as const), operand: inner })
        .map((node): Expression => ({ kind: "unary", ...node, ...at })),
      fc
        .record({
          operator: fc.constantFrom(
            ...(["or", "and", "==", "<", "in", "not in", "|", "^", "&", "<<", "+", "-", "*", "//", "%"] as const),
          ),
          left: inner,
          right: inner,
        })
        .map((node): Expression => ({ kind: "binary", ...node, ...at })),
      fc
        .record({ test: inner, then: inner, otherwise: inner })
        .map((node): Expression => ({ kind: "conditional", ...node, ...at })),
      fc
        .record({ parameters: tie("parameters"), body: inner })
        .map((node): Expression => ({ kind: "lambda", ...node, ...at })),
      fc.record({ object: inner, name }).map((node): Expression => ({ kind: "dot", ...node, ...at })),
      fc.record({ object: inner, index: inner }).map((node): Expression => ({ kind: "index", ...node, ...at })),
      fc
        .record({ object: inner, start: fc.option(inner), stop: fc.option(inner), step: fc.option(inner) })
        .map((node): Expression => ({ kind: "slice", ...node, ...at })),
      fc.record({ callee: inner, args: tie("args") }).map((node): Expression => ({ kind: "call", ...node, ...at })),
    ),
    entry: fc.record({ key: inner, value: inner }).map((node): Entry => ({ kind: "entry", ...node })),
    target: fc.oneof(
      { depthSize: "small" },
      name.map((name): Expression => ({ kind: "name", name, ...at })),
      fc.record({ object: inner, index: inner }).map((node): Expression => ({ kind: "index", ...node, ...at })),
      fc
        .record({
          kind: fc.constantFrom("list" as const, "tuple" as const),
          items: fc.array(tie("target"), { maxLength: 2 }),
        })
        .map((node): Expression => ({ ...node, ...at })),
    ),
    clauses: fc
      .tuple(
        tie("target"),
        inner,
        fc.array(
          inner.map((test): Clause => ({ kind: "if", test, ...at })),
          { maxLength: 2 },
        ),
      )
      .map(([target, iterable, rest]): Clause[] => [{ kind: "for", target, iterable, ...at }, ...rest]),
    parameters: fc
      .tuple(fc.option(inner), fc.boolean(), fc.boolean())
      .map(([fallback, hasArgs, hasKwargs]): Parameter[] => [
        { kind: "plain", name: "p", fallback: null, ...at },
        { kind: "plain", name: "q", fallback, ...at },
        ...(hasArgs
          ? [{ kind: "args" as const, name: "r", fallback: null, ...at }]
          : [
              { kind: "star" as const, name: "", fallback: null, ...at },
              { kind: "plain" as const, name: "s", fallback: null, ...at },
            ]),
        ...(hasKwargs ? [{ kind: "kwargs" as const, name: "t", fallback: null, ...at }] : []),
      ]),
    args: fc
      .tuple(items, fc.option(inner), fc.option(inner), fc.option(inner))
      .map(([plain, named, args, kwargs]): Argument[] => [
        ...plain.map((value): Argument => ({ kind: "positional", value, ...at })),
        ...(named === null ? [] : [{ kind: "named" as const, name: "n", value: named, ...at }]),
        ...(args === null ? [] : [{ kind: "args" as const, value: args, ...at }]),
        ...(kwargs === null ? [] : [{ kind: "kwargs" as const, value: kwargs, ...at }]),
      ]),
  };
});

const { statement } = fc.letrec<{ statement: Statement; block: Statement[] }>((tie) => ({
  block: fc.array(tie("statement"), { minLength: 1, maxLength: 2 }),
  statement: fc.oneof(
    { depthSize: "small" },
    expression.map((expression): Statement => ({ kind: "expression", expression, ...at })),
    fc
      .record({ target: name.map((name): Expression => ({ kind: "name", name, ...at })), value: expression })
      .map((node): Statement => ({ kind: "assign", ...node, ...at })),
    fc.record({ value: expression }).map(
      ({ value }): Statement => ({
        kind: "augment",
        operator: "//",
        target: { kind: "name", name: "a", ...at },
        value,
        ...at,
      }),
    ),
    fc.option(expression).map((value): Statement => ({ kind: "return", value, ...at })),
    fc.constantFrom("pass" as const, "break" as const, "continue" as const).map((kind): Statement => ({ kind, ...at })),
    fc.constant<Statement>({
      kind: "load",
      module: "m",
      names: [
        { local: "a", exported: "b" },
        { local: "c", exported: "c" },
      ],
      ...at,
    }),
    fc
      .record({ parameters, body: tie("block") })
      .map((node): Statement => ({ kind: "def", name: "f", ...node, ...at })),
    fc
      .record({
        branches: fc.array(fc.record({ test: expression, body: tie("block") }), { minLength: 1, maxLength: 3 }),
        otherwise: fc.oneof(fc.constant([]), tie("block")),
      })
      .map((node): Statement => ({ kind: "if", ...node, ...at })),
    fc.record({ iterable: expression, body: tie("block") }).map(
      (node): Statement => ({
        kind: "for",
        target: { kind: "tuple", items: [{ kind: "name", name: "a", ...at }], ...at },
        ...node,
        ...at,
      }),
    ),
    fc.record({ test: expression, body: tie("block") }).map((node): Statement => ({ kind: "while", ...node, ...at })),
  ),
}));

/** The tree without its places. */
function shapeOf(tree: unknown): unknown {
  return JSON.parse(
    JSON.stringify(tree, (key, value: unknown) => {
      if (key === "line" || key === "column") return undefined;
      if (value instanceof Uint8Array) return [...value];
      return typeof value === "bigint" ? `${value}n` : value;
    }),
  );
}

test("what is parsed from a printed expression is the expression", () => {
  fc.assert(
    fc.property(expression, (tree) => {
      expect(shapeOf(parseExpression(printExpression(tree), "test.star"))).toEqual(shapeOf(tree));
    }),
    { numRuns: 2_000 },
  );
});

test("what is parsed from a printed program is the program", () => {
  fc.assert(
    fc.property(fc.array(statement, { maxLength: 4 }), (tree) => {
      expect(shapeOf(parseFile(printFile(tree)))).toEqual(shapeOf(tree));
    }),
    { numRuns: 1_000 },
  );
});

test.each([
  ["x=(1,)", "x = (1,)\n"],
  ["if a:b\nelif c:\n  d\nelse:\n e", "if a:\n    b\nelif c:\n    d\nelse:\n    e\n"],
  ["def f(a,*,b=1,**c):return a", "def f(a, *, b = 1, **c):\n    return a\n"],
  ["x = not (a and b) or -(c + d) * 2", "x = not (a and b) or -(c + d) * 2\n"],
  ["for a,b in (c): pass", "for a, b in c:\n    pass\n"],
  ["x='\\u200b'+b'\\xff'", 'x = "\\u200b" + b"\\xff"\n'],
  ["(1).real", "(1).real\n"],
])("%s is printed in one form", (source, printed) => {
  expect(printFile(parseFile(source))).toBe(printed);
});

test("a tree that is too deep to print is refused", () => {
  const chain = Array(20_000).fill("a").join(" + ");
  expect(printFile(parseFile(chain))).toBe(`${chain}\n`);
  expect(() => printFile(parseFile(`x${".a".repeat(20_000)}`))).toThrow("nested too deeply");
});
