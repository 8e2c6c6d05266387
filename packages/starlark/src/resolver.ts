import { type Source, StarlarkResolveError } from "./errors.js";
import type { Clause, Expression, Parameter, Statement } from "./syntax.js";

/** Where a name's value is: so many functions outwards, at this index; or among the names the host gives. */
export type Binding =
  | { readonly kind: "variable"; readonly depth: number; readonly index: number }
  | { readonly kind: "predeclared" };

export interface FunctionLayout {
  /** How many variables a call of it has. */
  readonly size: number;
}

export interface ResolveOptions {
  /** Names the host gives to every module. */
  readonly predeclared: { has(name: string): boolean };
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
  /** How many variables the module has, those of its comprehensions included. */
  readonly size: number;
}

/** One function, or the module: the variables of a call. Comprehensions open blocks inside it. */
class FunctionScope {
  readonly blocks: Map<string, number>[] = [new Map()];
  size = 0;
  loops = 0;

  constructor(
    readonly parent: FunctionScope | null,
    readonly isModule: boolean,
  ) {}

  declare(name: string): number {
    const block = this.blocks.at(-1) as Map<string, number>;
    const known = block.get(name);
    if (known !== undefined) return known;
    block.set(name, this.size);
    return this.size++;
  }

  find(name: string): number | undefined {
    for (let i = this.blocks.length - 1; i >= 0; i--) {
      const index = this.blocks[i]?.get(name);
      if (index !== undefined) return index;
    }
    return undefined;
  }
}

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

  constructor(
    private readonly source: Source,
    private readonly options: ResolveOptions,
  ) {}

  module(statements: readonly Statement[], variables: readonly string[] = []): Resolution {
    for (const name of variables) this.scope.declare(name);
    this.declareAll(statements);
    this.block(statements);
    const globals: string[] = [];
    for (const [name, index] of this.scope.blocks[0] ?? []) globals[index] = name;
    return { names: this.names, functions: this.functions, writes: this.writes, globals, size: this.scope.size };
  }

  private fail(message: string, { line, column }: { line: number; column: number }): never {
    const { file, text } = this.source;
    throw new StarlarkResolveError(message, { file, line, column }, text);
  }

  /** Every name a block binds is local to it, wherever in the block it stands. */
  private declareAll(statements: readonly Statement[]): void {
    for (const statement of statements) {
      switch (statement.kind) {
        case "assign":
          this.declareTarget(statement.target);
          break;
        case "augment":
          if (statement.target.kind === "name") this.declareTarget(statement.target);
          break;
        case "def":
          this.scope.declare(statement.name);
          break;
        case "load":
          for (const [local] of statement.names) this.scope.declare(local);
          break;
        case "for":
          this.declareTarget(statement.target);
          this.declareAll(statement.body);
          break;
        case "while":
          this.declareAll(statement.body);
          break;
        case "if":
          this.declareAll(statement.then);
          this.declareAll(statement.otherwise);
          break;
      }
    }
  }

  private declareTarget(target: Expression): void {
    if (target.kind === "name") this.scope.declare(target.name);
    if (target.kind === "list" || target.kind === "tuple") for (const item of target.items) this.declareTarget(item);
  }

  private block(statements: readonly Statement[]): void {
    for (const statement of statements) this.statement(statement);
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
          this.declareAll(statement.body);
          this.block(statement.body);
        });
      case "if":
        this.control("if", statement);
        this.expression(statement.test);
        this.block(statement.then);
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
        for (const [local, exported] of statement.names) {
          if (exported.startsWith("_"))
            this.fail(`load: names with leading underscores are not exported: ${exported}`, statement);
          this.noteAssignment(local, statement);
        }
        this.writes.set(
          statement,
          statement.names.map(([local]) => this.scope.declare(local)),
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

  private noteAssignment(name: string, at: { line: number; column: number }): void {
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
    if (!this.options.predeclared.has(node.name)) this.fail(`undefined: ${node.name}`, node);
    this.names.set(node, { kind: "predeclared" });
  }

  private function(node: FunctionNode, parameters: readonly Parameter[], body: () => void): void {
    for (const { fallback } of parameters) if (fallback !== null) this.expression(fallback);
    const outer = this.scope;
    this.scope = new FunctionScope(outer, false);
    for (const { name, kind } of parameters) if (kind !== "star") this.scope.declare(name);
    body();
    this.functions.set(node, { size: this.scope.size });
    this.scope = outer;
  }

  private expression(expression: Expression): void {
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
        for (const [key, value] of expression.entries) {
          this.expression(key);
          this.expression(value);
        }
        return;
      case "comprehension":
        return this.comprehension(expression.clauses, expression.body);
      case "unary":
        return this.expression(expression.operand);
      case "binary":
        this.expression(expression.left);
        return this.expression(expression.right);
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

  /** The first iterable belongs to the block around; everything else sees the variables of the comprehension. */
  private comprehension(clauses: readonly Clause[], body: Expression | readonly [Expression, Expression]): void {
    const [first] = clauses;
    if (first?.kind === "for") this.expression(first.iterable);
    this.scope.blocks.push(new Map());
    for (const clause of clauses) {
      if (clause.kind === "if") this.expression(clause.test);
      else {
        if (clause !== first) this.expression(clause.iterable);
        this.declareTarget(clause.target);
        this.target(clause.target);
      }
    }
    for (const part of Array.isArray(body) ? (body as readonly Expression[]) : [body as Expression])
      this.expression(part);
    this.scope.blocks.pop();
  }
}
