import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ProcessResult, settings } from "../../packages/core/src/dialects/settings.js";
import type { EventName } from "../../packages/core/src/events.js";
import { createStack, fireOne, seenBy, summaryOf } from "./harness.js";
import { Project } from "./project.js";

const ended = (exit_code: number | null, stdout = "", stderr = ""): ProcessResult => ({ exit_code, stdout, stderr });

const session = { id: "abc123-def456", transcript_path: "/path/to/session/transcript.jsonl" };
const bash = { name: "Bash", args: { command: "rm -rf /tmp/build-cache", description: "Clean build cache" } };

describe("Lifecycle Events", () => {
  const base = { session_id: session.id, transcript_path: session.transcript_path };

  it.each([
    { event: "SessionStart", payload: {}, extra: {} },
    {
      event: "UserPromptSubmit",
      payload: { prompt: "Research the current state of container orchestration" },
      extra: { prompt: "Research the current state of container orchestration" },
    },
    { event: "PreToolUse", payload: { tool: bash }, extra: { tool_name: "Bash", tool_input: bash.args } },
    { event: "SubagentStop", payload: { subagent: { name: "reviewer" } }, extra: {} },
    { event: "Stop", payload: { text: "done" }, extra: {} },
    { event: "SessionEnd", payload: { reason: "complete" }, extra: {} },
  ] as const)("$event fires, with the payload of the page", async ({ event, payload, extra }) => {
    const seen = await seenBy(settings, event, { session, ...payload });
    expect(seen).toEqual({ ...base, hook_event_name: event, ...extra });
    // It goes to a process as JSON, so nothing may get lost on the way.
    expect(JSON.parse(JSON.stringify(seen))).toEqual({ ...base, hook_event_name: event, ...extra });
  });
});

describe("Exit Codes", () => {
  it("0 | Normal completion | Hook ran successfully, continue execution", async () => {
    const fired = await fireOne(settings, { event: "PreToolUse", returns: ended(0) });
    expect(summaryOf(fired)).toEqual({});
    expect(fired.warnings).toEqual([]);
    expect(fired.records.map(({ kind }) => kind)).toEqual(["event", "hook_call", "hook_returned", "outcome"]);
  });

  it.each(["PreToolUse", "UserPromptSubmit", "SubagentStop", "Stop"] as const)(
    "2 | Hard block | Operation is prevented, AI is notified: %s",
    async (event) => {
      const fired = await fireOne(settings, { event, returns: ended(2, "", "not in this repository\n") });
      expect(summaryOf(fired)).toEqual({ verdict: "block", reason: "not in this repository" });
      expect(fired.records.map(({ kind }) => kind)).toContain("hook_vetoed");
    },
  );

  it.each(["SessionStart", "SessionEnd"] as const)(
    "2 on %s has nothing to prevent: on the tape, no effect",
    async (event) => {
      const fired = await fireOne(settings, { event, returns: ended(2, "", "no") });
      expect(summaryOf(fired)).toEqual({ unhonoured: "no" });
    },
  );

  it.each([1, 3, 127, 255, null])(
    "Any other | Error | Logged as warning, execution continues (fail-open): %s",
    async (code) => {
      const fired = await fireOne(settings, { event: "PreToolUse", returns: ended(code, "", "boom") });
      expect(fired.outcome).toMatchObject({ verdict: "allow", modified: false });
      expect(fired.warnings).toMatchObject([{ error: { code: "HARN_E_HOOK_EXIT" } }]);
      expect(fired.warnings[0]?.message).toMatch(/exited with (a signal|code \d+): boom/);
      expect(fired.records).toContainEqual(expect.objectContaining({ kind: "hook_failed", on_error: "allow" }));
    },
  );

  it("strict mode closes the gate that the page leaves open", async () => {
    const fired = await fireOne(settings, { event: "PreToolUse", returns: ended(1) }, { strict: true });
    expect(fired.outcome.verdict).toBe("block");
  });
});

describe("Decision JSON", () => {
  it.each([
    { what: "Allow the operation", printed: '{"continue": true}', expected: {} },
    {
      what: "Block with explanation",
      printed: '{"decision": "block", "message": "Cannot delete protected path: /etc/hosts"}',
      expected: { verdict: "block", reason: "Cannot delete protected path: /etc/hosts" },
    },
    {
      what: "Prompt user for confirmation",
      printed: '{"decision": "ask", "message": "This will force-push to main. Are you sure?"}',
      expected: { verdict: "ask", reason: "This will force-push to main. Are you sure?" },
    },
  ])("$what: $printed", async ({ printed, expected }) => {
    for (const stdout of [printed, `${printed}\n`, `\n  ${printed}  \n`]) {
      const fired = await fireOne(settings, { event: "PreToolUse", returns: ended(0, stdout) });
      expect(summaryOf(fired)).toEqual(expected);
    }
  });

  it("an ask survives a later allow, and a later block is stronger", async () => {
    const ask = ended(0, '{"decision": "ask", "message": "sure?"}');
    const allowed = createStack(settings);
    allowed.add("PreToolUse", () => ask);
    allowed.add("PreToolUse", () => ended(0, '{"continue": true}'));
    expect(summaryOf(await allowed.fire("PreToolUse"))).toEqual({ verdict: "ask", reason: "sure?" });
    const blocked = createStack(settings);
    blocked.add("PreToolUse", () => ask);
    blocked.add("PreToolUse", () => ended(2, "", "no"));
    expect(summaryOf(await blocked.fire("PreToolUse"))).toEqual({ verdict: "block", reason: "no" });
  });
});

describe("Stdout (Context Injection)", () => {
  it("the SessionStart example: three lines of project context", async () => {
    const stdout = [
      "Current project: MyApp (v2.3.1)",
      "Active branch: feature/auth-refactor",
      "Last session: Completed API migration, 3 tests failing",
    ].join("\n");
    const { outcome, records } = await fireOne(settings, { event: "SessionStart", returns: ended(0, `${stdout}\n`) });
    expect(outcome.reminders).toMatchObject([{ body: stdout, role_hint: "system" }]);
    expect(records).toContainEqual(expect.objectContaining({ reminders: [expect.objectContaining({ body: stdout })] }));
  });

  it.each(["SessionStart", "UserPromptSubmit", "PreToolUse", "SubagentStop", "Stop", "SessionEnd"] as const)(
    "any text written to stdout is injected: %s",
    async (event) => {
      const fired = await fireOne(settings, { event, returns: ended(0, "context") });
      expect(summaryOf(fired)).toEqual({ reminders: ["context"] });
    },
  );

  it("several hooks inject in the order they are listed", async () => {
    const stack = createStack(settings);
    stack.add("UserPromptSubmit", () => ended(0, "one"));
    stack.add("UserPromptSubmit", () => ended(0, "two"));
    expect(summaryOf(await stack.fire("UserPromptSubmit"))).toEqual({ reminders: ["one", "two"] });
  });
});

describe("Hook File Structure: SecurityValidator", () => {
  interface Stdin {
    readonly tool_name: string;
    readonly tool_input: { readonly command: string };
  }

  function validator({ tool_name, tool_input }: Stdin): ProcessResult {
    if (tool_name === "Bash" && tool_input.command.includes("rm -rf /")) {
      const decision = { decision: "block", message: "Blocked: recursive deletion of root filesystem" };
      return ended(2, `${JSON.stringify(decision)}\n`);
    }
    return ended(0);
  }

  it.each([
    { tool: bash, expected: { verdict: "block", reason: "Blocked: recursive deletion of root filesystem" } },
    { tool: { name: "Bash", args: { command: "ls" } }, expected: {} },
    { tool: { name: "Write", args: { command: "rm -rf /" } }, expected: {} },
  ])("$tool", async ({ tool, expected }) => {
    const stack = createStack(settings);
    stack.add("PreToolUse", validator);
    expect(summaryOf(await stack.fire("PreToolUse", { tool }))).toEqual(expected);
  });
});

describe("Matchers", () => {
  it("a hook with a matcher fires only when its conditions are satisfied; one without fires on every event", async () => {
    const stack = createStack(settings);
    const ran: string[] = [];
    const note = (id: string) => () => {
      ran.push(id);
      return ended(0);
    };
    stack.add("PreToolUse", note("Bash"), { pattern: "Bash" });
    stack.add("PreToolUse", note("Write"), { pattern: "Write" });
    stack.add("PreToolUse", note("every"));
    for (const name of ["Bash", "Write", "Read"]) await stack.fire("PreToolUse", { tool: { name, args: {} } });
    expect(ran).toEqual(["Bash", "every", "Write", "every", "every"]);
  });
});

describe("Design Principles", () => {
  it("Non-Blocking by Default: a hook that exceeds its timeout is killed and execution continues", async () => {
    const stack = createStack(settings);
    stack.add("PreToolUse", () => new Promise(() => {}), { timeout_ms: 30 });
    stack.add("PreToolUse", () => ended(0, "the next one ran"));
    const fired = await stack.fire("PreToolUse");
    expect(summaryOf(fired)).toEqual({ fault: "HARN_E_HOOK_TIMEOUT", reminders: ["the next one ran"] });
    expect(fired.warnings).toHaveLength(1);
  });

  it("the timeout counts for each hook, not for the chain", async () => {
    const stack = createStack(settings);
    const slow = () => new Promise((resolve) => setTimeout(resolve, 60, ended(0)));
    for (let n = 0; n < 3; n++) stack.add("PreToolUse", slow, { timeout_ms: 150 });
    expect(summaryOf(await stack.fire("PreToolUse"))).toEqual({});
  });

  it("timeout | number | No | Maximum execution time in milliseconds (default: 5000)", async () => {
    const { DEFAULT_TIMEOUT_MS } = await import("@hooks/core");
    expect(DEFAULT_TIMEOUT_MS).toBe(5000);
  });

  it("Fail Gracefully: a hook that exits with an unexpected error code is logged and skipped", async () => {
    const stack = createStack(settings);
    stack.add("PreToolUse", () => ended(1, "text it printed before it broke"));
    stack.add("PreToolUse", () => ended(0, "fine"));
    expect(summaryOf(await stack.fire("PreToolUse"))).toEqual({ fault: "HARN_E_HOOK_EXIT", reminders: ["fine"] });
  });

  it("Idempotency: the same hook with the same payload gives the same result", async () => {
    const stack = createStack(settings);
    stack.add("PreToolUse", () => ended(2, "", "no"));
    const first = summaryOf(await stack.fire("PreToolUse"));
    expect(summaryOf(await stack.fire("PreToolUse"))).toEqual(first);
  });

  const silent: { event: EventName; returns: ProcessResult }[] = [
    { event: "PreToolUse", returns: ended(2) },
    { event: "PreToolUse", returns: ended(2, "  ", "\n") },
    { event: "PreToolUse", returns: ended(2, '{"decision":"block"}') },
    { event: "PreToolUse", returns: ended(2, '{"decision":"block","message":"  "}') },
    { event: "PreToolUse", returns: ended(0, '{"decision":"block"}') },
    { event: "PreToolUse", returns: ended(0, '{"decision":"block","message":"  "}') },
    { event: "PreToolUse", returns: ended(0, '{"decision":"ask"}') },
    { event: "PreToolUse", returns: ended(0, '{"decision":"ask","message":" "}') },
    { event: "UserPromptSubmit", returns: ended(2) },
  ];

  it.each(silent)(
    "Transparency: if a hook blocks, it MUST provide a clear explanation: $event, exit $returns.exit_code, $returns.stdout",
    async (row) => {
      const { outcome } = await fireOne(settings, row);
      expect(outcome.verdict).not.toBe("allow");
      expect(outcome.reason).toMatch(/\w/);
    },
  );
});

describe("through settings.json and real processes", () => {
  let project: Project;

  beforeEach(() => {
    project = new Project().write("harn.toml", '[sources]\nsettings = ["settings.json"]\n');
  });

  afterEach(() => project.remove());

  const settingsOf = (hooks: object) => project.write("settings.json", JSON.stringify({ hooks }));
  const hook = (event: string, body: string, entry: object = {}) => {
    settingsOf({ [event]: [{ path: "hooks/hook.sh", ...entry }] });
    return project.script("hooks/hook.sh", body);
  };
  const payloads = {
    SessionStart: {},
    UserPromptSubmit: { prompt: "Research the current state of container orchestration" },
    PreToolUse: { tool: bash },
    SubagentStop: { subagent: { name: "reviewer" } },
    Stop: { text: "done" },
    SessionEnd: { reason: "complete" },
  } as const;
  const six = Object.keys(payloads) as (keyof typeof payloads)[];
  const fire = (event: keyof typeof payloads) => project.fire(event, { session, ...payloads[event] });

  it.each(six)("receive JSON payloads via stdin: %s", async (event) => {
    hook(event, "cat > seen.json");
    await fire(event);
    const extra =
      event === "PreToolUse"
        ? { tool_name: "Bash", tool_input: bash.args }
        : event === "UserPromptSubmit"
          ? payloads.UserPromptSubmit
          : {};
    expect(JSON.parse(project.read("seen.json"))).toEqual({
      session_id: "abc123-def456",
      transcript_path: "/path/to/session/transcript.jsonl",
      hook_event_name: event,
      ...extra,
    });
  });

  it.each(six)("Any text written to stdout is injected into the AI's context: %s", async (event) => {
    hook(event, 'echo "Current project: MyApp (v2.3.1)"\necho "Active branch: feature/auth-refactor"');
    const { reminders } = await fire(event);
    expect(reminders).toMatchObject([
      { body: "Current project: MyApp (v2.3.1)\nActive branch: feature/auth-refactor" },
    ]);
    // "the injected content should be visible in the session transcript"
    expect(JSON.stringify(project.records)).toContain("feature/auth-refactor");
  });

  it.each([
    ["exit 0", "0 | Normal completion | Hook ran successfully, continue execution", { verdict: "allow", faults: [] }],
    [
      "echo no >&2; exit 2",
      "2 | Hard block | Operation is prevented, AI is notified",
      { verdict: "block", reason: "no" },
    ],
    ["exit 1", "Any other | Error | Logged as warning, execution continues", { verdict: "allow", faults: [{}] }],
    ["exit 127", "Any other | Error | Logged as warning, execution continues", { verdict: "allow", faults: [{}] }],
    ["kill -9 $$", "Any other | Error | Logged as warning, execution continues", { verdict: "allow", faults: [{}] }],
    [`echo '{"continue": true}'`, "Allow the operation", { verdict: "allow", reminders: [] }],
    [
      `echo '{"decision": "block", "message": "Cannot delete protected path: /etc/hosts"}'`,
      "Block with explanation",
      { verdict: "block", reason: "Cannot delete protected path: /etc/hosts" },
    ],
    [
      `echo '{"decision": "ask", "message": "This will force-push to main. Are you sure?"}'`,
      "Prompt user for confirmation",
      { verdict: "ask", reason: "This will force-push to main. Are you sure?" },
    ],
  ])("%s: %s", async (body, _sentence, expected) => {
    hook("PreToolUse", body);
    const outcome = await fire("PreToolUse");
    expect(outcome).toMatchObject(expected);
    expect(project.spoken).toHaveLength(outcome.faults.length);
  });

  it.each([
    ["missing", () => settingsOf({ PreToolUse: [{ path: "hooks/missing.ts" }] })],
    ["not executable", () => hook("PreToolUse", "exit 2").write("hooks/hook.sh", "#!/bin/sh\nexit 2\n", 0o644)],
    ["without its interpreter", () => hook("PreToolUse", "").write("hooks/hook.sh", "#!/no/such/bun\n", 0o755)],
    ["flooding", () => hook("PreToolUse", "yes | head -c 2000000")],
  ])("a broken hook should degrade functionality, not halt the system: %s", async (_how, arrange) => {
    arrange();
    expect(await fire("PreToolUse")).toMatchObject({ verdict: "allow", faults: [{ on_error: "allow" }] });
    expect(project.spoken).toHaveLength(1);
  });

  it("strict mode closes the gate that the page leaves open", async () => {
    hook("PreToolUse", "exit 1").write(
      "harn.toml",
      '[policy]\nstrict = true\n[sources]\nsettings = ["settings.json"]\n',
    );
    expect((await fire("PreToolUse")).verdict).toBe("block");
  });

  it("the SecurityValidator of the page, in JavaScript", async () => {
    settingsOf({
      PreToolUse: [{ path: "hooks/SecurityValidator.mjs", timeout: 3000, matcher: { tool_name: "Bash" } }],
    });
    project.write(
      "hooks/SecurityValidator.mjs",
      `#!/usr/bin/env node
// Hook: SecurityValidator
// Event: PreToolUse
// Description: Validates tool operations against security policies
// Matcher: tool_name = "Bash"

import { readFileSync } from "fs";

// 1. Read payload from stdin
const payload = JSON.parse(readFileSync("/dev/stdin", "utf-8"));

// 2. Extract relevant fields
const { tool_name, tool_input } = payload;

// 3. Implement hook logic
if (tool_name === "Bash" && tool_input.command.includes("rm -rf /")) {
  // Hard block: write decision and exit 2
  console.log(JSON.stringify({
    decision: "block",
    message: "Blocked: recursive deletion of root filesystem"
  }));
  process.exit(2);
}

// 4. Normal completion
process.exit(0);
`,
      0o755,
    );
    const { harness, warnings } = await project.load();
    expect(warnings).toEqual([]);
    expect(harness.hooks).toMatchObject([{ ref: { id: "SecurityValidator" }, timeout_ms: 3000 }]);
    expect(await harness.fire("PreToolUse", { tool: bash })).toMatchObject({
      verdict: "block",
      reason: "Blocked: recursive deletion of root filesystem",
    });
    const ls = { name: "Bash", args: { command: "ls" } };
    expect(await harness.fire("PreToolUse", { tool: ls })).toMatchObject({ verdict: "allow", faults: [] });
    const write = { name: "Write", args: { command: "rm -rf /" } };
    expect((await harness.fire("PreToolUse", { tool: write })).trace[0]?.skipped).toContain("does not match");
  });

  it("Hooks are registered in settings.json under the `hooks` key: the example of the page", async () => {
    settingsOf({
      SessionStart: [{ path: "hooks/LoadContext.ts", timeout: 5000 }],
      PreToolUse: [
        { path: "hooks/SecurityValidator.ts", timeout: 3000, matcher: { tool_name: "Bash" } },
        { path: "hooks/WriteProtector.ts", timeout: 3000, matcher: { tool_name: "Write" } },
      ],
      Stop: [{ path: "hooks/SessionSummary.ts", timeout: 10000 }],
    });
    for (const name of ["LoadContext", "SecurityValidator", "WriteProtector", "SessionSummary"]) {
      project.script(`hooks/${name}.ts`, `echo ${name}`);
    }
    const { harness } = await project.load();
    expect(harness.hooks.map(({ event, ref, timeout_ms }) => [event, ref.id, timeout_ms])).toEqual([
      ["SessionStart", "LoadContext", 5000],
      ["PreToolUse", "SecurityValidator", 3000],
      ["PreToolUse", "WriteProtector", 3000],
      ["Stop", "SessionSummary", 10000],
    ]);
    const told = await harness.fire("PreToolUse", { tool: { name: "Write", args: {} } });
    expect(told.reminders).toMatchObject([{ body: "WriteProtector" }]);
    expect((await harness.fire("Stop", {})).reminders).toMatchObject([{ body: "SessionSummary" }]);
  });

  it("timeout | number | No | Maximum execution time in milliseconds (default: 5000)", async () => {
    hook("PreToolUse", "exit 0");
    expect((await project.load()).harness.hooks[0]?.timeout_ms).toBe(5000);
  });

  it("If a hook exceeds its timeout, the framework kills it and continues execution", async () => {
    hook("PreToolUse", "sleep 30; echo late > late.txt", { timeout: 100 });
    expect(await fire("PreToolUse")).toMatchObject({
      verdict: "allow",
      faults: [{ error: { code: "HARN_E_HOOK_TIMEOUT" } }],
    });
  });

  it.each([
    [{}, true],
    [{ tool_name: "Bash" }, true],
    [{ tool_name: "Write" }, false],
    [{ tool_name: "bash" }, false],
    [{ tool_name: "Bas" }, false],
    [{ tool_name: ["Write", "Bash"] }, true],
    [{ tool_name: "Bash", session_id: "abc123-def456" }, true],
    [{ tool_name: "Bash", session_id: "another" }, false],
    [{ tool_input: { description: "Clean build cache" } }, true],
    [{ tool_input: { description: "Clean" } }, false],
    [{ "tool_input.command": "rm -rf /tmp/build-cache" }, true],
    [{ "tool_input.missing": "x" }, false],
  ])("A hook with a matcher fires only when the matcher conditions are satisfied: %j, %s", async (matcher, fires) => {
    hook("PreToolUse", "exit 2", { matcher });
    expect((await fire("PreToolUse")).verdict).toBe(fires ? "block" : "allow");
  });

  it("Compose behavior through multiple hooks on the same event: they run in the order they are listed", async () => {
    settingsOf({ Stop: ["one", "two", "three"].map((name) => ({ path: `${name}.sh` })) });
    for (const name of ["one", "two", "three"]) project.script(`${name}.sh`, `echo ${name}`);
    expect((await fire("Stop")).reminders.map(({ body }) => body)).toEqual(["one", "two", "three"]);
  });

  const headers = [
    ["Hook: Other", 'hooks/hook.sh calls itself "Other"'],
    ["Event: Stop", 'hooks/hook.sh says "Event: Stop", and is registered on PreToolUse'],
    [
      'Matcher: tool_name = "Write"',
      'hooks/hook.sh says "Matcher: tool_name = "Write"", and is registered for tool_name = "Bash"',
    ],
  ] as const;

  it.each(headers)(
    "Every hook SHOULD include a documentation header, which is checked: # %s",
    async (line, message) => {
      hook("PreToolUse", `# ${line}\n# Description: What this hook does in one sentence\nexit 0`, {
        matcher: { tool_name: "Bash" },
      });
      expect((await project.load()).warnings).toMatchObject([{ code: "HARN_W_HEADER", message }]);
      project.script("hooks/hook.sh", '# Hook: Hook\n# Event: PreToolUse\n# Matcher: tool_name = "Bash"');
      expect((await project.load()).warnings).toEqual([]);
    },
  );
});
