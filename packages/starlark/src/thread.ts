import { type Call, type Source, StarlarkBudgetError, StarlarkEvalError } from "./errors.js";

/** What a program may use up. Everything is counted, nothing is timed: the same program stops at the same place anywhere. */
export interface Budget {
  /** Statements, calls, iterations, and elements that built-ins touch. */
  readonly steps: number;
  /** Units of memory allocated, about a byte each; nothing is ever given back. */
  readonly memory: number;
  /** Calls inside calls, and how far repr, comparison, hashing and JSON follow nested values. */
  readonly depth: number;
}

export const DEFAULT_BUDGET: Budget = { steps: 1_000_000, memory: 64 * 1024 * 1024, depth: 100 };

/** Tells a run to stop: an AbortSignal, or anything whose `aborted` becomes true. */
export interface Signal {
  readonly aborted: boolean;
}

/** How one run is held. */
export interface RunOptions {
  /** What it may use up; what is left out is as in DEFAULT_BUDGET. */
  readonly budget?: Partial<Budget>;
  /** Asked every 1,024 steps. */
  readonly signal?: Signal;
  /** Where `print` goes; nowhere unless the host says so. */
  readonly print?: (text: string) => void;
  /** Anything of the host's that its functions want to see during this run, as `thread.context`. */
  readonly context?: unknown;
}

/** Where a running function is: updated as it runs, read when something fails. */
export interface Frame {
  readonly name: string;
  readonly source: Source;
  at: { readonly line: number; readonly column: number };
}

const NOWHERE: Frame = { name: "<none>", source: { file: "<none>", text: "" }, at: { line: 1, column: 1 } };
const NO_OPTIONS: RunOptions = {};
/** How many steps pass between two looks at the signal. */
const PATIENCE = 1_024;

/** One run of a program: what it has used so far, and the calls it is in. */
export class Thread {
  steps = 0;
  memory = 0;
  readonly frames: Frame[] = [];
  /** What the host gave this run. */
  readonly context: unknown;
  /** How far repr, comparison, hashing and JSON may follow nested values. */
  readonly maxNesting: number;
  private readonly maxSteps: number;
  private readonly maxMemory: number;
  private readonly signal: Signal | undefined;
  private readonly printer: ((text: string) => void) | undefined;
  private nextLook: number;

  constructor({ budget, signal, print, context }: RunOptions = NO_OPTIONS) {
    this.maxSteps = budget?.steps ?? DEFAULT_BUDGET.steps;
    this.maxMemory = budget?.memory ?? DEFAULT_BUDGET.memory;
    this.maxNesting = budget?.depth ?? DEFAULT_BUDGET.depth;
    this.signal = signal;
    this.printer = print;
    this.context = context;
    this.nextLook = signal === undefined ? this.maxSteps : Math.min(PATIENCE, this.maxSteps);
  }

  /** Counts work; throws when there is no more of it to be had. */
  step(count = 1): void {
    this.steps += count;
    if (!(this.steps <= this.nextLook)) this.look();
  }

  private look(): void {
    if (!(this.steps <= this.maxSteps)) this.exhaust("steps", `more than ${this.maxSteps} steps`);
    if (this.signal?.aborted === true) this.exhaust("cancelled", "cancelled");
    this.nextLook = Math.min(this.steps + PATIENCE, this.maxSteps);
  }

  /** Counts memory before it is allocated. */
  allocate(units: number): void {
    this.memory += units;
    if (!(this.memory <= this.maxMemory)) this.exhaust("memory", `more than ${this.maxMemory} units of memory`);
  }

  enter(frame: Frame): void {
    if (this.frames.length >= this.maxNesting) this.exhaust("depth", `more than ${this.maxNesting} calls deep`);
    this.frames.push(frame);
  }

  leave(): void {
    this.frames.pop();
  }

  print(text: string): void {
    this.printer?.(text);
  }

  /** Ends the run with an error at the place where the program is. */
  fail(message: string): never {
    const { position, calls, usage, text } = this.state();
    throw new StarlarkEvalError(message, position, calls, usage, text);
  }

  tooDeep(): never {
    this.exhaust("depth", "a value is nested too deeply");
  }

  private exhaust(resource: StarlarkBudgetError["resource"], message: string): never {
    const { position, calls, usage, text } = this.state();
    throw new StarlarkBudgetError(resource, message, position, calls, usage, text);
  }

  private state() {
    const calls: Call[] = this.frames.map(({ name, source: { file }, at: { line, column } }) => ({
      name,
      position: { file, line, column },
    }));
    const { at, source } = this.frames.at(-1) ?? NOWHERE;
    return {
      position: { file: source.file, line: at.line, column: at.column },
      calls,
      usage: { steps: this.steps, memory: this.memory },
      text: source.text,
    };
  }
}
