import { extended, MAX_ROUNDS, overruled, type Rewrite } from "./again.js";
import { Composition } from "./compose.js";
import { skipReason } from "./condition.js";
import { CallContext, type HookContext } from "./context.js";
import type { Deadlines, Waiting } from "./deadlines.js";
import { type Effect, NEUTRAL } from "./effect.js";
import { HarnError, HookFaultError, hookThrew, hookTimedOut, unsettled } from "./errors.js";
import { isGate, type OnError, type Payload } from "./events.js";
import { type Hook, isThenable, type MaybePromise } from "./hook.js";
import { type Json, type JsonLimits, valueAt } from "./json.js";
import { tell } from "./observe.js";
import { type Course, type Fault, type Note, Outcome, type Told } from "./outcome.js";
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
  /** Whether nothing happens for real: observers are not told. */
  readonly trial: boolean;
  /** Which policy this is, for observers. */
  policy: string | null;
  dispatches: number;
}

/** Sends a payload through its chain. The answer is a promise only when a hook made one. */
export function dispatch(kernel: Kernel, route: Route, payload: Payload): MaybePromise<Outcome> {
  if (!route.isQuick || kernel.tape !== null) return new Dispatch(kernel, route, payload, 0, stampsFor(kernel)).start();
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
      context = wantsContext ? new CallContext(identity, payload.session) : identity;
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
  private rewrites: Rewrite[] = NO_REWRITES;
  private rounds = 0;
  private context: HookContext | null = null;
  /** Set from the first promise on. */
  private resolve: ((outcome: MaybePromise<Outcome>) => void) | null = null;
  private reject: ((error: unknown) => void) | null = null;
  /** Counts abandoned promises: whoever follows an older one has lost its right to go on. */
  private abandoned = 0;
  /** A fault that the host gets in the place of an outcome, once observers were told. */
  private raised: { readonly hook: Hook; readonly error: HarnError; readonly duration_ms: number } | null = null;
  private readonly number: number;

  constructor(
    private readonly kernel: Kernel,
    private route: Route,
    private readonly initial: Payload,
    private place: number,
    /** When the hook at each place was reached, and when the last one was done: durations are the steps between. */
    private readonly stamps: number[] | null,
  ) {
    this.number = ++kernel.dispatches;
    this.recorder = kernel.tape === null ? null : new Recorder(kernel.tape, kernel.ports.now, this.number, initial);
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
    let pending: PromiseLike<unknown> | null;
    do pending = this.runRest();
    while (pending === null && this.rewrites !== NO_REWRITES && this.goesOn());
    return pending;
  }

  /** Whether hooks that bind have to answer again for what others rewrote after them. */
  private goesOn(): boolean {
    const { composition, route, payload, rewrites } = this;
    if (this.raised !== null || composition.verdict === "block") return false;
    const again = overruled(route, payload, rewrites);
    const [first] = again;
    if (first === undefined) return false;
    if (this.rounds++ < MAX_ROUNDS) {
      this.route = extended(route, again);
      return true;
    }
    this.stamps?.push(this.kernel.ports.now());
    this.fail(first, unsettled(MAX_ROUNDS), "block");
    return false;
  }

  private runRest(): PromiseLike<unknown> | null {
    const { hooks, isPlain } = this.route;
    const { stamps, recorder } = this;
    const { ports } = this.kernel;
    while (this.place < hooks.length) {
      const hook = hooks[this.place] as Hook;
      if (stamps !== null) stamps.push(ports.now());
      let value: unknown;
      let failed = false;
      try {
        const { payload } = this;
        const skipped = isPlain ? null : skipReason(hook, payload, hook.eventName);
        if (skipped !== null) {
          this.note({ skipped });
          this.place++;
          continue;
        }
        const view = isPlain ? (payload as unknown as Json) : hook.dialect.view(payload);
        recorder?.call(hook, payload);
        this.context = hook.wantsContext ? new CallContext(hook.identity, payload.session) : hook.identity;
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

  /** Takes in what a handler returned. True: the chain ends. */
  private take(hook: Hook, returned: unknown): boolean {
    const { spec, ref } = hook;
    const { event } = this.initial;
    const effect = hook.dialect.parse(returned, { event, spec, payload: this.payload });
    if (effect === NEUTRAL) {
      this.recorder?.returned(hook, effect, this.elapsed());
      return false;
    }
    const before = this.payload;
    const ends = this.composition.apply(effect, ref.id);
    if (before !== this.payload) {
      if (this.rewrites === NO_REWRITES) this.rewrites = [];
      // What a hook rewrites because it was asked again is new to all others, those of its own rank behind it included.
      const rank = this.rounds > 0 ? Number.POSITIVE_INFINITY : hook.rank;
      this.rewrites.push({ place: this.place, rank });
    }
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

  /** Decides what a fault is taken for. True: the chain ends. */
  private fail(hook: Hook, thrown: unknown, forced?: OnError): boolean {
    const { kernel } = this;
    const error = thrown instanceof HarnError ? thrown : hookThrew(thrown);
    const on_error = forced ?? this.policyFor(hook, error);
    const fault: Fault = { hook: hook.ref.id, error, on_error };
    if (this.faults === NO_FAULTS) this.faults = [];
    this.faults.push(fault);
    const verdict = on_error === "allow" ? "allow" : "block";
    const effect: Effect = {
      verdict,
      reason: `hook "${hook.ref.id}" failed and its policy is to ${verdict}: ${error.message}`,
    };
    this.note({ effect, fault });
    kernel.ports.warn({ event: hook.event, hook: hook.ref.id, message: error.message, error });
    if (on_error === "raise") {
      this.raised = { hook, error, duration_ms: this.elapsed() };
      this.composition.apply(effect, hook.ref.id);
      return true;
    }
    this.recorder?.failed(hook, error, on_error, this.elapsed());
    return this.composition.apply(effect, hook.ref.id);
  }

  private policyFor(hook: Hook, error: HarnError): OnError {
    if (hook.on_error !== null) return hook.on_error;
    return hook.dialect.tolerates(error.code, this.initial.event, this.kernel.strict) ? "allow" : hook.spec.fault;
  }

  private finish(): MaybePromise<Outcome> {
    const { kernel, stamps, route } = this;
    stamps?.push(kernel.ports.now());
    if (route.observers.length === 0) return this.close(NOBODY);
    const ending = {
      outcome: new Outcome(this.payload, this.composed, this.course(NOBODY)),
      asked: this.initial,
      dispatch: this.number,
      raised: this.raised !== null,
      duration_ms: stamps === null ? null : (stamps.at(-1) ?? 0) - (stamps[0] ?? 0),
    };
    return tell(kernel, route.observers, ending, this.recorder, (told) => this.close(told));
  }

  /** The end of a dispatch, on the tape and for the host. */
  private close(told: readonly Told[]): MaybePromise<Outcome> {
    const { recorder, raised } = this;
    const failed = told.find(({ fault }) => fault?.on_error === "raise");
    if (raised !== null) {
      // Whoever called gets the fault and no outcome; that is no allow, so there is nothing to wait for.
      recorder?.failed(raised.hook, raised.error, "raise", raised.duration_ms);
      void recorder?.commit();
      throw new HookFaultError(raised.hook.ref.id, raised.error);
    }
    if (recorder === null) return this.outcome(told, failed);
    recorder.outcome(this.composition);
    const committed = recorder.commit();
    return isThenable(committed) ? committed.then(() => this.outcome(told, failed)) : this.outcome(told, failed);
  }

  private outcome(told: readonly Told[], failed: Told | undefined): Outcome {
    const failure = this.recorder?.failure ?? null;
    if (failure !== null) this.failTape(failure);
    if (failed?.fault !== undefined) throw new HookFaultError(failed.fault.hook, failed.fault.error);
    return new Outcome(this.payload, this.composed, this.course(told));
  }

  private course(told: readonly Told[]): Course {
    const { route, notes, stamps, place: reached } = this;
    const late = told.flatMap(({ fault }) => fault ?? []);
    return { route, notes, faults: late.length === 0 ? this.faults : [...this.faults, ...late], stamps, reached, told };
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
const NO_REWRITES: Rewrite[] = [];
const NOBODY: readonly Told[] = [];
