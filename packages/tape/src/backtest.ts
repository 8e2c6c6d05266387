import { statSync } from "node:fs";
import {
  canonicalJson,
  type EventName,
  type Harness,
  type HookFailedRecord,
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
import { isRaised } from "./records.js";

/** A verdict and who decided it; where only the rewrite is another one, who made that. */
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

/** How many verdicts changed in each direction, for one hook or one tool. */
export interface Count {
  readonly name: string;
  readonly loosened: number;
  readonly tightened: number;
  readonly rewritten: number;
}

/** What another policy would have done; plain data. */
export interface Backtest {
  readonly tapes: number;
  readonly events: number;
  readonly changed: number;
  /** Whether any verdict is laxer than it was. */
  readonly loosened: boolean;
  readonly changes: readonly Change[];
  /** By the hook whose word was lost or is new, the one with most changes first. */
  readonly hooks: readonly Count[];
  readonly tools: readonly Count[];
  /** Tapes and events that could not be asked about. */
  readonly problems: readonly string[];
}

export interface BacktestOptions {
  /** How many examples are kept of each change. */
  readonly examples?: number;
  /** The policy it is compared with, in the place of the verdicts that were recorded. */
  readonly baseline?: Pick<Harness, "fire">;
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

/** How a dispatch ended. A fault that was raised let nothing pass, and so is the one of the other policy. */
type Recorded = Pick<OutcomeRecord, "event" | "verdict" | "by" | "reason">;

function endingOf(record: OutcomeRecord | HookFailedRecord): Recorded {
  if (record.kind === "outcome") return record;
  return { event: record.event, verdict: "block", by: record.hook.id, reason: record.message };
}

interface Asked {
  readonly seq: number;
  readonly payload: JsonObject;
  readonly isMasked: boolean;
  rewrite: string | null;
  /** The hook that rewrote it last. */
  rewriter: string | null;
}

/** What a policy makes of an event. */
interface Answer extends Ruling {
  readonly reason: string | null;
  readonly rewrite: string | null;
  readonly rewriter: string | null;
}

async function askPolicy(harness: Pick<Harness, "fire">, event: EventName, payload: JsonObject): Promise<Answer> {
  try {
    const answered = await harness.fire(event, payload as never);
    const { verdict, by = null, reason = null, modified } = answered;
    const rewriter = modified ? (answered.trace.findLast(({ change }) => change !== undefined)?.hook ?? null) : null;
    return { verdict, by, reason, rewrite: modified ? rewriteOf(event, answered.payload as never) : null, rewriter };
  } catch (error) {
    if (!(error instanceof HookFaultError)) throw error;
    return { verdict: "block", by: error.hook, reason: error.message, rewrite: null, rewriter: null };
  }
}

function recorded({ rewrite, rewriter }: Asked, { verdict, by, reason }: Recorded): Answer {
  return { verdict, by: by ?? null, reason: reason ?? null, rewrite, rewriter };
}

/** Sends the events of tapes through another harness, one after another, and collects every verdict that changes. */
export async function backtest(
  tapes: readonly string[],
  harness: Pick<Harness, "fire">,
  { examples = 3, onProgress, baseline }: BacktestOptions = {},
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

  async function judge(tape: string, asked: Asked, outcome: Recorded): Promise<void> {
    const { payload, seq } = asked;
    const event = outcome.event as EventName;
    let next: Answer;
    let last: Answer;
    try {
      next = await askPolicy(harness, event, payload);
      last = baseline === undefined ? recorded(asked, outcome) : await askPolicy(baseline, event, payload);
    } catch (error) {
      return note(`${tape}, record ${seq}: ${messageOf(error)}`);
    }
    events++;
    const difference = RANK[next.verdict] - RANK[last.verdict];
    if (difference === 0 && next.rewrite === last.rewrite) return;
    const direction = difference < 0 ? "loosened" : difference > 0 ? "tightened" : "rewritten";
    const isRewrite = difference === 0;
    const from = { verdict: last.verdict, by: isRewrite ? last.rewriter : last.by };
    const to = { verdict: next.verdict, by: isRewrite ? next.rewriter : next.by };
    const tool = toolOf(payload);
    const key = JSON.stringify([direction, event, tool, from, to]);
    const change: Change = { direction, event, tool, from, to, count: 0, masked: 0, examples: [] };
    const group = groups.get(key) ?? { change, kept: [], count: 0, masked: 0 };
    groups.set(key, group);
    group.count++;
    if (asked.isMasked) group.masked++;
    if (group.kept.length < examples) {
      group.kept.push({ tape, seq, payload, from_reason: last.reason, to_reason: next.reason });
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
          pending.set(record.dispatch, { seq, payload, isMasked: MASKED.test(text), rewrite: null, rewriter: null });
        }
        if (record.kind === "hook_returned" && record.change !== undefined) {
          const asked = pending.get(record.dispatch);
          if (asked !== undefined) {
            asked.rewrite = canonicalJson(record.change);
            asked.rewriter = record.hook.id;
          }
        }
        if (record.kind !== "outcome" && !isRaised(record)) continue;
        const asked = pending.get(record.dispatch);
        pending.delete(record.dispatch);
        if (asked === undefined) continue;
        const isModified = record.kind === "outcome" && record.modified;
        await judge(tape, isModified ? asked : { ...asked, rewrite: null, rewriter: null }, endingOf(record));
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
  const hooks = countBy(changes, ({ direction, from, to }) =>
    direction === "loosened" ? from.by : (to.by ?? from.by),
  );
  const toolCounts = countBy(changes, ({ tool }) => tool);
  return { tapes: tapes.length, events, changed, loosened, changes, hooks, tools: toolCounts, problems };
}

function countBy(changes: readonly Change[], nameOf: (change: Change) => string | null): Count[] {
  const counts = new Map<string, Count>();
  for (const change of changes) {
    const name = nameOf(change);
    if (name === null) continue;
    const before = counts.get(name) ?? { name, loosened: 0, tightened: 0, rewritten: 0 };
    counts.set(name, { ...before, [change.direction]: before[change.direction] + change.count });
  }
  const total = ({ loosened, tightened, rewritten }: Count) => loosened + tightened + rewritten;
  return [...counts.values()].sort((a, b) => total(b) - total(a));
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
