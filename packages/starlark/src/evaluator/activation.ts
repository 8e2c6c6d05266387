import type { Source } from "../errors.js";
import type { Resolution } from "../syntax/resolver.js";
import type { Node } from "../syntax/tree.js";
import type { Value } from "../values/values.js";
import type { Frame, Thread } from "./thread.js";

/** What calls of one function have in common. */
export interface Code {
  readonly name: string;
  readonly source: Source;
  /** How many variables a call of it has. */
  readonly size: number;
  /** How much of JavaScript's stack its body may take. */
  readonly weight: number;
}

/** One running call: its variables, and the call its function was defined in. */
export class Activation implements Frame {
  readonly variables: (Value | undefined)[];
  result: Value = null;

  constructor(
    readonly thread: Thread,
    readonly code: Code,
    readonly caller: Frame | null,
    readonly parent: Activation | null,
    public at: Node,
  ) {
    this.variables = new Array<Value | undefined>(code.size);
  }

  get name(): string {
    return this.code.name;
  }

  get source(): Source {
    return this.code.source;
  }
}

/** An expression, ready to run. */
export type Evaluate = (frame: Activation) => Value;

/** Gives a value to what stands on the left of `=`. */
export type Store = (frame: Activation, value: Value) => void;

/** How a statement ended. Numbers and no enum: they are compared after every statement. */
export const NEXT = 0;
export const BREAK = 1;
export const CONTINUE = 2;
export const RETURN = 3;
export type Ending = typeof NEXT | typeof BREAK | typeof CONTINUE | typeof RETURN;

/** A statement, ready to run. */
export type Execute = (frame: Activation) => Ending;

/** What a module is compiled with. */
export interface CompileContext {
  readonly source: Source;
  readonly resolution: Resolution;
  readonly predeclared: ReadonlyMap<string, Value>;
  readonly recursion: boolean;
  readonly load: (thread: Thread, module: string) => ReadonlyMap<string, Value>;
}
