import type { CatalogueName, EventName, PayloadInput } from "../../packages/core/src/events.js";

type EventOf<Row extends CatalogueName> = Row extends "custom.*"
  ? "custom.deploy"
  : Row extends "meta.*"
    ? "meta.tool_register"
    : Row;

/** A payload for every row of the catalogue; a row nobody wrote a sample for does not compile. */
type Samples = { readonly [Row in CatalogueName]: PayloadInput<EventOf<Row> & EventName> };

export const session = {
  id: "abc123-def456",
  transcript_path: "sessions/abc123/transcript.jsonl",
  cwd: "/repo",
  agent: "main",
  parent_id: "parent-1",
};

const tool = { name: "run_command", args: { command: "ls -la" }, call_id: "call_abc123" };
const result = { text: '{"stdout":"ok","exit_code":0}', value: { stdout: "ok", exit_code: 0 }, is_error: false };
const persona = { persona: "merge_captain", step: { name: "audit" }, details: { why: "sample" } };
const step = { target: "merge_captain.audit", persona: "merge_captain" };
const error = { message: "the provider hung up", name: "ProviderError", code: "E_PROVIDER" };
const usage = { input_tokens: 1234, output_tokens: 567 };
const toolCalls = [{ name: "run_command", args: { command: "ls" } }];
const request = { model: "large", messages: [{ role: "user", content: "hi" }], tools: [{ name: "run_command" }] };
const response = { model: "large", choices: [{ text: "hello" }], usage, finish_reason: "stop" };

/** Every event with every field a host may give. */
export const samples: Samples = {
  SessionStart: { session, source: "startup", is_resume: true, prompt: "fix the bug", model: "large" },
  SessionEnd: { session, reason: "complete" },
  SessionError: { session, error },
  SessionIdle: { session, wake_interval_ms: 500 },
  UserPromptSubmit: { session, prompt: "Research the current state of container orchestration", source: "cli" },
  TurnStart: { session, prompt: "the user message text", turn: { index: 3 } },
  TurnEnd: {
    session,
    text: "final assistant message",
    tool_calls: toolCalls,
    usage,
    logs: [{ level: "info", message: "x" }],
    turn: { index: 3 },
  },
  PostTurn: { session, turn: { index: 3 }, text: "done", tool_calls: toolCalls },
  PreCompletion: { session, request },
  PostCompletion: { session, response },
  PreToolUse: { session, tool },
  PostToolUse: { session, tool, result, duration_ms: 12 },
  PostToolUseFailure: { session, tool, result: { text: "exit code 1", is_error: true }, duration_ms: 12 },
  PermissionAsked: { session, tool, mode: "default", reason: "not on the list" },
  PermissionReplied: { session, tool, decision: "allow", reason: "asked", by: "user" },
  PermissionDenied: { session, tool, reason: "rule 7" },
  FileEdited: { session, path: "src/lib.rs", is_new: true, tool, metadata: { bytes: 12 } },
  PreCompact: { session, trigger: "auto", instructions: "keep the plan", message_count: 120 },
  PostCompact: { session, trigger: "auto", summary: "we fixed it", message_count: 12 },
  SubagentStart: { session, subagent: { name: "reviewer", id: "sub-1", depth: 1 }, prompt: "review it" },
  SubagentVerify: {
    session,
    subagent: { name: "reviewer", id: "sub-1", depth: 1 },
    result: { text: "looks good", is_error: false },
    attempt: 1,
    max_attempts: 3,
  },
  SubagentStop: {
    session,
    subagent: { name: "reviewer", id: "sub-1", depth: 1 },
    result: { text: "looks good", is_error: false },
  },
  Stop: { session, text: "I am done", finish_reason: "stop", iteration: 4, stop_hook_active: false },
  PreStep: { session, ...step, step: { name: "audit", function: "audit_step", args: ["main", 7] } },
  PostStep: {
    session,
    ...step,
    step: { name: "audit", function: "audit_step", args: ["main", 7] },
    output: { ok: true },
  },
  OnApprovalRequested: { session, ...persona },
  OnHandoffEmitted: { session, ...persona },
  OnPersonaPaused: { session, ...persona },
  OnPersonaResumed: { session, ...persona },
  OnBudgetThreshold: { session, ...persona, budget: { pct: 85, used: 85, limit: 100 } },
  PreFinish: { session, result: { ok: true } },
  OnUnsettledDetected: { session, unsettled: { jobs: ["j-1"] } },
  PostFinish: { session, result: { ok: true } },
  ModelSwitch: { session, previous_model: "small", new_model: "large" },
  RetryAttempt: { session, attempt: 1, max_attempts: 3, error, delay_ms: 250 },
  MemoryUpdate: { session, created: ["a"], updated: ["b"], deleted: ["c"] },
  "custom.*": { session, data: { version: "1.2.3", dry_run: false } },
  "meta.*": { session, data: { name: "new_tool" } },
};

/** The same events with nothing but what a host must give. */
export const bareSamples: Samples = {
  SessionStart: {},
  SessionEnd: {},
  SessionError: { error: { message: "boom" } },
  SessionIdle: {},
  UserPromptSubmit: { prompt: "hi" },
  TurnStart: { prompt: "hi" },
  TurnEnd: { text: "done" },
  PostTurn: { turn: { index: 0 } },
  PreCompletion: { request: {} },
  PostCompletion: { response: {} },
  PreToolUse: { tool: { name: "run_command", args: {} } },
  PostToolUse: { tool: { name: "run_command", args: {} }, result: { text: "plain text", is_error: false } },
  PostToolUseFailure: { tool: { name: "run_command", args: {} }, result: { text: "boom", is_error: true } },
  PermissionAsked: { tool: { name: "run_command", args: {} } },
  PermissionReplied: { tool: { name: "run_command", args: {} }, decision: "deny" },
  PermissionDenied: { tool: { name: "run_command", args: {} } },
  FileEdited: { path: "a.ts" },
  PreCompact: {},
  PostCompact: {},
  SubagentStart: { subagent: { name: "reviewer" } },
  SubagentVerify: { subagent: { name: "reviewer" }, result: { text: "ok", is_error: false }, attempt: 0 },
  SubagentStop: { subagent: { name: "reviewer" } },
  Stop: {},
  PreStep: { ...step, step: { name: "audit", args: null } },
  PostStep: { ...step, step: { name: "audit" }, output: null },
  OnApprovalRequested: { persona: "p" },
  OnHandoffEmitted: { persona: "p" },
  OnPersonaPaused: { persona: "p" },
  OnPersonaResumed: { persona: "p" },
  OnBudgetThreshold: { persona: "p", budget: {} },
  PreFinish: {},
  OnUnsettledDetected: { unsettled: [] },
  PostFinish: {},
  ModelSwitch: { previous_model: "small", new_model: "large" },
  RetryAttempt: { attempt: 0, max_attempts: 0, error: { message: "boom" }, delay_ms: 0 },
  MemoryUpdate: {},
  "custom.*": { data: null },
  "meta.*": { data: null },
};

/** An event a row of the catalogue stands for. */
export function eventOf(row: CatalogueName): EventName {
  if (row === "custom.*") return "custom.deploy";
  return row === "meta.*" ? "meta.tool_register" : row;
}

export function sampleOf(event: EventName, from: Samples = samples): object {
  const row = event.startsWith("custom.") ? "custom.*" : event.startsWith("meta.") ? "meta.*" : event;
  return from[row as CatalogueName];
}
