import { fromJson, type Json, toJson } from "./conversion.js";
import type { Thread } from "./evaluator/thread.js";
import { Builtin } from "./library/builtin.js";
import type { HostParameter, Kind } from "./library/signature.js";
import { toDouble } from "./values/arithmetic.js";
import { freeze } from "./values/freeze.js";
import {
  type Arguments,
  type Bytes,
  type Callable,
  type Dict,
  type Float,
  isValue,
  type Keywords,
  type List,
  Namespace,
  refuseValue,
  type Value,
} from "./values/values.js";

/** What a host function sees of an argument of each kind. */
interface Kinds {
  any: Value;
  string: string;
  /** Whole and safe; a larger int is refused. */
  int: number;
  /** An int or a float. */
  float: number;
  bool: boolean;
  bytes: Bytes;
  list: List;
  dict: Dict;
  callable: Callable;
  /** Converted as by toJson. */
  json: Json;
}

/** The kind of a parameter; with `?` it may be left out or be None. */
export type ParameterKind = keyof Kinds | `${keyof Kinds}?`;

/** The parameters of a host function, in order, by name: `{ text: "string", limit: "int?" }`. */
export type Parameters = Readonly<Record<string, ParameterKind>>;

/** The arguments of a call, checked. */
export type Unpacked<P extends Parameters> = {
  readonly [Name in keyof P]: P[Name] extends `${infer K extends keyof Kinds}?`
    ? Kinds[K] | undefined
    : P[Name] extends keyof Kinds
      ? Kinds[P[Name]]
      : never;
};

/**
 * Declares a function of the host. Its arguments are checked and named before it runs; what it returns is a value, and
 * nothing counts as None. `thread.fail(message)` ends the run; anything else it throws reaches the host unchanged.
 *
 * @example defineFunction("truncate", { text: "string", limit: "int" }, ({ text, limit }) => text.slice(0, limit))
 */
export function defineFunction<const P extends Parameters>(
  name: string,
  parameters: P,
  run: (args: Unpacked<P>, thread: Thread) => Value | undefined,
): Callable {
  const wanted = Object.entries(parameters).map(([parameter, kind]): HostParameter => {
    const isOptional = kind.endsWith("?");
    const base = (isOptional ? kind.slice(0, -1) : kind) as Kind;
    if (parameter === "__proto__") throw new TypeError("a parameter cannot be called __proto__");
    return { name: parameter, kind: base, isOptional, isNullable: isOptional, isPositionalOnly: false };
  });
  return new Builtin(name, wanted, (thread, values) => {
    const args: Record<string, unknown> = {};
    for (let i = 0; i < wanted.length; i++) {
      const { name: parameter, kind } = wanted[i] as HostParameter;
      const value = values[i];
      args[parameter] = value === undefined ? undefined : unwrap(thread, parameter, kind, value);
    }
    const result = run(args as Unpacked<P>, thread) ?? null;
    return isValue(result) ? result : refuseValue(`what ${name}() returned`);
  });
}

function unwrap(thread: Thread, parameter: string, kind: Kind, value: Value): unknown {
  switch (kind) {
    case "int":
      return typeof value === "number" ? value : thread.fail(`for parameter ${parameter}: the int is too large`);
    case "float":
      return toDouble(thread, value as number | bigint | Float);
    case "json":
      return toJson(value, { thread });
    default:
      return value;
  }
}

class CallableNamespace extends Namespace implements Callable {
  readonly isBuiltin = true;

  constructor(
    name: string,
    members: ReadonlyMap<string, Value>,
    private readonly itself: Callable,
  ) {
    super(name, members);
  }

  call(thread: Thread, args: Arguments, keywords: Keywords): Value {
    return this.itself.call(thread, args, keywords);
  }
}

/** Declares a module of the host: members by name, frozen; with `call`, the module itself can be called too, as in `log("x")`. */
export function defineModule(name: string, members: Readonly<Record<string, Value>>, call?: Callable): Namespace {
  const frozen = new Map(Object.entries(members));
  for (const [key, member] of frozen) {
    if (!isValue(member)) refuseValue(`${name}.${key}`);
    freeze(member);
  }
  return call === undefined ? new Namespace(name, frozen) : new CallableNamespace(name, frozen, call);
}

/** Declares data of the host as a frozen value. */
export function defineValue(json: Json): Value {
  return fromJson(json, { frozen: true });
}
