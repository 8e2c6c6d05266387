import { StarlarkBudgetError, StarlarkEvalError } from "./errors.js";
import type { Thread } from "./thread.js";
import {
  type Arguments,
  Bytes,
  type Callable,
  Dict,
  Float,
  isCallable,
  isInt,
  type Keywords,
  List,
  typeName,
  type Value,
} from "./values.js";

/** What a parameter of a host function takes. */
export type Kind = "any" | "string" | "int" | "float" | "bool" | "bytes" | "list" | "dict" | "callable" | "json";

export interface HostParameter {
  readonly name: string;
  readonly kind: Kind;
  readonly isOptional: boolean;
  /** May be None, which then counts as not given. */
  readonly isNullable: boolean;
  readonly isPositionalOnly: boolean;
}

/** Reads `name:kind`, with `?` behind what may be left out, `~` behind what may be None, and `/` after positional ones. */
export function parameters(description: string): HostParameter[] {
  const words = description.split(" ").filter((word) => word !== "");
  const bar = words.indexOf("/");
  return words
    .filter((word) => word !== "/")
    .map((word, index) => {
      const [, name = "", kind = "any", marks = ""] = /^(\w+)(?::(\w+))?([?~]*)$/.exec(word) ?? [];
      return {
        name,
        kind: kind as Kind,
        isOptional: marks.includes("?"),
        isNullable: marks.includes("~"),
        isPositionalOnly: bar !== -1 && index < bar,
      };
    });
}

/** The arguments of a call, in the order of the parameters; undefined where one was not given. */
export function bind(
  thread: Thread,
  wanted: readonly HostParameter[],
  args: Arguments,
  keywords: Keywords,
): (Value | undefined)[] {
  if (args.length > wanted.length) thread.fail(`got ${args.length} arguments, want at most ${wanted.length}`);
  const bound: (Value | undefined)[] = [...args];
  for (const [keyword, value] of keywords) {
    const index = wanted.findIndex((parameter) => parameter.name === keyword && !parameter.isPositionalOnly);
    if (index === -1) thread.fail(`unexpected keyword argument "${keyword}"`);
    if (bound[index] !== undefined) thread.fail(`got multiple values for keyword argument "${keyword}"`);
    bound[index] = value;
  }
  for (const [index, parameter] of wanted.entries()) {
    const value = bound[index];
    if (value === undefined) {
      if (!parameter.isOptional) thread.fail(`missing argument for ${parameter.name}`);
    } else if (value === null && parameter.isNullable) bound[index] = undefined;
    else if (!fits(value, parameter.kind)) {
      thread.fail(`for parameter ${parameter.name}: got ${typeName(value)}, want ${parameter.kind}`);
    }
  }
  return bound;
}

function fits(value: Value, kind: Kind): boolean {
  switch (kind) {
    case "string":
      return typeof value === "string";
    case "int":
      return isInt(value);
    case "bool":
      return typeof value === "boolean";
    case "float":
      return isInt(value) || value instanceof Float;
    case "bytes":
      return value instanceof Bytes;
    case "list":
      return value instanceof List;
    case "dict":
      return value instanceof Dict;
    case "callable":
      return isCallable(value);
    default:
      return true;
  }
}

export type HostFunction = (
  thread: Thread,
  args: (Value | undefined)[],
  rest: { args: Arguments; keywords: Keywords },
) => Value;

/** A function of the host, or a method of a value. */
export class Builtin implements Callable {
  readonly isBuiltin = true;

  constructor(
    readonly name: string,
    private readonly wanted: readonly HostParameter[] | null,
    private readonly run: HostFunction,
  ) {}

  call(thread: Thread, args: Arguments, keywords: Keywords): Value {
    const depth = thread.frames.length;
    try {
      const bound = this.wanted === null ? [] : bind(thread, this.wanted, args, keywords);
      return this.run(thread, bound, { args, keywords });
    } catch (error) {
      // A function it called has its own place in the traceback; what it refused itself carries its name.
      if (
        !(error instanceof StarlarkEvalError) ||
        error instanceof StarlarkBudgetError ||
        thread.frames.length !== depth
      )
        throw error;
      throw error.within(this.name);
    }
  }
}
