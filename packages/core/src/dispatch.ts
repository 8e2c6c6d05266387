import { Composition } from "./compose.js";
import { CallContext, type HookContext } from "./context.js";
import type { Deadlines, Waiting } from "./deadlines.js";
import { type Effect, NEUTRAL } from "./effect.js";
import { HarnError, HookFaultError, hookThrew, hookTimedOut, typeName, whenRaised } from "./errors.js";
import { isGate, type OnError, type Payload } from "./events.js";
import { type Hook, isThenable, type MaybePromise } from "./hook.js";
import { type Json, type JsonLimits, valueAt } from "./json.js";
import { type Fault, type Note, Outcome } from "./outcome.js";
import type { Route } from "./plan.js";
import type { Ports } from "./ports.js";
import { Recorder } from "./recorder.js";
import type { TapeSink } from "./tape.js";

/** What every dispatch of a harness shares. */
export interface Kernel {
  readonly ports: Ports;
  readonly deadlines: Deadlines;
  readonly limits: JsonLimits;
  strict: boolean;
  /** Whether durations are measured. */
  readonly timed: boolean;
  readonly tape: TapeSink | null;
  dispatches: number;
}

/** Sends a payload through its chain. The answer is a promise only when a hook made one. */
export function dispatch(kernel: Kernel, route: Route, payload: Payload): MaybePromise<Outcome> {
  if (!route.isPlain || kernel.tape !== null) return new Dispatch(kernel, route, payload, 0, stampsFor(kernel)).start();
  return pass(kernel, route, payload);
}

/**
 * A chain of plain hooks that have nothing to say, which is nearly every chain: nothing is composed, so nothing is
 * allocated for it. The first answer, promise or error hands over to a Dispatch at that place.
 */
function pass(kernel: Kernel, route: Route, payload: Payload): MaybePromise<Outcome> {
  const { hooks, runs } = route;
  const stamps = stampsFor(kernel);
  let place = 0;
  let context: HookContext | null = null;
  let returned: unknown;
  let failed = false;
  try {
    for (; place < runs.length; place++) {
      if (stamps !== null) stamps.push(kernel.ports.now());
      const { identity, wantsContext } = hooks[place] as Hook;
      context = wantsContext ? new CallContext(identity) : identity;
      returned = (runs[place] as Hook["run"])(payload as unknown as Json, context);
      if (returned !== undefined) break;
    }
  } catch (error) {
    returned = error;
    failed = true;
  }
  if (place < runs.length) return new Dispatch(kernel, route, payload, place, stamps).resume(returned, failed, context);
  if (stamps !== null) stamps.push(kernel.ports.now());
  return new Outcome(payload, null, stamps === null ? route.quiet : { ...route.quiet, stamps });
}

function stampsFor(kernel: Kernel): number[] | null {
  return kernel.timed ? [] : null;
}

/**
 * One event on its way through its chain. It runs synchronously as long as handlers answer synchronously, and goes on
 * from the first promise without allocating for the hooks before it.
 */
class Dispatch implements Waiting {
  index = 0;
  since: number | null = null;
  timeout_ms = 0;

  private composed: Composition | null = null;
  private readonly recorder: Recorder | null;
  private notes: (Note | undefined)[] = NO_NOTES;
  private faults: Fault[] = NO_FAULTS;
  private context: HookContext | null = null;
  /** Set from the first promise on. */
  private resolve: ((outcome: MaybePromise<Outcome>) => void) | null = null;
  private reject: ((error: unknown) => void) | null = null;
  /** Counts abandoned promises: whoever follows an older one has lost its right to go on. */
  private abandoned = 0;

  constructor(
    private readonly kernel: Kernel,
    private readonly route: Route,
    private readonly initial: Payload,
    private place: number,
    /** When the hook at each place was reached, and when the last one was done: durations are the steps between. */
    private readonly stamps: number[] | null,
  ) {
    const number = ++kernel.dispatches;
    this.recorder = kernel.tape === null ? null : new Recorder(kernel.tape, kernel.ports.now, number, initial);
  }

  /** Made for the first effect: most hooks have none. */
  private get composition(): Composition {
    this.composed ??= new Composition(this.route.spec, this.initial, this.kernel.limits);
    return this.composed;
  }

  private get payload(): Payload {
    return this.composed === null ? this.initial : this.composed.payload;
  }

  start(): MaybePromise<Outcome> {
    this.recorder?.event();
    return this.goOn(this.run());
  }

  /** Goes on from the hook at this place, which has answered or thrown. */
  resume(value: unknown, failed: boolean, context: HookContext | null): MaybePromise<Outcome> {
    this.context = context;
    if (!failed && isThenable(value)) return this.goOn(value);
    return this.goOn(this.settle(value, failed) ? null : this.run());
  }

  private goOn(pending: PromiseLike<unknown> | null): MaybePromise<Outcome> {
    if (pending === null) return this.finish();
    return new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
      this.kernel.deadlines.add(this);
      void this.follow(pending);
    });
  }

  /** Runs hooks until the chain ends (null) or one of them answers with a promise. */
  private run(): PromiseLike<unknown> | null {
    const { hooks, isPlain } = this.route;
    const { stamps, recorder } = this;
    const { ports } = this.kernel;
    while (this.place < hooks.length) {
      const hook = hooks[this.place] as Hook;
      if (stamps !== null) stamps.push(ports.now());
      let value: unknown;
      let failed = false;
      try {
        if (!isPlain && this.isSkipped(hook)) {
          this.place++;
          continue;
        }
        const { payload } = this;
        const view = isPlain ? (payload as unknown as Json) : hook.dialect.view(payload);
        recorder?.call(hook, payload);
        this.context = hook.wantsContext ? new CallContext(hook.identity) : hook.identity;
        value = hook.run(view, this.context);
      } catch (error) {
        value = error;
        failed = true;
      }
      if (!failed && isThenable(value)) return value;
      if (this.settle(value, failed)) return null;
    }
    return null;
  }

  /** Waits for one promise after another. */
  private async follow(first: PromiseLike<unknown>): Promise<void> {
    const { abandoned } = this;
    let pending: PromiseLike<unknown> | null = first;
    try {
      do {
        this.since = null;
        this.timeout_ms = (this.route.hooks[this.place] as Hook).timeout_ms;
        let value: unknown;
        let failed = false;
        try {
          value = await pending;
        } catch (error) {
          value = error;
          failed = true;
        }
        if (abandoned !== this.abandoned) return;
        pending = this.settle(value, failed) ? null : this.run();
      } while (pending !== null);
      this.conclude();
    } catch (error) {
      this.kernel.deadlines.delete(this);
      this.reject?.(error);
    }
  }

  /** The deadline of the hook the chain waits for has passed: it is told, abandoned, and the chain goes on without it. */
  expire(): void {
    this.abandoned++;
    const error = hookTimedOut(this.timeout_ms);
    if (this.context instanceof CallContext) this.context.abort(error);
    void this.follow(Promise.reject(error));
  }

  private conclude(): void {
    this.kernel.deadlines.delete(this);
    this.resolve?.(this.finish());
  }

  /** Takes in how the hook at this place ended, and moves on. True: the chain ends. */
  private settle(value: unknown, failed: boolean): boolean {
    if (value === undefined && !failed && this.route.isPlain && this.recorder === null) {
      this.place++;
      return false;
    }
    const hook = this.route.hooks[this.place] as Hook;
    let ends: boolean;
    if (failed) ends = this.fail(hook, value);
    else {
      try {
        ends = this.take(hook, value);
      } catch (error) {
        ends = this.fail(hook, error);
      }
    }
    this.place++;
    return ends;
  }

  private isSkipped(hook: Hook): boolean {
    const { payload } = this;
    if (hook.pattern.payload !== undefined && !hook.pattern.payload(payload as never)) {
      return this.skip(`pattern ${JSON.stringify(hook.pattern.source)} does not match`);
    }
    if (hook.threshold !== null) {
      const { pct } = (payload as Payload<"OnBudgetThreshold">).budget;
      if (pct === undefined || pct < hook.threshold) return this.skip(`the budget is below ${hook.threshold} %`);
    }
    if (hook.when === null) return false;
    let holds: unknown;
    try {
      holds = hook.when(hook.dialect.view(payload), hook.eventName);
    } catch (error) {
      // A payload that exhausts a condition must not switch its hook off, as a condition that raises may.
      const isOwn = error instanceof HarnError && (error.code === "HARN_E_WHEN" || error.code === "HARN_E_HOOK_BUDGET");
      throw isOwn ? error : whenRaised(error);
    }
    // A forgotten return, a None or a promise is no answer: taken for a false it would switch a gate off.
    if (typeof holds !== "boolean") throw whenRaised(`it must be true or false, got ${typeName(holds)}`);
    return holds ? false : this.skip(`when ${JSON.stringify(hook.whenText)} is false`);
  }

  private skip(why: string): true {
    this.note({ skipped: why });
    return true;
  }

  /** Takes in what a handler returned. True: the chain ends. */
  private take(hook: Hook, returned: unknown): boolean {
    const { event, spec, ref } = hook;
    const effect = hook.dialect.parse(returned, { event, spec, payload: this.payload });
    if (effect === NEUTRAL) {
      this.recorder?.returned(hook, effect, this.elapsed());
      return false;
    }
    const ends = this.composition.apply(effect, ref.id);
    const settled = effect.change === undefined ? effect : { ...effect, change: { value: this.changed() } };
    this.note({ effect: settled });
    for (const message of effect.warnings ?? []) this.kernel.ports.warn({ event, hook: ref.id, message });
    this.recorder?.returned(hook, settled, this.elapsed());
    return ends;
  }

  // What is written down is the frozen copy the composition took, and not an object the handler may still hold.
  private changed(): Json {
    return valueAt(this.payload as unknown as Json, (this.route.spec.modifies ?? "").split(".")) ?? null;
  }

  /** Decides what a fault is taken for. True: the chain ends. Throws for `raise`. */
  private fail(hook: Hook, thrown: unknown): boolean {
    const { kernel } = this;
    const error = thrown instanceof HarnError ? thrown : hookThrew(thrown);
    const on_error = this.policyFor(hook, error);
    const fault: Fault = { hook: hook.ref.id, error, on_error };
    if (this.faults === NO_FAULTS) this.faults = [];
    this.faults.push(fault);
    const verdict = on_error === "allow" ? "allow" : "block";
    const effect: Effect = {
      verdict,
      reason: `hook "${hook.ref.id}" failed and its policy is to ${verdict}: ${error.message}`,
    };
    this.note({ effect, fault });
    this.recorder?.failed(hook, error, on_error, this.elapsed());
    kernel.ports.warn({ event: hook.event, hook: hook.ref.id, message: error.message, error });
    if (on_error === "raise") {
      // Whoever called gets the fault and no outcome; that is no allow, so there is nothing to wait for.
      void this.recorder?.commit();
      throw new HookFaultError(hook.ref.id, error);
    }
    return this.composition.apply(effect, hook.ref.id);
  }

  private policyFor(hook: Hook, error: HarnError): OnError {
    if (hook.on_error !== null) return hook.on_error;
    return hook.dialect.tolerates(error.code, hook.event, this.kernel.strict) ? "allow" : hook.spec.fault;
  }

  private finish(): MaybePromise<Outcome> {
    const { recorder } = this;
    this.stamps?.push(this.kernel.ports.now());
    if (recorder === null) return this.outcome();
    recorder.outcome(this.composition);
    const committed = recorder.commit();
    return isThenable(committed) ? committed.then(() => this.outcome()) : this.outcome();
  }

  private outcome(): Outcome {
    const failure = this.recorder?.failure ?? null;
    if (failure !== null) this.failTape(failure);
    const { route, notes, faults, stamps, place: reached } = this;
    return new Outcome(this.payload, this.composed, { route, notes, faults, stamps, reached });
  }

  // No allow without a record: an agent must not act on an answer nobody can find again.
  private failTape(error: HarnError): void {
    const { composition, kernel } = this;
    const on_error: OnError = isGate(composition.spec) ? "block" : "allow";
    this.faults = [...this.faults, { hook: TAPE, error, on_error }];
    kernel.ports.warn({ event: composition.payload.event, hook: TAPE, message: error.message, error });
    if (composition.verdict !== "block") composition.apply({ verdict: on_error, reason: error.message }, TAPE);
  }

  private note(note: Note): void {
    if (this.notes === NO_NOTES) this.notes = [];
    this.notes[this.place] = note;
  }

  private elapsed(): number {
    return this.stamps === null ? 0 : this.kernel.ports.now() - (this.stamps[this.place] ?? 0);
  }
}

const TAPE = "tape";
const NO_NOTES: (Note | undefined)[] = [];
const NO_FAULTS: Fault[] = [];
