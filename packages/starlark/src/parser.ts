import { Scanner, type Token } from "./scanner.js";
import type { Argument, Clause, Expression, Parameter, Statement } from "./syntax.js";

// From weakest to strongest; every level is left-associative but comparisons, which do not associate at all.
const LEVELS: readonly (readonly string[])[] = [
  ["or"],
  ["and"],
  ["not"],
  ["==", "!=", "<", ">", "<=", ">=", "in", "not in"],
  ["|"],
  ["^"],
  ["&"],
  ["<<", ">>"],
  ["+", "-"],
  ["*", "/", "//", "%"],
];
const NOT_LEVEL = 2;
const COMPARISON_LEVEL = 3;
const AUGMENTS = ["+=", "-=", "*=", "/=", "//=", "%=", "&=", "|=", "^=", "<<=", ">>="];
const MAX_DEPTH = 200;

/** Parses a whole file. */
export function parseFile(source: string, file: string): Statement[] {
  const parser = new Parser(source, file);
  return parser.file();
}

/** Parses one expression and nothing else. */
export function parseExpression(source: string, file: string): Expression {
  const parser = new Parser(source, file);
  return parser.single();
}

class Parser {
  private readonly scanner: Scanner;
  private token: Token;
  private depth = 0;

  constructor(source: string, file: string) {
    this.scanner = new Scanner(source, file);
    this.token = this.scanner.next();
  }

  file(): Statement[] {
    const statements: Statement[] = [];
    while (this.token.kind !== "end") {
      if (this.token.kind === "newline") this.advance();
      else this.statement(statements);
    }
    return statements;
  }

  single(): Expression {
    while (this.token.kind === "newline" || this.token.kind === "indent") this.advance();
    const expression = this.expressions();
    while (["newline", "outdent"].includes(this.token.kind)) this.advance();
    if (this.token.kind !== "end") this.unexpected("the end of the expression");
    return expression;
  }

  private fail(message: string, at: { readonly line: number; readonly column: number } = this.token): never {
    this.scanner.refuse(message, at);
  }

  private unexpected(wanted: string): never {
    const { kind, text } = this.token;
    const found =
      kind === "newline"
        ? "the end of the line"
        : kind === "end"
          ? "the end of the file"
          : kind === "indent" || kind === "outdent"
            ? "an indentation"
            : JSON.stringify(text);
    this.fail(`syntax error: got ${found}, want ${wanted}`);
  }

  private advance(): Token {
    const { token } = this;
    this.token = this.scanner.next();
    return token;
  }

  private is(text: string): boolean {
    return this.token.text === text && (this.token.kind === "operator" || this.token.kind === "keyword");
  }

  private accept(text: string): boolean {
    if (!this.is(text)) return false;
    this.advance();
    return true;
  }

  private expect(text: string): Token {
    if (!this.is(text)) this.unexpected(JSON.stringify(text));
    return this.advance();
  }

  private name(): Token {
    if (this.token.kind !== "name") this.unexpected("a name");
    return this.advance();
  }

  private nested<T>(parse: () => T): T {
    if (++this.depth > MAX_DEPTH) this.fail("nested too deeply");
    const result = parse();
    this.depth--;
    return result;
  }

  private statement(into: Statement[]): void {
    this.nested(() => {
      const { line, column } = this.token;
      if (this.is("def")) into.push(this.definition());
      else if (this.is("if")) {
        this.advance();
        into.push({ ...this.branch(), line, column });
      } else if (this.accept("for")) {
        const target = this.loopTarget();
        this.expect("in");
        const iterable = this.expressions();
        into.push({ kind: "for", target, iterable, body: this.suite(), line, column });
      } else if (this.accept("while")) {
        into.push({ kind: "while", test: this.test(), body: this.suite(), line, column });
      } else this.simple(into);
    });
  }

  private definition(): Statement {
    const { line, column } = this.expect("def");
    const { text: name } = this.name();
    this.expect("(");
    const parameters = this.parameters(")");
    this.expect(")");
    return { kind: "def", name, parameters, body: this.suite(), line, column };
  }

  private branch(): Statement & { kind: "if" } {
    const { line, column } = this.token;
    const test = this.test();
    const then = this.suite();
    const at = this.token;
    if (this.accept("elif")) {
      return {
        kind: "if",
        test,
        then,
        otherwise: [{ ...this.branch(), line: at.line, column: at.column }],
        line,
        column,
      };
    }
    return { kind: "if", test, then, otherwise: this.accept("else") ? this.suite() : [], line, column };
  }

  private suite(): Statement[] {
    this.expect(":");
    const body: Statement[] = [];
    if (this.token.kind !== "newline") {
      this.simple(body);
      return body;
    }
    this.advance();
    if ((this.token.kind as string) !== "indent") this.unexpected("an indented block");
    this.advance();
    while ((this.token.kind as string) !== "outdent" && (this.token.kind as string) !== "end") {
      if (this.token.kind === "newline") this.advance();
      else this.statement(body);
    }
    if ((this.token.kind as string) === "outdent") this.advance();
    return body;
  }

  private simple(into: Statement[]): void {
    do {
      if (this.token.kind === "newline") break;
      into.push(this.small());
    } while (this.accept(";"));
    if (this.token.kind === "newline") this.advance();
    else if (this.token.kind !== "end") this.unexpected("the end of the line");
  }

  private small(): Statement {
    const { line, column } = this.token;
    if (this.accept("pass")) return { kind: "pass", line, column };
    if (this.accept("break")) return { kind: "break", line, column };
    if (this.accept("continue")) return { kind: "continue", line, column };
    if (this.accept("return")) {
      const isBare = this.token.kind === "newline" || this.token.kind === "end" || this.is(";");
      return { kind: "return", value: isBare ? null : this.expressions(), line, column };
    }
    if (this.is("load")) return this.load();
    const target = this.expressions();
    if (this.accept("=")) {
      this.checkTarget(target, "assign to");
      return { kind: "assign", target, value: this.expressions(), line, column };
    }
    const operator = AUGMENTS.find((candidate) => this.is(candidate));
    if (operator !== undefined) {
      this.advance();
      if (target.kind !== "name" && target.kind !== "dot" && target.kind !== "index") {
        this.fail("augmented assignment needs a name, an index or a field on its left side", target);
      }
      return { kind: "augment", operator: operator.slice(0, -1), target, value: this.expressions(), line, column };
    }
    return { kind: "expression", expression: target, line, column };
  }

  private load(): Statement {
    const { line, column } = this.advance();
    this.expect("(");
    const module = this.text("the name of a module");
    const names: [string, string][] = [];
    while (this.accept(",")) {
      if (this.is(")")) break;
      if (this.token.kind === "name") {
        const { text: local } = this.advance();
        this.expect("=");
        names.push([local, this.text("the name of an export")]);
      } else {
        const exported = this.text("the name of an export");
        names.push([exported, exported]);
      }
    }
    this.expect(")");
    if (names.length === 0) this.fail("load needs at least one name", { line, column });
    return { kind: "load", module, names, line, column };
  }

  private text(wanted: string): string {
    if (this.token.kind !== "string") this.unexpected(`${wanted}, as a string`);
    return this.advance().text;
  }

  private checkTarget(target: Expression, what: string): void {
    if (target.kind === "name" || target.kind === "dot" || target.kind === "index") return;
    if (target.kind === "list" || target.kind === "tuple") {
      for (const item of target.items) this.checkTarget(item, what);
      return;
    }
    this.fail(`cannot ${what} ${describe(target)}`, target);
  }

  /** What stands between `for` and `in`: it stops before the `in`. */
  private loopTarget(): Expression {
    const first = this.primary();
    const items = [first];
    let isTuple = false;
    while (this.accept(",")) {
      isTuple = true;
      if (this.is("in")) break;
      items.push(this.primary());
    }
    const { line, column } = first;
    const target: Expression = isTuple ? { kind: "tuple", items, line, column } : first;
    this.checkTarget(target, "assign to");
    return target;
  }

  /** One expression, or several with commas between them, which make a tuple. */
  private expressions(): Expression {
    const first = this.test();
    if (!this.is(",")) return first;
    const items = [first];
    while (this.accept(",")) {
      if (!this.startsExpression()) break;
      items.push(this.test());
    }
    return { kind: "tuple", items, line: first.line, column: first.column };
  }

  private startsExpression(): boolean {
    const { kind, text } = this.token;
    if (kind === "keyword") return text === "not" || text === "lambda";
    return kind === "operator" ? "([{-+~".includes(text) : !["newline", "end", "indent", "outdent"].includes(kind);
  }

  private test(): Expression {
    return this.nested(() => {
      if (this.is("lambda")) return this.lambda();
      const { line, column } = this.token;
      const then = this.binary(0);
      if (!this.accept("if")) return then;
      const test = this.binary(0);
      if (!this.is("else")) this.fail("a conditional expression needs an else");
      this.advance();
      return { kind: "conditional", test, then, otherwise: this.test(), line, column };
    });
  }

  private lambda(): Expression {
    const { line, column } = this.expect("lambda");
    const parameters = this.parameters(":");
    this.expect(":");
    return { kind: "lambda", parameters, body: this.test(), line, column };
  }

  private binary(level: number): Expression {
    const operators = LEVELS[level];
    if (operators === undefined) return this.unary();
    const { line, column } = this.token;
    if (level === NOT_LEVEL) {
      if (!this.accept("not")) return this.binary(level + 1);
      return { kind: "unary", operator: "not", operand: this.nested(() => this.binary(level)), line, column };
    }
    let left = this.binary(level + 1);
    for (;;) {
      const at = this.token;
      const operator = this.operatorOf(operators);
      if (operator === undefined) return left;
      const right = this.binary(level + 1);
      left = { kind: "binary", operator, left, right, line: at.line, column: at.column };
      if (level === COMPARISON_LEVEL && operators.some((other) => this.is(other.split(" ")[0] ?? ""))) {
        this.fail("comparisons do not associate; use and");
      }
    }
  }

  private operatorOf(operators: readonly string[]): string | undefined {
    if (operators.includes("not in") && this.is("not")) {
      this.advance();
      this.expect("in");
      return "not in";
    }
    const operator = operators.find((candidate) => this.is(candidate));
    if (operator !== undefined) this.advance();
    return operator;
  }

  private unary(): Expression {
    const { line, column, text } = this.token;
    if (this.is("-") || this.is("+") || this.is("~")) {
      this.advance();
      return { kind: "unary", operator: text, operand: this.nested(() => this.unary()), line, column };
    }
    if (this.is("**")) this.fail("Starlark has no ** operator");
    return this.primary();
  }

  private primary(): Expression {
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
    const start = this.is(":") ? null : this.expressions();
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
        return this.strings(line, column);
      case "bytes":
        this.advance();
        return { kind: "bytes", value: value as Uint8Array, line, column };
      default:
        if (this.is("(")) return this.parenthesized();
        if (this.is("[")) return this.listDisplay();
        if (this.is("{")) return this.dictDisplay();
        return this.unexpected("an expression");
    }
  }

  private strings(line: number, column: number): Expression {
    const { text } = this.advance();
    if (this.token.kind === "string") this.fail("strings are not joined by standing side by side; use +");
    return { kind: "literal", value: text, line, column };
  }

  private parenthesized(): Expression {
    const { line, column } = this.expect("(");
    if (this.accept(")")) return { kind: "tuple", items: [], line, column };
    const inner = this.expressions();
    if (this.is("for")) this.fail("Starlark has no generator expressions; use a list comprehension");
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
    const entries: [Expression, Expression][] = [];
    while (!this.is("}")) {
      const key = this.test();
      if (!this.is(":")) this.fail("got a value without a key; write {key: value}, or set([...])");
      this.advance();
      entries.push([key, this.test()]);
      if (entries.length === 1 && this.is("for")) {
        const clauses = this.clauses();
        this.expect("}");
        return { kind: "comprehension", body: entries[0] as [Expression, Expression], clauses, line, column };
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
        clauses.push({ kind: "for", target, iterable: this.binary(0), line, column });
      } else if (this.accept("if")) clauses.push({ kind: "if", test: this.withoutConditional(), line, column });
      else return clauses;
    }
  }

  // `[x for x in y if a if b]` has two conditions and no conditional expression.
  private withoutConditional(): Expression {
    return this.is("lambda") ? this.lambda() : this.binary(0);
  }

  private arguments(): Argument[] {
    const args: Argument[] = [];
    while (!this.is(")")) {
      const { line, column } = this.token;
      if (this.accept("*")) args.push({ kind: "args", value: this.test(), line, column });
      else if (this.accept("**")) args.push({ kind: "kwargs", value: this.test(), line, column });
      else {
        const value = this.test();
        if (value.kind === "name" && this.accept("=")) {
          args.push({ kind: "named", name: value.name, value: this.test(), line, column });
        } else {
          if (this.is("for")) this.fail("Starlark has no generator expressions; use a list comprehension");
          args.push({ kind: "positional", value, line, column });
        }
      }
      if (!this.accept(",")) break;
    }
    this.checkArguments(args);
    return args;
  }

  private checkArguments(args: readonly Argument[]): void {
    const names = new Set<string>();
    let seen = 0;
    for (const arg of args) {
      const rank = { positional: 0, named: 1, args: 2, kwargs: 3 }[arg.kind];
      if (rank === 0 && seen > 0) this.fail("a positional argument may not follow a named one", arg);
      if (rank === 1 && seen > 1) this.fail("a named argument may not follow *args or **kwargs", arg);
      if (rank >= 2 && seen >= rank) this.fail("*args comes before **kwargs, and each at most once", arg);
      if (arg.name !== undefined) {
        if (names.has(arg.name)) this.fail(`keyword argument "${arg.name}" is repeated`, arg);
        names.add(arg.name);
      }
      seen = Math.max(seen, rank);
    }
  }

  private parameters(end: string): Parameter[] {
    const parameters: Parameter[] = [];
    while (!this.is(end)) {
      const { line, column } = this.token;
      if (this.accept("**")) parameters.push({ kind: "kwargs", name: this.name().text, fallback: null, line, column });
      else if (this.accept("*")) {
        const isBare = this.token.kind !== "name";
        parameters.push({
          kind: isBare ? "star" : "args",
          name: isBare ? "" : this.name().text,
          fallback: null,
          line,
          column,
        });
      } else {
        const { text: name } = this.name();
        parameters.push({ kind: "plain", name, fallback: this.accept("=") ? this.test() : null, line, column });
      }
      if (!this.accept(",")) break;
    }
    this.checkParameters(parameters);
    return parameters;
  }

  private checkParameters(parameters: readonly Parameter[]): void {
    const names = new Set<string>();
    let hasDefault = false;
    let hasStar = false;
    for (const [index, parameter] of parameters.entries()) {
      const { kind, name, fallback } = parameter;
      if (name !== "" && names.has(name)) this.fail(`duplicate parameter: ${name}`, parameter);
      names.add(name);
      if (index > 0 && parameters[index - 1]?.kind === "kwargs") this.fail("nothing may follow **kwargs", parameter);
      if (kind === "star" || kind === "args") {
        if (hasStar) this.fail("there may be one * parameter", parameter);
        hasStar = true;
        const next = parameters[index + 1];
        if (kind === "star" && next?.kind !== "plain")
          this.fail("bare * must be followed by keyword-only parameters", parameter);
      }
      if (kind !== "plain") continue;
      if (fallback === null && hasDefault && !hasStar) {
        this.fail(`required parameter ${name} may not follow an optional one`, parameter);
      }
      hasDefault ||= fallback !== null;
    }
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
