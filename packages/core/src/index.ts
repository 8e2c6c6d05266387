export { canonicalJson } from "./canonical.js";
export { type CappedText, capText } from "./cap.js";
export type { HookContext } from "./context.js";
export type { Call, Dialect, DialectName, Subscription } from "./dialect.js";
export { type CallbackEvent, type CallbackInput, type CallbackOutput, callback } from "./dialects/callback.js";
export { harn } from "./dialects/harn.js";
export { markdown } from "./dialects/markdown.js";
export { type ProcessResult, settings } from "./dialects/settings.js";
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
  messageOf,
  typeName,
} from "./errors.js";
export {
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
  type Handler,
  type Hook,
  type HookDefinition,
  type HookInit,
  type HookOptions,
  type HookSource,
  type MaybePromise,
} from "./hook.js";
export { isJsonObject, type Json, type JsonLimits, type JsonObject } from "./json.js";
export { nearest } from "./nearest.js";
export { type Fault, Outcome, type TraceEntry } from "./outcome.js";
export { compilePattern, type Pattern } from "./pattern.js";
export { createPlayer, effectOf, type Player, type RecordedHook } from "./player.js";
export { type Ports, printable, systemPorts, type Warning } from "./ports.js";
export { parseReminder, type Reminder, type ReminderSpec } from "./reminder.js";
export { createReminders, type PendingReminder, type ReminderSelector, type Reminders } from "./reminders.js";
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
export { readView } from "./unview.js";
