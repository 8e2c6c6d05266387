import { createHarness, type EventName, type Outcome, type ProcessResult, type Warning } from "@hooks/core";
import { describe, expect, it } from "vitest";
import { agentDialect, agentEvents, fieldsOf } from "./agent.js";

const dialect = agentDialect("/home/dev/project");
const session = { id: "50f9", transcript_path: "/t.jsonl", cwd: "/home/dev/project/src" };
const tool = { name: "Bash", args: { command: "ls" }, call_id: "toolu_1" };
const result = { text: "done", is_error: false };

const PAYLOADS: Partial<Record<EventName, object>> = {
  SessionStart: { source: "startup" },
  SessionEnd: { reason: "clear" },
  UserPromptSubmit: { prompt: "hi" },
  PreToolUse: { tool },
  PostToolUse: { tool, result: { ...result, value: { stdout: "" } }, duration_ms: 55 },
  PostToolUseFailure: { tool, result: { text: "boom", is_error: true } },
  PermissionAsked: { tool },
  PermissionDenied: { tool, reason: "no rule allows it" },
  PreCompact: { trigger: "manual", instructions: "keep the plan" },
  PostCompact: { trigger: "auto", summary: "s" },
  SubagentStart: { subagent: { name: "reviewer", id: "a1" } },
  SubagentStop: { subagent: { name: "reviewer", id: "a1" }, result },
  Stop: { text: "bye", stop_hook_active: true },
};

function viewOf(event: EventName, payload: object = PAYLOADS[event] ?? {}) {
  return dialect.view(createHarness().prepare(event, { session, ...payload } as never));
}

describe("what a hook of a coding agent gets", () => {
  const bash = { tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "toolu_1" };

  it.each([
    ["SessionStart", "SessionStart", { source: "startup" }],
    ["SessionEnd", "SessionEnd", { reason: "clear" }],
    ["UserPromptSubmit", "UserPromptSubmit", { prompt: "hi" }],
    ["PreToolUse", "PreToolUse", bash],
    ["PostToolUse", "PostToolUse", { ...bash, tool_response: { stdout: "" }, duration_ms: 55 }],
    ["PostToolUseFailure", "PostToolUseFailure", { ...bash, error: "boom" }],
    ["PermissionAsked", "PermissionRequest", bash],
    ["PermissionDenied", "PermissionDenied", { ...bash, reason: "no rule allows it" }],
    ["PreCompact", "PreCompact", { trigger: "manual", custom_instructions: "keep the plan" }],
    ["PostCompact", "PostCompact", { trigger: "auto", compact_summary: "s" }],
    ["SubagentStart", "SubagentStart", { agent_type: "reviewer", agent_id: "a1" }],
    [
      "SubagentStop",
      "SubagentStop",
      { agent_type: "reviewer", agent_id: "a1", stop_hook_active: false, last_assistant_message: "done" },
    ],
    ["Stop", "Stop", { stop_hook_active: true, last_assistant_message: "bye" }],
  ] as const)("%s", (event, name, own) => {
    const base = { session_id: "50f9", transcript_path: "/t.jsonl", cwd: "/home/dev/project/src" };
    const view = viewOf(event);
    expect(view).toEqual({ ...base, hook_event_name: name, ...own });
    expect(Object.isFrozen(view)).toBe(true);
    // What a matcher may name is what there is.
    for (const key of Object.keys(view as object)) expect(fieldsOf(event).fields).toContain(key);
    expect(dialect.resolve(name)).toEqual({ event });
    expect(agentEvents).toContain(name);
  });

  it.each([
    ["SessionStart", {}, { source: "startup" }],
    ["SessionStart", { is_resume: true }, { source: "resume" }],
    ["PostToolUse", { tool, result }, { tool_response: "done" }],
    ["Stop", {}, { stop_hook_active: false }],
  ] as const)("%s of %j: what is not said has the agent's own default", (event, payload, expected) => {
    expect(viewOf(event, payload)).toMatchObject(expected);
  });

  it("the project where the session says no directory", () => {
    const payload = createHarness().prepare("Stop", {});
    expect(dialect.view(payload)).toMatchObject({ cwd: "/home/dev/project", transcript_path: "" });
  });
});

async function answer(
  event: EventName,
  returned: ProcessResult | object,
): Promise<{ outcome: Outcome; said: string[] }> {
  const said: string[] = [];
  const ports = { warn: ({ message }: Warning) => void said.push(message) };
  const harness = createHarness({ ports });
  const ended = "exit_code" in returned ? returned : { exit_code: 0, stdout: JSON.stringify(returned), stderr: "" };
  harness.install([{ event, dialect, handlerName: "hook", handler: () => ended }]);
  const outcome = (await harness.fire(event, (PAYLOADS[event] ?? {}) as never)) as Outcome;
  return { outcome, said };
}

const pre = (output: object) => ({ hookSpecificOutput: { hookEventName: "PreToolUse", ...output } });

describe("what a hook of a coding agent answers", () => {
  it.each([
    ["PreToolUse", {}, { verdict: "allow", faults: [] }],
    ["PreToolUse", { continue: true, suppressOutput: true }, { verdict: "allow", faults: [] }],
    ["PreToolUse", { decision: "approve", reason: "fine" }, { verdict: "allow", faults: [] }],
    ["PreToolUse", { decision: "block", reason: "no" }, { verdict: "block", reason: "no" }],
    ["PreToolUse", { decision: "block", message: "no" }, { verdict: "block", reason: "no" }],
    ["PreToolUse", pre({ permissionDecision: "allow" }), { verdict: "allow", faults: [] }],
    ["PreToolUse", pre({ permissionDecision: "defer" }), { verdict: "allow", faults: [] }],
    [
      "PreToolUse",
      pre({ permissionDecision: "deny", permissionDecisionReason: "no" }),
      { verdict: "block", reason: "no", by: "hook" },
    ],
    [
      "PreToolUse",
      pre({ permissionDecision: "deny" }),
      { verdict: "block", reason: "PreToolUse hook blocked the operation" },
    ],
    [
      "PreToolUse",
      pre({ permissionDecision: "ask", permissionDecisionReason: "sure?" }),
      { verdict: "ask", reason: "sure?" },
    ],
    [
      "PreToolUse",
      { decision: "approve", ...pre({ permissionDecision: "deny", permissionDecisionReason: "the stricter one" }) },
      { verdict: "block", reason: "the stricter one" },
    ],
    [
      "PreToolUse",
      pre({ permissionDecision: "allow", updatedInput: { command: "ls -a" } }),
      { verdict: "allow", modified: true, payload: { tool: { args: { command: "ls -a" } } } },
    ],
    ["PreToolUse", pre({ additionalContext: "be careful" }), { reminders: [{ body: "be careful" }] }],
    [
      "PreToolUse",
      { continue: false, stopReason: "enough" },
      { verdict: "block", reason: "enough", stop: { reason: "enough" } },
    ],
    ["PostToolUse", { continue: false, stopReason: "enough" }, { verdict: "allow", stop: { reason: "enough" } }],
    ["PostToolUse", { decision: "block", reason: "lint" }, { verdict: "block", reason: "lint" }],
    [
      "PostToolUse",
      { hookSpecificOutput: { updatedToolOutput: "redacted" } },
      { modified: true, payload: { result: { text: "redacted", is_error: false } } },
    ],
    ["UserPromptSubmit", { decision: "block", reason: "no secrets" }, { verdict: "block", reason: "no secrets" }],
    ["UserPromptSubmit", { hookSpecificOutput: { additionalContext: "c" } }, { reminders: [{ body: "c" }] }],
    ["UserPromptSubmit", { branch: "main" }, { reminders: [{ body: '{"branch":"main"}' }] }],
    ["SessionStart", { hookSpecificOutput: { additionalContext: "c" } }, { reminders: [{ body: "c" }] }],
    ["Stop", { decision: "block", reason: "run the tests" }, { verdict: "block", reason: "run the tests" }],
    ["Stop", { continue: false, stopReason: "enough" }, { verdict: "allow", faults: [] }],
    [
      "PermissionAsked",
      { hookSpecificOutput: { decision: { behavior: "allow" } } },
      { verdict: "allow", decision: "allow" },
    ],
    [
      "PermissionAsked",
      { hookSpecificOutput: { decision: { behavior: "deny", message: "no" } } },
      { verdict: "block", decision: "deny", reason: "no" },
    ],
    ["PermissionAsked", { suppressOutput: true }, { verdict: "ask" }],
  ] as const)("%s <- %j", async (event, printed, expected) => {
    const { outcome } = await answer(event, printed);
    expect(outcome).toMatchObject(expected);
    expect(outcome.faults).toEqual([]);
  });

  it.each([
    ["PreToolUse", { decison: "block" }],
    ["PreToolUse", { decision: "blok" }],
    ["PreToolUse", pre({ permissionDecision: "denied" })],
    ["PreToolUse", { hookSpecificOutput: "deny" }],
    ["PreToolUse", pre({ updatedInput: "ls" })],
    ["PermissionAsked", { hookSpecificOutput: { decision: { behavior: "allow", updatedInput: {} } } }],
    ["UserPromptSubmit", { decision: "ask" }],
  ] as const)("%s <- %j is no answer, and the gate is closed", async (event, printed) => {
    const { outcome } = await answer(event, printed);
    expect(outcome).toMatchObject({ verdict: "block", faults: [{ error: { code: "HARN_E_CONTRACT" } }] });
  });

  it("exit 2 blocks with what stands on standard error, whatever was printed", async () => {
    const ended = { exit_code: 2, stdout: "checking", stderr: "no\n" };
    expect((await answer("PreToolUse", ended)).outcome).toMatchObject({ verdict: "block", reason: "no" });
  });

  it("other text is context", async () => {
    const ended = { exit_code: 0, stdout: "v2.3.1\n", stderr: "" };
    expect((await answer("PreToolUse", ended)).outcome.reminders).toMatchObject([{ body: "v2.3.1" }]);
  });

  it("a person hears the system message, and of what nobody reads", async () => {
    const { said } = await answer("PreToolUse", { systemMessage: "checked", colour: "red", ...pre({ mood: "good" }) });
    expect(said).toEqual([
      "checked",
      'it printed "colour", which nobody reads here',
      'it printed "mood", which nobody reads here',
    ]);
  });
});
