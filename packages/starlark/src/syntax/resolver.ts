import { type Source, StarlarkResolveError } from "../errors.js";
import { hintFor } from "../nearest.js";
import { type FunctionLayout, FunctionScope } from "./scope.js";
import type { Clause, Entry, Expression, Node, Parameter, Statement } from "./tree.js";
import { adviceFor } from "./words.js";

/** Where a name's value is: so many functions outwards, at this index; or among the names the host gives. */
export type Binding =
  | { readonly kind: "variable"; readonly depth: number; readonly index: number }
  | { readonly kind: "predeclared" };

export interface ResolveOptions {
  /** Names the host gives to every module. */
  readonly predeclared: ReadonlyMap<string, unknown>;
  /** Allows `while`. */
  readonly whileLoops: boolean;
  /** Allows if, for and while outside of functions. */
  readonly topLevelControl: boolean;
  /** Allows a global to be assigned again. */
  readonly globalReassign: boolean;
}

type NameNode = Extract<Expression, { kind: "name" }>;
type FunctionNode = Extract<Statement, { kind: "def" }> | Extract<Expression, { kind: "lambda" }>;

/** What a name means wherever one stands, found once before anything runs. */
export interface Resolution {
  readonly names: ReadonlyMap<NameNode, Binding>;
  readonly functions: ReadonlyMap<FunctionNode, FunctionLayout>;
  /** The index of the variable a def or a load writes. */
  readonly writes: ReadonlyMap<object, readonly number[]>;
  /** The module's own names, by index. */
  readonly globals: readonly string[];
  /** Those of them that were loaded, and are nobody else's. */
  readonly loaded: ReadonlySet<string>;
  /** The top level, as if it were a function. */
  readonly layout: FunctionLayout;
}

/** A tree is walked by calls, and so are its closures when they run: none may be deeper than this. */
const MAX_TREE = 500;
/** Expressions that run by a call inside a call. */
const HEAVY: ReadonlySet<Expression["kind"]> = new Set(["list", "tuple", "dict", "call", "comprehension"]);

/** Finds what every name of a module means. */
export function resolveFile(source: Source, statements: readonly Statement[], options: ResolveOptions): Resolution {
  const resolver = new Resolver(source, options);
  return resolver.module(statements);
}

/** Finds what every name of one expression means; the names given are its variables, in their order. */
export function resolveExpression(
  source: Source,
  expression: Expression,
  variables: readonly string[],
  options: ResolveOptions,
): Resolution {
  const resolver = new Resolver(source, options);
  const { line, column } = expression;
  return resolver.module([{ kind: "expression", expression, line, column }], variables);
}

class Resolver {
  private readonly names = new Map<NameNode, Binding>();
  private readonly functions = new Map<FunctionNode, FunctionLayout>();
  private readonly writes = new Map<object, readonly number[]>();
  private scope: FunctionScope = new FunctionScope(null, true);
  private readonly assigned = new Set<string>();
  private readonly loaded = new Set<string>();
  private depth = 0;
  /** How many statements of if, for and while this one is in. */
  private controls = 0;

  constructor(
    private readonly source: Source,
    private readonly options: ResolveOptions,
  ) {}

  module(statements: readonly Statement[], variables: readonly string[] = []): Resolution {
    for (const name of variables) this.scope.declare(name);
    this.scope.declareAll(statements);
    this.block(statements);
    const globals: string[] = [];
    for (const [name, index] of this.scope.blocks[0] ?? []) globals[index] = name;
    const { names, functions, writes, loaded } = this;
    return { names, functions, writes, globals, loaded, layout: this.scope.layout };
  }

  /** Goes down the tree by as many calls as this part of it takes when it runs. */
  private descend(by: number, at: Node): void {
    const { scope } = this;
    scope.depth += by;
    if (scope.depth > scope.deepest) scope.deepest = scope.depth;
    this.depth += by;
    if (this.depth > MAX_TREE) this.fail("nested too deeply", at);
  }

  private ascend(by: number): void {
    this.scope.depth -= by;
    this.depth -= by;
  }

  private fail(message: string, { line, column }: Node): never {
    const { file, text } = this.source;
    throw new StarlarkResolveError(message, { file, line, column }, text);
  }

  private block(statements: readonly Statement[]): void {
    for (const statement of statements) {
      const weight = statement.kind === "for" ? 4 : 2;
      const isControl = Number(statement.kind === "if" || statement.kind === "for" || statement.kind === "while");
      this.descend(weight, statement);
      this.controls += isControl;
      this.statement(statement);
      this.controls -= isControl;
      this.ascend(weight);
    }
  }

  private statement(statement: Statement): void {
    switch (statement.kind) {
      case "expression":
        return this.expression(statement.expression);
      case "assign":
        this.expression(statement.value);
        return this.target(statement.target);
      case "augment":
        this.expression(statement.value);
        if (statement.target.kind !== "name") return this.expression(statement.target);
        this.noteAssignment(statement.target.name, statement.target);
        return this.expression(statement.target);
      case "def":
        this.noteAssignment(statement.name, statement);
        this.writes.set(statement, [this.scope.declare(statement.name)]);
        return this.function(statement, statement.parameters, () => {
          this.scope.declareAll(statement.body);
          this.block(statement.body);
        });
      case "if":
        this.control("if", statement);
        for (const { test, body } of statement.branches) {
          this.expression(test);
          this.block(body);
        }
        return this.block(statement.otherwise);
      case "for":
        this.control("for", statement);
        this.expression(statement.iterable);
        this.target(statement.target);
        return this.loop(statement.body);
      case "while":
        if (!this.options.whileLoops) this.fail("while is not available; use for with a bound", statement);
        this.control("while", statement);
        this.expression(statement.test);
        return this.loop(statement.body);
      case "return":
        if (this.scope.isModule) this.fail("return statement not within a function", statement);
        return statement.value === null ? undefined : this.expression(statement.value);
      case "break":
      case "continue":
        if (this.scope.loops === 0) this.fail(`${statement.kind} not in a loop`, statement);
        return;
      case "load":
        if (!this.scope.isModule) this.fail("load statement within a function", statement);
        if (this.controls > 0) this.fail("load statement within a conditional or a loop", statement);
        for (const { local, exported } of statement.names) {
          if (exported.startsWith("_"))
            this.fail(`load: names with leading underscores are not exported: ${exported}`, statement);
          this.noteAssignment(local, statement);
          this.loaded.add(local);
        }
        this.writes.set(
          statement,
          statement.names.map(({ local }) => this.scope.declare(local)),
        );
        return;
    }
  }

  private control(what: string, statement: Statement): void {
    if (this.scope.isModule && !this.options.topLevelControl) {
      this.fail(`${what} ${what === "if" ? "statement" : "loop"} not within a function`, statement);
    }
  }

  private loop(body: readonly Statement[]): void {
    this.scope.loops++;
    this.block(body);
    this.scope.loops--;
  }

  private noteAssignment(name: string, at: Node): void {
    if (!this.scope.isModule || this.scope.blocks.length > 1) return;
    if (this.assigned.has(name) && !this.options.globalReassign) this.fail(`cannot reassign global ${name}`, at);
    this.assigned.add(name);
  }

  private target(target: Expression): void {
    if (target.kind === "name") {
      this.noteAssignment(target.name, target);
      this.name(target);
    } else if (target.kind === "list" || target.kind === "tuple") for (const item of target.items) this.target(item);
    else this.expression(target);
  }

  private name(node: NameNode): void {
    let depth = 0;
    for (let scope: FunctionScope | null = this.scope; scope !== null; scope = scope.parent, depth++) {
      const index = scope.find(node.name);
      if (index !== undefined) {
        this.names.set(node, { kind: "variable", depth, index });
        return;
      }
    }
    if (!this.options.predeclared.has(node.name)) this.undefined(node);
    this.names.set(node, { kind: "predeclared" });
  }

  private undefined(node: NameNode): never {
    const advice = adviceFor(node.name);
    if (advice !== undefined) this.fail(`undefined: ${node.name}; ${advice}`, node);
    let known: string[] = [];
    for (let scope: FunctionScope | null = this.scope; scope !== null; scope = scope.parent) {
      known = known.concat(scope.names());
    }
    known = known.concat([...this.options.predeclared.keys()]);
    this.fail(`undefined: ${node.name}${hintFor(node.name, known)}`, node);
  }

  private function(node: FunctionNode, parameters: readonly Parameter[], body: () => void): void {
    for (const { fallback } of parameters) if (fallback !== null) this.expression(fallback);
    const outer = this.scope;
    this.scope = new FunctionScope(outer, false);
    for (const { name, kind } of parameters) if (kind !== "star") this.scope.declare(name);
    body();
    this.functions.set(node, this.scope.layout);
    this.scope = outer;
  }

  private expression(expression: Expression): void {
    const weight = HEAVY.has(expression.kind) ? 2 : 1;
    this.descend(weight, expression);
    this.parts(expression);
    this.ascend(weight);
  }

  private parts(expression: Expression): void {
    switch (expression.kind) {
      case "name":
        return this.name(expression);
      case "literal":
      case "float":
      case "bytes":
        return;
      case "list":
      case "tuple":
        for (const item of expression.items) this.expression(item);
        return;
      case "dict":
        for (const entry of expression.entries) this.entry(entry);
        return;
      case "comprehension":
        return this.comprehension(expression.clauses, expression.body);
      case "unary":
        return this.expression(expression.operand);
      case "binary":
        return this.binary(expression);
      case "conditional":
        this.expression(expression.test);
        this.expression(expression.then);
        return this.expression(expression.otherwise);
      case "lambda":
        return this.function(expression, expression.parameters, () => this.expression(expression.body));
      case "dot":
        return this.expression(expression.object);
      case "index":
        this.expression(expression.object);
        return this.expression(expression.index);
      case "slice":
        for (const part of [expression.object, expression.start, expression.stop, expression.step]) {
          if (part !== null) this.expression(part);
        }
        return;
      case "call":
        this.expression(expression.callee);
        for (const { value } of expression.args) this.expression(value);
    }
  }

  /** A long chain of operators leans to the left; it is walked from its end and not by calls, as it is when it runs. */
  private binary(expression: Extract<Expression, { kind: "binary" }>): void {
    const rights: Expression[] = [];
    let first: Expression = expression;
    for (; first.kind === "binary"; first = first.left) rights.push(first.right);
    const weight = Math.min(rights.length, 4);
    this.descend(weight, expression);
    this.expression(first);
    for (const right of rights.reverse()) this.expression(right);
    this.ascend(weight);
  }

  private entry({ key, value }: Entry): void {
    this.expression(key);
    this.expression(value);
  }

  /** The first iterable belongs to the block around; everything else sees the variables of the comprehension. */
  private comprehension(clauses: readonly Clause[], body: Expression | Entry): void {
    const [first] = clauses;
    const weight = 3 * clauses.length;
    this.descend(weight, first as Clause);
    if (first?.kind === "for") this.expression(first.iterable);
    this.scope.blocks.push(new Map());
    for (const clause of clauses) if (clause.kind === "for") this.scope.declareTarget(clause.target);
    for (const clause of clauses) {
      if (clause.kind === "if") this.expression(clause.test);
      else {
        if (clause !== first) this.expression(clause.iterable);
        this.target(clause.target);
      }
    }
    if (body.kind === "entry") this.entry(body);
    else this.expression(body);
    this.scope.blocks.pop();
    this.ascend(weight);
  }
}
