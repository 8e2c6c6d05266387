import type { Expression, Statement } from "./tree.js";

export interface FunctionLayout {
  /** How many variables a call of it has. */
  readonly size: number;
  /** How much of JavaScript's stack a call of it may take, in nested expressions and statements. */
  readonly weight: number;
}

/** What a call takes of the stack beside its body: the call itself, and what a built-in that calls it adds. */
const CALL_WEIGHT = 12;

/** One function, or the module: the variables of a call. Comprehensions open blocks inside it. */
export class FunctionScope {
  readonly blocks: Map<string, number>[] = [new Map()];
  size = 0;
  loops = 0;
  depth = 0;
  deepest = 0;

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

  get layout(): FunctionLayout {
    return { size: this.size, weight: this.deepest + CALL_WEIGHT };
  }

  names(): string[] {
    return this.blocks.flatMap((block) => [...block.keys()]);
  }

  find(name: string): number | undefined {
    for (let i = this.blocks.length - 1; i >= 0; i--) {
      const index = this.blocks[i]?.get(name);
      if (index !== undefined) return index;
    }
    return undefined;
  }

  /** Declares every name a block binds: each is local to all of it, wherever in the block it stands. */
  declareAll(statements: readonly Statement[]): void {
    for (const statement of statements) {
      switch (statement.kind) {
        case "assign":
          this.declareTarget(statement.target);
          break;
        case "augment":
          if (statement.target.kind === "name") this.declareTarget(statement.target);
          break;
        case "def":
          this.declare(statement.name);
          break;
        case "load":
          for (const { local } of statement.names) this.declare(local);
          break;
        case "for":
          this.declareTarget(statement.target);
          this.declareAll(statement.body);
          break;
        case "while":
          this.declareAll(statement.body);
          break;
        case "if":
          for (const { body } of statement.branches) this.declareAll(body);
          this.declareAll(statement.otherwise);
          break;
      }
    }
  }

  declareTarget(target: Expression): void {
    if (target.kind === "name") this.declare(target.name);
    if (target.kind === "list" || target.kind === "tuple") for (const item of target.items) this.declareTarget(item);
  }
}
