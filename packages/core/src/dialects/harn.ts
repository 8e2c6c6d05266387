import {
  type Call,
  changeKey,
  type Dialect,
  indexNames,
  onlyKeys,
  optionalText,
  reasonOr,
  rewrittenResult,
} from "../dialect.js";
import { type Effect, NEUTRAL, type PermissionDecision } from "../effect.js";
import { HookContractError, shown, typeName } from "../errors.js";
import { type EventName, rowOf } from "../events.js";
import { has, isJsonObject, type Json, type JsonObject } from "../json.js";
import { parseReminder } from "../reminder.js";

const MAX_NESTING = 32;
const DECISIONS: readonly unknown[] = ["allow", "deny", "ask"];
const THRESHOLD = /^OnBudgetThreshold\(\s*(\d+(?:\.\d+)?)\s*\)$/;

/** The dialect of modules and of code: canonical names, the canonical payload, and the widest set of answers. */
export const harn: Dialect = {
  name: "harn",
  names: {
    SessionStart: ["SessionStart", "session_start"],
    SessionEnd: ["SessionEnd", "session_end"],
    SessionError: ["SessionError", "session_error"],
    SessionIdle: ["SessionIdle", "session_idle"],
    UserPromptSubmit: ["UserPromptSubmit", "user_prompt_submit"],
    TurnStart: ["TurnStart"],
    TurnEnd: ["TurnEnd"],
    PostTurn: ["PostTurn", "post_turn"],
    PreCompletion: ["PreCompletion"],
    PostCompletion: ["PostCompletion"],
    PreToolUse: ["PreToolUse"],
    PostToolUse: ["PostToolUse"],
    PostToolUseFailure: ["PostToolUseFailure"],
    PermissionAsked: ["PermissionAsked", "permission_asked"],
    PermissionReplied: ["PermissionReplied", "permission_replied"],
    PermissionDenied: ["PermissionDenied"],
    FileEdited: ["FileEdited", "file_edited"],
    PreCompact: ["PreCompact", "pre_compact"],
    PostCompact: ["PostCompact", "post_compact"],
    SubagentStart: ["SubagentStart"],
    SubagentVerify: ["SubagentVerify"],
    SubagentStop: ["SubagentStop"],
    Stop: ["Stop"],
    PreStep: ["PreStep"],
    PostStep: ["PostStep"],
    OnApprovalRequested: ["OnApprovalRequested"],
    OnHandoffEmitted: ["OnHandoffEmitted"],
    OnPersonaPaused: ["OnPersonaPaused"],
    OnPersonaResumed: ["OnPersonaResumed"],
    OnBudgetThreshold: ["OnBudgetThreshold"],
    PreFinish: ["PreFinish", "pre_finish"],
    OnUnsettledDetected: ["OnUnsettledDetected", "on_unsettled_detected"],
    PostFinish: ["PostFinish", "post_finish"],
    ModelSwitch: ["ModelSwitch"],
    RetryAttempt: ["RetryAttempt"],
    MemoryUpdate: ["MemoryUpdate"],
    "custom.*": ["custom.<name>"],
    "meta.*": ["meta.<name>"],
  },
  resolve(name) {
    const threshold = THRESHOLD.exec(name)?.[1];
    if (threshold !== undefined) return { event: "OnBudgetThreshold", threshold: Number(threshold) };
    const event = index.get(name) ?? (rowOf(name) === undefined ? undefined : (name as EventName));
    return event && { event };
  },
  view: (payload) => payload as unknown as Json,
  parse: (returned, call) => parseReturn(returned, call, 0),
  tolerates: () => false,
};

const index = indexNames(harn.names);

function parseReturn(returned: unknown, call: Call, depth: number): Effect {
  if (returned === undefined || returned === null || returned === true) return NEUTRAL;
  if (returned === false) return { verdict: "block", reason: `${call.event} hook returned false` };
  if (depth > MAX_NESTING) throw new HookContractError(`\`then\` is nested more than ${MAX_NESTING} deep`);
  if (typeof returned === "string" && (call.event === "PostToolUse" || call.event === "PostToolUseFailure")) {
    return rewrite(returned, call);
  }
  if (Array.isArray(returned)) return parseList(returned, call);
  if (isJsonObject(returned)) return parseObject(returned, call, depth);
  throw cannotReturn(typeName(returned), call);
}

function parseObject(returned: JsonObject, call: Call, depth: number): Effect {
  if (has(returned, "effect")) return parseConstructor(returned, call, depth);
  if (has(returned, "reminder")) {
    onlyKeys(returned, ["reminder", "then"], "a reminder effect");
    return withReminder(returned, call, depth);
  }
  if (has(returned, "body")) return { verdict: "allow", reminders: [parseReminder(returned)] };
  if (has(returned, "decision")) return parseDecision(returned, call);
  if (has(returned, "block")) return parseBlock(returned, call);
  if (has(returned, "deny")) {
    onlyKeys(returned, ["deny"], "a denial");
    return { verdict: "block", reason: requiredReason(returned.deny, "deny") };
  }
  return parseChange(returned, call);
}

function parseConstructor(returned: JsonObject, call: Call, depth: number): Effect {
  const what = `${typeof returned.effect === "string" ? returned.effect : "an effect"}()`;
  switch (returned.effect) {
    case "allow":
      onlyKeys(returned, ["effect"], what);
      return NEUTRAL;
    case "block":
    case "ask":
      onlyKeys(returned, ["effect", "reason"], what);
      return { verdict: returned.effect, reason: requiredReason(returned.reason, what) };
    case "modify":
      onlyKeys(returned, ["effect", "change"], what);
      if (!isJsonObject(returned.change)) throw new HookContractError(`${what} needs an object`);
      return parseChange(returned.change, call);
    case "remind":
      onlyKeys(returned, ["effect", "reminder", "then"], what);
      return withReminder(returned, call, depth);
    case "stop": {
      onlyKeys(returned, ["effect", "reason", "then"], what);
      const reason = optionalText(returned.reason, "the reason of stop()");
      const then = parseReturn(returned.then, call, depth + 1);
      return { ...then, stop: then.stop ?? (reason === undefined ? {} : { reason }) };
    }
    default:
      throw new HookContractError(
        `unknown effect ${shown(returned.effect)}`,
        "Build effects with allow() block() ask() modify() remind() stop().",
      );
  }
}

function withReminder(returned: JsonObject, call: Call, depth: number): Effect {
  const first = parseReminder(returned.reminder);
  const then = parseReturn(returned.then, call, depth + 1);
  return { ...then, reminders: [first, ...(then.reminders ?? [])] };
}

function parseList(returned: readonly unknown[], call: Call): Effect {
  const reminders = returned.map((item) => {
    if (!isJsonObject(item) || !has(item, "reminder"))
      throw cannotReturn("a list of something else than {reminder}", call);
    onlyKeys(item, ["reminder"], "an item of an effect list");
    return parseReminder(item.reminder);
  });
  return { verdict: "allow", reminders };
}

function parseDecision(returned: JsonObject, call: Call): Effect {
  onlyKeys(returned, ["decision", "reason"], "a permission decision");
  if (!call.spec.honours.includes("decision")) {
    throw new HookContractError(
      `${call.event} takes no permission decision; only PermissionAsked does`,
      "Return {block: true, reason} to refuse.",
    );
  }
  if (!DECISIONS.includes(returned.decision)) {
    throw new HookContractError(`decision must be "allow", "deny" or "ask", got ${shown(returned.decision)}`);
  }
  const decision = returned.decision as PermissionDecision;
  const reason = reasonOr(optionalText(returned.reason, "the reason of a decision"), `decision=${decision}`);
  return { verdict: decision === "deny" ? "block" : decision, decision, reason };
}

function parseBlock(returned: JsonObject, call: Call): Effect {
  onlyKeys(returned, ["block", "reason"], "a veto");
  if (typeof returned.block !== "boolean") throw new HookContractError("block must be true or false");
  if (!returned.block) return NEUTRAL;
  const reason = optionalText(returned.reason, "the reason of a veto");
  return { verdict: "block", reason: reasonOr(reason, `${call.event} hook blocked the operation`) };
}

function parseChange(change: JsonObject, call: Call): Effect {
  const key = changeKey(call.spec);
  if (key === null || !has(change, key)) throw cannotReturn(`{${Object.keys(change).join(", ")}}`, call);
  onlyKeys(change, key === "result" ? [key, "dropped"] : [key], "a rewrite");
  return rewrite(change[key] as Json, call, change.dropped);
}

function rewrite(value: Json, call: Call, dropped: unknown = 0): Effect {
  if (!Number.isSafeInteger(dropped) || Number(dropped) < 0) {
    throw new HookContractError(`dropped must be a whole number, 0 or more, got ${typeName(dropped)}`);
  }
  if (changeKey(call.spec) !== "result") return { verdict: "allow", change: { value } };
  return { verdict: "allow", change: { value: rewrittenResult(value, call.payload), dropped: Number(dropped) } };
}

function requiredReason(reason: unknown, what: string): string {
  if (typeof reason !== "string" || reason.trim() === "") {
    throw new HookContractError(`${what} needs a reason the agent can read`);
  }
  return reason;
}

function cannotReturn(what: string, call: Call): HookContractError {
  const key = changeKey(call.spec);
  return new HookContractError(
    `a ${call.event} hook cannot return ${what}`,
    `Return nothing, true, false, {block: true, reason}, {deny: reason}${key === null ? "" : `, {${key}}`}, {reminder, then}, or a constructor of @hooks/core.`,
  );
}
