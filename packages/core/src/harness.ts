import { Deadlines } from "./deadlines.js";
import { type Kernel, dispatch as run } from "./dispatch.js";
import { messageOf, whenUnavailable } from "./errors.js";
import type { EventName, Payload, PayloadInput, SessionRef } from "./events.js";
import {
  type CompileWhen,
  compileHook,
  type Handler,
  type Hook,
  type HookDefinition,
  type HookInit,
  type HookOptions,
  initFrom,
  type MaybePromise,
  type ObserverDefinition,
  observerInit,
} from "./hook.js";
import { DEFAULT_LIMITS, type JsonLimits, type JsonObject } from "./json.js";
import type { Outcome } from "./outcome.js";
import { isPrepared, readPayload } from "./payload.js";
import { Plan } from "./plan.js";
import { type Ports, systemPorts } from "./ports.js";
import {
  type CallbackHook,
  type PersonaEventName,
  type PersonaEventOf,
  type SessionEventName,
  type SessionEventOf,
  surfaces,
  type ToolHookConfig,
} from "./surfaces.js";
import type { TapeSink } from "./tape.js";

export interface HarnessOptions {
  /** Clock, timers and warnings; those of the process when absent. */
  readonly ports?: Partial<Ports>;
  /** Makes the faults that Markdown and settings hooks pass over fail closed too. */
  readonly strict?: boolean;
  /** Where every dispatch is recorded. */
  readonly tape?: TapeSink;
  /** The language of `when` expressions. */
  readonly when?: CompileWhen;
  /** The session of events that name none. */
  readonly session?: SessionRef;
  readonly limits?: Partial<JsonLimits>;
  /** Asked before a hook joins the stack; what it throws refuses it. */
  readonly admit?: (hook: HookInit) => void;
  /** Measures how long hooks take; true when absent. */
  readonly timing?: boolean;
  /** Nothing of this happens for real (a test, an explanation, a backtest): observers are not told. */
  readonly trial?: boolean;
}

/** Removes what a registration added. */
export type Unregister = () => void;

/** A stack of hooks, and the way an agent asks it. */
export interface Harness {
  /** Asks every hook of an event. The answer comes as a promise only when a hook or the tape made one: await it either way. */
  fire<const E extends EventName>(event: E, payload: PayloadInput<E>): MaybePromise<Outcome<E>>;
  /** Takes a payload across the border, for a dispatch later or more than once. */
  prepare<const E extends EventName>(event: E, payload: PayloadInput<E>): Payload<E>;
  /** Asks every hook about a payload that `prepare` made. */
  dispatch<E extends EventName>(payload: Payload<E>): MaybePromise<Outcome<E>>;
  /** Adds a hook on any event. */
  register<const E extends EventName>(definition: HookDefinition<E>): Unregister;
  /** Adds an observer: it is told how every dispatch of an event, or of all of them (`*`), ended. */
  observe<const E extends EventName | "*">(definition: ObserverDefinition<E>): Unregister;
  /** Adds hooks around tool calls: a fixed denial, a bound on the output, functions before and after. */
  registerToolHook(config: ToolHookConfig): Unregister;
  /** Adds a hook for the personas a glob selects. */
  registerPersonaHook<const N extends PersonaEventName>(
    persona: string,
    event: N,
    handler: Handler<PersonaEventOf<N>>,
    options?: HookOptions,
  ): Unregister;
  /** Adds a hook for one step of the personas a glob selects. */
  registerStepHook<const N extends PersonaEventName>(
    persona: string,
    step: string,
    event: N,
    handler: Handler<PersonaEventOf<N>>,
    options?: HookOptions,
  ): Unregister;
  /** Adds a hook on the session's own lifecycle; `session_start` and `SessionStart` are the same event. */
  registerSessionHook<const N extends SessionEventName>(
    event: N,
    handler: Handler<SessionEventOf<N>>,
    options?: HookOptions,
  ): Unregister;
  /** Adds the hooks of an in-process callback array. */
  registerCallbacks(definitions: readonly CallbackHook[]): Unregister;
  /**
   * Adds the hooks of a loader, all of them or none, and takes out those an earlier call added in the same step: no
   * dispatch sees half of each.
   */
  install(hooks: readonly HookInit[], replaces?: Unregister): Unregister;
  /** Whether faults that Markdown and settings hooks pass over fail closed too; may be changed at any time. */
  strict: boolean;
  /** Which policy this is, for observers: whatever its loader knows it by. null when nobody said. */
  policy: string | null;
  /** The stack, in the order of dispatch within each event. */
  readonly hooks: readonly Hook[];
}

/** Makes an empty stack of hooks. */
export function createHarness(options: HarnessOptions = {}): Harness {
  const ports = withDefaults(options.ports);
  const kernel: Kernel = {
    ports,
    deadlines: new Deadlines(ports),
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    strict: options.strict ?? false,
    timed: options.timing ?? true,
    tape: options.tape ?? null,
    trial: options.trial ?? false,
    policy: null,
    dispatches: 0,
  };
  const plan = new Plan();
  const session = options.session ?? { id: "local" };
  const compileWhen: CompileWhen =
    options.when ??
    ((expression) => {
      throw whenUnavailable(expression);
    });

  /** All of them or none: a registration that fails halfway leaves nothing behind. */
  function add(inits: readonly HookInit[], replaces?: Unregister): Unregister {
    for (const init of inits) options.admit?.(init);
    const hooks = inits.map((init) => compileHook(init, compileWhen));
    replaces?.();
    const removals = hooks.map((hook) => plan.add(hook));
    return () => {
      for (const remove of removals.splice(0)) remove();
    };
  }

  function dispatch<E extends EventName>(given: Payload<E>): MaybePromise<Outcome<E>> {
    // What did not come from prepare crosses the border here.
    const payload = isPrepared(given) ? given : prepare(given.event, given as unknown as PayloadInput<E>);
    const route = plan.route(payload.event, payload as unknown as JsonObject);
    return run(kernel, route, payload as unknown as Payload) as MaybePromise<Outcome<E>>;
  }

  function prepare<const E extends EventName>(event: E, payload: PayloadInput<E>): Payload<E> {
    return readPayload(event, payload, session, kernel.limits) as unknown as Payload<E>;
  }

  return {
    fire: (event, payload) => dispatch(prepare(event, payload)),
    prepare,
    dispatch,
    register: (definition) => add([initFrom(definition)]),
    observe: (definition) => add([observerInit(definition)]),
    registerToolHook: (config) => add(surfaces.tool(config)),
    registerPersonaHook: (persona, event, handler, extra) => add([surfaces.persona(persona, event, handler, extra)]),
    registerStepHook: (persona, step, event, handler, extra) =>
      add([surfaces.step(persona, step, event, handler, extra)]),
    registerSessionHook: (event, handler, extra) => add([surfaces.session(event, handler, extra)]),
    registerCallbacks: (definitions) => add(surfaces.callbacks(definitions)),
    install: add,
    get strict() {
      return kernel.strict;
    },
    set strict(strict) {
      kernel.strict = strict;
    },
    get policy() {
      return kernel.policy;
    },
    set policy(policy) {
      kernel.policy = policy;
    },
    get hooks() {
      return plan.list();
    },
  };
}

/** The ports of the process, but for those that are given. A warning that cannot be shown must not change a verdict. */
function withDefaults(given: Partial<Ports> = {}): Ports {
  const { now, every, warn } = systemPorts();
  const show = given.warn ?? warn;
  return {
    now: given.now ?? now,
    every: given.every ?? every,
    warn(warning) {
      try {
        show(warning);
      } catch (error) {
        warn({ ...warning, message: `${warning.message} (and the warn port failed: ${messageOf(error)})` });
      }
    },
  };
}
