import type { Source } from "./errors.js";
import { Activation, type Code, type Execute } from "./evaluator/activation.js";
import { blockOf } from "./evaluator/statements.js";
import { type RunOptions, Thread } from "./evaluator/thread.js";
import { type Predeclared, withUniverse } from "./predeclared.js";
import { guard, guardSource, runWithin } from "./run.js";
import { parseFile } from "./syntax/parser.js";
import { type Resolution, resolveFile } from "./syntax/resolver.js";
import { freeze } from "./values/freeze.js";
import { quote } from "./values/quote.js";
import { type Arguments, isCallable, isValue, NO_KEYWORDS, refuseValue, type Value } from "./values/values.js";

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
  call(name: string, args: Arguments = [], options?: RunOptions): Result {
    const thread = new Thread(options);
    return resultOf(thread, this.globals.get(name), name, args);
  }
}

function resultOf(thread: Thread, callee: Value | undefined, name: string, args: Arguments): Result {
  if (callee === undefined || !isCallable(callee)) return thread.fail(`the module has no function ${name}`);
  for (let i = 0; i < args.length; i++) if (!isValue(args[i])) refuseValue(`argument ${i + 1} of ${name}()`);
  const value = guard(thread, () => callee.call(thread, args, NO_KEYWORDS));
  return { value, steps: thread.steps, memory: thread.memory };
}

/** A program that was parsed and compiled once and can be run many times, each time with a scope of its own. */
export class Program {
  private constructor(
    private readonly code: Code,
    private readonly resolution: Resolution,
    private readonly execute: Execute,
  ) {}

  /** Parses, resolves and compiles a source; throws what is wrong with it. */
  static compile(text: string, options: ProgramOptions = {}): Program {
    const source: Source = { file: options.filename ?? "<source>", text };
    return guardSource(source, () => Program.compileSource(source, options));
  }

  private static compileSource(source: Source, options: ProgramOptions): Program {
    const predeclared = withUniverse(options.predeclared);
    const statements = parseFile(source.text, source.file);
    const resolution = resolveFile(source, statements, {
      predeclared,
      whileLoops: options.whileLoops ?? false,
      topLevelControl: options.topLevelControl ?? false,
      globalReassign: options.globalReassign ?? false,
    });
    const load = (thread: Thread, module: string) => {
      if (options.load === undefined) return thread.fail("load: this program has no modules to load");
      const found = options.load(module, thread) ?? thread.fail(`load: there is no module ${quote(module)}`);
      return found instanceof Module ? found.globals : found;
    };
    const context = { source, resolution, predeclared, recursion: options.recursion ?? false, load };
    const code = { name: "<toplevel>", source, ...resolution.layout };
    return new Program(code, resolution, blockOf(context, statements));
  }

  /** The names the module will have; those it loads are not among them. */
  get names(): readonly string[] {
    return this.resolution.globals.filter((name) => !this.resolution.loaded.has(name));
  }

  /** Runs it once; the module's functions may then be called many times, and no call sees another. */
  run(options?: RunOptions): Module {
    const thread = new Thread(options);
    const { variables } = this.execution(thread);
    const globals = new Map<string, Value>();
    for (const [index, name] of this.resolution.globals.entries()) {
      const value = variables[index];
      if (value !== undefined && !this.resolution.loaded.has(name)) globals.set(name, value);
    }
    return new Module(globals, thread.steps, thread.memory);
  }

  /** Runs it in a scope of its own and calls one of its functions there, all within one budget. */
  call(name: string, args: Arguments = [], options?: RunOptions): Result {
    const thread = new Thread(options);
    const { variables } = this.execution(thread);
    return resultOf(thread, variables[this.resolution.globals.indexOf(name)], name, args);
  }

  private execution(thread: Thread): Activation {
    const { code, execute } = this;
    const frame = new Activation(thread, code, null, null, START);
    runWithin(thread, frame, code.weight, execute);
    for (const value of frame.variables) if (value !== undefined) freeze(value);
    return frame;
  }
}

const START = { line: 1, column: 1 };
