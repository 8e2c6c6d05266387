import type { Json, JsonObject, Outcome, PermissionDecision, Verdict } from "@hooks/core";
import type { Ability, Agent, NativeEvent, Reading, Ruling } from "./agent.js";

export const ALLOWED: Ruling = {
  verdict: "allow",
  reason: "",
  decision: undefined,
  change: undefined,
  context: undefined,
  stop: undefined,
  notes: [],
};

export function refusal(reason: string): Ruling {
  return { ...ALLOWED, verdict: "block", reason, decision: "deny" };
}

/** Asks the questions of one call in their order, until one is answered with a block. */
export async function rule(
  agent: Agent,
  row: NativeEvent,
  { questions, restore }: Reading,
  fire: (event: Outcome["event"], payload: JsonObject) => Outcome | Promise<Outcome>,
): Promise<Ruling> {
  const said = new Said();
  let args: JsonObject | undefined;
  let result: JsonObject | undefined;
  for (const { event, payload } of questions) {
    const asked = payload(args);
    const outcome = await fire(event, result !== undefined && "result" in asked ? { ...asked, result } : asked);
    said.take(outcome);
    const after = outcome.payload as unknown as Rewritten;
    if (outcome.modified && event === "PreToolUse") args = after.tool.args;
    if (outcome.modified && event === "PostToolUse") result = after.result;
    if (said.verdict === "block") break;
  }
  if (args !== undefined) said.restore(restore?.(args) ?? null);
  return fit(agent, row, said);
}

interface Rewritten {
  readonly tool: { readonly args: JsonObject };
  readonly result: JsonObject;
}

const RANK: Readonly<Record<Verdict, number>> = { allow: 0, ask: 1, block: 2 };

/** Where each event's rewrite stands in its payload. */
const CHANGED: Readonly<Record<string, string>> = {
  UserPromptSubmit: "prompt",
  PostToolUse: "result",
  PostToolUseFailure: "result",
  PreCompletion: "request",
  PostCompletion: "response",
  SubagentStart: "prompt",
  SubagentStop: "result",
  Stop: "text",
};

/** What the outcomes of one call come to. */
class Said {
  verdict: Verdict = "allow";
  reason = "";
  decision: PermissionDecision | undefined;
  change: Json | undefined;
  /** The event whose rewrite no agent has a way back for. */
  lost: string | undefined;
  stop: string | undefined;
  readonly context: string[] = [];

  take(outcome: Outcome): void {
    const { event, verdict, reason, decision, modified, reminders, stop } = outcome;
    this.context.push(...reminders.map(({ body }) => body));
    if (stop !== undefined) this.stop ??= stop.reason ?? "a hook asked the agent to stop";
    if (event === "PermissionAsked") {
      this.decision = decision;
      if (decision === "deny") this.block(reason);
      return;
    }
    if (RANK[verdict] > RANK[this.verdict]) {
      this.verdict = verdict;
      this.reason = reason ?? `refused by "${outcome.by ?? "a hook"}"`;
    }
    if (!modified || event === "PreToolUse") return;
    const key = CHANGED[event];
    if (key === undefined || event === "SubagentStart") this.lost = event;
    else this.change = (outcome.payload as unknown as JsonObject)[key];
  }

  block(reason = "refused by a hook"): void {
    this.verdict = "block";
    this.reason = reason;
  }

  restore(args: JsonObject | null): void {
    if (args === null) this.lost ??= "PreToolUse";
    else this.change = args;
  }
}

/**
 * What cannot be expressed is tightened, and said. A rewrite that would be lost becomes a block wherever a block still
 * prevents something; where the agent has already acted it is only reported.
 */
function fit({ title }: Agent, row: NativeEvent, said: Said): Ruling {
  const can = (ability: Ability) => row.can.includes(ability);
  const notes: string[] = [];
  let { verdict, reason, change, stop, decision } = said;
  const tighten = (why: string) => {
    if (!can("block")) return void notes.push(`${why}; ${title} takes no veto here, so it goes on`);
    notes.push(`${why}, so it is refused`);
    if (verdict !== "block")
      reason = reason === "" ? `${why}, so it is refused.` : `${reason} (${why}, so it is refused.)`;
    verdict = "block";
  };
  if (verdict === "ask" && !can("ask")) tighten(`this needs a person's consent and ${title} cannot ask for it here`);
  const isLost = said.lost !== undefined || (change !== undefined && !can("modify"));
  if (isLost && verdict !== "block") {
    const prevents = row.event !== "Stop" && row.event !== "SubagentStop";
    const why = `a hook rewrote what ${title} cannot take back in its own form`;
    if (prevents) tighten(why);
    else notes.push(`${why}; the text stays as it is`);
  }
  if (isLost) change = undefined;
  if (stop !== undefined && !can("stop")) {
    tighten(`the agent is to stop (${stop}) and ${title} cannot be stopped here`);
    stop = undefined;
  }
  if (verdict === "block" && !can("block")) {
    notes.push(`refused (${reason}), but ${title} takes no veto on ${row.event ?? "this event"}`);
    verdict = "allow";
    // A refusal nobody hears is worse than one that comes too late.
    said.context.unshift(reason);
  }
  if (decision === "ask") decision = undefined;
  let context: string | undefined = said.context.join("\n\n") || undefined;
  if (context !== undefined && verdict === "block") {
    reason = `${reason}\n\n${context}`;
    context = undefined;
  }
  if (context !== undefined && !can("remind")) {
    notes.push(`${title} has no place for a reminder here: ${context}`);
    context = undefined;
  }
  return { verdict, reason, decision, change: verdict === "block" ? undefined : change, context, stop, notes };
}
