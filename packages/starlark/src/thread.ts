import { type Call, type Position, StarlarkBudgetError, StarlarkEvalError } from "./errors.js";

/** What a program may use up. Everything is counted, nothing is timed: the same program stops at the same place anywhere. */
export interface Budget {
  /** Statements, calls, iterations, and elements that built-ins touch. */
  readonly steps: number;
  /** Units of memory allocated, about a byte each; nothing is ever given back. */
  readonly memory: number;
  /** Calls inside calls. */
  readonly depth: number;
}

export const DEFAULT_BUDGET: Budget = { steps: 1_000_000, memory: 64 * 1024 * 1024, depth: 100 };

/** Where a running function is: updated as it runs, read when something fails. */
export interface Frame {
  readonly name: string;
  readonly file: string;
  at: { readonly line: number; readonly column: number };
}

const NOWHERE = { line: 1, column: 1 };

/** One run of a program: what it has used so far, and the calls it is in. */
export class Thread {
  steps = 0;
  memory = 0;
  readonly frames: Frame[] = [];

  constructor(
    private readonly budget: Budget = DEFAULT_BUDGET,
    private readonly isCancelled: () => boolean = () => false,
    /** Where `print` goes; nowhere unless the host says so. */
    readonly print: (text: string) => void = () => {},
  ) {}

  /** Counts work; throws when there is no more of it to be had. */
  step(count = 1): void {
    this.steps += count;
    if (this.steps > this.budget.steps) this.exhaust("steps", `more than ${this.budget.steps} steps`);
    if ((this.steps & 1023) < count && this.isCancelled()) this.exhaust("cancelled", "cancelled");
  }

  /** Counts memory before it is allocated. */
  allocate(units: number): void {
    this.memory += units;
    if (!(this.memory <= this.budget.memory)) this.exhaust("memory", `more than ${this.budget.memory} units of memory`);
  }

  enter(frame: Frame): void {
    if (this.frames.length >= this.budget.depth) this.exhaust("depth", `more than ${this.budget.depth} calls deep`);
    this.frames.push(frame);
  }

  leave(): void {
    this.frames.pop();
  }

  /** How far repr, comparison and hashing may follow nested values. */
  get maxNesting(): number {
    return this.budget.depth;
  }

  fail(message: string): never {
    throw new StarlarkEvalError(message, this.position(), this.calls());
  }

  tooDeep(): never {
    this.exhaust("depth", "a value is nested too deeply");
  }

  private exhaust(resource: StarlarkBudgetError["resource"], message: string): never {
    throw new StarlarkBudgetError(resource, message, this.position(), this.calls());
  }

  private position(): Position {
    const frame = this.frames.at(-1);
    const { line, column } = frame?.at ?? NOWHERE;
    return { file: frame?.file ?? "<none>", line, column };
  }

  private calls(): Call[] {
    return this.frames.map(({ name, file, at }) => ({ name, position: { file, line: at.line, column: at.column } }));
  }
}
