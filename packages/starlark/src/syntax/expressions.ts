import { ArgumentParser, NO_GENERATORS } from "./arguments.js";
import type { BinaryOperator, Clause, Entry, Expression, UnaryOperator } from "./tree.js";

/** How strongly each operator binds; `not` stands between `and` and the comparisons. */
export const PRECEDENCE: ReadonlyMap<string, number> = new Map([
  ["or", 1],
  ["and", 2],
  ["==", 4],
  ["!=", 4],
  ["<", 4],
  [">", 4],
  ["<=", 4],
  [">=", 4],
  ["in", 4],
  ["not in", 4],
  ["|", 5],
  ["^", 6],
  ["&", 7],
  ["<<", 8],
  [">>", 8],
  ["+", 9],
  ["-", 9],
  ["*", 10],
  ["/", 10],
  ["//", 10],
  ["%", 10],
]);
export const NOT_PRECEDENCE = 3;
const COMPARISON = 4;

/** The part of the parser that reads expressions. */
export abstract class ExpressionParser extends ArgumentParser {
  /** One expression, or several with commas between them, which make a tuple. Only brackets allow one more at its end. */
  protected expressions(isBracketed = false): Expression {
    const first = this.test();
    if (!this.is(",")) return first;
    const items = [first];
    for (let comma = this.token; this.accept(","); comma = this.token) {
      if (!this.startsExpression()) {
        if (!isBracketed) this.fail("unparenthesized tuple with trailing comma; put it in parentheses", comma);
        break;
      }
      items.push(this.test());
    }
    return { kind: "tuple", items, line: first.line, column: first.column };
  }

  private startsExpression(): boolean {
    const { kind, text } = this.token;
    if (kind === "keyword") return text === "not" || text === "lambda";
    if (kind === "operator") return "([{-+~*".includes(text);
    return kind !== "newline" && kind !== "end" && kind !== "indent" && kind !== "outdent";
  }

  protected test(): Expression {
    this.descend();
    const expression = this.is("lambda") ? this.lambda() : this.conditional();
    this.ascend();
    return expression;
  }

  private conditional(): Expression {
    const { line, column } = this.token;
    const then = this.binary(1);
    if (this.is(":=")) this.fail("Starlark has no := operator; assign on a line of its own");
    if (!this.accept("if")) return then;
    const test = this.binary(1);
    if (!this.is("else")) this.fail("a conditional expression needs an else");
    this.advance();
    return { kind: "conditional", test, then, otherwise: this.test(), line, column };
  }

  private lambda(): Expression {
    const { line, column } = this.expect("lambda");
    const parameters = this.parameters(":");
    this.expect(":");
    return { kind: "lambda", parameters, body: this.test(), line, column };
  }

  /** Operators that bind at least as strongly as this; all of them lean to the left, and comparisons to neither side. */
  private binary(weakest: number): Expression {
    let left = this.is("not") && weakest <= NOT_PRECEDENCE ? this.negation() : this.unary();
    for (;;) {
      const at = this.token;
      const operator = this.operator(weakest);
      if (operator === undefined) return left;
      const precedence = PRECEDENCE.get(operator) as number;
      const right = this.binary(precedence + 1);
      left = { kind: "binary", operator, left, right, line: at.line, column: at.column };
      if (precedence === COMPARISON && this.precedenceHere() === COMPARISON) {
        this.fail("comparisons do not associate; use and");
      }
    }
  }

  private negation(): Expression {
    const { line, column } = this.expect("not");
    this.descend();
    const operand = this.binary(NOT_PRECEDENCE);
    this.ascend();
    return { kind: "unary", operator: "not", operand, line, column };
  }

  private precedenceHere(): number | undefined {
    const { kind, text } = this.token;
    if (kind !== "operator" && kind !== "keyword") return undefined;
    return text === "not" ? COMPARISON : PRECEDENCE.get(text);
  }

  private operator(weakest: number): BinaryOperator | undefined {
    const precedence = this.precedenceHere();
    if (this.is("**")) this.fail("Starlark has no ** operator; multiply in a loop");
    if (precedence === undefined || precedence < weakest) return undefined;
    const { text } = this.advance();
    if (text !== "not") {
      if ((text === "&" || text === "|") && this.is(text)) {
        this.fail(`Starlark has no ${text}${text} operator; use ${text === "&" ? "and" : "or"}`);
      }
      return text as BinaryOperator;
    }
    this.expect("in");
    return "not in";
  }

  private unary(): Expression {
    const { line, column, text } = this.token;
    if (!this.is("-") && !this.is("+") && !this.is("~")) return this.primary();
    this.advance();
    this.descend();
    const operand = this.unary();
    this.ascend();
    return { kind: "unary", operator: text as UnaryOperator, operand, line, column };
  }

  protected primary(): Expression {
    let object = this.operand();
    for (;;) {
      const { line, column } = this.token;
      if (this.accept(".")) {
        const { text: name } = this.name();
        object = { kind: "dot", object, name, line, column };
      } else if (this.accept("[")) object = this.subscript(object, line, column);
      else if (this.accept("(")) {
        object = { kind: "call", callee: object, args: this.arguments(), line, column };
        this.expect(")");
      } else return object;
    }
  }

  private subscript(object: Expression, line: number, column: number): Expression {
    const start = this.is(":") ? null : this.expressions(true);
    if (!this.accept(":")) {
      this.expect("]");
      if (start === null) this.unexpected("an index");
      return { kind: "index", object, index: start, line, column };
    }
    const stop = this.is(":") || this.is("]") ? null : this.test();
    const step = this.accept(":") && !this.is("]") ? this.test() : null;
    this.expect("]");
    return { kind: "slice", object, start, stop, step, line, column };
  }

  private operand(): Expression {
    const { kind, text, value, line, column } = this.token;
    switch (kind) {
      case "name":
        this.advance();
        return { kind: "name", name: text, line, column };
      case "int":
        this.advance();
        return { kind: "literal", value: value as number | bigint, line, column };
      case "float":
        this.advance();
        return { kind: "float", value: value as number, line, column };
      case "string":
      case "bytes":
        this.advance();
        if (this.isKind("string") || this.isKind("bytes")) {
          this.fail("strings are not joined by standing side by side; use +");
        }
        return kind === "string"
          ? { kind: "literal", value: text, line, column }
          : { kind: "bytes", value: value as Uint8Array, line, column };
      default:
        if (this.is("(")) return this.parenthesized();
        if (this.is("[")) return this.listDisplay();
        if (this.is("{")) return this.dictDisplay();
        if (this.is("*") || this.is("**"))
          this.fail(`${text} is for the arguments of a call; use + or | to join values`);
        return this.unexpected("an expression");
    }
  }

  private parenthesized(): Expression {
    const { line, column } = this.expect("(");
    if (this.accept(")")) return { kind: "tuple", items: [], line, column };
    const inner = this.expressions(true);
    if (this.is("for")) this.fail(NO_GENERATORS);
    this.expect(")");
    return inner.kind === "tuple" ? { ...inner, line, column } : inner;
  }

  private listDisplay(): Expression {
    const { line, column } = this.expect("[");
    const items: Expression[] = [];
    while (!this.is("]")) {
      items.push(this.test());
      if (items.length === 1 && this.is("for")) {
        const clauses = this.clauses();
        this.expect("]");
        return { kind: "comprehension", body: items[0] as Expression, clauses, line, column };
      }
      if (!this.accept(",")) break;
    }
    this.expect("]");
    return { kind: "list", items, line, column };
  }

  private dictDisplay(): Expression {
    const { line, column } = this.expect("{");
    const entries: Entry[] = [];
    while (!this.is("}")) {
      const key = this.test();
      if (!this.is(":")) this.fail("got a value without a key; write {key: value}, or set([...])");
      this.advance();
      const entry: Entry = { kind: "entry", key, value: this.test() };
      entries.push(entry);
      if (entries.length === 1 && this.is("for")) {
        const clauses = this.clauses();
        this.expect("}");
        return { kind: "comprehension", body: entry, clauses, line, column };
      }
      if (!this.accept(",")) break;
    }
    this.expect("}");
    return { kind: "dict", entries, line, column };
  }

  private clauses(): Clause[] {
    const clauses: Clause[] = [];
    for (;;) {
      const { line, column } = this.token;
      if (this.accept("for")) {
        const target = this.loopTarget();
        this.expect("in");
        clauses.push({ kind: "for", target, iterable: this.binary(1), line, column });
        // `[x for x in y if a if b]` has two conditions and no conditional expression.
      } else if (this.accept("if")) {
        clauses.push({ kind: "if", test: this.is("lambda") ? this.lambda() : this.binary(1), line, column });
      } else return clauses;
    }
  }

  /** What stands between `for` and `in`: it stops before the `in`. */
  protected loopTarget(): Expression {
    const first = this.primary();
    const items = [first];
    let isTuple = false;
    while (this.accept(",")) {
      isTuple = true;
      items.push(this.primary());
    }
    const { line, column } = first;
    const target: Expression = isTuple ? { kind: "tuple", items, line, column } : first;
    this.checkTarget(target);
    return target;
  }

  /** Refuses what nothing can be assigned to. */
  protected checkTarget(target: Expression): void {
    if (target.kind === "name" || target.kind === "dot" || target.kind === "index") return;
    if (target.kind !== "list" && target.kind !== "tuple") {
      this.fail(`cannot assign to ${describe(target)}`, target);
    }
    for (const item of target.items) this.checkTarget(item);
  }
}

function describe(expression: Expression): string {
  switch (expression.kind) {
    case "call":
      return "a call";
    case "literal":
    case "float":
    case "bytes":
      return "a literal";
    default:
      return `a ${expression.kind} expression`;
  }
}
