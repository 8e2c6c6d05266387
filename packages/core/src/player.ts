import { Deadlines } from "./deadlines.js";
import { harn } from "./dialects/harn.js";
import { type Kernel, dispatch as run } from "./dispatch.js";
import type { Effect, PermissionDecision, Verdict } from "./effect.js";
import { type EventName, type OnError, specOf } from "./events.js";
import { compileHook, type Hook, type MaybePromise } from "./hook.js";
import { copyJson, isJsonObject, type JsonLimits, type JsonObject } from "./json.js";
import type { Outcome } from "./outcome.js";
import { prepared } from "./payload.js";
import { Route } from "./plan.js";
import type { Ports } from "./ports.js";
import type { HookRef, HookReturnedRecord, TapeSink } from "./tape.js";

/** A hook of a dispatch that was recorded: who it was, and a function that answers what it answered then. */
export interface RecordedHook {
  readonly ref: HookRef;
  /** What its fault was taken for; null when it did not fail. */
  readonly on_error: OnError | null;
  /** May throw the fault that was recorded. */
  readonly answer: () => MaybePromise<Effect | undefined>;
  /** It failed before it was called: its condition did. */
  readonly isRefused?: boolean;
  /** It was told the outcome. */
  readonly observes?: boolean;
}

/** Runs dispatches whose hooks are known in advance through the same law as any other. */
export interface Player {
  play(dispatch: number, payload: JsonObject, hooks: readonly RecordedHook[]): MaybePromise<Outcome>;
}

/** What was recorded passed the limits of its harness, and a mask may have made it longer since. */
const NO_LIMITS: JsonLimits = { depth: Number.POSITIVE_INFINITY, size: Number.POSITIVE_INFINITY };

/** Makes a player that records on this tape. No handler, no clock and no deadline takes part. */
export function createPlayer(tape: TapeSink): Player {
  const ports: Ports = { now: () => 0, every: () => () => {}, warn: () => {} };
  const kernel: Kernel = {
    ports,
    deadlines: new Deadlines(ports),
    limits: NO_LIMITS,
    strict: false,
    timed: false,
    tape,
    trial: false,
    policy: null,
    dispatches: 0,
  };
  return {
    play(number, payload, recorded) {
      const event = payload.event as EventName;
      const all = recorded.map((hook) => hookFrom(hook, event));
      const hooks = all.filter(({ observes }) => !observes);
      const observers = all.filter(({ observes }) => observes);
      kernel.dispatches = number - 1;
      const route = new Route(specOf(event, "replay"), hooks, hooks, observers);
      // The payload passed its schema when it was recorded; what was masked since must not fail it now.
      return run(kernel, route, prepared(copyJson(payload, NO_LIMITS) as JsonObject));
    },
  };
}

function hookFrom({ ref, on_error, answer, isRefused, observes = false }: RecordedHook, event: EventName): Hook {
  return compileHook(
    {
      event,
      observes,
      id: ref.id,
      handlerName: ref.handler,
      package: ref.package,
      version: ref.version,
      handler: answer,
      timeout_ms: Number.MAX_SAFE_INTEGER,
      ...(on_error === null ? {} : { on_error }),
      ...(isRefused === true ? { matches: { source: "*", payload: () => answer() !== null } } : {}),
      dialect: { ...harn, parse: (effect, { payload }) => withDropped(effect as Effect, payload as never) },
    },
    () => () => true,
  );
}

// The tape has what was dropped in sum, and the law adds what this hook dropped to what was dropped before it.
function withDropped(effect: Effect, payload: { result?: { dropped?: number } }): Effect {
  const { change } = effect;
  if (change === undefined || !isJsonObject(change.value)) return effect;
  const dropped = Number(change.value.dropped ?? 0) - Number(payload.result?.dropped ?? 0);
  return dropped > 0 ? { ...effect, change: { ...change, dropped } } : effect;
}

/** The effect a record speaks of. */
export function effectOf(record: HookReturnedRecord): Effect {
  const { result, reason, change, reminders, stop, stop_reason, warnings, stderr } = record;
  const decision = result.startsWith("decision_")
    ? (result.slice("decision_".length) as PermissionDecision)
    : undefined;
  return {
    verdict: decision === undefined ? verdictOf(result) : decision === "deny" ? "block" : decision,
    ...(decision === undefined ? {} : { decision }),
    ...(reason === undefined ? {} : { reason }),
    ...(change === undefined ? {} : { change: { value: change } }),
    ...(reminders === undefined ? {} : { reminders }),
    ...(stop === true ? { stop: stop_reason === undefined ? {} : { reason: stop_reason } } : {}),
    ...(warnings === undefined ? {} : { warnings }),
    ...(stderr === undefined ? {} : { stderr }),
  };
}

function verdictOf(result: string): Verdict {
  return result === "ask" || result === "block" ? result : "allow";
}
