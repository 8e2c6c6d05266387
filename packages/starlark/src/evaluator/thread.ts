import { type Call, type Source, StarlarkBudgetError, StarlarkEvalError } from "../errors.js";

/** What a program may use up. Everything is counted, nothing is timed: the same program stops at the same place anywhere. */
export interface Budget {
  /** Statements, calls, iterations, and what built-ins do, in portions of about a microsecond at most. */
  readonly steps: number;
  /** Units of memory allocated, about a byte each, or two; nothing is ever given back. */
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
  /** Asked at the first step, and then every 1,024. */
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
  readonly caller: Frame | null;
  at: { readonly line: number; readonly column: number };
}

const NOWHERE: Source = { file: "<none>", text: "" };
const NO_OPTIONS: RunOptions = {};
/** How many steps pass between two looks at the signal. */
const PATIENCE = 1_024;
/** Values are followed by calls of JavaScript, whatever the host allows. */
const MAX_NESTING = 200;
/** How much of JavaScript's own stack calls inside calls may take, in nested expressions and statements. */
const MAX_STACK = 5_000;
/** The longest string JavaScript has, nearly. */
const MAX_TEXT = 2 ** 29 - 64;

/** One run of a program: what it has used so far, and the calls it is in. */
export class Thread {
  steps = 0;
  memory = 0;
  /** How many calls it is in. */
  depth = 0;
  /** The innermost of them. */
  frame: Frame | null = null;
  /** What the host gave this run. */
  readonly context: unknown;
  /** How far repr, comparison, hashing and JSON may follow nested values. */
  readonly maxNesting: number;
  private readonly maxSteps: number;
  private readonly maxMemory: number;
  private readonly maxDepth: number;
  private readonly signal: Signal | undefined;
  private readonly printer: ((text: string) => void) | undefined;
  private nextLook: number;
  private stack = 0;

  constructor({ budget, signal, print, context }: RunOptions = NO_OPTIONS) {
    this.maxSteps = budget?.steps ?? DEFAULT_BUDGET.steps;
    this.maxMemory = budget?.memory ?? DEFAULT_BUDGET.memory;
    this.maxDepth = budget?.depth ?? DEFAULT_BUDGET.depth;
    this.maxNesting = Math.min(this.maxDepth, MAX_NESTING);
    this.signal = signal;
    this.printer = print;
    this.context = context;
    // What was cancelled before it began does not begin.
    this.nextLook = signal === undefined ? this.maxSteps : 0;
  }

  /** Counts work before it is done; throws when there is no more of it to be had. */
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

  /** Counts work and the memory it takes. */
  charge(steps: number, units: number): void {
    this.allocate(units);
    this.step(steps);
  }

  /** Counts a string of this length before it is made. */
  text(length: number): void {
    this.allocate(2 * length);
    if (!(length <= MAX_TEXT)) this.tooLarge("string");
    this.step(length >> 6);
  }

  /** Enters a call; `weight` is what its body may take of JavaScript's own stack. */
  enter(frame: Frame, weight: number): void {
    if (this.depth >= this.maxDepth) this.exhaust("depth", `more than ${this.maxDepth} calls deep`);
    if (this.stack + weight > MAX_STACK) this.exhaust("depth", "calls and expressions are nested too deeply");
    this.depth++;
    this.stack += weight;
    this.frame = frame;
  }

  leave(frame: Frame, weight: number): void {
    this.depth--;
    this.stack -= weight;
    this.frame = frame.caller;
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

  /** Refuses what no budget allows, because JavaScript cannot hold it. */
  tooLarge(what: string): never {
    this.exhaust("memory", `the ${what} would be too large`);
  }

  /** Ends the run because JavaScript's own stack is at its end: the host was deep in calls when it began. */
  overflow(): never {
    this.exhaust("depth", "no room for more calls");
  }

  private exhaust(resource: StarlarkBudgetError["resource"], message: string): never {
    const { position, calls, usage, text } = this.state();
    throw new StarlarkBudgetError(resource, message, position, calls, usage, text);
  }

  private state() {
    const calls: Call[] = [];
    for (let frame = this.frame; frame !== null; frame = frame.caller) {
      const { name, source, at } = frame;
      calls.push({ name, position: { file: source.file, line: at.line, column: at.column } });
    }
    const source = this.frame?.source ?? NOWHERE;
    return {
      position: calls[0]?.position ?? { file: source.file, line: 1, column: 1 },
      calls: calls.reverse(),
      usage: { steps: this.steps, memory: this.memory },
      text: source.text,
    };
  }
}
