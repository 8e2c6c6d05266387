import {
  DEFAULT_TIMEOUT_MS,
  HarnError,
  type HookContext,
  HookContractError,
  isJsonObject,
  type Json,
} from "@hooks/core";
import {
  type Callable,
  compileExpression,
  Dict,
  isTrue,
  Program,
  StarlarkBudgetError,
  StarlarkError,
  StarlarkEvalError,
  Thread,
  typeName,
  type Value,
} from "@hooks/starlark";
import { HookCall, type Host, NeedsAnswer, NeedsHost } from "./host.js";
import { NotJson, toJson, toStarlark } from "./values.js";

export type When = (view: Json, event: string) => boolean;

export interface Mistake {
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

/** A script that can answer events. */
export interface Script {
  /** Why it has no handle that could be called. */
  readonly missing: string | undefined;
  run(event: string, view: Json, context: HookContext): unknown;
}

// Counted and not timed: a script stops at the same place on any machine. A machine that is slow stops it by the clock.
const STEPS_PER_MS = 10_000;
const MEMORY = 64 * 1024 * 1024;
const WHEN_BUDGET = { steps: 1_000_000, memory: MEMORY, depth: 100 };
const MOST_REQUESTS = 10;

/** Compiles one expression over `payload` and `event`. */
export function compileWhen(text: string, file = "when"): When | Mistake {
  try {
    const expression = compileExpression(text.trim(), { names: ["payload", "event"], filename: file });
    const shortcut = shortcutOf(text);
    return (view, event) => {
      const known = shortcut?.(view);
      if (known !== undefined) return known;
      try {
        const payload = toStarlark(new Thread({ budget: WHEN_BUDGET }), view);
        return isTrue(expression.evaluate({ payload, event }, { budget: WHEN_BUDGET }).value);
      } catch (error) {
        throw error instanceof StarlarkBudgetError ? exhausted(error, 0) : error;
      }
    };
  } catch (error) {
    return mistakeOf(error, 0);
  }
}

const ONE_FIELD = /^\s*payload\["(\w+)"\]\s*(?:==\s*"([^"\\]*)"|in\s*\[((?:\s*"[^"\\]*"\s*,?)+)\])\s*$/;

/**
 * A condition that compares one field with texts, which most conditions do, decided without making the whole payload a
 * value of the language. Undefined where the field is not there or no text: the language has the word then.
 */
function shortcutOf(text: string): ((view: Json) => boolean | undefined) | undefined {
  const [, field, one, list] = ONE_FIELD.exec(text) ?? [];
  if (field === undefined) return undefined;
  const wanted = list === undefined ? [one] : [...list.matchAll(/"([^"]*)"/g)].map(([, item]) => item);
  return (view) => {
    const value = isJsonObject(view) && Object.hasOwn(view, field) ? view[field] : undefined;
    return typeof value === "string" ? wanted.includes(value) : undefined;
  };
}

/** Compiles a script, and runs its top level once where that needs nothing of the host. */
export function compileScript(
  source: string,
  file: string,
  indent: number,
  timeout_ms: number = DEFAULT_TIMEOUT_MS,
  host: Host,
): { readonly script: Script } | { readonly mistake: Mistake } {
  const print = (text: string) => host.call.log("info", text);
  const budget = { steps: Math.ceil(timeout_ms * STEPS_PER_MS), memory: MEMORY, depth: 100 };
  let module: Program;
  let shared: ReadonlyMap<string, Value> | undefined;
  try {
    module = Program.compile(source, { filename: file, predeclared: host.builtins });
  } catch (error) {
    return { mistake: mistakeOf(error, indent) };
  }
  try {
    // The names of a module are frozen once it ran, so one that only defines them is the same in every call.
    shared = module.run({ budget, print }).globals;
  } catch (error) {
    if (!(error instanceof NeedsHost)) return { mistake: mistakeOf(error, indent) };
  }
  const found = shared === undefined ? undefined : handleIn(shared);
  const missing = typeof found === "string" ? found : undefined;

  /** One attempt; a promise of the next one where it waits for the network. */
  function attempt(call: HookCall, event: string, view: Json, context: HookContext, signal: Clock): unknown {
    const before = host.current;
    host.current = call;
    try {
      const thread = new Thread({ budget, signal, print });
      const handle = found ?? handleIn(module.run({ budget, signal, print }).globals);
      if (typeof handle === "string") {
        throw new HarnError("HARN_E_HOOK_THREW", handle, "Define handle(event, payload).");
      }
      const answer = decisionOf(handle.call(thread, [event, toStarlark(thread, view)], NO_KEYWORDS), host.allowed);
      call.commit();
      return answer;
    } catch (error) {
      if (error instanceof NeedsAnswer) return waitFor(error, call, event, view, context, signal);
      call.commit();
      throw faultOf(error, indent, timeout_ms);
    } finally {
      host.current = before;
    }
  }

  async function waitFor(
    { request }: NeedsAnswer,
    call: HookCall,
    event: string,
    view: Json,
    context: HookContext,
    clock: Clock,
  ): Promise<unknown> {
    if (call.answered >= MOST_REQUESTS) {
      throw new HarnError("HARN_E_HOOK_THREW", `threw: more than ${MOST_REQUESTS} requests in one call`);
    }
    clock.start();
    call.restart(await host.network.fetch(request, context.signal));
    return attempt(call, event, view, context, clock);
  }

  return {
    script: {
      missing,
      run(event, view, context) {
        const call = new HookCall(host.run.store(context.session), context.hook.id);
        return attempt(call, event, view, context, new Clock(timeout_ms));
      },
    },
  };
}

/** Tells a script when its time is up. It runs from the first look at it, which most scripts are over before. */
class Clock {
  private deadline: number | undefined;

  constructor(private readonly timeout_ms: number) {}

  start(): void {
    this.deadline ??= performance.now() + this.timeout_ms;
  }

  get aborted(): boolean {
    this.start();
    return performance.now() > (this.deadline ?? 0);
  }
}

/** The function of a module that answers events; a text says why there is none. */
function handleIn(globals: ReadonlyMap<string, Value>): Callable | string {
  const handle = globals.get("handle");
  if (handle === undefined) return "the script defines no handle(event, payload)";
  if (typeName(handle) === "function") return handle as Callable;
  return `handle must be a function, got ${typeName(handle)}`;
}

const NO_KEYWORDS: ReadonlyMap<string, Value> = new Map();
const ALLOW = Object.freeze({ action: "allow" });

/** What a handle returned, as the dialect reads it. A block blocks whatever else stands beside it. */
function decisionOf(value: Value, allowed: Value): unknown {
  if (value === allowed) return ALLOW;
  if (!(value instanceof Dict)) {
    throw new HookContractError(
      `handle must return a decision, got ${typeName(value)}`,
      "Return allow(), block(reason) or modify(payload).",
    );
  }
  const decision: Record<string, unknown> = {};
  for (const [key, item] of value.entries.values()) {
    try {
      decision[String(key)] = toJson(item);
    } catch (error) {
      if (!(error instanceof NotJson)) throw error;
      if (key === "payload") throw new HarnError("HARN_E_MODIFY", `modify: ${error.message} is not JSON`);
      decision[String(key)] = `a ${typeName(item)}`;
    }
  }
  return decision;
}

function mistakeOf(error: unknown, indent: number): Mistake {
  if (!(error instanceof StarlarkError)) throw error;
  const { line, column } = error.position;
  return { message: error.message, line, column: column + indent };
}

function faultOf(error: unknown, indent: number, timeout_ms: number): unknown {
  if (error instanceof StarlarkBudgetError) return exhausted(error, indent, timeout_ms);
  if (error instanceof RangeError)
    return new HarnError("HARN_E_HOOK_THREW", `threw: ${error.message}`, undefined, error);
  if (!(error instanceof StarlarkEvalError)) return error;
  const { message, position } = error;
  const place = `${position.file}:${position.line}:${position.column + indent}`;
  return new HarnError("HARN_E_HOOK_THREW", `threw: ${message} (${place})`, "Correct the script.", error);
}

function exhausted(error: StarlarkBudgetError, indent: number, timeout_ms?: number): HarnError {
  const { file, line, column } = error.position;
  const place = `${file}:${line}:${column + indent}`;
  if (error.resource === "cancelled") {
    return new HarnError(
      "HARN_E_HOOK_TIMEOUT",
      `did not settle within ${timeout_ms} ms (${place})`,
      "Do less, or raise timeout_ms.",
      error,
    );
  }
  return new HarnError(
    "HARN_E_HOOK_BUDGET",
    `used up its budget: ${error.message} (${place})`,
    "Do less, or raise timeout_ms.",
    error,
  );
}
