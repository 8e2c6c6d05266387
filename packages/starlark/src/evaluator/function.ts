import type { Resolution } from "../syntax/resolver.js";
import type { Node, Parameter } from "../syntax/tree.js";
import type { Holder } from "../values/freeze.js";
import type { Arguments, Callable, Keywords, Value } from "../values/values.js";
import { Activation, type Code, type CompileContext, type Evaluate, type Execute } from "./activation.js";
import { expressionOf } from "./expressions.js";
import { Signature } from "./signature.js";
import type { Frame, Thread } from "./thread.js";

interface FunctionCode extends Code {
  readonly signature: Signature;
  readonly body: Execute;
  readonly node: Node;
  readonly recursion: boolean;
}

/** The value of a `def` or a `lambda`: what it needs of the place where it stands, and its defaults, evaluated there. */
export function functionOf(
  context: CompileContext,
  name: string,
  node: Parameters<Resolution["functions"]["get"]>[0],
  parameters: readonly Parameter[],
  body: Execute,
): Evaluate {
  const { source, recursion, resolution } = context;
  const { size = 0, weight = 0 } = resolution.functions.get(node) ?? {};
  const signature = new Signature(name, parameters);
  const code: FunctionCode = { name, source, size, weight, signature, body, node, recursion };
  const defaults = parameters.map(({ fallback }) => (fallback === null ? null : expressionOf(context, fallback)));
  return (frame) => {
    frame.thread.allocate(64 + 8 * defaults.length);
    return new UserFunction(
      code,
      frame,
      defaults.map((evaluate) => evaluate?.(frame)),
    );
  };
}

/** A function written in Starlark. */
export class UserFunction implements Callable, Holder {
  readonly isBuiltin = false;
  private isFrozen = false;

  constructor(
    private readonly code: FunctionCode,
    private readonly parent: Activation,
    private readonly fallbacks: readonly (Value | undefined)[],
  ) {}

  get name(): string {
    return this.code.name;
  }

  call(thread: Thread, args: Arguments, keywords: Keywords): Value {
    const { code } = this;
    const caller = thread.frame;
    if (!code.recursion && isRunning(code, caller)) thread.fail(`function ${code.name} called recursively`);
    thread.allocate(64 + 8 * code.size);
    const frame = new Activation(thread, code, caller, this.parent, code.node);
    code.signature.bind(thread, frame.variables, args, keywords, this.fallbacks);
    thread.enter(frame, code.weight);
    try {
      code.body(frame);
    } finally {
      thread.leave(frame, code.weight);
    }
    return frame.result;
  }

  freeze(waiting: Value[]): void {
    if (this.isFrozen) return;
    this.isFrozen = true;
    for (const value of this.fallbacks) if (value !== undefined) waiting.push(value);
    // The variables of the module are frozen with the module.
    for (let scope: Activation | null = this.parent; scope?.parent; scope = scope.parent) {
      for (const value of scope.variables) if (value !== undefined) waiting.push(value);
    }
  }
}

/** Whether a call of the same function body is under way: another function value of the same `def` counts too. */
function isRunning(code: Code, innermost: Frame | null): boolean {
  for (let frame = innermost; frame !== null; frame = frame.caller) {
    if ((frame as Activation).code === code) return true;
  }
  return false;
}
