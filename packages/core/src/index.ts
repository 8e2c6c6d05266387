export {
  type AgentResult,
  type AgentRun,
  type Compaction,
  type Daemon,
  runAgent,
  type StopReason,
  type Wake,
} from "./agent-loop.js";
export { canonicalJson } from "./canonical.js";
export { type CappedText, capText, estimateTokens } from "./cap.js";
export type { RetryPolicy } from "./completion.js";
export type { HookContext } from "./context.js";
export type { Delegated, Delegation, Verify } from "./delegation.js";
export { type Call, type Dialect, type DialectName, rewrittenResult, type Subscription } from "./dialect.js";
export { type CallbackEvent, type CallbackInput, type CallbackOutput, callback } from "./dialects/callback.js";
export { harn } from "./dialects/harn.js";
export { markdown } from "./dialects/markdown.js";
export { inject, type ProcessResult, parseResult, settings } from "./dialects/settings.js";
export {
  allow,
  ask,
  block,
  type Effect,
  type EffectResult,
  type HookReturn,
  modify,
  type PermissionDecision,
  remind,
  stop,
  type Verdict,
} from "./effect.js";
export {
  type ErrorCode,
  errorCodes,
  HarnError,
  HookContractError,
  HookFaultError,
  hookExited,
  messageOf,
  typeName,
} from "./errors.js";
export {
  ANY_EVENT,
  anyEvent,
  type CatalogueName,
  type Change,
  catalogue,
  catalogueNames,
  type EventName,
  type EventSpec,
  type Honour,
  isGate,
  type OnError,
  type Payload,
  type PayloadInput,
  rowOf,
  type SessionRef,
  specOf,
} from "./events.js";
export { createHarness, type Harness, type HarnessOptions, type Unregister } from "./harness.js";
export {
  type CompileWhen,
  DEFAULT_TIMEOUT_MS,
  defineHook,
  defineObserver,
  type Handler,
  type Hook,
  type HookDefinition,
  type HookInit,
  type HookOptions,
  type HookSource,
  type MaybePromise,
  type ObserverDefinition,
  type ObserverHandler,
} from "./hook.js";
export { isJsonObject, type Json, type JsonLimits, type JsonObject } from "./json.js";
export type { Message, Model, ModelRequest, ModelResponse, ToolCall, Usage } from "./model.js";
export { nearest } from "./nearest.js";
export type { Observation } from "./observe.js";
export { type Fault, Outcome, type TraceEntry } from "./outcome.js";
export { compilePattern, type Pattern } from "./pattern.js";
export type { PermissionDecided, PermissionPolicy, PermissionQuestion, PermissionReply } from "./permissions.js";
export type { Budget, PersonaNotice, Step, Stepped } from "./personas.js";
export { createPlayer, effectOf, type Player, type RecordedHook } from "./player.js";
export { type Ports, printable, type SessionPorts, systemPorts, systemSessionPorts, type Warning } from "./ports.js";
export { parseReminder, type Reminder, type ReminderSpec } from "./reminder.js";
export { createReminders, type PendingReminder, type ReminderSelector, type Reminders } from "./reminders.js";
export { mapResponseTexts } from "./response-texts.js";
export { type Possible, possibleAt } from "./schema.js";
export { type ScriptedAnswer, type ScriptedModel, scriptedModel } from "./scripted-model.js";
export {
  type Compacted,
  createSession,
  type EndReason,
  type FileEdit,
  type Session,
  type SessionOptions,
  type SessionStart,
  type TurnOutput,
} from "./session.js";
export type { Refusal, Ruling, Unsettled } from "./stage.js";
export { type Subagent, subagentTool } from "./subagent.js";
export type { CallbackHook, PersonaEvent, PersonaEventName, SessionEventName, ToolHookConfig } from "./surfaces.js";
export {
  type EventRecord,
  type HookCallRecord,
  type HookFailedRecord,
  type HookRef,
  type HookReturnedRecord,
  type HookVetoedRecord,
  type MemoryTape,
  memoryTape,
  type OutcomeRecord,
  type TapeEntry,
  type TapeRecord,
  type TapeSink,
} from "./tape.js";
export {
  defineTool,
  type Schema,
  type Tool,
  type ToolContext,
  type ToolDefinition,
  type ToolOutput,
  type ToolResult,
  type ToolReturn,
} from "./tool.js";
export type { ToolCallResult, ToolRefusal } from "./tool-call.js";
export { readView } from "./unview.js";
