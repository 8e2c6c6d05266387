import { describe, expect, it } from "vitest";
import { createStack, fireOne, nameFor, type Row, seenBy, summaryOf } from "../../../../test/conformance/harness.js";
import { bareSamples, session } from "../../../../test/conformance/samples.js";
import { catalogueNames, type EventName } from "../events.js";
import { callback } from "./callback.js";

const decision = 'decision | "allow" | "deny" | "passthrough" | Whether to allow, deny, or defer to the next hook.';
const updatedInput = "updatedInput | Record<string, unknown> | Replace the tool input before execution.";
const message = "message | string | Message to include in the deny response.";
const prevent = "preventContinuation | boolean | Stop the agent loop after this tool call.";
const output = "Post-tool hooks run after execution. They can modify the output returned to the model";
const failure = "Use them for error logging, alerting, or modifying the error message";
const notification = "Notification hooks are fire-and-forget — they have no return value";

const INTERCEPTORS: readonly EventName[] = ["PreToolUse", "PostToolUse", "PostToolUseFailure"];
const events = catalogueNames.filter((row) => callback.names[row].length > 0) as EventName[];
const notifications = events.filter((event) => !INTERCEPTORS.includes(event));
const result = { text: '{"stdout":"ok","exit_code":0}', value: { stdout: "ok", exit_code: 0 }, is_error: false };

const rows: Row[] = [
  ...events.flatMap((event): Row[] => [
    { seed: "a handler may end without a return statement", event, returns: undefined, expect: {} },
    { seed: "a handler may end without a return statement", event, returns: null, expect: {} },
  ]),
  { seed: decision, event: "PreToolUse", returns: { decision: "allow" }, expect: {} },
  { seed: decision, event: "PreToolUse", returns: { decision: "passthrough" }, expect: {} },
  { seed: decision, event: "PreToolUse", returns: {}, expect: {} },
  {
    seed: message,
    event: "PreToolUse",
    returns: { decision: "deny", message: "Cannot write to node_modules" },
    expect: { verdict: "block", reason: "Cannot write to node_modules" },
  },
  {
    seed: decision,
    event: "PreToolUse",
    returns: { decision: "deny" },
    expect: { verdict: "block", reason: "Blocked by hook." },
  },
  {
    seed: message,
    event: "PreToolUse",
    returns: { decision: "deny", message: "" },
    expect: { verdict: "block", reason: "Blocked by hook." },
  },
  {
    seed: message,
    event: "PreToolUse",
    returns: { decision: "deny", message: " " },
    expect: { verdict: "block", reason: "Blocked by hook." },
  },
  { seed: message, event: "PreToolUse", returns: { decision: "allow", message: "fine" }, expect: {} },
  { seed: message, event: "PreToolUse", returns: { message: "fine" }, expect: {} },
  {
    seed: updatedInput,
    event: "PreToolUse",
    returns: { updatedInput: { command: "ls" } },
    expect: { change: { command: "ls" } },
  },
  {
    seed: updatedInput,
    event: "PreToolUse",
    returns: { decision: "allow", updatedInput: { path: "x" } },
    expect: { change: { path: "x" } },
  },
  {
    seed: "a denied call has no input to replace",
    event: "PreToolUse",
    returns: { decision: "deny", message: "no", updatedInput: { command: "ls" } },
    expect: { verdict: "block", reason: "no" },
  },
  { seed: prevent, event: "PreToolUse", returns: { preventContinuation: true }, expect: { stop: true } },
  { seed: prevent, event: "PreToolUse", returns: { preventContinuation: false }, expect: {} },
  {
    seed: prevent,
    event: "PreToolUse",
    returns: { decision: "deny", message: "no", preventContinuation: true },
    expect: { verdict: "block", reason: "no", stop: true },
  },
  {
    seed: output,
    event: "PostToolUse",
    returns: { updatedOutput: "short" },
    expect: { change: { text: "short", is_error: false } },
  },
  {
    seed: output,
    event: "PostToolUse",
    returns: { updatedOutput: "" },
    expect: { change: { text: "", is_error: false } },
  },
  { seed: output, event: "PostToolUse", returns: {}, expect: {} },
  {
    seed: "PostToolUse: can modify output or stop the loop",
    event: "PostToolUse",
    returns: { updatedOutput: "short", preventContinuation: true },
    expect: { change: { text: "short", is_error: false }, stop: true },
  },
  {
    seed: failure,
    event: "PostToolUseFailure",
    returns: { updatedOutput: "it failed" },
    expect: { change: { text: "it failed", is_error: true } },
  },
  { seed: prevent, event: "PostToolUseFailure", returns: { preventContinuation: true }, expect: { stop: true } },
];

/** What an interceptor may not return. */
const refused: { event: EventName; returns: unknown; code?: string }[] = [
  ...[
    true,
    false,
    "deny",
    42,
    10n,
    [],
    [{ decision: "deny" }],
    { decision: "block" },
    { decision: "Deny" },
    { decision: "ask" },
    { decision: "" },
    { decision: null },
    { decision: true },
    { desicion: "deny" },
    { decision: "deny", reason: "the word is message" },
    { decision: "deny", message: 7 },
    { decision: "allow", message: ["a"] },
    { updatedInput: "ls" },
    { updatedInput: null },
    { updatedInput: ["ls"] },
    { updatedOutput: "of another event" },
    { preventContinuation: "yes" },
    { preventContinuation: 1 },
    { preventContinuation: null },
    { deny: "another dialect" },
    { block: true },
    { action: "block" },
  ].map((returns) => ({ event: "PreToolUse" as const, returns })),
  ...(["PostToolUse", "PostToolUseFailure"] as const).flatMap((event) =>
    [
      "text",
      false,
      { updatedOutput: 7 },
      { updatedOutput: { stdout: "x" } },
      { updatedInput: {} },
      { decision: "deny" },
      { message: "x" },
      { preventContinuation: "yes" },
    ].map((returns) => ({ event, returns })),
  ),
  { event: "PreToolUse", returns: { updatedInput: { f: () => 1 } }, code: "HARN_E_PAYLOAD_JSON" },
];

describe("callback: what an interceptor may return", () => {
  it.each(rows)("$event <- $returns: $seed", async (row) => {
    for (const strict of [false, true]) {
      expect(summaryOf(await fireOne(callback, row, { strict }))).toEqual(row.expect);
    }
    const later = { ...row, returns: Promise.resolve(row.returns) };
    expect(summaryOf(await fireOne(callback, later))).toEqual(row.expect);
  });

  it.each(refused)("$event <- $returns is refused", async ({ event, returns, code = "HARN_E_CONTRACT" }) => {
    for (const strict of [false, true]) {
      const fired = await fireOne(callback, { event, returns }, { strict });
      // A failed call has already failed: there is nothing left that a fault could refuse.
      const closed = event === "PostToolUseFailure" ? {} : { verdict: "block" };
      expect(summaryOf(fired)).toEqual({ ...closed, fault: code });
      expect(fired.warnings).toHaveLength(1);
    }
  });

  it.each(notifications)(`%s: ${notification}`, async (event) => {
    for (const returns of [true, false, "text", 42, { decision: "deny", message: "no" }, { block: true }, []]) {
      const fired = await fireOne(callback, { event, returns });
      expect(summaryOf(fired)).toEqual({ warning: expect.stringContaining("a notification has no return value") });
      expect(fired.warnings).toHaveLength(1);
    }
  });

  it("the order is the rule: what the first hook rewrites, the second one sees", async () => {
    const stack = createStack(callback);
    const seen: unknown[] = [];
    stack.add("PreToolUse", () => ({ updatedInput: { command: "ls" } }));
    stack.add("PreToolUse", ({ toolInput }: { toolInput: unknown }) => {
      seen.push(toolInput);
      return { decision: "passthrough" };
    });
    stack.add("PostToolUse", () => ({ updatedOutput: "short" }));
    stack.add("PostToolUse", ({ toolOutput }: { toolOutput: unknown }) => void seen.push(toolOutput));
    await stack.fire("PreToolUse");
    await stack.fire("PostToolUse", { tool: { name: "t", args: {} }, result });
    expect(seen).toEqual([{ command: "ls" }, "short"]);
  });

  it("a denial ends the chain: the next hook is not called", async () => {
    const stack = createStack(callback);
    let called = 0;
    stack.add("PreToolUse", () => ({ decision: "deny", message: "no" }));
    stack.add("PreToolUse", () => {
      called += 1;
      return { decision: "allow" };
    });
    expect((await stack.fire("PreToolUse")).outcome).toMatchObject({ verdict: "block", reason: "no" });
    expect(called).toBe(0);
  });
});

describe("callback: what a handler gets", () => {
  const base = { sessionId: session.id, parentSessionId: session.parent_id, cwd: session.cwd };
  const child = { sessionId: "sub-1", parentSessionId: session.id };
  const error = { message: "the provider hung up", name: "ProviderError", code: "E_PROVIDER" };
  const toolFields = { toolName: "run_command", toolInput: { command: "ls -la" }, toolUseId: "call_abc123" };

  const inputs: { seed: string; event: EventName; fields: object }[] = [
    {
      seed: "SessionStart: includes prompt and isResume",
      event: "SessionStart",
      fields: { prompt: "fix the bug", isResume: true },
    },
    {
      seed: 'SessionEnd: includes reason: "complete", "abort", "maxTurns", or "error"',
      event: "SessionEnd",
      fields: { reason: "complete" },
    },
    {
      seed: "TurnStart: fires at the beginning of each provider call",
      event: "PreCompletion",
      fields: { model: "large" },
    },
    {
      seed: "TurnEnd: fires after the agent turn completes with a final text response",
      event: "TurnEnd",
      fields: {
        text: "final assistant message",
        toolCalls: [{ name: "run_command", args: { command: "ls" } }],
        usage: { input_tokens: 1234, output_tokens: 567 },
      },
    },
    { seed: "Error: fires when an error occurs during the agent loop", event: "SessionError", fields: { error } },
    {
      seed: "PreToolUse: they receive the tool name, input, and session ID",
      event: "PreToolUse",
      fields: toolFields,
    },
    {
      seed: "PostToolUse: input.toolOutput",
      event: "PostToolUse",
      fields: { ...toolFields, toolOutput: result.text, isError: false },
    },
    {
      seed: "PostToolUseFailure: input.toolName failed with input.errorMessage",
      event: "PostToolUseFailure",
      fields: { ...toolFields, toolOutput: "exit code 1", isError: true, errorMessage: "exit code 1" },
    },
    {
      seed: "FileWrite: includes filePath and isNew",
      event: "FileEdited",
      fields: { toolName: "run_command", filePath: "src/lib.rs", isNew: true },
    },
    {
      seed: "PermissionRequest: includes toolName, input, and mode",
      event: "PermissionAsked",
      fields: { toolName: "run_command", input: { command: "ls -la" }, mode: "default" },
    },
    {
      seed: "PermissionDenied: includes reason",
      event: "PermissionDenied",
      fields: { toolName: "run_command", input: { command: "ls -la" }, reason: "rule 7" },
    },
    {
      seed: "SubagentStart: fires when a subagent is spawned",
      event: "SubagentStart",
      fields: { agentName: "reviewer", prompt: "review it", ...child },
    },
    {
      seed: "SubagentStop: fires when a subagent finishes",
      event: "SubagentStop",
      fields: { agentName: "reviewer", result: "looks good", ...child },
    },
    {
      seed: "PreCompact: fires before conversation compaction",
      event: "PreCompact",
      fields: { trigger: "auto", messageCount: 120 },
    },
    {
      seed: "PostCompact: fires after compaction completes",
      event: "PostCompact",
      fields: { trigger: "auto", summary: "we fixed it", messageCount: 12 },
    },
    {
      seed: "ModelSwitch: includes previousModel and newModel",
      event: "ModelSwitch",
      fields: { previousModel: "small", newModel: "large" },
    },
    {
      seed: "RetryAttempt: includes attempt, maxAttempts, error, and delay",
      event: "RetryAttempt",
      fields: { attempt: 1, maxAttempts: 3, error, delay: 250 },
    },
    {
      seed: "MemoryUpdate: fires after memory extraction creates, updates, or deletes entries",
      event: "MemoryUpdate",
      fields: { created: ["a"], updated: ["b"], deleted: ["c"] },
    },
  ];

  it.each(inputs)("$seed", async ({ event, fields }) => {
    expect(await seenBy(callback, event)).toEqual({ event: nameFor(callback, event), ...base, ...fields });
  });

  it("all 18 events are in this table", () => {
    expect(new Set(inputs.map(({ event }) => event)).size).toBe(18);
    expect(inputs.map(({ event }) => event).sort()).toEqual([...events].sort());
  });

  it("what a host did not say is false or absent, never undefined", async () => {
    const start = await seenBy(callback, "SessionStart", bareSamples.SessionStart);
    expect(start).toStrictEqual(
      Object.assign(Object.create(null), { event: "SessionStart", sessionId: "local", isResume: false }),
    );
    const write = await seenBy(callback, "FileEdited", bareSamples.FileEdited);
    expect(write).toEqual({ event: "FileWrite", sessionId: "local", filePath: "a.ts", isNew: false });
  });
});

describe("callback: faults", () => {
  const throws = () => {
    throw new Error("boom");
  };
  const rejects = () => Promise.reject(new Error("boom"));

  describe.each([
    ["throws", throws],
    ["rejects", rejects],
  ])("a handler that %s", (_how, handler) => {
    it.each([
      { event: "PreToolUse", expected: { verdict: "block", fault: "HARN_E_HOOK_THREW" } },
      { event: "PostToolUse", expected: { verdict: "block", fault: "HARN_E_HOOK_THREW" } },
      { event: "PostToolUseFailure", expected: { fault: "HARN_E_HOOK_THREW" } },
    ] as const)("on $event, an interceptor", async ({ event, expected }) => {
      for (const strict of [false, true]) {
        const stack = createStack(callback, { strict });
        stack.add(event, handler);
        const fired = await stack.fire(event);
        expect(summaryOf(fired)).toEqual(expected);
        expect(fired.warnings).toHaveLength(1);
      }
    });

    it.each(notifications)("on %s, a notification, is heard of and passed over", async (event) => {
      const stack = createStack(callback);
      stack.add(nameFor(callback, event), handler);
      const fired = await stack.fire(event);
      expect(summaryOf(fired)).toEqual({ fault: "HARN_E_HOOK_THREW" });
      expect(fired.warnings).toHaveLength(1);
      expect(fired.records.map(({ kind }) => kind)).toEqual(["event", "hook_call", "hook_failed", "outcome"]);
    });
  });

  // Strict mode closes what Markdown and settings leave open. A notification has no veto to give while it works, so it
  // must not get one by breaking.
  it.each(notifications)("%s: strict mode does not turn a notification into a gate", async (event) => {
    const stack = createStack(callback, { strict: true });
    stack.add(nameFor(callback, event), throws);
    expect(summaryOf(await stack.fire(event))).toEqual({ fault: "HARN_E_HOOK_THREW" });
  });

  it("a notification that never settles stops nothing", async () => {
    const stack = createStack(callback);
    stack.add("TurnStart", () => new Promise(() => {}), { timeout_ms: 30 });
    expect(summaryOf(await stack.fire("PreCompletion"))).toEqual({ fault: "HARN_E_HOOK_TIMEOUT" });
  });

  it.each(["allow", "block"] as const)("on_error %s is the hook's own word", async (on_error) => {
    const stack = createStack(callback);
    stack.add("PreToolUse", throws, { on_error });
    expect((await stack.fire("PreToolUse")).outcome.verdict).toBe(on_error);
  });
});
