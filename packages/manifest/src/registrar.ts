import {
  type EventName,
  HarnError,
  type Harness,
  type HookDefinition,
  type HookInit,
  type Json,
  type JsonObject,
  type MaybePromise,
  type Outcome,
  type Unregister,
} from "@hooks/core";

/** A tool somebody wants to add while the agent runs. */
export interface ToolRegistration {
  readonly name: string;
  readonly description?: string;
  readonly parameters?: JsonObject;
}

export type Registration =
  | { readonly ok: true; readonly unregister: Unregister }
  | { readonly ok: false; readonly reason: string };

/** Registering at run time, past the hooks on `meta.*`. */
export interface Registrar {
  /** Fires an event of one's own. */
  emit<const E extends `custom.${string}`>(event: E, data: Json): MaybePromise<Outcome<E>>;
  /** Asks `meta.tool_register` about a tool; a block refuses it. */
  registerTool(tool: ToolRegistration): Promise<Registration>;
  /** Asks `meta.hook_register` about a hook, and adds it; a block refuses it. `register` asks as well, and throws. */
  registerHook<const E extends EventName>(definition: HookDefinition<E>): Promise<Registration>;
  /** The tools that were registered and not refused. */
  readonly tools: ReadonlyMap<string, ToolRegistration>;
}

interface Gate {
  readonly admit: (hook: HookInit) => void;
  readonly methods: Registrar;
  guard(harness: Harness): void;
  unasked<T>(work: () => T): T;
}

/** The gate every hook and tool passes that joins a running harness. */
export function registrar(): Gate {
  let harness: Harness;
  let isUnasked = false;
  const tools = new Map<string, ToolRegistration>();

  const unasked = <T>(work: () => T): T => {
    const before = isUnasked;
    isUnasked = true;
    try {
      return work();
    } finally {
      isUnasked = before;
    }
  };
  const ask = (event: `meta.${string}`, data: JsonObject) => harness.fire(event, { data } as never);
  const methods: Registrar = {
    emit: (event, data) => harness.fire(event, { data } as never) as never,
    async registerTool(tool) {
      const { name } = tool;
      if (tools.has(name)) return { ok: false, reason: `a tool called "${name}" is registered already` };
      const outcome = await ask("meta.tool_register", { ...tool, hooks: hooksFor(harness, name) } as JsonObject);
      if (outcome.verdict !== "allow") return { ok: false, reason: outcome.reason ?? "refused" };
      tools.set(name, tool);
      return { ok: true, unregister: () => void tools.delete(name) };
    },
    async registerHook(definition) {
      const { name } = definition.handler;
      const outcome = await ask(
        "meta.hook_register",
        describe({ ...definition, handlerName: name } as unknown as HookInit),
      );
      if (outcome.verdict !== "allow") return { ok: false, reason: outcome.reason ?? "refused" };
      return { ok: true, unregister: unasked(() => harness.register(definition)) };
    },
    tools,
  };
  return {
    methods,
    unasked,
    guard(guarded) {
      harness = guarded;
    },
    admit(hook) {
      if (isUnasked) return;
      const outcome = ask("meta.hook_register", describe(hook));
      if (outcome instanceof Promise) {
        outcome.catch(() => {});
        throw new HarnError(
          "HARN_E_REFUSED",
          "a hook on meta.hook_register answers later",
          "Use await harness.registerHook().",
        );
      }
      if (outcome.verdict !== "allow") throw new HarnError("HARN_E_REFUSED", `refused: ${outcome.reason ?? ""}`);
    },
  };
}

/** A hook as a meta-policy sees it; a priority nobody gave is null. */
function describe({ id, handlerName, event, observes, pattern, priority, on_error, timeout_ms }: HookInit): JsonObject {
  return {
    name: id ?? handlerName,
    event,
    pattern: pattern ?? null,
    priority: priority ?? null,
    on_error: on_error ?? null,
    timeout_ms: timeout_ms ?? null,
    ...(observes === true ? { observes } : {}),
  };
}

/** The hooks around the calls of a tool, as far as its name decides that. */
function hooksFor({ hooks }: Harness, tool: string): JsonObject[] {
  return hooks
    .filter(
      ({ event, observes, pattern }) =>
        !observes && /^(?:Pre|Post)ToolUse$/.test(event) && (pattern.subject?.(tool) ?? true),
    )
    .map(({ ref, eventName, priority }) => ({ name: ref.id, event: eventName, priority }));
}
