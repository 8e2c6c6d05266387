import type { HookRef, Json, JsonObject, OutcomeRecord, TapeEntry } from "@hooks/core";
import { readTape } from "./read.js";
import { isEntry, isRaised } from "./records.js";

/** What one hook did in a dispatch. */
export interface DispatchedHook {
  readonly hook: HookRef;
  /** The word of its answer, or `failed`. */
  readonly result: string;
  readonly reason: string | null;
  readonly duration_ms: number;
}

/** One event as a tape tells it, from its firing to its outcome. */
export interface Dispatched {
  /** The number of the event's record. */
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly session: string;
  readonly dispatch: number;
  readonly event: string;
  /** The tool, subagent or file it is about. */
  readonly subject: string | null;
  readonly payload: Json;
  readonly hooks: readonly DispatchedHook[];
  /** Null when a fault was raised, or the process was gone before the end. */
  readonly outcome: OutcomeRecord | null;
  readonly duration_ms: number | null;
}

type Open = Omit<Dispatched, "hooks" | "outcome" | "duration_ms"> & {
  readonly hooks: DispatchedHook[];
  readonly at: number;
};

/** Reads a tape dispatch by dispatch, in the order they ended; those that never did come where they were cut off. */
export function* readDispatches(file: string): Generator<Dispatched, void> {
  const open = new Map<number, Open>();
  let origin = 0;
  for (const { seq, record } of readTape(file)) {
    if (record.kind === "session" || record.kind === "resumed") {
      // Another process counts its dispatches anew: what is open stays so for ever.
      for (const one of open.values()) yield close(one, null, null);
      open.clear();
      origin = record.origin;
    }
    if (!isEntry(record)) continue;
    if (record.kind === "event") {
      const { session, dispatch, event, payload, at } = record;
      const subject = subjectOf(payload as JsonObject);
      open.set(dispatch, { seq, time: origin + at, session, dispatch, event, subject, payload, hooks: [], at });
    }
    const one = open.get(record.dispatch);
    if (one === undefined) continue;
    take(one.hooks, record);
    if (record.kind !== "outcome" && !isRaised(record)) continue;
    open.delete(record.dispatch);
    yield close(one, record.kind === "outcome" ? record : null, record.at);
  }
  for (const one of open.values()) yield close(one, null, null);
}

function take(hooks: DispatchedHook[], record: TapeEntry): void {
  if (record.kind === "hook_returned") {
    const { hook, result, reason = null, duration_ms } = record;
    hooks.push({ hook, result, reason, duration_ms });
  }
  if (record.kind === "hook_failed") {
    const { hook, code, message, duration_ms } = record;
    hooks.push({ hook, result: "failed", reason: `${code}: ${message}`, duration_ms });
  }
}

function close({ at, ...one }: Open, outcome: OutcomeRecord | null, end: number | null): Dispatched {
  return { ...one, outcome, duration_ms: end === null ? null : Math.round((end - at) * 1e3) / 1e3 };
}

function subjectOf({ tool, subagent, path }: JsonObject): string | null {
  for (const found of [(tool as JsonObject | undefined)?.name, (subagent as JsonObject | undefined)?.name, path]) {
    if (typeof found === "string") return found;
  }
  return null;
}
