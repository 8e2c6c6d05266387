import { skipReason } from "./condition.js";
import { CallContext } from "./context.js";
import type { Waiting } from "./deadlines.js";
import { nameIn } from "./dialect.js";
import type { Kernel } from "./dispatch.js";
import { HarnError, HookContractError, hookThrew, hookTimedOut, typeName } from "./errors.js";
import type { EventName, OnError, Payload } from "./events.js";
import { type Hook, isThenable, type MaybePromise } from "./hook.js";
import type { Json } from "./json.js";
import type { Fault, Outcome, Told } from "./outcome.js";
import type { Recorder } from "./recorder.js";

/** What an observer is told of one dispatch: plain data, the same for every observer of it. */
export interface Observation<E extends EventName = EventName> extends Omit<ReturnType<Outcome["toJSON"]>, "payload"> {
  readonly event: E;
  /** Which dispatch of its harness this was. */
  readonly dispatch: number;
  /** The payload as it came in. */
  readonly asked: Payload<E>;
  /** The payload after all rewrites. */
  readonly payload: Payload<E>;
  /** Whether a fault is thrown at the host in the place of this outcome. */
  readonly raised: boolean;
  /** From the event to its verdict; null when nothing is timed. */
  readonly duration_ms: number | null;
  /** Which policy decided: what the host calls it, such as the digest of a manifest. */
  readonly policy: string | null;
}

/** How a dispatch ended, before anybody is told. */
export interface Ending {
  readonly outcome: Outcome;
  readonly asked: Payload;
  readonly dispatch: number;
  readonly raised: boolean;
  readonly duration_ms: number | null;
}

/**
 * Tells the observers of a dispatch how it ended, one after the other, each within its own deadline, and then closes it.
 * What they do has no effect on the outcome; that one of them failed is among what `close` gets. It is called in the
 * moment the last one has answered: no record of another dispatch comes between that and the outcome, so that a replay
 * can tell the order from the answers alone.
 */
export function tell<T>(
  kernel: Kernel,
  observers: readonly Hook[],
  ending: Ending,
  recorder: Recorder | null,
  close: (told: readonly Told[]) => MaybePromise<T>,
): MaybePromise<T> {
  if (kernel.trial) return close(observers.map((hook) => ({ hook, skipped: "an observer is not told of a trial" })));
  return new Telling(kernel, observers, ending, recorder, close).start();
}

function observationOf({ outcome, asked, dispatch, raised, duration_ms }: Ending, policy: string | null): Observation {
  const { trace, faults, ...rest } = outcome.toJSON();
  for (const entry of [...trace, ...faults, trace, faults]) Object.freeze(entry);
  return Object.freeze({ ...rest, trace, faults, asked, dispatch, raised, duration_ms, policy });
}

class Telling<T> implements Waiting {
  index = 0;
  since: number | null = null;
  timeout_ms = 0;

  private readonly told: Told[] = [];
  private readonly observation: Observation;
  private context: CallContext | null = null;
  private began = 0;
  private abandoned = 0;
  private resolve: ((closed: MaybePromise<T>) => void) | null = null;
  private reject: ((error: unknown) => void) | null = null;

  constructor(
    private readonly kernel: Kernel,
    private readonly observers: readonly Hook[],
    private readonly ending: Ending,
    private readonly recorder: Recorder | null,
    private readonly close: (told: readonly Told[]) => MaybePromise<T>,
  ) {
    this.observation = observationOf(ending, kernel.policy);
  }

  start(): MaybePromise<T> {
    const pending = this.run();
    if (pending === null) return this.close(this.told);
    return new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
      this.kernel.deadlines.add(this);
      void this.follow(pending);
    });
  }

  /** The deadline of the observer that is waited for has passed: the agent goes on without it. */
  expire(): void {
    this.abandoned++;
    const error = hookTimedOut(this.timeout_ms);
    this.context?.abort(error);
    void this.follow(Promise.reject(error));
  }

  /** Tells observers until all are told (null) or one of them answers with a promise. */
  private run(): PromiseLike<unknown> | null {
    const { payload } = this.ending.outcome;
    while (this.told.length < this.observers.length) {
      const hook = this.observers[this.told.length] as Hook;
      this.began = this.kernel.ports.now();
      try {
        const skipped = skipReason(hook, payload, nameIn(hook.dialect, payload.event));
        if (skipped !== null) {
          this.told.push({ hook, skipped });
          continue;
        }
        this.recorder?.call(hook, payload);
        this.context = new CallContext(hook.identity, payload.session);
        const returned = hook.run(this.observation as unknown as Json, this.context);
        if (isThenable(returned)) return returned;
        this.settle(hook, returned);
      } catch (error) {
        this.fail(hook, error);
      }
    }
    return null;
  }

  private async follow(first: PromiseLike<unknown>): Promise<void> {
    const { abandoned } = this;
    for (let pending: PromiseLike<unknown> | null = first; pending !== null; pending = this.run()) {
      const hook = this.observers[this.told.length] as Hook;
      this.since = null;
      this.timeout_ms = hook.timeout_ms;
      let returned: unknown;
      let error: unknown = null;
      try {
        returned = await pending;
      } catch (thrown) {
        error = thrown ?? hookThrew(thrown);
      }
      if (abandoned !== this.abandoned) return;
      if (error === null) this.settle(hook, returned);
      else this.fail(hook, error);
    }
    this.kernel.deadlines.delete(this);
    try {
      this.resolve?.(this.close(this.told));
    } catch (error) {
      this.reject?.(error);
    }
  }

  private settle(hook: Hook, returned: unknown): void {
    // An answer would have no effect: whoever gives one believes to be a gate.
    if (returned !== undefined) {
      const error = new HookContractError(
        `an observer returns nothing, got ${typeName(returned)}`,
        "Register it as a hook if it is to decide something.",
      );
      return this.fail(hook, error);
    }
    const duration_ms = this.elapsed();
    this.recorder?.observed(hook, duration_ms);
    this.told.push({ hook, duration_ms });
  }

  private fail(hook: Hook, thrown: unknown): void {
    const error = thrown instanceof HarnError ? thrown : hookThrew(thrown);
    const on_error: OnError = hook.on_error === "raise" ? "raise" : "allow";
    const fault: Fault = { hook: hook.ref.id, error, on_error };
    const duration_ms = this.elapsed();
    this.recorder?.failed(hook, error, on_error, duration_ms);
    this.kernel.ports.warn({ event: this.observation.event, hook: hook.ref.id, message: error.message, error });
    this.told.push({ hook, fault, duration_ms });
  }

  private elapsed(): number {
    return this.kernel.timed ? this.kernel.ports.now() - this.began : 0;
  }
}
