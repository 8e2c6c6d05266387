import type { Composition } from "./compose.js";
import { type Effect, type EffectResult, type PermissionDecision, resultOf, type Verdict } from "./effect.js";
import type { HarnError } from "./errors.js";
import type { EventName, OnError, Payload } from "./events.js";
import type { Hook } from "./hook.js";
import type { Json } from "./json.js";
import type { Route } from "./plan.js";
import type { Reminder } from "./reminder.js";

/** A hook that failed in a dispatch, and what that was taken for. */
export interface Fault {
  readonly hook: string;
  readonly error: HarnError;
  readonly on_error: OnError;
}

/** What happened to one hook in one dispatch. */
export interface TraceEntry {
  readonly hook: string;
  readonly priority: number;
  /** It was told the outcome, and had no part in it. */
  readonly observes?: true;
  /** Why it did not run; absent when it ran. */
  readonly skipped?: string;
  readonly result?: EffectResult;
  readonly reason?: string;
  /** What it rewrote the path the event modifies to. */
  readonly change?: Json;
  readonly fault?: string;
  readonly warnings?: readonly string[];
  /** What an executable had to say to the person. */
  readonly stderr?: string;
  readonly duration_ms?: number;
}

/** What a dispatch noted about the hook at one place of its route. Nothing noted: it ran and had nothing to say. */
export interface Note {
  readonly skipped?: string;
  readonly effect?: Effect;
  readonly fault?: Fault;
}

/** What came of telling one observer. */
export interface Told {
  readonly hook: Hook;
  readonly skipped?: string;
  readonly fault?: Fault;
  readonly duration_ms?: number;
}

/** How a dispatch went: what its trace is made from. */
export interface Course {
  readonly route: Route;
  readonly notes: readonly (Note | undefined)[];
  readonly faults: readonly Fault[];
  /** When the hook at each place was reached, and when the last one was done; null when nothing was timed. */
  readonly stamps: readonly number[] | null;
  /** How far the chain was run. */
  readonly reached: number;
  readonly told: readonly Told[];
}

/** What all hooks of one dispatch came to. */
export class Outcome<E extends EventName = EventName> {
  readonly event: E;
  /** What the agent is to do. A permission question that no hook answered is an `ask`. */
  readonly verdict: Verdict;
  /** Why, for a block or an ask; the agent is meant to read it. */
  readonly reason: string | undefined;
  /** The hook that decided. */
  readonly by: string | undefined;
  /** The answer to a permission question; undefined: no hook had an opinion. */
  readonly decision: PermissionDecision | undefined;
  /** The payload after all rewrites: what the operation must use. */
  readonly payload: Payload<E>;
  readonly modified: boolean;
  readonly reminders: readonly Reminder[];
  /** Set when a hook wants the agent's loop to stop after this. */
  readonly stop: { readonly reason?: string; readonly by: string } | undefined;
  readonly faults: readonly Fault[];
  readonly #course: Course;

  /** Without a composition every hook was silent, and the payload passes as it came. */
  constructor(payload: Payload, composition: Composition | null, course: Course) {
    this.payload = payload as unknown as Payload<E>;
    this.event = payload.event as E;
    this.verdict = composition === null ? course.route.opening : composition.verdict;
    this.reason = composition?.reason;
    this.by = composition?.by;
    this.decision = composition?.decision;
    this.modified = composition === null ? false : composition.modified;
    this.reminders = composition === null ? NO_REMINDERS : composition.reminders;
    this.stop = composition?.stop;
    this.faults = course.faults;
    this.#course = course;
  }

  /** Every hook of the event in order: what it did, or why it did not run; then its observers. Made when asked for. */
  get trace(): TraceEntry[] {
    const { route, told } = this.#course;
    const places = new Map(route.hooks.map((hook, place) => [hook, place]));
    return [...route.all.map((hook) => this.#entry(hook, places.get(hook))), ...told.map(toldEntry)];
  }

  #entry(hook: Hook, place: number | undefined): TraceEntry {
    const entry = { hook: hook.ref.id, priority: hook.priority };
    if (place === undefined)
      return { ...entry, skipped: `pattern ${JSON.stringify(hook.pattern.source)} does not match` };
    const { notes, stamps, reached } = this.#course;
    const note = notes[place];
    if (note?.skipped !== undefined) return { ...entry, skipped: note.skipped };
    if (place >= reached) return { ...entry, skipped: `"${this.by}" had ended the chain` };
    const { effect, fault } = note ?? {};
    const duration = stamps === null ? {} : { duration_ms: span(stamps, place) };
    return {
      ...entry,
      result: effect === undefined ? "allow" : resultOf(effect),
      ...(effect?.reason === undefined ? {} : { reason: effect.reason }),
      ...(effect?.change === undefined ? {} : { change: effect.change.value }),
      ...(effect?.warnings === undefined ? {} : { warnings: effect.warnings }),
      ...(effect?.stderr === undefined ? {} : { stderr: effect.stderr }),
      ...(fault === undefined ? {} : { fault: faultText(fault) }),
      ...duration,
    };
  }

  /** Plain data, trace included, for printing and for other processes. */
  toJSON() {
    const { event, verdict, reason, by, decision, payload, modified, reminders, stop, faults, trace } = this;
    const failed = faults.map(({ hook, error, on_error }) => ({
      hook,
      code: error.code,
      message: error.message,
      on_error,
    }));
    return { event, verdict, reason, by, decision, modified, payload, reminders, stop, faults: failed, trace };
  }
}

function toldEntry({ hook, skipped, fault, duration_ms }: Told): TraceEntry {
  return {
    hook: hook.ref.id,
    priority: hook.priority,
    observes: true,
    ...(skipped === undefined ? { result: "observed" as const } : { skipped }),
    ...(fault === undefined ? {} : { fault: faultText(fault) }),
    ...(duration_ms === undefined ? {} : { duration_ms }),
  };
}

function faultText({ error }: Fault): string {
  return `${error.code}: ${error.message}`;
}

function span(stamps: readonly number[], place: number): number {
  return (stamps[place + 1] ?? 0) - (stamps[place] ?? 0);
}

const NO_REMINDERS: readonly Reminder[] = Object.freeze([]);
