import { universe } from "./builtins.js";
import { Activation, Compiler } from "./compiler.js";
import { parseExpression, parseFile } from "./parser.js";
import { resolveExpression, resolveFile } from "./resolver.js";
import { type Budget, DEFAULT_BUDGET, Thread } from "./thread.js";
import { freeze, isCallable, type Value } from "./values.js";

export interface ProgramOptions {
  /** What the source is called in messages. */
  readonly filename?: string;
  /** What the host gives a program beside the built-ins. */
  readonly predeclared?: ReadonlyMap<string, Value>;
  readonly whileLoops?: boolean;
  readonly recursion?: boolean;
  readonly topLevelControl?: boolean;
  readonly globalReassign?: boolean;
  /** Finds what `load` asks for. */
  readonly load?: (module: string) => ReadonlyMap<string, Value>;
}

export interface RunOptions {
  readonly budget?: Partial<Budget>;
  readonly isCancelled?: () => boolean;
  readonly print?: (text: string) => void;
}

/** A module after it ran: its names, frozen. */
export class Module {
  constructor(
    readonly globals: ReadonlyMap<string, Value>,
    /** How many steps running it took. */
    readonly steps: number,
  ) {}

  /** Calls one of its functions. */
  call(name: string, args: readonly Value[], options: RunOptions = {}): Value {
    const callee = this.globals.get(name) ?? null;
    const thread = newThread(options);
    if (!isCallable(callee)) return thread.fail(`the module has no function ${name}`);
    return callee.call(thread, args, new Map());
  }
}

/** A program that was parsed and compiled once and can be run many times, each time with a scope of its own. */
export class Program {
  private constructor(
    private readonly file: string,
    private readonly names: readonly string[],
    private readonly size: number,
    private readonly execute: (frame: Activation) => unknown,
  ) {}

  static compile(source: string, options: ProgramOptions = {}): Program {
    const { filename: file = "<source>", predeclared: own = new Map<string, Value>() } = options;
    const predeclared = new Map([...universe, ...own]);
    const statements = parseFile(source, file);
    const resolution = resolveFile(file, statements, {
      predeclared,
      whileLoops: options.whileLoops ?? false,
      topLevelControl: options.topLevelControl ?? false,
      globalReassign: options.globalReassign ?? false,
    });
    const load = (thread: Thread, module: string) =>
      options.load?.(module) ?? thread.fail(`load: this program has no modules to load`);
    const compiler = new Compiler({ file, resolution, predeclared, recursion: options.recursion ?? false, load });
    return new Program(file, resolution.globals, resolution.size, compiler.block(statements));
  }

  run(options: RunOptions = {}): Module {
    const thread = newThread(options);
    const frame = new Activation(thread, "<toplevel>", this.file, null, this, this.size, { line: 1, column: 1 });
    thread.enter(frame);
    this.execute(frame);
    thread.leave();
    const globals = new Map<string, Value>();
    for (const [index, name] of this.names.entries()) {
      const value = frame.variables[index];
      if (name === undefined || value === undefined) continue;
      freeze(value);
      globals.set(name, value);
    }
    return new Module(globals, thread.steps);
  }
}

/** Compiles one expression over the names given; the result may be called many times, with their values in order. */
export function compileExpression(
  source: string,
  names: readonly string[],
  filename = "<expression>",
): (values: readonly Value[], options?: RunOptions) => Value {
  const expression = parseExpression(source, filename);
  const resolution = resolveExpression(filename, expression, names, {
    predeclared: universe,
    whileLoops: false,
    topLevelControl: false,
    globalReassign: false,
  });
  const context = { file: filename, resolution, predeclared: universe, recursion: false, load: () => new Map() };
  const evaluate = new Compiler(context).expression(expression);
  return (values, options = {}) => {
    const thread = newThread(options);
    const frame = new Activation(thread, "<expression>", filename, null, evaluate, resolution.size, expression);
    for (const index of names.keys()) frame.variables[index] = values[index] ?? null;
    thread.enter(frame);
    return evaluate(frame);
  };
}

function newThread({ budget, isCancelled, print }: RunOptions): Thread {
  return new Thread({ ...DEFAULT_BUDGET, ...budget }, isCancelled, print);
}

export {
  type Call,
  type Position,
  StarlarkBudgetError,
  StarlarkError,
  StarlarkEvalError,
  StarlarkResolveError,
  StarlarkSyntaxError,
} from "./errors.js";
export { repr, toText } from "./text.js";
export { type Budget, DEFAULT_BUDGET, Thread } from "./thread.js";
export { Builtin, parameters } from "./unpack.js";
export {
  Bytes,
  Dict,
  Float,
  freeze,
  isTrue,
  List,
  Namespace,
  Range,
  StarSet,
  Tuple,
  typeName,
  type Value,
} from "./values.js";
