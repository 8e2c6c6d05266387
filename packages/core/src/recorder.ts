import type { Composition } from "./compose.js";
import { type Effect, resultOf } from "./effect.js";
import { type HarnError, tapeFailed } from "./errors.js";
import { isGate, type OnError, type Payload } from "./events.js";
import { type Hook, isThenable, type MaybePromise } from "./hook.js";
import type { Json } from "./json.js";
import type { TapeEntry, TapeSink } from "./tape.js";

/** Writes down one dispatch. A sink that throws is remembered, and the dispatch decides what that means. */
export class Recorder {
  /** The first error of the sink. */
  failure: HarnError | null = null;

  constructor(
    private readonly sink: TapeSink,
    private readonly now: () => number,
    private readonly dispatch: number,
    private readonly of: Payload,
  ) {}

  event(): void {
    this.write({ kind: "event", ...this.base(), payload: this.of as unknown as Json });
  }

  call(hook: Hook, payload: Payload): void {
    this.write({ kind: "hook_call", ...this.base(), hook: hook.ref, payload: payload as unknown as Json });
  }

  returned(hook: Hook, effect: Effect, duration_ms: number): void {
    const { reason, change, reminders, stop, warnings, decision } = effect;
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
      duration_ms,
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
    this.write({ kind: "hook_failed", ...this.base(), hook: hook.ref, code, message, on_error, duration_ms });
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

  private base(): Pick<TapeEntry, "at" | "session" | "dispatch" | "event"> {
    const { event, session } = this.of;
    return { at: this.now(), session: session.id, dispatch: this.dispatch, event };
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
