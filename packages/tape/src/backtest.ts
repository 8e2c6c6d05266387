import { statSync } from "node:fs";
import {
  canonicalJson,
  type EventName,
  type Harness,
  HookFaultError,
  type Json,
  type JsonObject,
  messageOf,
  type OutcomeRecord,
  specOf,
  type Verdict,
} from "@hooks/core";
import { MASKED } from "./mask.js";
import { readTape } from "./read.js";

/** A verdict and who decided it. */
export interface Ruling {
  readonly verdict: Verdict;
  readonly by: string | null;
}

/** Events on which the other policy answers otherwise, in the same way. */
export interface Change {
  readonly direction: "loosened" | "tightened" | "rewritten";
  readonly event: string;
  readonly tool: string | null;
  readonly from: Ruling;
  readonly to: Ruling;
  readonly count: number;
  /** How many of them had something masked: the other policy did not see the secret. */
  readonly masked: number;
  readonly examples: readonly Example[];
}

export interface Example {
  readonly tape: string;
  /** The number of the event's record. */
  readonly seq: number;
  readonly payload: Json;
  readonly from_reason: string | null;
  readonly to_reason: string | null;
}

/** What another policy would have done; plain data. */
export interface Backtest {
  readonly tapes: number;
  readonly events: number;
  readonly changed: number;
  /** Whether any verdict is laxer than it was. */
  readonly loosened: boolean;
  readonly changes: readonly Change[];
  /** Tapes and events that could not be asked about. */
  readonly problems: readonly string[];
}

export interface BacktestOptions {
  /** How many examples are kept of each change. */
  readonly examples?: number;
  readonly onProgress?: (progress: {
    tape: string;
    tapes: number;
    bytes: number;
    total: number;
    events: number;
  }) => void;
}

const RANK: Readonly<Record<Verdict, number>> = { allow: 0, ask: 1, block: 2 };
const PROGRESS_EVERY = 1_000;
const MAX_PROBLEMS = 100;

interface Asked {
  readonly seq: number;
  readonly payload: JsonObject;
  readonly isMasked: boolean;
  rewrite: string | null;
}

/** Sends the events of tapes through another harness, one after another, and collects every verdict that changes. */
export async function backtest(
  tapes: readonly string[],
  harness: Pick<Harness, "fire">,
  { examples = 3, onProgress }: BacktestOptions = {},
): Promise<Backtest> {
  const groups = new Map<string, { change: Change; kept: Example[]; count: number; masked: number }>();
  const problems: string[] = [];
  const sizes = tapes.map(sizeOf);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  let events = 0;
  let before = 0;

  function note(problem: string): void {
    if (problems.length < MAX_PROBLEMS) problems.push(problem);
  }

  async function judge(tape: string, asked: Asked, outcome: OutcomeRecord): Promise<void> {
    const { payload, seq } = asked;
    const event = outcome.event as EventName;
    let next: Ruling & { readonly reason: string | null; readonly rewrite: string | null };
    try {
      const answered = await harness.fire(event, payload as never);
      const { verdict, by = null, reason = null } = answered;
      next = { verdict, by, reason, rewrite: answered.modified ? rewriteOf(event, answered.payload as never) : null };
    } catch (error) {
      if (!(error instanceof HookFaultError)) return note(`${tape}, record ${seq}: ${messageOf(error)}`);
      next = { verdict: "block", by: error.hook, reason: error.message, rewrite: null };
    }
    events++;
    const difference = RANK[next.verdict] - RANK[outcome.verdict];
    if (difference === 0 && next.rewrite === asked.rewrite) return;
    const direction = difference < 0 ? "loosened" : difference > 0 ? "tightened" : "rewritten";
    const from = { verdict: outcome.verdict, by: outcome.by ?? null };
    const to = { verdict: next.verdict, by: next.by };
    const tool = toolOf(payload);
    const key = JSON.stringify([direction, event, tool, from, to]);
    const change: Change = { direction, event, tool, from, to, count: 0, masked: 0, examples: [] };
    const group = groups.get(key) ?? { change, kept: [], count: 0, masked: 0 };
    groups.set(key, group);
    group.count++;
    if (asked.isMasked) group.masked++;
    if (group.kept.length < examples) {
      group.kept.push({ tape, seq, payload, from_reason: outcome.reason ?? null, to_reason: next.reason });
    }
  }

  for (const [place, tape] of tapes.entries()) {
    const pending = new Map<number, Asked>();
    const tell = (bytes: number) => onProgress?.({ tape, tapes: place, bytes: before + bytes, total, events });
    try {
      for (const { seq, offset, record, text } of readTape(tape)) {
        if (record.kind === "resumed") pending.clear();
        if (record.kind === "event") {
          const payload = record.payload as JsonObject;
          pending.set(record.dispatch, { seq, payload, isMasked: MASKED.test(text), rewrite: null });
        }
        if (record.kind === "hook_returned" && record.change !== undefined) {
          const asked = pending.get(record.dispatch);
          if (asked !== undefined) asked.rewrite = canonicalJson(record.change);
        }
        if (record.kind === "hook_failed" && record.on_error === "raise") pending.delete(record.dispatch);
        if (record.kind !== "outcome") continue;
        const asked = pending.get(record.dispatch);
        pending.delete(record.dispatch);
        if (asked === undefined) continue;
        await judge(tape, record.modified ? asked : { ...asked, rewrite: null }, record);
        if (events % PROGRESS_EVERY === 0) tell(offset);
      }
    } catch (error) {
      note(messageOf(error));
    }
    before += sizes[place] ?? 0;
    tell(0);
  }

  const changes = [...groups.values()]
    .map(({ change, kept, count, masked }): Change => ({ ...change, count, masked, examples: kept }))
    .sort((a, b) => b.count - a.count);
  const changed = changes.reduce((sum, { count }) => sum + count, 0);
  const loosened = changes.some(({ direction }) => direction === "loosened");
  return { tapes: tapes.length, events, changed, loosened, changes, problems };
}

function sizeOf(tape: string): number {
  return statSync(tape, { throwIfNoEntry: false })?.size ?? 0;
}

function toolOf(payload: JsonObject): string | null {
  const name = (payload.tool as JsonObject | undefined)?.name;
  return typeof name === "string" ? name : null;
}

/** What the event's own path holds at the end. */
function rewriteOf(event: EventName, payload: Json): string {
  let value: Json | undefined = payload;
  for (const key of (specOf(event).modifies ?? "").split(".")) value = (value as JsonObject | undefined)?.[key];
  return canonicalJson(value ?? null);
}
