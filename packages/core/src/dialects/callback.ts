import {
  type Call,
  type Dialect,
  indexNames,
  nameIn,
  onlyKeys,
  optionalText,
  reasonOr,
  requiredObject,
  rewrittenResult,
} from "../dialect.js";
import { type Effect, NEUTRAL } from "../effect.js";
import { HookContractError, shown, typeName } from "../errors.js";
import type { EventName, Payload } from "../events.js";
import { frozenObject, type Json, type JsonObject } from "../json.js";

const INTERCEPTORS: readonly EventName[] = ["PreToolUse", "PostToolUse", "PostToolUseFailure"];

/** The dialect of in-process callback arrays: camelCase input, three interceptors, everything else a notification. */
export const callback: Dialect = {
  name: "callback",
  names: {
    SessionStart: ["SessionStart"],
    SessionEnd: ["SessionEnd"],
    SessionError: ["Error"],
    SessionIdle: [],
    UserPromptSubmit: [],
    TurnStart: [],
    TurnEnd: ["TurnEnd"],
    PostTurn: [],
    // "Fires at the beginning of each provider call": what others call a turn is longer.
    PreCompletion: ["TurnStart"],
    PostCompletion: [],
    PreToolUse: ["PreToolUse"],
    PostToolUse: ["PostToolUse"],
    PostToolUseFailure: ["PostToolUseFailure"],
    PermissionAsked: ["PermissionRequest"],
    PermissionReplied: [],
    PermissionDenied: ["PermissionDenied"],
    FileEdited: ["FileWrite"],
    PreCompact: ["PreCompact"],
    PostCompact: ["PostCompact"],
    SubagentStart: ["SubagentStart"],
    SubagentVerify: [],
    SubagentStop: ["SubagentStop"],
    Stop: [],
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
    ModelSwitch: ["ModelSwitch"],
    RetryAttempt: ["RetryAttempt"],
    MemoryUpdate: ["MemoryUpdate"],
    "custom.*": [],
    "meta.*": [],
  },
  resolve(name) {
    const event = index.get(name);
    return event && { event };
  },
  view(payload) {
    const { event, session } = payload;
    const own = views[event] as ((payload: Payload) => object) | undefined;
    return frozenObject({
      event: nameIn(callback, event),
      sessionId: session.id,
      parentSessionId: session.parent_id,
      cwd: session.cwd,
      ...own?.(payload),
    });
  },
  parse(returned, call) {
    if (returned === undefined || returned === null) return NEUTRAL;
    if (!INTERCEPTORS.includes(call.event)) {
      return { verdict: "allow", warnings: [`a notification has no return value; ${typeName(returned)} is ignored`] };
    }
    const output = requiredObject(returned, "what an interceptor returns");
    return call.event === "PreToolUse" ? parsePre(output) : parsePost(output, call);
  },
  // "Notification hooks are fire-and-forget": their failure is recorded and shown, and the agent goes on, strict or not.
  tolerates: (_fault, event) => !INTERCEPTORS.includes(event),
};

const index = indexNames(callback.names);

/** What every callback gets. */
interface BaseInput {
  readonly sessionId: string;
  readonly parentSessionId?: string;
  readonly cwd?: string;
}

interface ToolInput {
  readonly toolName: string;
  readonly toolInput: JsonObject;
  readonly toolUseId?: string | undefined;
}

interface OutputInput extends ToolInput {
  readonly toolOutput: string;
  readonly isError: boolean;
}

interface ErrorInput {
  readonly message: string;
  readonly name?: string | undefined;
  readonly code?: string | undefined;
}

/** What the handler of each callback event gets, beside the session it belongs to. */
interface OwnInputs {
  SessionStart: { readonly prompt?: string | undefined; readonly isResume: boolean };
  SessionEnd: { readonly reason?: string | undefined };
  TurnStart: { readonly model?: Json | undefined };
  TurnEnd: {
    readonly text: string;
    readonly toolCalls?: readonly { readonly name: string; readonly args: JsonObject }[] | undefined;
    readonly usage?: { readonly input_tokens: number; readonly output_tokens: number } | undefined;
  };
  Error: { readonly error: ErrorInput };
  PreToolUse: ToolInput;
  PostToolUse: OutputInput;
  PostToolUseFailure: OutputInput & { readonly errorMessage: string };
  FileWrite: { readonly toolName?: string | undefined; readonly filePath: string; readonly isNew: boolean };
  PermissionRequest: { readonly toolName: string; readonly input: JsonObject; readonly mode?: string | undefined };
  PermissionDenied: { readonly toolName: string; readonly input: JsonObject; readonly reason?: string | undefined };
  SubagentStart: { readonly agentName: string; readonly prompt?: string | undefined };
  SubagentStop: { readonly agentName: string; readonly result?: string | undefined };
  PreCompact: { readonly trigger?: string | undefined; readonly messageCount?: number | undefined };
  PostCompact: {
    readonly trigger?: string | undefined;
    readonly summary?: string | undefined;
    readonly messageCount?: number | undefined;
  };
  ModelSwitch: { readonly previousModel: string; readonly newModel: string };
  RetryAttempt: {
    readonly attempt: number;
    readonly maxAttempts: number;
    readonly error: ErrorInput;
    readonly delay: number;
  };
  MemoryUpdate: {
    readonly created?: readonly string[] | undefined;
    readonly updated?: readonly string[] | undefined;
    readonly deleted?: readonly string[] | undefined;
  };
}

/** The name of a callback event. */
export type CallbackEvent = keyof OwnInputs;

/** What the handler of a callback event gets. */
export type CallbackInput<N extends CallbackEvent = CallbackEvent> = BaseInput & OwnInputs[N] & { readonly event: N };

/** What the handler of a callback event may return. */
export type CallbackOutput<N extends CallbackEvent = CallbackEvent> = N extends "PreToolUse"
  ? {
      readonly decision?: "allow" | "deny" | "passthrough";
      readonly updatedInput?: Readonly<Record<string, unknown>>;
      readonly message?: string;
      readonly preventContinuation?: boolean;
    }
  : N extends "PostToolUse" | "PostToolUseFailure"
    ? { readonly updatedOutput?: string; readonly preventContinuation?: boolean }
    : never;

type Views = {
  [E in EventName]?: (payload: Payload<E>) => OwnInputs[CallbackEvent];
};

const views: Views = {
  SessionStart: ({ prompt, is_resume }): OwnInputs["SessionStart"] => ({ prompt, isResume: is_resume ?? false }),
  SessionEnd: ({ reason }): OwnInputs["SessionEnd"] => ({ reason }),
  SessionError: ({ error }): OwnInputs["Error"] => ({ error }),
  TurnEnd: ({ text, tool_calls, usage }): OwnInputs["TurnEnd"] => ({ text, toolCalls: tool_calls, usage }),
  PreCompletion: ({ request }): OwnInputs["TurnStart"] => ({ model: request.model }),
  PreToolUse: toolView,
  PostToolUse: outputView,
  PostToolUseFailure: (payload): OwnInputs["PostToolUseFailure"] => ({
    ...outputView(payload),
    errorMessage: payload.result.text,
  }),
  PermissionAsked: ({ tool, mode }): OwnInputs["PermissionRequest"] => ({
    toolName: tool.name,
    input: tool.args,
    mode,
  }),
  PermissionDenied: ({ tool, reason }): OwnInputs["PermissionDenied"] => ({
    toolName: tool.name,
    input: tool.args,
    reason,
  }),
  FileEdited: ({ tool, path, is_new }): OwnInputs["FileWrite"] => ({
    toolName: tool?.name,
    filePath: path,
    isNew: is_new ?? false,
  }),
  PreCompact: ({ trigger, message_count }): OwnInputs["PreCompact"] => ({ trigger, messageCount: message_count }),
  PostCompact: ({ trigger, summary, message_count }): OwnInputs["PostCompact"] => ({
    trigger,
    summary,
    messageCount: message_count,
  }),
  SubagentStart: ({ subagent, session, prompt }): OwnInputs["SubagentStart"] => ({
    ...childView(subagent, session),
    prompt,
  }),
  SubagentStop: ({ subagent, session, result }): OwnInputs["SubagentStop"] => ({
    ...childView(subagent, session),
    result: result?.text,
  }),
  ModelSwitch: ({ previous_model, new_model }): OwnInputs["ModelSwitch"] => ({
    previousModel: previous_model,
    newModel: new_model,
  }),
  RetryAttempt: ({ attempt, max_attempts, error, delay_ms }): OwnInputs["RetryAttempt"] => ({
    attempt,
    maxAttempts: max_attempts,
    error,
    delay: delay_ms,
  }),
  MemoryUpdate: ({ created, updated, deleted }): OwnInputs["MemoryUpdate"] => ({ created, updated, deleted }),
};

/** These two events are about the subagent's session; the one they are fired in is its parent. */
function childView({ name, id }: Payload<"SubagentStart">["subagent"], session: Payload["session"]) {
  return { agentName: name, ...(id === undefined ? {} : { sessionId: id, parentSessionId: session.id }) };
}

function toolView({ tool }: Payload<"PreToolUse" | "PostToolUse" | "PostToolUseFailure">): ToolInput {
  return { toolName: tool.name, toolInput: tool.args, toolUseId: tool.call_id };
}

function outputView(payload: Payload<"PostToolUse" | "PostToolUseFailure">): OutputInput {
  return { ...toolView(payload), toolOutput: payload.result.text, isError: payload.result.is_error };
}

function parsePre(output: JsonObject): Effect {
  onlyKeys(output, ["decision", "updatedInput", "message", "preventContinuation"], "a PreToolUse output");
  const { decision, updatedInput } = output;
  const message = optionalText(output.message, "message");
  const stop = parseStop(output);
  if (decision === "deny") return { verdict: "block", reason: reasonOr(message, "Blocked by hook."), ...stop };
  if (decision !== undefined && decision !== "allow" && decision !== "passthrough") {
    throw new HookContractError(`decision must be "allow", "deny" or "passthrough", got ${shown(decision)}`);
  }
  const change = updatedInput === undefined ? {} : { change: { value: requiredObject(updatedInput, "updatedInput") } };
  return { verdict: "allow", ...change, ...stop };
}

function parsePost(output: JsonObject, call: Call): Effect {
  onlyKeys(output, ["updatedOutput", "preventContinuation"], `a ${call.event} output`);
  const updated = optionalText(output.updatedOutput, "updatedOutput");
  const change = updated === undefined ? {} : { change: { value: rewrittenResult(updated, call.payload) } };
  return { verdict: "allow", ...change, ...parseStop(output) };
}

function parseStop({ preventContinuation }: JsonObject): Pick<Effect, "stop"> {
  if (preventContinuation !== undefined && typeof preventContinuation !== "boolean") {
    throw new HookContractError(`preventContinuation must be true or false, got ${typeName(preventContinuation)}`);
  }
  return preventContinuation === true ? { stop: {} } : {};
}
