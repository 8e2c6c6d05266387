import {
  createHarness,
  type Harness,
  type HookReturnedRecord,
  memoryTape,
  type Outcome,
  type PayloadInput,
  type SessionEventName,
  type TapeRecord,
  type Warning,
} from "@hooks/core";
import { describe, expect, it } from "vitest";
import { samples } from "./samples.js";

function setUp(): { harness: Harness; records: readonly TapeRecord[]; warnings: Warning[] } {
  const tape = memoryTape();
  const warnings: Warning[] = [];
  const harness = createHarness({ tape, ports: { warn: (warning) => void warnings.push(warning) } });
  return { harness, records: tape.records, warnings };
}

const call = (name: string, args: PayloadInput<"PreToolUse">["tool"]["args"] = {}) => ({ tool: { name, args } });

describe("Tool lifecycle hooks (register_tool_hook)", () => {
  it('register_tool_hook({pattern: "exec_*", deny: "exec is gated"})', async () => {
    const { harness } = setUp();
    harness.registerToolHook({ pattern: "exec_*", deny: "exec is gated" });
    const gated = await harness.fire("PreToolUse", call("exec_shell"));
    expect(gated).toMatchObject({ verdict: "block", reason: "exec is gated" });
    for (const name of ["exec_", "exec_a/../b", "exec_root"]) {
      expect((await harness.fire("PreToolUse", call(name))).verdict).toBe("block");
    }
    for (const name of ["exec", "pre_exec_shell", "Exec_shell", "read_file"]) {
      expect((await harness.fire("PreToolUse", call(name))).verdict).toBe("allow");
    }
  });

  it('register_tool_hook({pattern: "*", max_output: 4000})', async () => {
    const { harness } = setUp();
    harness.registerToolHook({ pattern: "*", max_output: 4000 });
    const result = (text: string) => ({ ...call("any_tool"), result: { text, is_error: false } });
    const long = await harness.fire("PostToolUse", result("x".repeat(10_000)));
    expect(long.modified).toBe(true);
    expect(long.payload.result.text.length).toBeLessThanOrEqual(4000);
    expect(long.payload.result.dropped).toBeGreaterThanOrEqual(6000);
    const exact = await harness.fire("PostToolUse", result("x".repeat(4000)));
    expect(exact.modified).toBe(false);
  });

  it("a bounded result has no structured value left that would still hold everything", async () => {
    const { harness } = setUp();
    harness.registerToolHook({ max_output: 100 });
    const value = { stdout: "x".repeat(500) };
    const result = { text: JSON.stringify(value), value, is_error: true };
    const outcome = await harness.fire("PostToolUse", { ...call("t"), result });
    expect(outcome.payload.result).not.toHaveProperty("value");
    expect(outcome.payload.result.is_error).toBe(true);
  });

  it('pattern: "fetch_*" with a pre closure that returns a reminder', async () => {
    const { harness } = setUp();
    harness.registerToolHook({
      pattern: "fetch_*",
      pre: () => ({ reminder: { body: "Network fetch is about to run", tags: ["tool"] } }),
    });
    const outcome = await harness.fire("PreToolUse", call("fetch_url"));
    expect(outcome.verdict).toBe("allow");
    expect(outcome.reminders).toMatchObject([{ body: "Network fetch is about to run", tags: ["tool"] }]);
    expect((await harness.fire("PreToolUse", call("read_file"))).reminders).toEqual([]);
  });

  it("PreToolUse and PostToolUse fire around each tool dispatch, with pre and post closures in one config", async () => {
    const { harness } = setUp();
    harness.registerToolHook({
      pattern: "run_*",
      pre: ({ tool }) => ({ args: { ...tool.args, safe: true } }),
      post: ({ result }) => result.text.toUpperCase(),
    });
    const before = await harness.fire("PreToolUse", call("run_command", { command: "ls" }));
    expect(before.payload.tool.args).toEqual({ command: "ls", safe: true });
    const after = await harness.fire("PostToolUse", {
      ...call("run_command"),
      result: { text: "ok", is_error: false },
    });
    expect(after.payload.result.text).toBe("OK");
  });

  it("PostToolUse returns a string or {result: replacement}, and each hook sees the one before", async () => {
    const { harness } = setUp();
    harness.registerToolHook({ post: () => "first" });
    harness.registerToolHook({ post: ({ result }) => ({ result: `${result.text}, second` }) });
    const outcome = await harness.fire("PostToolUse", { ...call("t"), result: { text: "raw", is_error: false } });
    expect(outcome.payload.result).toEqual({ text: "first, second", is_error: false });
  });

  it.each([
    { config: { pattern: "exec_*" }, why: "nothing to do" },
    { config: { deny: "" }, why: "no reason" },
    { config: { max_output: -1 }, why: "a negative bound" },
    { config: { max_output: 1.5 }, why: "half a character" },
    { config: { pre: "closure" }, why: "no function" },
    { config: { deny: "x", patern: "exec_*" }, why: "a typo that would have matched every tool" },
    { config: { pattern: 7, deny: "x" }, why: "a pattern that is no text" },
  ])("a config that cannot mean anything is refused: $why", ({ config }) => {
    expect(() => setUp().harness.registerToolHook(config as never)).toThrow(/tool hook/);
  });
});

describe("Persona / step lifecycle hooks", () => {
  const step = (persona: string, name: string, args: PayloadInput<"PreStep">["step"]["args"] = ["main"]) => ({
    target: `${persona}.${name}`,
    persona,
    step: { name, args },
  });

  it('register_step_hook("merge_*", "audit", "PreStep", ...) reminds, then keeps the arguments', async () => {
    const { harness } = setUp();
    harness.registerStepHook("merge_*", "audit", "PreStep", (ctx) => ({
      reminder: { body: "Audit step is running", tags: ["audit"] },
      then: { args: ctx.step.args },
    }));
    const outcome = await harness.fire("PreStep", step("merge_captain", "audit"));
    expect(outcome.reminders).toMatchObject([{ body: "Audit step is running", tags: ["audit"] }]);
    expect(outcome.payload.step.args).toEqual(["main"]);
    expect(outcome.verdict).toBe("allow");
    for (const other of [step("merge_captain", "audit_all"), step("review_captain", "audit")]) {
      expect((await harness.fire("PreStep", other)).reminders).toEqual([]);
    }
  });

  it("both can deny via {deny: reason} or rewrite via {args} / {output}", async () => {
    const { harness } = setUp();
    harness.registerPersonaHook("merge_*", "PreStep", () => ({ args: ["dev"] }));
    harness.registerStepHook("merge_*", "push", "PreStep", () => ({ deny: "no pushing" }));
    harness.registerPersonaHook("merge_*", "PostStep", () => ({ output: "rewritten" }));
    expect((await harness.fire("PreStep", step("merge_captain", "audit"))).payload.step.args).toEqual(["dev"]);
    expect(await harness.fire("PreStep", step("merge_captain", "push"))).toMatchObject({
      verdict: "block",
      reason: "no pushing",
    });
    const after = await harness.fire("PostStep", { ...step("merge_captain", "audit"), output: "raw" });
    expect(after.payload.output).toBe("rewritten");
  });

  it.each(["OnApprovalRequested", "OnHandoffEmitted", "OnPersonaPaused", "OnPersonaResumed"] as const)(
    "Persona-scoped hooks observe %s",
    async (event) => {
      const { harness } = setUp();
      harness.registerPersonaHook("merge_*", event, ({ persona }) => ({ body: `saw ${persona}` }));
      harness.registerStepHook("merge_*", "audit", event, () => ({ body: "in its audit step" }));
      const bodies = async (payload: PayloadInput<typeof event>) =>
        (await harness.fire(event, payload)).reminders.map(({ body }) => body);
      expect(await bodies({ persona: "merge_captain" })).toEqual(["saw merge_captain"]);
      expect(await bodies({ persona: "merge_captain", step: { name: "audit" } })).toHaveLength(2);
      expect(await bodies({ persona: "review_captain", step: { name: "audit" } })).toEqual([]);
    },
  );

  it.each([
    { pct: 79, fired: ["any"] },
    { pct: 80, fired: ["any", "80"] },
    { pct: 95.5, fired: ["any", "80", "95"] },
    { pct: undefined, fired: ["any"] },
  ])("OnBudgetThreshold(pct) at $pct", async ({ pct, fired }) => {
    const { harness } = setUp();
    harness.registerPersonaHook("*", "OnBudgetThreshold", () => ({ body: "any" }));
    harness.registerPersonaHook("*", "OnBudgetThreshold(80)", () => ({ body: "80" }));
    harness.registerPersonaHook("*", "OnBudgetThreshold(95)", () => ({ body: "95" }));
    const budget = pct === undefined ? {} : { pct };
    const outcome = await harness.fire("OnBudgetThreshold", { persona: "p", budget });
    expect(outcome.reminders.map(({ body }) => body)).toEqual(fired);
  });

  it("a handler of OnBudgetThreshold(pct) is typed like one of OnBudgetThreshold", async () => {
    const { harness } = setUp();
    harness.registerPersonaHook("*", "OnBudgetThreshold(80)", ({ budget }) => ({ body: `at ${budget.pct} %` }));
    const outcome = await harness.fire("OnBudgetThreshold", { persona: "p", budget: { pct: 81 } });
    expect(outcome.reminders).toMatchObject([{ body: "at 81 %" }]);
  });

  it.each(["SessionStart", "session_start", "PreToolUse", "pre_step", "OnBudgetThreshold(x)"])(
    "%s is not an event of this surface",
    (event) => {
      const { harness } = setUp();
      expect(() => harness.registerPersonaHook("*", event as never, () => null)).toThrow(/unknown event/);
      expect(() => harness.registerStepHook("*", "audit", event as never, () => null)).toThrow(/unknown event/);
    },
  );
});

type SnakeName = Extract<SessionEventName, Lowercase<SessionEventName>>;

/** The session event table: the event, its canonical name, and what its Veto column says. */
const table: { event: SnakeName; canonical: keyof typeof samples; veto: "advisory" | "block" | "decision" }[] = [
  { event: "session_start", canonical: "SessionStart", veto: "advisory" },
  { event: "session_end", canonical: "SessionEnd", veto: "advisory" },
  { event: "user_prompt_submit", canonical: "UserPromptSubmit", veto: "block" },
  { event: "pre_compact", canonical: "PreCompact", veto: "block" },
  { event: "post_compact", canonical: "PostCompact", veto: "advisory" },
  { event: "post_turn", canonical: "PostTurn", veto: "advisory" },
  { event: "permission_asked", canonical: "PermissionAsked", veto: "decision" },
  { event: "permission_replied", canonical: "PermissionReplied", veto: "advisory" },
  { event: "file_edited", canonical: "FileEdited", veto: "advisory" },
  { event: "session_error", canonical: "SessionError", veto: "advisory" },
  { event: "session_idle", canonical: "SessionIdle", veto: "advisory" },
  { event: "pre_finish", canonical: "PreFinish", veto: "advisory" },
  { event: "on_unsettled_detected", canonical: "OnUnsettledDetected", veto: "advisory" },
  { event: "post_finish", canonical: "PostFinish", veto: "advisory" },
];

/** Fires a session event whose handlers the types do not follow: these rows return what the types forbid. */
async function fireSession(
  harness: Harness,
  canonical: keyof typeof samples,
  payload: object = samples[canonical],
): Promise<Outcome> {
  return (await harness.fire(canonical as "SessionStart", payload as never)) as Outcome;
}

describe("Session lifecycle hooks: the event table", () => {
  it.each(table)("$event fires in both spellings", async ({ event, canonical }) => {
    const { harness } = setUp();
    const seen: string[] = [];
    harness.registerSessionHook(event, (payload) => void seen.push(`snake ${payload.event}`));
    harness.registerSessionHook(canonical as never, (payload: { event: string }) => {
      seen.push(`pascal ${payload.event}`);
    });
    await fireSession(harness, canonical);
    expect(seen).toEqual([`snake ${canonical}`, `pascal ${canonical}`]);
  });

  it.each(table)("$event | $veto: {block: true, reason}", async ({ event, canonical, veto }) => {
    const { harness, records } = setUp();
    let later = 0;
    harness.registerSessionHook(event, (() => ({ block: true, reason: "policy" })) as never);
    harness.registerSessionHook(event, () => {
      later += 1;
    });
    const outcome = await fireSession(harness, canonical);
    const vetoed = records.filter(({ kind }) => kind === "hook_vetoed");
    if (veto === "advisory") {
      expect(outcome).toMatchObject({
        verdict: "allow",
        reason: undefined,
        by: undefined,
        modified: false,
        faults: [],
      });
      expect(later).toBe(1);
      expect(vetoed).toMatchObject([{ reason: "policy", decision: null, honoured: false }]);
    } else {
      expect(outcome).toMatchObject({ verdict: "block", reason: "policy" });
      expect(later).toBe(0);
      expect(vetoed).toMatchObject([{ reason: "policy", decision: null, honoured: true }]);
    }
  });

  it.each(table)("$event | $veto: false is the same as {block: true}", async ({ event, canonical, veto }) => {
    const { harness } = setUp();
    harness.registerSessionHook(event, (() => false) as never);
    expect((await fireSession(harness, canonical)).verdict).toBe(veto === "advisory" ? "allow" : "block");
  });

  it.each(["PreToolUse", "pre_tool_use", "PreStep", "turn.start", "TurnStart", "Session_Start", ""])(
    "%j is not an event of this surface",
    (event) => {
      expect(() => setUp().harness.registerSessionHook(event as never, () => null)).toThrow(/unknown event/);
    },
  );
});

describe("Return-value protocol", () => {
  const nil = "nil or true | Allow / advisory acknowledgment";
  const no = "false | Veto (same as {block: true})";
  const block = "{block: true, reason: ...} | Veto";
  const decision = '{decision: "allow"|"deny"|"ask", reason?: ...} | Permission short-circuit';
  const reminder = "{reminder: {...}, then?: ...} | Inject a system_reminder, then apply the inner control/action";
  const bare = '{body: "...", tags?: [...], dedupe_key?: ...} | Inject a reminder and otherwise allow/pass';
  const list = "[{reminder: {...}}, ...] | Session hook effect list; injected in order and deduped by dedupe_key";

  it.each([
    { row: nil, event: "user_prompt_submit", returns: null, expected: { verdict: "allow" } },
    { row: nil, event: "user_prompt_submit", returns: undefined, expected: { verdict: "allow" } },
    { row: nil, event: "user_prompt_submit", returns: true, expected: { verdict: "allow" } },
    { row: nil, event: "session_start", returns: true, expected: { verdict: "allow" } },
    { row: no, event: "user_prompt_submit", returns: false, expected: { verdict: "block" } },
    {
      row: block,
      event: "user_prompt_submit",
      returns: { block: true, reason: "no" },
      expected: { verdict: "block", reason: "no" },
    },
    {
      row: decision,
      event: "permission_asked",
      returns: { decision: "allow", reason: "ci" },
      expected: { verdict: "allow", decision: "allow", reason: "ci" },
    },
    {
      row: decision,
      event: "permission_asked",
      returns: { decision: "deny", reason: "no" },
      expected: { verdict: "block", decision: "deny", reason: "no" },
    },
    {
      row: decision,
      event: "permission_asked",
      returns: { decision: "ask" },
      expected: { verdict: "ask", decision: "ask" },
    },
    {
      row: reminder,
      event: "post_turn",
      returns: { reminder: { body: "a" } },
      expected: { verdict: "allow", reminders: [{ body: "a" }] },
    },
    {
      row: reminder,
      event: "user_prompt_submit",
      returns: { reminder: { body: "a" }, then: { block: true, reason: "no" } },
      expected: { verdict: "block", reason: "no", reminders: [{ body: "a" }] },
    },
    {
      row: reminder,
      event: "permission_asked",
      returns: { reminder: { body: "a" }, then: { decision: "deny", reason: "no" } },
      expected: { decision: "deny", reminders: [{ body: "a" }] },
    },
    {
      row: bare,
      event: "session_start",
      returns: { body: "a", tags: ["t"], dedupe_key: "k" },
      expected: { verdict: "allow", reminders: [{ body: "a", tags: ["t"], dedupe_key: "k" }] },
    },
    {
      row: list,
      event: "post_turn",
      returns: [
        { reminder: { body: "old", dedupe_key: "k" } },
        { reminder: { body: "b" } },
        { reminder: { body: "new", dedupe_key: "k" } },
      ],
      expected: { verdict: "allow", reminders: [{ body: "b" }, { body: "new" }] },
    },
  ] as const)("$row, on $event: $returns", async ({ event, returns, expected }) => {
    const { harness, warnings } = setUp();
    const { canonical } = table.find((row) => row.event === event) ?? { canonical: "SessionStart" as const };
    harness.registerSessionHook(event, (() => returns) as never);
    const outcome = await fireSession(harness, canonical);
    expect(outcome).toMatchObject(expected);
    expect(outcome.faults).toEqual([]);
    expect(warnings).toEqual([]);
  });

  it.each(["text", 42, {}, { blok: true }, { block: "yes" }, [1], { decision: "deny" }])(
    "Any other return shape raises a runtime error so misuse fails loudly: %j",
    async (returns) => {
      const { harness, warnings, records } = setUp();
      harness.registerSessionHook("user_prompt_submit", (() => returns) as never);
      const outcome = await harness.fire("UserPromptSubmit", { prompt: "hi" });
      expect(outcome.verdict).toBe("block");
      expect(outcome.faults.map(({ error }) => error.name)).toEqual(["HookContractError"]);
      expect(warnings).toHaveLength(1);
      expect(records.map(({ kind }) => kind)).toContain("hook_failed");

      harness.registerSessionHook("session_start", (() => returns) as never, { on_error: "raise" });
      expect(() => harness.fire("SessionStart", {})).toThrow(/session_hook::SessionStart/);
    },
  );

  it("reminders of several hooks are injected in order and deduped by dedupe_key", async () => {
    const { harness } = setUp();
    harness.registerSessionHook("post_turn", () => ({ body: "one", dedupe_key: "k" }));
    harness.registerSessionHook("post_turn", () => ({ body: "two" }));
    harness.registerSessionHook("post_turn", () => [{ reminder: { body: "three", dedupe_key: "k" } }]);
    const { reminders } = await harness.fire("PostTurn", { turn: { index: 0 } });
    expect(reminders.map(({ body }) => body)).toEqual(["two", "three"]);
  });
});

describe("Examples", () => {
  it("veto secrets", async () => {
    const { harness } = setUp();
    harness.registerSessionHook("user_prompt_submit", (event) => {
      if (event.prompt.includes("secret")) return { block: true, reason: "policy violation: secret in prompt" };
      return null;
    });
    expect(await harness.fire("UserPromptSubmit", { prompt: "print the secret" })).toMatchObject({
      verdict: "block",
      reason: "policy violation: secret in prompt",
    });
    expect((await harness.fire("UserPromptSubmit", { prompt: "print the weather" })).verdict).toBe("allow");
  });

  it("short-circuit a permission decision", async () => {
    const { harness } = setUp();
    harness.registerSessionHook("permission_asked", (event) => {
      if (event.tool.name === "exec_root") return { decision: "deny", reason: "exec_root never runs unattended" };
      return null;
    });
    expect(await harness.fire("PermissionAsked", call("exec_root"))).toMatchObject({
      decision: "deny",
      reason: "exec_root never runs unattended",
    });
    expect((await harness.fire("PermissionAsked", call("read_file"))).decision).toBeUndefined();
  });

  it("re-run a linter after each file edit", async () => {
    const { harness } = setUp();
    const log: string[] = [];
    harness.registerSessionHook("file_edited", ({ path }) => {
      if (path.endsWith(".rs")) log.push(`re-running clippy after edit to ${path}`);
      return null;
    });
    await harness.fire("FileEdited", { path: "src/lib.rs" });
    await harness.fire("FileEdited", { path: "README.md" });
    expect(log).toEqual(["re-running clippy after edit to src/lib.rs"]);
  });

  it("a permission question that no hook answers stays a question, with or without hooks, on tape or not", async () => {
    const { harness } = setUp();
    const quiet = { verdict: "ask", decision: undefined, reason: undefined, by: undefined };
    expect(await createHarness().fire("PermissionAsked", call("t"))).toMatchObject(quiet);
    expect(await harness.fire("PermissionAsked", call("t"))).toMatchObject(quiet);
    harness.registerSessionHook("permission_asked", () => null);
    harness.registerSessionHook("permission_asked", () => true);
    expect(await harness.fire("PermissionAsked", call("t"))).toMatchObject(quiet);
  });

  it("several opinions on a permission: the strictest stands, whoever speaks first", async () => {
    const orders = [
      ["allow", "ask", "deny"],
      ["deny", "allow", "ask"],
      ["ask", "allow"],
      ["allow", "ask"],
      ["allow", "allow"],
    ] as const;
    const expected = ["deny", "deny", "ask", "ask", "allow"];
    for (const [index, order] of orders.entries()) {
      const { harness } = setUp();
      for (const decision of order) harness.registerSessionHook("permission_asked", () => ({ decision }));
      expect((await harness.fire("PermissionAsked", call("t"))).decision).toBe(expected[index]);
    }
  });

  it("Each surface fires synchronously: an answer that nobody waits for is there at once", () => {
    const { harness } = setUp();
    harness.registerSessionHook("user_prompt_submit", () => false);
    harness.registerToolHook({ deny: "no" });
    harness.registerStepHook("*", "audit", "PreStep", () => ({ deny: "no" }));
    for (const outcome of [
      harness.fire("UserPromptSubmit", { prompt: "hi" }),
      harness.fire("PreToolUse", call("t")),
      harness.fire("PreStep", { target: "p.audit", persona: "p", step: { name: "audit", args: null } }),
    ]) {
      expect(outcome).toMatchObject({ verdict: "block" });
    }
  });
});

describe("Tape capture", () => {
  const kinds = (records: readonly TapeRecord[]) => records.map(({ kind }) => kind);

  it("hook_call — payload + handler name, before the closure runs", async () => {
    const { harness, records } = setUp();
    let before: string[] = [];
    harness.registerSessionHook("user_prompt_submit", () => {
      before = kinds(records);
    });
    await harness.fire("UserPromptSubmit", { prompt: "hi" });
    expect(before).toEqual(["event", "hook_call"]);
    expect(records[1]).toMatchObject({
      kind: "hook_call",
      event: "UserPromptSubmit",
      hook: { handler: "session_hook::UserPromptSubmit" },
      payload: { event: "UserPromptSubmit", prompt: "hi", session: { id: "local" } },
    });
  });

  it.each([
    { returns: null, result: "allow" },
    { returns: true, result: "allow" },
    { returns: false, result: "block" },
    { returns: { block: true, reason: "no" }, result: "block" },
    { returns: { prompt: "rewritten" }, result: "modify" },
    { returns: { body: "note" }, result: "allow" },
  ])(
    "hook_returned — handler name + parsed control flow, after it runs: $returns is $result",
    async ({ returns, result }) => {
      const { harness, records } = setUp();
      harness.registerSessionHook("user_prompt_submit", (() => returns) as never);
      await harness.fire("UserPromptSubmit", { prompt: "hi" });
      const returned = records.find(
        (record): record is HookReturnedRecord & TapeRecord => record.kind === "hook_returned",
      );
      expect(returned).toMatchObject({ hook: { handler: "session_hook::UserPromptSubmit" }, result });
      const expected = [
        "event",
        "hook_call",
        "hook_returned",
        ...(result === "block" ? ["hook_vetoed"] : []),
        "outcome",
      ];
      expect(kinds(records)).toEqual(expected);
    },
  );

  it.each(["allow", "deny", "ask"] as const)(
    'hook_vetoed — emitted only when control flow is block or a permission decision: "%s"',
    async (decision) => {
      const { harness, records } = setUp();
      harness.registerSessionHook("permission_asked", () => ({ decision, reason: "because" }));
      await harness.fire("PermissionAsked", call("t"));
      expect(kinds(records)).toEqual(["event", "hook_call", "hook_returned", "hook_vetoed", "outcome"]);
      expect(records[2]).toMatchObject({ result: `decision_${decision}`, reason: "because" });
      expect(records[3]).toMatchObject({ decision, reason: "because", honoured: true });
      expect(records[4]).toMatchObject({ decision });
    },
  );

  it("Hook invocations are recorded on every surface, in the order they ran", async () => {
    const { harness, records } = setUp();
    harness.registerToolHook({ pattern: "exec_*", deny: "exec is gated" });
    harness.registerToolHook({ pattern: "fetch_*", pre: () => ({ body: "fetching" }) });
    harness.registerStepHook("merge_*", "audit", "PreStep", () => null);
    await harness.fire("PreToolUse", call("fetch_url"));
    await harness.fire("PreStep", { target: "merge_a.audit", persona: "merge_a", step: { name: "audit", args: null } });
    await harness.fire("PreToolUse", call("exec_root"));
    const handlers = records.flatMap((record) => (record.kind === "hook_call" ? [record.hook.handler] : []));
    expect(handlers).toEqual([
      "tool_hook::fetch_*::pre",
      "step_hook::merge_*.audit::PreStep",
      "tool_hook::exec_*::deny",
    ]);
    expect(records.map(({ seq }) => seq)).toEqual(records.map((_, index) => index));
    expect(records.filter(({ kind }) => kind === "outcome")).toMatchObject([
      { verdict: "allow", reminders: 1 },
      { verdict: "allow" },
      { verdict: "block", reason: "exec is gated" },
    ]);
  });

  it("each hook_call holds the payload that hook saw, rewrites included", async () => {
    const { harness, records } = setUp();
    harness.registerSessionHook("user_prompt_submit", () => ({ prompt: "rewritten" }));
    harness.registerSessionHook("user_prompt_submit", () => null);
    await harness.fire("UserPromptSubmit", { prompt: "hi" });
    const prompts = records.flatMap((record) =>
      record.kind === "event" || record.kind === "hook_call" ? [(record.payload as { prompt: string }).prompt] : [],
    );
    expect(prompts).toEqual(["hi", "hi", "rewritten"]);
  });

  it("a hook after a veto leaves no record: it did not run", async () => {
    const { harness, records } = setUp();
    harness.registerSessionHook("user_prompt_submit", () => false);
    harness.registerSessionHook("user_prompt_submit", () => null);
    await harness.fire("UserPromptSubmit", { prompt: "hi" });
    expect(kinds(records)).toEqual(["event", "hook_call", "hook_returned", "hook_vetoed", "outcome"]);
  });

  it("a hook that fails leaves hook_failed where its answer would stand", async () => {
    const { harness, records } = setUp();
    harness.registerSessionHook("user_prompt_submit", () => {
      throw new Error("boom");
    });
    await harness.fire("UserPromptSubmit", { prompt: "hi" });
    expect(kinds(records)).toEqual(["event", "hook_call", "hook_failed", "outcome"]);
    expect(records[2]).toMatchObject({ code: "HARN_E_HOOK_THREW", message: "threw: boom", on_error: "block" });
  });
});
