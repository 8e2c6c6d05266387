import { type Call, type Dialect, indexNames, onlyKeys, optionalText, reasonOr } from "../dialect.js";
import { type Effect, NEUTRAL } from "../effect.js";
import { HookContractError, hookExited, typeName } from "../errors.js";
import type { Payload } from "../events.js";
import { frozenObject, isJsonObject, type Json, type JsonObject } from "../json.js";
import { parseReminder } from "../reminder.js";

/** How an executable hook ended: what the process runner returns, and this dialect reads. */
export interface ProcessResult {
  /** The exit code; null when a signal ended it. */
  readonly exit_code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const BLOCK = 2;

/** The dialect of executables: JSON on stdin, and exit code, decision JSON and text as the answer. */
export const settings: Dialect = {
  name: "settings",
  names: {
    SessionStart: ["SessionStart"],
    SessionEnd: ["SessionEnd"],
    SessionError: [],
    SessionIdle: [],
    UserPromptSubmit: ["UserPromptSubmit"],
    TurnStart: [],
    TurnEnd: [],
    PostTurn: [],
    PreCompletion: [],
    PostCompletion: [],
    PreToolUse: ["PreToolUse"],
    PostToolUse: [],
    PostToolUseFailure: [],
    PermissionAsked: [],
    PermissionReplied: [],
    PermissionDenied: [],
    FileEdited: [],
    PreCompact: [],
    PostCompact: [],
    SubagentStart: [],
    SubagentVerify: [],
    SubagentStop: ["SubagentStop"],
    Stop: ["Stop"],
    PreStep: [],
    PostStep: [],
    OnApprovalRequested: [],
    OnHandoffEmitted: [],
    OnPersonaPaused: [],
    OnPersonaResumed: [],
    OnBudgetThreshold: [],
    PreFinish: [],
    OnUnsettledDetected: [],
    PostFinish: [],
    ModelSwitch: [],
    RetryAttempt: [],
    MemoryUpdate: [],
    "custom.*": [],
    "meta.*": [],
  },
  resolve(name) {
    const event = index.get(name);
    return event && { event };
  },
  view(payload) {
    const { event, session } = payload;
    return frozenObject({
      session_id: session.id,
      transcript_path: session.transcript_path ?? "",
      hook_event_name: event,
      ...extraFields(payload),
    });
  },
  parse(returned, call) {
    const { exit_code, stdout, stderr } = checkResult(returned);
    if (exit_code === BLOCK) return { verdict: "block", reason: blockReason(stdout, stderr, call) };
    if (exit_code !== 0) throw hookExited(exit_code, stderr);
    const text = stdout.trim();
    if (text === "") return NEUTRAL;
    const object = asDecision(text, call);
    return object === undefined ? inject(text) : parseDecision(object, call);
  },
  // "Any other: logged as warning, execution continues (fail-open)"; "kills it and continues execution".
  tolerates: (fault, _event, isStrict) =>
    !isStrict && (fault === "HARN_E_HOOK_EXIT" || fault === "HARN_E_HOOK_TIMEOUT"),
};

const index = indexNames(settings.names);

function extraFields(payload: Payload): Record<string, Json> {
  if (payload.event === "UserPromptSubmit") return { prompt: (payload as Payload<"UserPromptSubmit">).prompt };
  if (payload.event !== "PreToolUse") return {};
  const { tool } = payload as Payload<"PreToolUse">;
  return { tool_name: tool.name, tool_input: tool.args };
}

function checkResult(returned: unknown): ProcessResult {
  if (isJsonObject(returned)) {
    const { exit_code, stdout, stderr } = returned;
    if (
      (exit_code === null || typeof exit_code === "number") &&
      typeof stdout === "string" &&
      typeof stderr === "string"
    ) {
      return { exit_code, stdout, stderr };
    }
  }
  throw new HookContractError(`a process result must be {exit_code, stdout, stderr}, got ${typeName(returned)}`);
}

/** Text a hook prints is context for the model: it lives like any reminder, and is seen like any reminder. */
function inject(text: string): Effect {
  return { verdict: "allow", reminders: [parseReminder({ body: text, tags: ["context"], ttl_turns: 1 })] };
}

function parseObject(text: string): JsonObject | undefined {
  if (!text.startsWith("{")) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The object a hook printed, when it is meant as a decision. On PreToolUse every object is: a decision with a typo in
 * it must not turn into harmless context. Elsewhere an object without a decision's keys is text like any other.
 */
function asDecision(text: string, call: Call): JsonObject | undefined {
  const object = parseObject(text);
  if (object === undefined) return undefined;
  const isMeant = call.event === "PreToolUse" || "decision" in object || "continue" in object;
  return isMeant ? object : undefined;
}

function parseDecision(object: JsonObject, call: Call): Effect {
  onlyKeys(object, ["continue", "decision", "message"], "a decision");
  const message = optionalText(object.message, "message");
  const { decision } = object;
  if (decision === "block" || object.continue === false) {
    return { verdict: "block", reason: reasonOr(message, `${call.event} hook blocked the operation`) };
  }
  if (decision === "ask")
    return { verdict: "ask", reason: reasonOr(message, `${call.event} hook asks for confirmation`) };
  if (decision !== undefined || object.continue !== true) {
    throw new HookContractError(
      `not a decision: ${JSON.stringify(object).slice(0, 200)}`,
      'Print {"continue": true}, {"decision": "block", "message": "..."} or {"decision": "ask", "message": "..."}.',
    );
  }
  return NEUTRAL;
}

function blockReason(stdout: string, stderr: string, call: Call): string {
  const message = parseObject(stdout.trim())?.message;
  if (typeof message === "string" && message.trim() !== "") return message;
  return stderr.trim() || stdout.trim() || `${call.event} hook blocked the operation (exit code 2)`;
}
