import type { Thread } from "../evaluator/thread.js";
import { hintFor } from "../nearest.js";
import {
  type Arguments,
  Bytes,
  Dict,
  Float,
  isCallable,
  isInt,
  type Keywords,
  List,
  typeName,
  type Value,
} from "../values/values.js";

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

/** The parameters of a host function, and how arguments are given to them. */
export class HostSignature {
  private readonly required: number;

  constructor(private readonly wanted: readonly HostParameter[]) {
    this.required = wanted.filter(({ isOptional }) => !isOptional).length;
  }

  /** The arguments of a call, in the order of the parameters; undefined, or beyond the end, where one was not given. */
  bind(thread: Thread, args: Arguments, keywords: Keywords): readonly (Value | undefined)[] {
    return this.fits(args, keywords) ? args : this.sort(thread, args, keywords);
  }

  private fits(args: Arguments, keywords: Keywords): boolean {
    if (keywords.size > 0 || args.length > this.wanted.length || args.length < this.required) return false;
    for (let i = 0; i < args.length; i++) {
      const { kind, isNullable } = this.wanted[i] as HostParameter;
      const value = args[i] as Value;
      if ((isNullable && value === null) || (kind !== "any" && !isOfKind(value, kind))) return false;
    }
    return true;
  }

  private sort(thread: Thread, args: Arguments, keywords: Keywords): (Value | undefined)[] {
    const { wanted } = this;
    if (args.length > wanted.length) thread.fail(`got ${args.length} arguments, want at most ${wanted.length}`);
    const bound: (Value | undefined)[] = [...args];
    for (const [keyword, value] of keywords) {
      const index = wanted.findIndex((parameter) => parameter.name === keyword && !parameter.isPositionalOnly);
      if (index === -1) {
        const known = wanted.filter((parameter) => !parameter.isPositionalOnly).map(({ name }) => name);
        thread.fail(`unexpected keyword argument "${keyword}"${hintFor(keyword, known)}`);
      }
      if (bound[index] !== undefined) thread.fail(`got multiple values for keyword argument "${keyword}"`);
      bound[index] = value;
    }
    for (const [index, parameter] of wanted.entries()) {
      const value = bound[index];
      if (value === undefined) {
        if (!parameter.isOptional) thread.fail(`missing argument for ${parameter.name}`);
      } else if (value === null && parameter.isNullable) bound[index] = undefined;
      else if (!isOfKind(value, parameter.kind)) {
        thread.fail(`for parameter ${parameter.name}: got ${typeName(value)}, want ${parameter.kind}`);
      }
    }
    return bound;
  }
}

function isOfKind(value: Value, kind: Kind): boolean {
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
