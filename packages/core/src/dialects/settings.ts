import { type Call, type Dialect, indexNames, onlyKeys, optionalText, reasonOr } from "../dialect.js";
import { type Effect, NEUTRAL } from "../effect.js";
import { type ErrorCode, HookContractError, hookExited, typeName } from "../errors.js";
import { isGate, type Payload } from "../events.js";
import { frozenObject, isJsonObject, type Json, type JsonObject } from "../json.js";
import { parseReminder } from "../reminder.js";

/** How an executable hook ended: what the process runner returns, and this dialect reads. */
export interface ProcessResult {
  /** The exit code; null when a signal ended it. */
  readonly exit_code: number | null;
  /** The signal that ended it. */
  readonly signal?: string;
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
  parse: (returned, call) =>
    parseResult(returned, call, (text, object) =>
      object !== undefined && isDecision(object, call) ? parseDecision(object, call) : inject(text),
    ),
  // "a broken hook should degrade functionality, not halt the system"; what it printed by mistake is not among that.
  tolerates: (fault, _event, isStrict) => !isStrict && BROKEN.includes(fault),
};

/** How a process can be broken. */
const BROKEN: readonly ErrorCode[] = [
  "HARN_E_HOOK_EXIT",
  "HARN_E_HOOK_TIMEOUT",
  "HARN_E_HOOK_START",
  "HARN_E_HOOK_OUTPUT",
];

const index = indexNames(settings.names);

function extraFields(payload: Payload): Record<string, Json> {
  if (payload.event === "UserPromptSubmit") return { prompt: (payload as Payload<"UserPromptSubmit">).prompt };
  const { event, session: _, tool, ...rest } = payload as Payload<"PreToolUse">;
  const called = tool === undefined ? {} : { tool_name: tool.name, tool_input: tool.args };
  // The page has six events and says what belongs to each; of any other a process gets all there is.
  return index.has(event) ? called : { ...called, ...(rest as JsonObject) };
}

/**
 * What the way a process ended comes to. `read` is asked what the words of one that ended well mean: the text it printed,
 * and the object where that is one.
 */
export function parseResult(
  returned: unknown,
  call: Call,
  read: (text: string, object: JsonObject | undefined) => Effect,
): Effect {
  const { exit_code, signal, stdout, stderr } = checkResult(returned);
  if (exit_code === BLOCK) {
    const reason = blockReason(stdout, stderr, call);
    return { verdict: "block", reason, ...(stderr.trim() === reason ? {} : said(stderr)) };
  }
  if (exit_code !== 0) throw hookExited(exit_code, stderr, signal);
  const text = stdout.trim();
  const object = parseObject(text);
  if (object === undefined) refuseBrokenDecision(text, call);
  const effect = text === "" ? NEUTRAL : read(text, object);
  return stderr.trim() === "" ? effect : { ...effect, ...said(stderr) };
}

/** An object that decides something, also as other languages print one. */
const DECIDES = /\{[^{}]*(["'])(?:(?:decision|permissionDecision|hookSpecificOutput)\1\s*:|continue\1\s*:\s*[Ff]alse)/;

/**
 * What was meant as a decision and cannot be read as one must not turn into harmless context: an object of another
 * language, one that is cut off, or, before a tool runs, one with words around it.
 */
function refuseBrokenDecision(text: string, { event, spec }: Call): void {
  const isMeant = event === "PreToolUse" || (isGate(spec) && text.startsWith("{"));
  if (!isMeant || !DECIDES.test(text)) return;
  throw new HookContractError(
    `printed what looks like a decision and is not one JSON object: ${JSON.stringify(text.slice(0, 200))}`,
    "Print the decision and nothing else; what is for a person goes to standard error.",
  );
}

const MOST_SAID = 10_000;

/** What a process said to the person is kept beside what it decided. */
function said(stderr: string): Pick<Effect, "stderr"> {
  const text = stderr.trim();
  return text === "" ? {} : { stderr: text.slice(0, MOST_SAID) };
}

function checkResult(returned: unknown): ProcessResult {
  if (isJsonObject(returned)) {
    const { exit_code, signal, stdout, stderr } = returned;
    if (
      (exit_code === null || typeof exit_code === "number") &&
      typeof stdout === "string" &&
      typeof stderr === "string"
    ) {
      return { exit_code, stdout, stderr, ...(typeof signal === "string" ? { signal } : {}) };
    }
  }
  throw new HookContractError(`a process result must be {exit_code, stdout, stderr}, got ${typeName(returned)}`);
}

/** Text a hook prints is context for the model: it lives like any reminder, and is seen like any reminder. */
export function inject(text: string): Effect {
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
 * Whether an object a hook printed is meant as a decision. On PreToolUse every object is: a decision with a typo in it
 * must not turn into harmless context. Elsewhere an object without a decision's keys is text like any other.
 */
function isDecision(object: JsonObject, call: Call): boolean {
  return call.event === "PreToolUse" || "decision" in object || "continue" in object;
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
  const { message, reason = message } = parseObject(stdout.trim()) ?? {};
  if (typeof reason === "string" && reason.trim() !== "") return reason;
  return stderr.trim() || stdout.trim() || `${call.event} hook blocked the operation (exit code 2)`;
}
