import { ExpressionParser } from "./expressions.js";
import { isName } from "./scanner.js";
import type { BinaryOperator, Branch, Expression, Statement } from "./tree.js";

/** Parses a whole file. */
export function parseFile(source: string, file = "<source>"): Statement[] {
  return new Parser(source, file).file();
}

/** Parses one expression and nothing else. */
export function parseExpression(source: string, file: string): Expression {
  return new Parser(source, file).single();
}

const AUGMENTS: ReadonlySet<string> = new Set(["+=", "-=", "*=", "/=", "//=", "%=", "&=", "|=", "^=", "<<=", ">>="]);

/** What a statement of Python that Starlark has not begins with, and what to do instead. */
const MISSING_STATEMENTS: ReadonlyMap<string, string> = new Map([
  ["assert", "Starlark has no assert statement; use: if not condition: fail(message)"],
  ["print", "print is a function: print(...)"],
  ["exec", "there is no code but this"],
  ["match", "Starlark has no match statement; use if and elif"],
]);

class Parser extends ExpressionParser {
  file(): Statement[] {
    const statements: Statement[] = [];
    while (!this.isKind("end")) {
      if (this.isKind("newline")) this.advance();
      else this.statement(statements);
    }
    return statements;
  }

  single(): Expression {
    while (this.isKind("newline") || this.isKind("indent")) this.advance();
    const expression = this.expressions();
    while (this.isKind("newline") || this.isKind("outdent")) this.advance();
    if (this.is("=")) this.fail("this must be an expression; use == to compare");
    if (!this.isKind("end")) this.unexpected("the end of the expression");
    return expression;
  }

  private statement(into: Statement[]): void {
    this.descend();
    const { line, column } = this.token;
    if (this.is("def")) into.push(this.definition());
    else if (this.is("if")) into.push(this.branching());
    else if (this.accept("for")) {
      const target = this.loopTarget();
      this.expect("in");
      const iterable = this.expressions();
      into.push({ kind: "for", target, iterable, body: this.loopBody(), line, column });
    } else if (this.accept("while")) {
      into.push({ kind: "while", test: this.test(), body: this.loopBody(), line, column });
    } else if (this.is("@")) this.fail("Starlark has no decorators; call the function");
    else if (this.isKind("indent")) this.fail("unexpected indentation");
    else this.simple(into);
    this.ascend();
  }

  private loopBody(): Statement[] {
    const body = this.suite();
    if (this.is("else")) this.fail("a loop has no else");
    return body;
  }

  private definition(): Statement {
    const { line, column } = this.expect("def");
    const { text: name } = this.name();
    this.expect("(");
    const parameters = this.parameters(")");
    this.expect(")");
    if (this.is("->")) this.fail("Starlark has no type annotations");
    return { kind: "def", name, parameters, body: this.suite(), line, column };
  }

  private branching(): Statement {
    const { line, column } = this.expect("if");
    const branches: Branch[] = [{ test: this.test(), body: this.suite() }];
    while (this.accept("elif")) branches.push({ test: this.test(), body: this.suite() });
    return { kind: "if", branches, otherwise: this.accept("else") ? this.suite() : [], line, column };
  }

  private suite(): Statement[] {
    if (this.is("=")) this.fail("use == to compare");
    this.expect(":");
    const body: Statement[] = [];
    if (!this.isKind("newline")) {
      this.simple(body);
      return body;
    }
    this.advance();
    if (!this.isKind("indent")) this.unexpected("an indented block");
    this.advance();
    while (!this.isKind("outdent") && !this.isKind("end")) {
      if (this.isKind("newline")) this.advance();
      else this.statement(body);
    }
    // A line that is continued by an empty one has an indentation, and nothing behind it.
    if (body.length === 0) this.unexpected("an indented block");
    if (this.isKind("outdent")) this.advance();
    return body;
  }

  private simple(into: Statement[]): void {
    do {
      if (this.isKind("newline") || this.isKind("end")) break;
      into.push(this.small());
    } while (this.accept(";"));
    if (this.isKind("newline")) this.advance();
    else if (!this.isKind("end")) this.unexpected("the end of the line");
  }

  private small(): Statement {
    const { line, column } = this.token;
    if (this.accept("pass")) return { kind: "pass", line, column };
    if (this.accept("break")) return { kind: "break", line, column };
    if (this.accept("continue")) return { kind: "continue", line, column };
    if (this.accept("return")) {
      const isBare = this.isKind("newline") || this.isKind("end") || this.is(";");
      return { kind: "return", value: isBare ? null : this.expressions(), line, column };
    }
    if (this.is("load")) return this.load();
    const target = this.expressions();
    if (this.accept("=")) {
      this.checkTarget(target);
      const value = this.expressions();
      if (this.is("=")) this.fail("Starlark assigns to one target at a time");
      return { kind: "assign", target, value, line, column };
    }
    const operator = this.token.kind === "operator" ? this.token.text : "";
    if (AUGMENTS.has(operator)) return this.augmentation(target, operator.slice(0, -1) as BinaryOperator);
    this.checkStatement(target);
    return { kind: "expression", expression: target, line, column };
  }

  /** Helps where an expression ends and something follows that another language would allow. */
  private checkStatement(target: Expression): void {
    if (this.is(":") && target.kind === "name") this.fail("Starlark has no type annotations");
    if (this.is("**=")) this.fail("Starlark has no ** operator; multiply in a loop");
    if (target.kind !== "name" || this.isKind("newline") || this.isKind("end") || this.isKind("operator")) return;
    const advice = MISSING_STATEMENTS.get(target.name);
    if (advice !== undefined) this.fail(advice, target);
  }

  private augmentation(target: Expression, operator: BinaryOperator): Statement {
    const { line, column } = this.advance();
    if (target.kind !== "name" && target.kind !== "dot" && target.kind !== "index") {
      this.fail("augmented assignment needs a name, an index or a field on its left side", target);
    }
    return { kind: "augment", operator, target, value: this.expressions(), line, column };
  }

  private load(): Statement {
    const { line, column } = this.advance();
    this.expect("(");
    const module = this.text("the name of a module");
    const names: { local: string; exported: string }[] = [];
    while (this.accept(",")) {
      if (this.is(")")) break;
      if (this.isKind("name")) {
        const { text: local } = this.advance();
        this.expect("=");
        names.push({ local, exported: this.exported() });
      } else {
        const exported = this.exported();
        names.push({ local: exported, exported });
      }
    }
    this.expect(")");
    if (names.length === 0) this.fail("load needs at least one name", { line, column });
    return { kind: "load", module, names, line, column };
  }

  private exported(): string {
    const at = this.token;
    const name = this.text("the name of an export");
    if (!isName(name)) this.fail(`${JSON.stringify(name)} is not a name; load("module", "name")`, at);
    return name;
  }

  private text(wanted: string): string {
    if (!this.isKind("string")) this.unexpected(`${wanted}, as a string`);
    return this.advance().text;
  }
}
