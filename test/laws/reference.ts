import type { EventName, OnError, Verdict } from "@hooks/core";

/** What a hook of the model does; the tests turn it into what a real handler returns. */
export type Act =
  | { kind: "allow" }
  | { kind: "block"; reason: string }
  | { kind: "ask"; reason: string }
  | { kind: "modify"; value: number }
  | { kind: "remind"; body: string; key: string | null; then: Act }
  | { kind: "stop"; then: Act }
  | { kind: "decide"; decision: "allow" | "deny" | "ask" }
  | { kind: "throw" };

export interface ModelHook {
  readonly priority: number;
  readonly matches: boolean;
  readonly on_error: OnError | null;
  readonly act: Act;
}

export interface ModelOutcome {
  verdict: Verdict;
  by: number | null;
  decision: string | null;
  value: number;
  reminders: { body: string; key: string | null }[];
  stop: number | null;
  ran: number[];
  faults: number[];
  raised: number | null;
}

/** What each event of the model honours, as the catalogue's table says in words. */
export const honours: Partial<Record<EventName, readonly string[]>> = {
  PreToolUse: ["block", "modify", "ask", "remind", "stop"],
  UserPromptSubmit: ["block", "modify", "remind"],
  PermissionAsked: ["decide", "block", "remind"],
  PreCompact: ["block", "remind"],
  SessionEnd: ["remind"],
};

/** The laws of composition in the plainest words there are: slow, obvious, and the judge of the real thing. */
export function compose(event: EventName, hooks: readonly ModelHook[]): ModelOutcome {
  const honoured = honours[event] ?? [];
  const isGate = honoured.includes("block");
  const order = hooks.map((_, i) => i).sort((a, b) => (hooks[a]?.priority ?? 0) - (hooks[b]?.priority ?? 0) || a - b);
  const out: ModelOutcome = {
    verdict: event === "PermissionAsked" ? "ask" : "allow",
    by: null,
    decision: null,
    value: 0,
    reminders: [],
    stop: null,
    ran: [],
    faults: [],
    raised: null,
  };
  for (const i of order) {
    const hook = hooks[i];
    if (!hook?.matches) continue;
    out.ran.push(i);
    let acts = flatten(hook.act);
    if (acts.some((act) => isFault(act, honoured, isGate))) {
      out.faults.push(i);
      const policy = hook.on_error ?? (isGate ? "block" : "allow");
      if (policy === "raise") return { ...out, raised: i };
      acts = policy === "block" ? [{ kind: "block", reason: "fault" }] : [];
    }
    for (const act of acts) {
      if (act.kind === "modify") out.value = act.value;
      if (act.kind === "stop") out.stop ??= i;
      if (act.kind === "remind") {
        out.reminders = out.reminders.filter((other) => act.key === null || other.key !== act.key);
        out.reminders.push({ body: act.body, key: act.key });
      }
    }
    for (const act of acts) {
      if (!isGate) continue;
      const says = act.kind === "decide" ? act.decision : act.kind;
      if (says === "allow" && act.kind === "decide" && out.decision === null) {
        out.by = i;
        out.verdict = "allow";
        out.decision = "allow";
      }
      if (says === "ask" && (out.verdict === "allow" || (event === "PermissionAsked" && out.decision === null))) {
        out.by = i;
        out.verdict = "ask";
        if (event === "PermissionAsked") out.decision = "ask";
      }
      if (says === "block" || says === "deny") {
        out.by = i;
        out.verdict = "block";
        if (event === "PermissionAsked") out.decision = "deny";
        return out;
      }
    }
  }
  return out;
}

function flatten(act: Act): Act[] {
  return act.kind === "remind" || act.kind === "stop" ? [act, ...flatten(act.then)] : [act];
}

function isFault(act: Act, honoured: readonly string[], isGate: boolean): boolean {
  if (act.kind === "throw") return true;
  if (act.kind === "allow" || act.kind === "block" || act.kind === "remind") return false;
  if (act.kind === "ask" && !isGate) return false;
  return !honoured.includes(act.kind);
}
