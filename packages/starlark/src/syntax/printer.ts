import { StarlarkSyntaxError } from "../errors.js";
import { floatText } from "../values/floats.js";
import { quote, quoteBytes } from "../values/quote.js";
import { NOT_PRECEDENCE, PRECEDENCE } from "./expressions.js";
import type { Argument, Clause, Expression, Node, Parameter, Statement } from "./tree.js";

/** How strongly what stands in a place has to bind to stand there without parentheses. */
const TUPLE = -1;
const TEST = 0;
const OPERATION = 1;
const UNARY = 11;
const PRIMARY = 12;
/** Printing goes down the tree by calls; a tree made by the parser may lean deeper than they can go. */
const MAX_DEPTH = 1_000;

/** The source of a program, in one form whatever it was written in: what is parsed from it is the same tree. */
export function printFile(statements: readonly Statement[]): string {
  return new Printer().block(statements, "");
}

/** The source of one expression. */
export function printExpression(expression: Expression): string {
  return new Printer().expression(expression, TUPLE);
}

class Printer {
  private depth = 0;

  block(statements: readonly Statement[], indent: string): string {
    return statements.map((statement) => this.statement(statement, indent)).join("");
  }

  private statement(statement: Statement, indent: string): string {
    this.descend(statement);
    const text = `${indent}${this.compound(statement, indent) ?? `${this.small(statement)}\n`}`;
    this.depth--;
    return text;
  }

  private compound(statement: Statement, indent: string): string | undefined {
    const inner = `${indent}    `;
    switch (statement.kind) {
      case "def":
        return `def ${statement.name}(${this.parameters(statement.parameters)}):\n${this.block(statement.body, inner)}`;
      case "for": {
        const head = `for ${this.target(statement.target)} in ${this.expression(statement.iterable, TUPLE)}`;
        return `${head}:\n${this.block(statement.body, inner)}`;
      }
      case "while":
        return `while ${this.expression(statement.test, TEST)}:\n${this.block(statement.body, inner)}`;
      case "if": {
        const branches = statement.branches.map(
          ({ test, body }) => `if ${this.expression(test, TEST)}:\n${this.block(body, inner)}`,
        );
        const otherwise =
          statement.otherwise.length === 0 ? "" : `${indent}else:\n${this.block(statement.otherwise, inner)}`;
        return `${branches.join(`${indent}el`)}${otherwise}`;
      }
      default:
        return undefined;
    }
  }

  private small(statement: Statement): string {
    switch (statement.kind) {
      case "expression":
        return this.expression(statement.expression, TUPLE);
      case "assign":
        return `${this.expression(statement.target, TUPLE)} = ${this.expression(statement.value, TUPLE)}`;
      case "augment": {
        const target = this.expression(statement.target, PRIMARY);
        return `${target} ${statement.operator}= ${this.expression(statement.value, TUPLE)}`;
      }
      case "return":
        return statement.value === null ? "return" : `return ${this.expression(statement.value, TUPLE)}`;
      case "load": {
        const names = statement.names.map(({ local, exported }) =>
          local === exported ? quote(local) : `${local} = ${quote(exported)}`,
        );
        return `load(${[quote(statement.module), ...names].join(", ")})`;
      }
      default:
        return statement.kind;
    }
  }

  private descend(node: Node): void {
    const { line, column } = node;
    if (++this.depth > MAX_DEPTH) throw new StarlarkSyntaxError("nested too deeply", { file: "<tree>", line, column });
  }

  expression(expression: Expression, place: number): string {
    this.descend(expression);
    const { text, strength } = this.bare(expression);
    this.depth--;
    return strength < place ? `(${text})` : text;
  }

  private bare(expression: Expression): { text: string; strength: number } {
    switch (expression.kind) {
      case "tuple":
        return this.tuple(expression.items);
      case "conditional": {
        const [then, test] = [this.expression(expression.then, OPERATION), this.expression(expression.test, OPERATION)];
        return { text: `${then} if ${test} else ${this.expression(expression.otherwise, TEST)}`, strength: TEST };
      }
      case "lambda": {
        const parameters = this.parameters(expression.parameters);
        const head = parameters === "" ? "lambda" : `lambda ${parameters}`;
        return { text: `${head}: ${this.expression(expression.body, TEST)}`, strength: TEST };
      }
      case "binary":
        return this.binary(expression);
      case "unary": {
        const { operator, operand } = expression;
        if (operator !== "not") return { text: `${operator}${this.expression(operand, UNARY)}`, strength: UNARY };
        return { text: `not ${this.expression(operand, NOT_PRECEDENCE)}`, strength: NOT_PRECEDENCE };
      }
      default:
        return { text: this.primary(expression), strength: PRIMARY };
    }
  }

  private tuple(items: readonly Expression[]): { text: string; strength: number } {
    if (items.length === 0) return { text: "()", strength: PRIMARY };
    const texts = items.map((item) => this.expression(item, TEST));
    if (items.length === 1) return { text: `(${texts[0]},)`, strength: PRIMARY };
    return { text: texts.join(", "), strength: TUPLE };
  }

  /** A chain of operators leans to the left as deeply as it is long, so it is printed from its end. */
  private binary(expression: Extract<Expression, { kind: "binary" }>): { text: string; strength: number } {
    const strength = PRECEDENCE.get(expression.operator) as number;
    const parts: string[] = [];
    let first: Expression = expression;
    while (first.kind === "binary" && PRECEDENCE.get(first.operator) === strength) {
      parts.push(`${first.operator} ${this.expression(first.right, strength + 1)}`);
      first = first.left;
      // Comparisons lean to neither side.
      if (strength === NOT_PRECEDENCE + 1) break;
    }
    parts.push(this.expression(first, strength + 1));
    return { text: parts.reverse().join(" "), strength };
  }

  private primary(expression: Expression): string {
    switch (expression.kind) {
      case "name":
        return expression.name;
      case "literal":
        return typeof expression.value === "string" ? literal(expression.value) : String(expression.value);
      case "float":
        return floatText(expression.value);
      case "bytes":
        return `b${quoteBytes(expression.value)}`;
      case "list":
        return `[${this.items(expression.items)}]`;
      case "dict": {
        const entries = expression.entries.map(
          ({ key, value }) => `${this.expression(key, TEST)}: ${this.expression(value, TEST)}`,
        );
        return `{${entries.join(", ")}}`;
      }
      case "comprehension":
        return this.comprehension(expression);
      case "dot":
        return `${this.object(expression.object)}.${expression.name}`;
      case "index":
        return `${this.object(expression.object)}[${this.expression(expression.index, TUPLE)}]`;
      case "slice":
        return this.slice(expression);
      case "call":
        return `${this.object(expression.callee)}(${expression.args.map((arg) => this.argument(arg)).join(", ")})`;
      default:
        return this.expression(expression, PRIMARY);
    }
  }

  private items(items: readonly Expression[]): string {
    return items.map((item) => this.expression(item, TEST)).join(", ");
  }

  /** What a dot, an index or a call follows: a number in front of a dot would take it for its own. */
  private object(expression: Expression): string {
    const text = this.expression(expression, PRIMARY);
    return expression.kind === "literal" && typeof expression.value !== "string" ? `(${text})` : text;
  }

  private slice({ object, start, stop, step }: Extract<Expression, { kind: "slice" }>): string {
    const part = (node: Expression | null, place: number) => (node === null ? "" : this.expression(node, place));
    const end = step === null ? "" : `:${part(step, TEST)}`;
    return `${this.object(object)}[${part(start, TUPLE)}:${part(stop, TEST)}${end}]`;
  }

  private comprehension({ body, clauses }: Extract<Expression, { kind: "comprehension" }>): string {
    const rest = clauses.map((clause) => this.clause(clause)).join(" ");
    if (body.kind !== "entry") return `[${this.expression(body, TEST)} ${rest}]`;
    return `{${this.expression(body.key, TEST)}: ${this.expression(body.value, TEST)} ${rest}}`;
  }

  private clause(clause: Clause): string {
    if (clause.kind === "if") return `if ${this.expression(clause.test, OPERATION)}`;
    return `for ${this.target(clause.target)} in ${this.expression(clause.iterable, OPERATION)}`;
  }

  /** The variables of a loop: a tuple may stand without parentheses, and its items are never operations. */
  private target(target: Expression): string {
    if (target.kind !== "tuple" || target.items.length < 2) return this.expression(target, PRIMARY);
    return target.items.map((item) => this.expression(item, PRIMARY)).join(", ");
  }

  private argument(argument: Argument): string {
    const value = this.expression(argument.value, TEST);
    if (argument.kind === "named") return `${argument.name} = ${value}`;
    return `${argument.kind === "args" ? "*" : argument.kind === "kwargs" ? "**" : ""}${value}`;
  }

  private parameters(parameters: readonly Parameter[]): string {
    const stars = { plain: "", star: "*", args: "*", kwargs: "**" } as const;
    return parameters
      .map(({ kind, name, fallback }) => {
        const end = fallback === null ? "" : ` = ${this.expression(fallback, TEST)}`;
        return `${stars[kind]}${name}${end}`;
      })
      .join(", ");
  }
}

/** A surrogate without a partner cannot be escaped; it stands as it is. */
function literal(text: string): string {
  return quote(text).replace(/(?<!\\)((?:\\\\)*)\\u(d[89a-f][0-9a-f]{2})/g, (_, before: string, code: string) => {
    return before + String.fromCharCode(Number.parseInt(code, 16));
  });
}
