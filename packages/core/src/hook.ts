import { checkConfig } from "./config.js";
import { type HookContext, HookIdentity } from "./context.js";
import { type Dialect, nameIn } from "./dialect.js";
import { harn } from "./dialects/harn.js";
import type { HookReturn } from "./effect.js";
import { unknownEvent } from "./errors.js";
import {
  ANY_EVENT,
  anyEvent,
  catalogueNames,
  type EventName,
  type EventSpec,
  isGate,
  type OnError,
  type Payload,
  specOf,
} from "./events.js";
import type { Json } from "./json.js";
import type { Observation } from "./observe.js";
import { compilePattern, type Pattern } from "./pattern.js";
import type { HookRef } from "./tape.js";

/** How long a handler may take when nothing else is said: the default of the settings dialect, for everybody. */
export const DEFAULT_TIMEOUT_MS = 5_000;

export type MaybePromise<T> = T | Promise<T>;

export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";
}

/** A hook's function. It may be synchronous or asynchronous. */
export type Handler<E extends EventName> = (payload: Payload<E>, context: HookContext) => MaybePromise<HookReturn<E>>;

/** What every way of registering a hook can say. */
export interface HookOptions {
  /** A name for messages and the tape; made up from the surface and the pattern when absent. */
  readonly id?: string;
  /** Lower runs first; equal priorities run in the order of registration. */
  readonly priority?: number;
  readonly timeout_ms?: number;
  /** What a fault of this hook does; by default it blocks on gates and is passed over elsewhere. */
  readonly on_error?: OnError;
}

/** A hook on one event; the event decides what its handler sees and may return. */
export interface HookDefinition<E extends EventName = EventName> extends HookOptions {
  readonly event: E;
  /** Which subjects it is for: see `compilePattern`. */
  readonly pattern?: string;
  /** A condition on the payload, as modified so far; a text needs the harness's `when` port. */
  readonly when?: string | ((payload: Payload<E>) => boolean);
  readonly options?: unknown;
  readonly handler: Handler<E>;
}

/**
 * Types a hook by its event.
 *
 * @example
 * defineHook({
 *   event: "PreToolUse",
 *   pattern: "Bash",
 *   handler: ({ tool }) => (String(tool.args.command).includes("rm -rf /") ? block("no") : allow()),
 * });
 */
export function defineHook<const E extends EventName>(definition: HookDefinition<E>): HookDefinition<E> {
  return definition;
}

/** An observer's function: it is told how a dispatch ended, and returns nothing. */
export type ObserverHandler<E extends EventName | "*"> = (
  observation: Observation<E extends EventName ? E : EventName>,
  context: HookContext,
) => MaybePromise<void>;

/** Somebody who is told how every dispatch of an event, or of every event (`*`), ended, and cannot change it. */
export interface ObserverDefinition<E extends EventName | "*" = EventName | "*"> extends HookOptions {
  readonly event: E;
  /** Which subjects it is for; on `*` a glob is held against the names of events. */
  readonly pattern?: string;
  /** A condition on the payload after all rewrites. */
  readonly when?: string | ((payload: Payload<E extends EventName ? E : EventName>) => boolean);
  readonly options?: unknown;
  readonly handler: ObserverHandler<E>;
}

/**
 * Types an observer by its event.
 *
 * @example
 * defineObserver({ event: "*", handler: ({ event, verdict }) => console.error(event, verdict) });
 */
export function defineObserver<const E extends EventName | "*">(
  definition: ObserverDefinition<E>,
): ObserverDefinition<E> {
  return definition;
}

/** Where a hook was declared, for whoever has to find it. */
export interface HookSource {
  /** Who brought it: `project`, `code`, and what loaders add. */
  readonly layer: string;
  /** The pack it is part of, with its version. */
  readonly pack?: string | undefined;
  readonly file?: string;
  /** The way to it inside the file, as keys and indices. */
  readonly path?: readonly (string | number)[];
  /** Its line, where whoever loaded it knows that already. */
  readonly line?: number;
  /** What others made of it since, each in a few words: options tightened, a waiver. */
  readonly changes?: readonly string[];
}

/** A hook as the dispatcher runs it: checked, compiled, and with every default filled in. */
export interface Hook {
  readonly ref: HookRef;
  readonly source: HookSource;
  readonly event: EventName | typeof ANY_EVENT;
  /** Whether it is told the outcome, instead of having a part in it. */
  readonly observes: boolean;
  /** What its dialect calls the event. */
  readonly eventName: string;
  readonly spec: EventSpec;
  readonly dialect: Dialect;
  readonly pattern: Pattern;
  readonly when: ((view: Json, event: string) => boolean) | null;
  /** The `when` as it was written, for traces. */
  readonly whenText: string | null;
  /** What a trace says where its `when` is false: the same each time. */
  readonly unmet: string;
  readonly threshold: number | null;
  readonly priority: number;
  /** Orders hooks of one priority by who brought them; then comes the order of registration. */
  readonly rank: number;
  /** Whether it answers again for what hooks of a higher rank rewrite after it. */
  readonly binds: boolean;
  readonly timeout_ms: number;
  readonly on_error: OnError | null;
  readonly identity: HookContext;
  /** Whether its function declares a context. */
  readonly wantsContext: boolean;
  readonly run: (view: Json, context: HookContext) => unknown;
}

const CODE_RANK = 1_000;
const CODE: HookSource = { layer: "code" };

/** What a surface, or a loader, knows of a hook before it is compiled. */
export interface HookInit extends HookOptions {
  readonly event: string;
  readonly handler: (view: never, context: HookContext) => unknown;
  /** What runs, and where it comes from. */
  readonly handlerName: string;
  /** It is told the outcome of its event, or of every event (`*`), and cannot change it. */
  readonly observes?: boolean;
  readonly package?: string | undefined;
  readonly version?: string | undefined;
  /** Orders hooks of one priority by who brought them; hooks of code come last. */
  readonly rank?: number;
  /** Makes a gate's hook answer again for what a hook of a higher rank rewrites after it: no way around a policy. */
  readonly binds?: boolean;
  /** Where it was declared; in code when absent. */
  readonly source?: HookSource;
  readonly dialect?: Dialect;
  readonly pattern?: string | undefined;
  /** Takes the place of a pattern where a surface matches by its own rule. */
  readonly matches?: Pattern;
  readonly when?: string | ((view: never) => boolean) | undefined;
  /** What a `when` that is a function was written as, for traces. */
  readonly whenText?: string | undefined;
  readonly threshold?: number | undefined;
  readonly options?: unknown;
  /** The directory of the project it works for. */
  readonly project?: string | undefined;
}

/** Compiles a `when` expression; the language is the host's choice. */
export type CompileWhen = (expression: string) => (view: Json, event: string) => boolean;

const DEFINITION_KEYS = {
  event: "text",
  handler: "function",
  id: "reason",
  pattern: "text",
  when: "condition",
  priority: "integer",
  timeout_ms: "duration",
  on_error: "on_error",
  options: "anything",
} as const;

/** Checks what `defineHook` typed, for callers without types. */
export function initFrom<E extends EventName>(definition: HookDefinition<E>): HookInit {
  return { ...definition, ...checked("hook", definition) };
}

/** Checks what `defineObserver` typed, for callers without types. */
export function observerInit<E extends EventName | "*">(definition: ObserverDefinition<E>): HookInit {
  return { ...definition, ...checked("observer", definition), observes: true } as unknown as HookInit;
}

function checked(what: "hook" | "observer", definition: { event: string; handler: { name: string } }) {
  checkConfig(what, definition, DEFINITION_KEYS, ["event", "handler"]);
  const { event, handler } = definition;
  const isAny = what === "observer" && event === ANY_EVENT;
  const resolved = isAny ? { event } : harn.resolve(event);
  if (resolved === undefined) throw unknownEvent(what, event, catalogueNames, anyHint(event));
  return { ...resolved, handlerName: nameOf(handler) ?? `${what}::${event}` };
}

function anyHint(event: unknown): string | undefined {
  return event === ANY_EVENT ? "Only observers take every event." : undefined;
}

/** The name of a function, unless it is only the key it was written under, which tells nobody anything. */
export function nameOf(handler: { readonly name: string }): string | undefined {
  return handler.name === "" || handler.name === "handler" ? undefined : handler.name;
}

/** Compiles a hook, or throws the error of whatever in it is wrong. */
export function compileHook(init: HookInit, compileWhen: CompileWhen): Hook {
  const { observes = false } = init;
  const event = init.event as Hook["event"];
  const spec = observes && event === ANY_EVENT ? anyEvent : specOf(event);
  const dialect = init.dialect ?? harn;
  const ref = refOf(init);
  const whenText =
    init.when === undefined ? null : typeof init.when === "string" ? init.when : (init.whenText ?? "a function");
  return {
    ref,
    source: init.source ?? CODE,
    event,
    observes,
    eventName: event === ANY_EVENT ? event : nameIn(dialect, event),
    spec,
    dialect,
    pattern: init.matches ?? compilePattern(init.pattern ?? "*", event, spec),
    when: typeof init.when === "string" ? compileWhen(init.when) : ((init.when as unknown as Hook["when"]) ?? null),
    whenText,
    unmet: `when ${JSON.stringify(whenText)} is false`,
    threshold: init.threshold ?? null,
    priority: init.priority ?? 0,
    rank: init.rank ?? CODE_RANK,
    binds: init.binds === true && isGate(spec),
    timeout_ms: init.timeout_ms ?? DEFAULT_TIMEOUT_MS,
    on_error: init.on_error ?? null,
    identity: new HookIdentity(ref, init.options, init.project ?? null),
    wantsContext: init.handler.length > 1,
    run: init.handler as Hook["run"],
  };
}

function refOf({ id, handlerName, package: name, version }: HookInit): HookRef {
  return {
    id: id ?? handlerName,
    handler: handlerName,
    ...(name === undefined ? {} : { package: name }),
    ...(version === undefined ? {} : { version }),
  };
}
