import type { Composition } from "./compose.js";
import { type Effect, type EffectResult, NEUTRAL, resultOf } from "./effect.js";
import { type HarnError, tapeFailed } from "./errors.js";
import { isGate, type OnError, type Payload } from "./events.js";
import { type Hook, isThenable, type MaybePromise } from "./hook.js";
import type { Json } from "./json.js";
import type { TapeEntry, TapeSink } from "./tape.js";

/** Writes down one dispatch. A sink that throws is remembered, and the dispatch decides what that means. */
export class Recorder {
  /** The first error of the sink. */
  failure: HarnError | null = null;

  private readonly session: string;
  private readonly name: string;

  constructor(
    private readonly sink: TapeSink,
    private readonly now: () => number,
    private readonly dispatch: number,
    private readonly of: Payload,
  ) {
    this.session = of.session.id;
    this.name = of.event;
  }

  event(): void {
    const { session, dispatch, name: event } = this;
    this.write({ kind: "event", at: this.at(), session, dispatch, event, payload: this.of as unknown as Json });
  }

  call(hook: Hook, payload: Payload): void {
    const { session, dispatch, name: event } = this;
    const seen = payload as unknown as Json;
    const called = {
      kind: "hook_call" as const,
      at: this.at(),
      session,
      dispatch,
      event,
      hook: hook.ref,
      payload: seen,
    };
    this.write(hook.observes ? { ...called, observes: true } : called);
  }

  observed(hook: Hook, duration_ms: number): void {
    this.plain(hook, "observed", duration_ms);
  }

  returned(hook: Hook, effect: Effect, duration_ms: number): void {
    if (effect === NEUTRAL) return this.plain(hook, "allow", duration_ms);
    const { reason, change, reminders, stop, warnings, stderr, decision } = effect;
    this.write({
      kind: "hook_returned",
      ...this.base(),
      hook: hook.ref,
      result: resultOf(effect),
      ...(reason === undefined ? {} : { reason }),
      ...(change === undefined ? {} : { change: change.value }),
      ...(reminders === undefined ? {} : { reminders }),
      ...(stop === undefined ? {} : { stop: true }),
      ...(stop?.reason === undefined ? {} : { stop_reason: stop.reason }),
      ...(warnings === undefined ? {} : { warnings }),
      ...(stderr === undefined ? {} : { stderr }),
      duration_ms: toMicroseconds(duration_ms),
    });
    if (effect.verdict !== "block" && decision === undefined) return;
    this.write({
      kind: "hook_vetoed",
      ...this.base(),
      hook: hook.ref,
      reason: reason ?? "",
      decision: decision ?? null,
      honoured: isGate(hook.spec),
    });
  }

  failed(hook: Hook, { code, message }: HarnError, on_error: OnError, duration_ms: number): void {
    this.write({
      kind: "hook_failed",
      ...this.base(),
      hook: hook.ref,
      ...(hook.observes ? { observes: true as const } : {}),
      code,
      message,
      on_error,
      duration_ms: toMicroseconds(duration_ms),
    });
  }

  outcome({ verdict, reason, by, decision, modified, reminders, stop }: Composition): void {
    this.write({
      kind: "outcome",
      ...this.base(),
      verdict,
      ...(reason === undefined ? {} : { reason }),
      ...(by === undefined ? {} : { by }),
      ...(decision === undefined ? {} : { decision }),
      modified,
      reminders: reminders.length,
      stop: stop !== undefined,
    });
  }

  /** Has everything kept that was written; a promise when the sink takes its time. Its failure is remembered here. */
  commit(): MaybePromise<void> {
    try {
      const committed: unknown = this.sink.commit?.();
      if (isThenable(committed)) return this.settled(committed);
      if (committed !== undefined) throw new TypeError("commit must return nothing, or a promise of it");
    } catch (error) {
      this.failure ??= tapeFailed(error);
    }
  }

  private async settled(committed: PromiseLike<unknown>): Promise<void> {
    try {
      await committed;
    } catch (error) {
      this.failure ??= tapeFailed(error);
    }
  }

  /** A handler that had nothing to say, as nearly every one: this is written field by field because it is so often. */
  private plain(hook: Hook, result: EffectResult, duration: number): void {
    const { session, dispatch, name: event } = this;
    const duration_ms = toMicroseconds(duration);
    const { ref } = hook;
    this.write({ kind: "hook_returned", at: this.at(), session, dispatch, event, hook: ref, result, duration_ms });
  }

  private base(): Pick<TapeEntry, "at" | "session" | "dispatch" | "event"> {
    const { session, dispatch, name: event } = this;
    return { at: this.at(), session, dispatch, event };
  }

  private at(): number {
    return toMicroseconds(this.now());
  }

  private write(entry: TapeEntry): void {
    try {
      const written: unknown = this.sink.write(entry);
      // A sink that answers with a promise has not written anything yet, and may never.
      if (written !== undefined) throw new TypeError("write must be synchronous and return nothing");
    } catch (error) {
      this.failure ??= tapeFailed(error);
    }
  }
}

/** A clock's reading without the digits that only say how it was computed. */
function toMicroseconds(milliseconds: number): number {
  return Math.round(milliseconds * 1e3) / 1e3;
}
