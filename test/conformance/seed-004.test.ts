import {
  type CallbackEvent,
  type CallbackHook,
  createHarness,
  type EventName,
  type Harness,
  memoryTape,
  type Outcome,
  type TapeRecord,
  type Warning,
} from "@hooks/core";
import { describe, expect, it } from "vitest";
import { sampleOf } from "./samples.js";

function setUp(hooks: readonly CallbackHook[] = []): {
  harness: Harness;
  records: readonly TapeRecord[];
  warnings: Warning[];
} {
  const tape = memoryTape();
  const warnings: Warning[] = [];
  const harness = createHarness({ tape, ports: { warn: (warning) => void warnings.push(warning) } });
  harness.registerCallbacks(hooks);
  return { harness, records: tape.records, warnings };
}

async function fire(harness: Harness, event: EventName, payload: object = sampleOf(event)): Promise<Outcome> {
  return (await harness.fire(event, payload as never)) as Outcome;
}

/** What an event comes to when no hook says anything: a permission question stays a question. */
const quiet = (event: EventName) => (event === "PermissionAsked" ? "ask" : "allow");

const call = (name: string, args: object = {}) => ({ session: { id: "s-1" }, tool: { name, args } });
const result = (text: string, is_error = false) => ({ result: { text, is_error } });

describe("Defining hooks", () => {
  it("the three hooks of the first example", async () => {
    const log: string[] = [];
    const console = { log: (line: string) => void log.push(line) };
    const hooks: CallbackHook[] = [
      {
        event: "SessionStart",
        handler: async (input) => {
          console.log(`Session ${input.sessionId} started (resume: ${input.isResume})`);
        },
      },
      {
        event: "PreToolUse",
        matcher: "Bash",
        handler: async (input) => {
          console.log(`Running bash: ${input.toolInput.command}`);
          return { decision: "allow" };
        },
      },
      {
        event: "FileWrite",
        handler: async (input) => {
          console.log(`${input.toolName} wrote ${input.filePath} (new: ${input.isNew})`);
        },
      },
    ];
    const { harness, warnings } = setUp(hooks);
    await fire(harness, "SessionStart", { session: { id: "s-1" }, is_resume: false });
    expect((await fire(harness, "PreToolUse", call("Bash", { command: "ls" }))).verdict).toBe("allow");
    await fire(harness, "PreToolUse", call("ReadFile"));
    await fire(harness, "FileEdited", { ...call("WriteFile"), path: "src/a.ts", is_new: true });
    expect(log).toEqual([
      "Session s-1 started (resume: false)",
      "Running bash: ls",
      "WriteFile wrote src/a.ts (new: true)",
    ]);
    expect(warnings).toEqual([]);
  });
});

/** The 18 events: what fires them here, whether they intercept, and the fields the page names. */
/** These two are about the subagent's session, which has the one they are fired in as its parent. */
const child = { sessionId: "sub-1", parentSessionId: "abc123-def456" };

const events: { name: CallbackEvent; event: EventName; type: "Notification" | "Interceptor"; fields: object }[] = [
  {
    name: "SessionStart",
    event: "SessionStart",
    type: "Notification",
    fields: { prompt: "fix the bug", isResume: true },
  },
  { name: "SessionEnd", event: "SessionEnd", type: "Notification", fields: { reason: "complete" } },
  { name: "TurnStart", event: "PreCompletion", type: "Notification", fields: { model: "large" } },
  { name: "TurnEnd", event: "TurnEnd", type: "Notification", fields: { text: "final assistant message" } },
  {
    name: "Error",
    event: "SessionError",
    type: "Notification",
    fields: { error: expect.objectContaining({ message: "the provider hung up" }) },
  },
  {
    name: "PreToolUse",
    event: "PreToolUse",
    type: "Interceptor",
    fields: { toolName: "run_command", toolInput: { command: "ls -la" } },
  },
  {
    name: "PostToolUse",
    event: "PostToolUse",
    type: "Interceptor",
    fields: { toolName: "run_command", toolOutput: '{"stdout":"ok","exit_code":0}' },
  },
  {
    name: "PostToolUseFailure",
    event: "PostToolUseFailure",
    type: "Interceptor",
    fields: { toolName: "run_command", errorMessage: "exit code 1", isError: true },
  },
  { name: "FileWrite", event: "FileEdited", type: "Notification", fields: { filePath: "src/lib.rs", isNew: true } },
  {
    name: "PermissionRequest",
    event: "PermissionAsked",
    type: "Notification",
    fields: { toolName: "run_command", input: { command: "ls -la" }, mode: "default" },
  },
  {
    name: "PermissionDenied",
    event: "PermissionDenied",
    type: "Notification",
    fields: { toolName: "run_command", reason: "rule 7" },
  },
  { name: "SubagentStart", event: "SubagentStart", type: "Notification", fields: { agentName: "reviewer", ...child } },
  { name: "SubagentStop", event: "SubagentStop", type: "Notification", fields: { agentName: "reviewer", ...child } },
  { name: "PreCompact", event: "PreCompact", type: "Notification", fields: { trigger: "auto" } },
  { name: "PostCompact", event: "PostCompact", type: "Notification", fields: { trigger: "auto" } },
  {
    name: "ModelSwitch",
    event: "ModelSwitch",
    type: "Notification",
    fields: { previousModel: "small", newModel: "large" },
  },
  {
    name: "RetryAttempt",
    event: "RetryAttempt",
    type: "Notification",
    fields: { attempt: 1, maxAttempts: 3, delay: 250, error: expect.objectContaining({ name: "ProviderError" }) },
  },
  {
    name: "MemoryUpdate",
    event: "MemoryUpdate",
    type: "Notification",
    fields: { created: ["a"], updated: ["b"], deleted: ["c"] },
  },
];

const notifications = events.filter(({ type }) => type === "Notification");

/** A hook on an event the types cannot follow through a table. */
const hookOn = (event: CallbackEvent, handler: (input: never) => unknown, matcher?: string) =>
  ({ event, handler, ...(matcher === undefined ? {} : { matcher }) }) as unknown as CallbackHook;

describe("Hook events", () => {
  it("18 hook events: three interceptors, everything else a notification", () => {
    expect(new Set(events.map(({ name }) => name)).size).toBe(18);
    expect(notifications).toHaveLength(15);
  });

  it.each(events)("$name ($type) sees what the page says", async ({ name, event, fields }) => {
    const inputs: unknown[] = [];
    const { harness, warnings } = setUp([hookOn(name, (input) => void inputs.push(input))]);
    const outcome = await fire(harness, event);
    expect(inputs).toHaveLength(1);
    expect(inputs[0]).toMatchObject({ event: name, sessionId: "abc123-def456", ...fields });
    expect(outcome).toMatchObject({ verdict: quiet(event), decision: undefined, modified: false, faults: [] });
    expect(warnings).toEqual([]);
  });

  it.each(events)("$name: omitting matcher means all tools, or all events of that type", async ({ name, event }) => {
    let fired = 0;
    const count = () => {
      fired += 1;
    };
    const { harness } = setUp([hookOn(name, count), hookOn(name, count, "*")]);
    await fire(harness, event);
    expect(fired).toBe(2);
  });

  it("an event the page does not have is refused", () => {
    for (const event of ["UserPromptSubmit", "Stop", "session_start", "tool.pre", "preToolUse", ""]) {
      expect(() => setUp([hookOn(event as never, () => undefined)])).toThrow(/unknown event/);
    }
  });

  it("a definition that cannot mean anything is refused, and none of its array is registered", async () => {
    const { harness } = setUp();
    let called = 0;
    const good = hookOn("PreToolUse", () => {
      called += 1;
    });
    for (const bad of [
      { event: "PreToolUse" },
      { handler: () => undefined },
      { event: "PreToolUse", handler: "function" },
      { event: "PreToolUse", handler: () => undefined, macher: "Bash" },
      { event: "PreToolUse", handler: () => undefined, matcher: 7 },
      { event: "MemoryUpdate", handler: () => undefined, matcher: "Bash" },
    ]) {
      expect(() => harness.registerCallbacks([good, bad as never])).toThrow();
    }
    await fire(harness, "PreToolUse");
    expect(called).toBe(0);
  });
});

describe("PreToolUse hooks", () => {
  it("the WriteFile example", async () => {
    const { harness } = setUp([
      {
        event: "PreToolUse",
        matcher: "WriteFile",
        handler: async (input) => {
          const path = input.toolInput.file_path as string;
          if (path.includes("node_modules")) {
            return { decision: "deny", message: "Cannot write to node_modules" };
          }
          return { decision: "allow" };
        },
      },
    ]);
    const denied = await fire(harness, "PreToolUse", call("WriteFile", { file_path: "node_modules/x/index.js" }));
    expect(denied).toMatchObject({ verdict: "block", reason: "Cannot write to node_modules" });
    expect((await fire(harness, "PreToolUse", call("WriteFile", { file_path: "src/x.ts" }))).verdict).toBe("allow");
    expect((await fire(harness, "PreToolUse", call("EditFile", { file_path: "node_modules/x" }))).verdict).toBe(
      "allow",
    );
  });

  it.each([
    { row: 'decision "allow"', output: { decision: "allow" }, expected: { verdict: "allow", decision: undefined } },
    { row: 'decision "passthrough"', output: { decision: "passthrough" }, expected: { verdict: "allow" } },
    { row: 'decision "deny"', output: { decision: "deny" }, expected: { verdict: "block" } },
    {
      row: "updatedInput: replace the tool input before execution",
      output: { updatedInput: { command: "ls" } },
      expected: { verdict: "allow", modified: true, payload: { tool: { args: { command: "ls" } } } },
    },
    {
      row: "message to include in the deny response",
      output: { decision: "deny", message: "no" },
      expected: { verdict: "block", reason: "no" },
    },
    {
      row: "preventContinuation: stop the agent loop after this tool call",
      output: { preventContinuation: true },
      expected: { verdict: "allow", stop: {} },
    },
  ])("PreToolUseHookOutput: $row", async ({ output, expected }) => {
    const { harness } = setUp([hookOn("PreToolUse", () => output)]);
    expect(await fire(harness, "PreToolUse", call("Bash", { command: "rm" }))).toMatchObject(expected);
  });

  it("updatedInput replaces the whole input, not parts of it", async () => {
    const { harness } = setUp([hookOn("PreToolUse", () => ({ updatedInput: { b: 2 } }))]);
    const { payload } = await fire(harness, "PreToolUse", call("t", { a: 1 }));
    expect((payload as unknown as { tool: { args: object } }).tool.args).toEqual({ b: 2 });
  });
});

describe("PostToolUse hooks", () => {
  it("the ReadFile example", async () => {
    const { harness } = setUp([
      {
        event: "PostToolUse",
        matcher: "ReadFile",
        handler: async (input) => {
          if (input.toolOutput.length > 50000) {
            return { updatedOutput: `${input.toolOutput.slice(0, 50000)}\n[truncated]` };
          }
        },
      },
    ]);
    const long = { ...call("ReadFile"), ...result("x".repeat(60_000)) };
    expect(await fire(harness, "PostToolUse", long)).toMatchObject({
      modified: true,
      payload: { result: { text: `${"x".repeat(50_000)}\n[truncated]` } },
    });
    expect((await fire(harness, "PostToolUse", { ...call("ReadFile"), ...result("short") })).modified).toBe(false);
    expect((await fire(harness, "PostToolUse", { ...long, ...call("Bash") })).modified).toBe(false);
  });

  it("Can modify output or stop the loop", async () => {
    const { harness } = setUp([hookOn("PostToolUse", () => ({ updatedOutput: "x", preventContinuation: true }))]);
    const outcome = await fire(harness, "PostToolUse");
    expect(outcome).toMatchObject({ modified: true, payload: { result: { text: "x" } } });
    expect(outcome.stop).toBeDefined();
  });

  it("the PostToolUseFailure example, and a changed error message", async () => {
    const errors: string[] = [];
    const console = { error: (line: string) => void errors.push(line) };
    const { harness } = setUp([
      {
        event: "PostToolUseFailure",
        handler: async (input) => {
          console.error(`Tool ${input.toolName} failed: ${input.errorMessage}`);
        },
      },
      { event: "PostToolUseFailure", handler: () => ({ updatedOutput: "try another path" }) },
    ]);
    const outcome = await fire(harness, "PostToolUseFailure", { ...call("Bash"), ...result("exit code 1", true) });
    expect(errors).toEqual(["Tool Bash failed: exit code 1"]);
    expect(outcome.payload).toMatchObject({ result: { text: "try another path", is_error: true } });
  });
});

describe("Notification examples", () => {
  it("session lifecycle hooks", async () => {
    const tracked: unknown[] = [];
    const analytics = { track: async (name: string, fields: object) => void tracked.push([name, fields]) };
    const { harness } = setUp([
      {
        event: "SessionStart",
        handler: async (input) => {
          await analytics.track("session_started", { sessionId: input.sessionId, isResume: input.isResume });
        },
      },
      {
        event: "SessionEnd",
        handler: async (input) => {
          await analytics.track("session_ended", { sessionId: input.sessionId, reason: input.reason });
        },
      },
    ]);
    await fire(harness, "SessionStart", { session: { id: "s-1" }, is_resume: true });
    for (const reason of ["complete", "abort", "maxTurns", "error"]) {
      await fire(harness, "SessionEnd", { session: { id: "s-1" }, reason });
    }
    expect(tracked).toEqual([
      ["session_started", { sessionId: "s-1", isResume: true }],
      ["session_ended", { sessionId: "s-1", reason: "complete" }],
      ["session_ended", { sessionId: "s-1", reason: "abort" }],
      ["session_ended", { sessionId: "s-1", reason: "maxTurns" }],
      ["session_ended", { sessionId: "s-1", reason: "error" }],
    ]);
  });

  it("permission, file write and model switch hooks", async () => {
    const lines: string[] = [];
    const audit = { log: async (line: string) => void lines.push(line) };
    const { harness } = setUp([
      {
        event: "PermissionDenied",
        handler: async (input) => {
          await audit.log(`Permission denied for ${input.toolName}: ${input.reason}`);
        },
      },
      {
        event: "FileWrite",
        handler: async (input) => {
          await audit.log(`[audit] ${input.toolName} wrote ${input.filePath} (new: ${input.isNew})`);
        },
      },
      {
        event: "ModelSwitch",
        handler: async (input) => {
          await audit.log(`Model changed: ${input.previousModel} → ${input.newModel}`);
        },
      },
    ]);
    await fire(harness, "PermissionDenied", { ...call("Bash"), reason: "rule 7" });
    await fire(harness, "FileEdited", { ...call("EditFile"), path: "src/a.ts", is_new: false });
    await fire(harness, "ModelSwitch", { previous_model: "small", new_model: "large" });
    expect(lines).toEqual([
      "Permission denied for Bash: rule 7",
      "[audit] EditFile wrote src/a.ts (new: false)",
      "Model changed: small → large",
    ]);
  });
});

describe("Matcher patterns", () => {
  const tools = [
    "Bash",
    "BashTool",
    "bash",
    "mcp__github__search",
    "mcp_",
    "ReadFile",
    "WriteFile",
    "EditFile",
    "File",
    "FileX",
  ];

  it.each([
    { matcher: "Bash", matches: ["Bash"] },
    { matcher: "mcp__*", matches: ["mcp__github__search"] },
    { matcher: "*File", matches: ["ReadFile", "WriteFile", "EditFile", "File"] },
    { matcher: "*", matches: tools },
    { matcher: undefined, matches: tools },
    { matcher: "mcp__*__search", matches: ["mcp__github__search"] },
    { matcher: "*ash*", matches: ["Bash", "BashTool", "bash"] },
  ])("$matcher", async ({ matcher, matches }) => {
    for (const name of ["PreToolUse", "PostToolUse", "PostToolUseFailure"] as const) {
      const seen: string[] = [];
      const { harness } = setUp([
        hookOn(name, ({ toolName }: { toolName: string }) => void seen.push(toolName), matcher),
      ]);
      for (const tool of tools) {
        await fire(harness, name, { ...call(tool), ...(name === "PreToolUse" ? {} : result("x")) });
      }
      expect(seen).toEqual(matches);
    }
  });

  it("on permission events the matcher selects tools as well", async () => {
    const seen: string[] = [];
    const note = ({ toolName }: { toolName: string }) => void seen.push(toolName);
    const { harness } = setUp([hookOn("PermissionRequest", note, "mcp__*"), hookOn("PermissionDenied", note, "*File")]);
    for (const tool of tools) {
      await fire(harness, "PermissionAsked", call(tool));
      await fire(harness, "PermissionDenied", call(tool));
    }
    expect(seen).toEqual(["mcp__github__search", "ReadFile", "WriteFile", "EditFile", "File"]);
  });
});

describe("A matcher on an event without a tool is never silently dead", () => {
  it.each([
    { name: "FileWrite", event: "FileEdited", matcher: "src/**", hit: true },
    { name: "FileWrite", event: "FileEdited", matcher: "docs/**", hit: false },
    { name: "SubagentStart", event: "SubagentStart", matcher: "review*", hit: true },
    { name: "SubagentStop", event: "SubagentStop", matcher: "build*", hit: false },
    { name: "ModelSwitch", event: "ModelSwitch", matcher: "large", hit: true },
    { name: "TurnStart", event: "PreCompletion", matcher: "large", hit: true },
    { name: "SessionEnd", event: "SessionEnd", matcher: "error", hit: false },
    { name: "Error", event: "SessionError", matcher: "Provider*", hit: true },
  ] as const)("$name with $matcher: $hit", async ({ name, event, matcher, hit }) => {
    let fired = 0;
    const count = () => {
      fired += 1;
    };
    const { harness } = setUp([hookOn(name, count, matcher)]);
    await fire(harness, event);
    expect(fired).toBe(hit ? 1 : 0);
  });
});

describe("Notification hooks are fire-and-forget", () => {
  const throws = () => {
    throw new Error("analytics is down");
  };
  const rejects = async () => {
    throw new Error("analytics is down");
  };

  describe.each([
    ["throws", throws],
    ["rejects", rejects],
  ])("a handler that %s", (_how, handler) => {
    it.each(notifications)("$name: recorded, visible, and the agent goes on", async ({ name, event }) => {
      let next = 0;
      const { harness, records, warnings } = setUp([
        hookOn(name, handler),
        hookOn(name, () => {
          next += 1;
        }),
      ]);
      const outcome = await fire(harness, event);
      expect(outcome).toMatchObject({ verdict: quiet(event), decision: undefined, modified: false, stop: undefined });
      expect(next).toBe(1);
      expect(warnings).toMatchObject([{ event, message: "threw: analytics is down" }]);
      expect(records.filter(({ kind }) => kind === "hook_failed")).toMatchObject([
        { code: "HARN_E_HOOK_THREW", message: "threw: analytics is down", on_error: "allow" },
      ]);
    });
  });

  it.each(notifications)("$name: they have no return value, so none has an effect", async ({ name, event }) => {
    const { harness, warnings } = setUp([
      hookOn(name, () => ({ decision: "deny", message: "no", updatedInput: {}, preventContinuation: true })),
    ]);
    const outcome = await fire(harness, event);
    expect(outcome).toMatchObject({ verdict: quiet(event), decision: undefined, modified: false, stop: undefined });
    expect(warnings).toHaveLength(1);
  });
});
