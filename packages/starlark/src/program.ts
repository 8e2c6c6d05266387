import { universe } from "./builtins.js";
import { Activation, Compiler } from "./compiler.js";
import type { Source } from "./errors.js";
import { parseExpression, parseFile } from "./parser.js";
import { type Resolution, resolveExpression, resolveFile } from "./resolver.js";
import { type RunOptions, Thread } from "./thread.js";
import { type Callable, freeze, isCallable, type Value } from "./values.js";

/** What the host gives a program beside the built-ins, by name. */
export type Predeclared = ReadonlyMap<string, Value> | Readonly<Record<string, Value>>;

/** Finds what `load` asks for; null when there is no such module. */
export type LoadPort = (module: string, thread: Thread) => Module | ReadonlyMap<string, Value> | null;

export interface ProgramOptions {
  /** What the source is called in messages. */
  readonly filename?: string;
  readonly predeclared?: Predeclared;
  readonly load?: LoadPort;
  /** Allows `while`. */
  readonly whileLoops?: boolean;
  /** Allows a function to call itself. */
  readonly recursion?: boolean;
  /** Allows `if`, `for` and `while` outside of functions. */
  readonly topLevelControl?: boolean;
  /** Allows a global to be assigned again. */
  readonly globalReassign?: boolean;
}

/** What a run gave, and what it used. */
export interface Result {
  readonly value: Value;
  readonly steps: number;
  readonly memory: number;
}

/** A module after it ran: its names, frozen. */
export class Module {
  constructor(
    readonly globals: ReadonlyMap<string, Value>,
    /** How many steps running it took. */
    readonly steps: number,
    readonly memory: number,
  ) {}

  /** Whether it has a function of this name. */
  has(name: string): boolean {
    return isCallable(this.globals.get(name) ?? null);
  }

  /** Calls one of its functions, with a budget of its own. */
  call(name: string, args: readonly Value[] = [], options?: RunOptions): Result {
    const thread = new Thread(options);
    const value = functionOf(this.globals.get(name), name, thread).call(thread, args, NO_KEYWORDS);
    return { value, steps: thread.steps, memory: thread.memory };
  }
}

const NO_KEYWORDS: ReadonlyMap<string, Value> = new Map();

function functionOf(value: Value | undefined, name: string, thread: Thread): Callable {
  return value !== undefined && isCallable(value) ? value : thread.fail(`the module has no function ${name}`);
}

/** A program that was parsed and compiled once and can be run many times, each time with a scope of its own. */
export class Program {
  private constructor(
    private readonly source: Source,
    private readonly resolution: Resolution,
    private readonly execute: (frame: Activation) => unknown,
  ) {}

  /** Parses, resolves and compiles a source; throws what is wrong with it. */
  static compile(text: string, options: ProgramOptions = {}): Program {
    const source: Source = { file: options.filename ?? "<source>", text };
    const predeclared = withUniverse(options.predeclared);
    const statements = parseFile(text, source.file);
    const resolution = resolveFile(source, statements, {
      predeclared,
      whileLoops: options.whileLoops ?? false,
      topLevelControl: options.topLevelControl ?? false,
      globalReassign: options.globalReassign ?? false,
    });
    const load = (thread: Thread, module: string) => {
      if (options.load === undefined) return thread.fail("load: this program has no modules to load");
      const found = options.load(module, thread) ?? thread.fail(`load: there is no module ${module}`);
      return found instanceof Module ? found.globals : found;
    };
    const compiler = new Compiler({ source, resolution, predeclared, recursion: options.recursion ?? false, load });
    return new Program(source, resolution, compiler.block(statements));
  }

  /** The names the module will have. */
  get names(): readonly string[] {
    return this.resolution.globals;
  }

  /** Runs it once; the module's functions may then be called many times, and no call sees another. */
  run(options?: RunOptions): Module {
    const thread = new Thread(options);
    const frame = this.execution(thread);
    const globals = new Map<string, Value>();
    for (const [index, name] of this.resolution.globals.entries()) {
      const value = frame.variables[index];
      if (name !== undefined && value !== undefined) globals.set(name, value);
    }
    return new Module(globals, thread.steps, thread.memory);
  }

  /** Runs it in a scope of its own and calls one of its functions there, all within one budget. */
  call(name: string, args: readonly Value[] = [], options?: RunOptions): Result {
    const thread = new Thread(options);
    const { variables } = this.execution(thread);
    const callee = functionOf(variables[this.resolution.globals.indexOf(name)], name, thread);
    const value = callee.call(thread, args, NO_KEYWORDS);
    return { value, steps: thread.steps, memory: thread.memory };
  }

  private execution(thread: Thread): Activation {
    const { size, globals } = this.resolution;
    const frame = new Activation(thread, "<toplevel>", this.source, null, this, size, { line: 1, column: 1 });
    thread.enter(frame);
    this.execute(frame);
    thread.leave();
    for (const index of globals.keys()) {
      const value = frame.variables[index];
      if (value !== undefined) freeze(value);
    }
    return frame;
  }
}

export interface ExpressionOptions {
  /** What the values it is called with are called in it. */
  readonly names?: readonly string[];
  readonly filename?: string;
  readonly predeclared?: Predeclared;
}

/** One expression, compiled: a predicate such as `when`. */
export interface Expression {
  /** Evaluates it with a value for each of its names. */
  evaluate(values?: Readonly<Record<string, Value>>, options?: RunOptions): Result;
}

/** Compiles one expression over the names given; it may be evaluated many times. */
export function compileExpression(text: string, options: ExpressionOptions = {}): Expression {
  const { names = [], filename: file = "<expression>" } = options;
  const source: Source = { file, text };
  const predeclared = withUniverse(options.predeclared);
  const expression = parseExpression(text, file);
  const rules = { predeclared, whileLoops: false, topLevelControl: false, globalReassign: false };
  const resolution = resolveExpression(source, expression, names, rules);
  const load = () => new Map();
  const evaluate = new Compiler({ source, resolution, predeclared, recursion: false, load }).expression(expression);
  return {
    evaluate(values = {}, options) {
      const thread = new Thread(options);
      const frame = new Activation(thread, "<expression>", source, null, evaluate, resolution.size, expression);
      for (let i = 0; i < names.length; i++) {
        const name = names[i] as string;
        const value = Object.hasOwn(values, name) ? values[name] : undefined;
        if (value === undefined) throw new TypeError(`an expression over ${names.join(", ")} got no value for ${name}`);
        frame.variables[i] = value;
      }
      thread.enter(frame);
      return { value: evaluate(frame), steps: thread.steps, memory: thread.memory };
    },
  };
}

function withUniverse(own: Predeclared | undefined): ReadonlyMap<string, Value> {
  if (own === undefined) return universe;
  const names = own instanceof Map ? (own as ReadonlyMap<string, Value>) : Object.entries(own);
  const predeclared = new Map([...universe, ...names]);
  for (const value of predeclared.values()) freeze(value);
  return predeclared;
}
