import { untilAborted } from "./abort.js";
import { messageOf, sessionMisused } from "./errors.js";
import type { EventName, PayloadInput, SessionRef } from "./events.js";
import type { Harness } from "./harness.js";
import type { Outcome } from "./outcome.js";
import type { SessionPorts } from "./ports.js";
import type { Reminders } from "./reminders.js";

/** Something that was begun and is not over. */
export interface Unsettled {
  readonly kind: string;
  readonly name: string;
}

/** What one gate came to: the value to go on with, or why not to. */
export type Ruling<T> = { readonly ok: true; readonly value: T } | Refusal;

/** A refusal, with the word for the point at which it came. */
export interface Refusal {
  readonly ok: false;
  readonly stop_reason: `${string}_blocked`;
  readonly reason: string;
  /** The hook that refused. */
  readonly by: string | undefined;
}

/** What a session fires: the payload of an event without the session, which it knows. */
export type StagePayload<E extends EventName> = Omit<PayloadInput<E>, "session">;

type State = "new" | "open" | "ended";

/** Where a session's events are fired from: it knows whose they are, and keeps what they leave behind. */
export class Stage {
  state: State = "new";
  signal: AbortSignal = new AbortController().signal;
  readonly unsettled = new Set<Unsettled>();
  /** Subagents that run now; whoever abandons work waits until their sessions have ended. */
  readonly delegations = new Set<Promise<unknown>>();

  constructor(
    readonly harness: Harness,
    readonly ref: SessionRef,
    readonly depth: number,
    readonly ports: SessionPorts,
    readonly reminders: Reminders,
    private readonly observe: ((outcome: Outcome) => void) | undefined,
  ) {}

  /** Fires an event of a session that is open, unless it was aborted. */
  async fire<const E extends EventName>(event: E, payload: StagePayload<E>): Promise<Outcome<E>> {
    this.signal.throwIfAborted();
    const outcome = await this.tell(event, payload);
    this.signal.throwIfAborted();
    return outcome;
  }

  /** Fires an event also after an abort: what was begun has to be ended. */
  async tell<const E extends EventName>(event: E, payload: StagePayload<E>): Promise<Outcome<E>> {
    this.mustBeOpen(event);
    const outcome = await this.harness.fire(event, { ...payload, session: this.ref } as PayloadInput<E>);
    this.reminders.inject(outcome.reminders);
    this.observe?.(outcome as unknown as Outcome);
    return outcome;
  }

  mustBeOpen(doing: string): void {
    if (this.state === "open") return;
    const help = this.state === "new" ? "Call start first." : "Call start to resume it, or make another session.";
    throw sessionMisused(`${doing} in a session that ${this.state === "new" ? "was not started" : "has ended"}`, help);
  }

  /** Notes that something was begun; call what it returns when that is over. */
  track(kind: string, name: string): () => void {
    const entry = { kind, name };
    this.unsettled.add(entry);
    return () => void this.unsettled.delete(entry);
  }

  /** Waits for work of the host, until the session is aborted. */
  async await<T>(event: EventName, what: string, start: () => T | Promise<T>): Promise<T> {
    const linger = () => Promise.allSettled(this.delegations);
    return untilAborted(this.signal, start, { linger, late: this.late(event, what) });
  }

  /** Shows an error to a person that came when nobody waited any more. */
  late(event: EventName, hook: string): (error: unknown) => void {
    return (error) =>
      this.ports.warn({ event, hook, message: `failed after the session was aborted: ${messageOf(error)}` });
  }
}

/** What stands where a hook gave no reason. */
export const NO_REASON = "no reason was given";

/** The refusal of a gate that blocks. */
export function refusal({ reason = NO_REASON, by }: Outcome<EventName>, word: string): Refusal {
  return { ok: false, stop_reason: `${word}_blocked`, reason, by };
}

/** The ruling of a gate whose outcome is in. */
export function rule<T>(outcome: Outcome<EventName>, word: string, value: () => T): Ruling<T> {
  return outcome.verdict === "block" ? refusal(outcome, word) : { ok: true, value: value() };
}
