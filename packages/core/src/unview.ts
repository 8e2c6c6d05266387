import type { Dialect, DialectName } from "./dialect.js";
import { invalidPayload, typeName } from "./errors.js";
import { type EventName, rowOf } from "./events.js";
import { frozenObject, isJsonObject, type Json, type JsonObject } from "./json.js";

type Parts = Readonly<Record<string, Json | undefined>>;
type Read = (view: Parts) => Parts;

/**
 * The way back from a dialect's view to the canonical payload, for hosts that speak a dialect. What the view leaves out
 * stays absent; what the event needs and the view lacks is for `prepare` to report.
 */
export function readView(dialect: Dialect, event: EventName, view: Json): JsonObject {
  const key = wholeKey(dialect, event);
  if (key !== undefined) return frozenObject({ [key]: view });
  if (view === null && dialect.name === "markdown") return frozenObject({});
  if (!isJsonObject(view)) throw invalidPayload(event, [`it must be an object, got ${typeName(view)}`]);
  const { open, reads } = READERS[dialect.name];
  return frozenObject({ ...open(view), ...(reads[event] ?? KEEP[dialect.name])(view) });
}

const some = (parts: Parts): Json | undefined => {
  const object = frozenObject(parts);
  return Object.keys(object).length === 0 ? undefined : object;
};

const result = (text: Json | undefined, is_error: Json | undefined = false): Json | undefined =>
  text === undefined
    ? undefined
    : typeof text === "string"
      ? { text, is_error }
      : { text: JSON.stringify(text), value: text, is_error };

/** Markdown views that are one value, and the key of the payload it is. */
function wholeKey(dialect: Dialect, event: EventName): string | undefined {
  if (dialect.name !== "markdown") return undefined;
  return event === "TurnStart" ? "prompt" : rowOf(event)?.endsWith(".*") === true ? "data" : undefined;
}

const markdownTool = ({ id, name, args, arguments: raw }: Parts): Parts => ({
  tool: some({ name, args: args ?? decoded(raw), call_id: id === "" ? undefined : id }),
});

function decoded(raw: Json | undefined): Json | undefined {
  try {
    return typeof raw === "string" ? (JSON.parse(raw) as Json) : raw;
  } catch {
    throw invalidPayload("PreToolUse", ["arguments is not JSON"]);
  }
}

const subagent = ({ agent, depth }: Parts): Json | undefined => some({ name: agent, depth });

const callbackTool = ({ toolName, toolInput, input, toolUseId }: Parts): Parts => ({
  tool: some({ name: toolName, args: toolInput ?? input, call_id: toolUseId }),
});
const callbackOutput: Read = (view) => ({ ...callbackTool(view), result: result(view.toolOutput, view.isError) });

// Callbacks name the subagent's own session, and the one it was started from as its parent.
const callbackChild: Read = ({ agentName, sessionId, parentSessionId, cwd }) =>
  parentSessionId === undefined
    ? { subagent: some({ name: agentName }) }
    : { session: some({ id: parentSessionId, cwd }), subagent: some({ name: agentName, id: sessionId }) };

const nothing: Read = () => ({});
const keep: Read = (view) => view;
const KEEP: Readonly<Record<DialectName, Read>> = { harn: keep, markdown: keep, settings: nothing, callback: nothing };

const READERS: Readonly<
  Record<DialectName, { readonly open: Read; readonly reads: { readonly [E in EventName]?: Read } }>
> = {
  harn: { open: nothing, reads: {} },
  settings: {
    open: ({ session_id, transcript_path, cwd }) => ({
      session:
        session_id === undefined
          ? undefined
          : some({ id: session_id, transcript_path: transcript_path === "" ? undefined : transcript_path, cwd }),
    }),
    reads: {
      UserPromptSubmit: ({ prompt }) => ({ prompt }),
      // Settings files do not say which subagent it was.
      SubagentStop: () => ({ subagent: { name: "" } }),
      PreToolUse: ({ tool_name, tool_input }) => ({ tool: some({ name: tool_name, args: tool_input }) }),
    },
  },
  markdown: {
    open: nothing,
    reads: {
      SessionError: (error) => ({ error: some(error) }),
      PreCompletion: (request) => ({ request: some(request) ?? {} }),
      PostCompletion: (response) => ({ response: some(response) ?? {} }),
      PreToolUse: markdownTool,
      PostToolUse: ({ call_id, name, content, is_error, result: value }) => ({
        tool: some({ name, args: {}, call_id: call_id === "" ? undefined : call_id }),
        result: content === undefined ? result(value, is_error) : some({ text: content, value, is_error }),
      }),
      SubagentStart: (view) => ({ subagent: subagent(view), prompt: view.prompt }),
      SubagentVerify: (view) => ({ subagent: subagent(view), result: result(view.result), attempt: view.attempt }),
      SubagentStop: (view) => ({ subagent: subagent(view), result: result(view.result ?? undefined) }),
    },
  },
  callback: {
    open: ({ sessionId, parentSessionId, cwd }) => ({
      session: sessionId === undefined ? undefined : some({ id: sessionId, parent_id: parentSessionId, cwd }),
    }),
    reads: {
      SessionStart: ({ prompt, isResume }) => ({ prompt, is_resume: isResume }),
      SessionEnd: ({ reason }) => ({ reason }),
      SessionError: ({ error }) => ({ error }),
      TurnEnd: ({ text, toolCalls, usage }) => ({ text, tool_calls: toolCalls, usage }),
      PreCompletion: ({ model }) => ({ request: some({ model }) ?? {} }),
      PreToolUse: callbackTool,
      PostToolUse: callbackOutput,
      PostToolUseFailure: callbackOutput,
      PermissionAsked: (view) => ({ ...callbackTool(view), mode: view.mode }),
      PermissionDenied: (view) => ({ ...callbackTool(view), reason: view.reason }),
      FileEdited: ({ toolName, filePath, isNew }) => ({
        path: filePath,
        is_new: isNew,
        tool: toolName === undefined ? undefined : some({ name: toolName, args: {} }),
      }),
      PreCompact: ({ trigger, messageCount }) => ({ trigger, message_count: messageCount }),
      PostCompact: ({ trigger, summary, messageCount }) => ({ trigger, summary, message_count: messageCount }),
      SubagentStart: (view) => ({ ...callbackChild(view), prompt: view.prompt }),
      SubagentStop: (view) => ({ ...callbackChild(view), result: result(view.result) }),
      ModelSwitch: ({ previousModel, newModel }) => ({ previous_model: previousModel, new_model: newModel }),
      RetryAttempt: ({ attempt, maxAttempts, error, delay }) => ({
        attempt,
        max_attempts: maxAttempts,
        error,
        delay_ms: delay,
      }),
      MemoryUpdate: ({ created, updated, deleted }) => ({ created, updated, deleted }),
    },
  },
};
