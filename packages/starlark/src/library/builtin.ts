import { StarlarkBudgetError, StarlarkEvalError } from "../errors.js";
import type { Thread } from "../evaluator/thread.js";
import { type Arguments, type Callable, type Keywords, typeName, type Value } from "../values/values.js";
import { type HostParameter, HostSignature, parameters } from "./signature.js";

/** What a built-in does with its arguments; those it does not declare come as they were given. */
export type HostFunction = (thread: Thread, args: readonly (Value | undefined)[], keywords: Keywords) => Value;

/** Says of a failure that it is this built-in's own. One of a function that it called has its own place in the traceback. */
function named(error: unknown, name: string, depth: number): unknown {
  if (!(error instanceof StarlarkEvalError) || error instanceof StarlarkBudgetError) return error;
  return error.calls.length === depth ? error.within(name) : error;
}

/** A function of the host. */
export class Builtin implements Callable {
  readonly isBuiltin = true;
  private readonly signature: HostSignature | null;

  constructor(
    readonly name: string,
    wanted: readonly HostParameter[] | null,
    private readonly run: HostFunction,
  ) {
    this.signature = wanted === null ? null : new HostSignature(wanted);
  }

  call(thread: Thread, args: Arguments, keywords: Keywords): Value {
    const { depth } = thread;
    try {
      const bound = this.signature === null ? args : this.signature.bind(thread, args, keywords);
      return this.run(thread, bound, keywords);
    } catch (error) {
      throw named(error, this.name, depth);
    }
  }
}

export type MethodBody<T> = (
  thread: Thread,
  self: T,
  args: readonly (Value | undefined)[],
  keywords: Keywords,
) => Value;

/** A method of all values of one type. */
export class Method<T> {
  private signature: HostSignature | null | undefined;

  constructor(
    readonly name: string,
    private readonly description: string | null,
    private readonly run: MethodBody<T>,
  ) {}

  call(thread: Thread, self: T, args: Arguments, keywords: Keywords): Value {
    const { depth } = thread;
    try {
      // Read when it is first called: most programs call few of them.
      if (this.signature === undefined) {
        this.signature = this.description === null ? null : new HostSignature(parameters(this.description));
      }
      const bound = this.signature === null ? args : this.signature.bind(thread, args, keywords);
      return this.run(thread, self, bound, keywords);
    } catch (error) {
      throw named(error, this.name, depth);
    }
  }
}

export type Methods<T> = ReadonlyMap<string, Method<T>>;

/** Methods by name: for each, what its parameters are and what it does. */
export function methods<T>(table: Readonly<Record<string, readonly [string | null, MethodBody<T>]>>): Methods<T> {
  return new Map(Object.entries(table).map(([name, [description, run]]) => [name, new Method(name, description, run)]));
}

/** A method together with the value it was asked of. */
export class BoundMethod<T extends Value> implements Callable {
  readonly isBuiltin = true;

  constructor(
    private readonly method: Method<T>,
    private readonly self: T,
  ) {}

  get name(): string {
    return this.method.name;
  }

  /** The type of the value it belongs to. */
  get owner(): string {
    return typeName(this.self);
  }

  call(thread: Thread, args: Arguments, keywords: Keywords): Value {
    return this.method.call(thread, this.self, args, keywords);
  }

  /** Keeps the value frozen that it would change. */
  freeze(waiting: Value[]): void {
    waiting.push(this.self);
  }
}
