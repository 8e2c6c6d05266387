import { describe, expect, it } from "vitest";
import {
  createStack,
  fireOne,
  nameFor,
  type Row,
  type Summary,
  seenBy,
  summaryOf,
} from "../../../../test/conformance/harness.js";
import { bareSamples, eventOf, sampleOf, samples } from "../../../../test/conformance/samples.js";
import { catalogueNames, type EventName } from "../events.js";
import { markdown } from "./markdown.js";

const allowed = 'allow() | Pass through. Equivalent to {"action": "allow"}.';
const blocked = 'block(reason) | Reject. Equivalent to {"action": "block", "reason": "..."}.';
const modified =
  'modify(new_payload) | Rewrite the payload in place; downstream hooks and the underlying operation see the new value. Equivalent to {"action": "modify", "payload": {...}}.';
const anyOther = "Any other return (a string, a number, None) is treated as allow() with a runtime warning.";
const rejected = "The reason string is surfaced to the agent as the tool error / turn rejection message.";

const modify = (payload: unknown) => ({ action: "modify", payload });
const block = (reason: string) => ({ action: "block", reason });

const rows: Row[] = [
  { seed: allowed, event: "PreToolUse", returns: { action: "allow" }, expect: {} },
  { seed: allowed, event: "SessionStart", returns: { action: "allow" }, expect: {} },
  { seed: blocked, event: "PreToolUse", returns: block("no"), expect: { verdict: "block", reason: "no" } },
  {
    seed: 'return {"action": "block", "reason": "path traversal not allowed"}',
    event: "PreToolUse",
    returns: { action: "block", reason: "path traversal not allowed" },
    expect: { verdict: "block", reason: "path traversal not allowed" },
  },
  {
    seed: "a block without a reason is still a block",
    event: "PreToolUse",
    returns: { action: "block" },
    expect: { verdict: "block", reason: "PreToolUse hook blocked the operation" },
  },
  {
    seed: "a reason of blanks is no reason",
    event: "PreToolUse",
    returns: { action: "block", reason: " " },
    expect: { verdict: "block", reason: "PreToolUse hook blocked the operation" },
  },
  {
    seed: "a block without a reason is still a block",
    event: "PreToolUse",
    returns: { action: "block", reason: null },
    expect: { verdict: "block", reason: "PreToolUse hook blocked the operation" },
  },
  ...(
    [
      "TurnStart",
      "TurnEnd",
      "PreCompletion",
      "PostCompletion",
      "PostToolUse",
      "SubagentStart",
      "SubagentVerify",
      "SubagentStop",
      "Stop",
      "custom.deploy",
      "meta.tool_register",
    ] as const
  ).map((event): Row => ({ seed: rejected, event, returns: block("no"), expect: { verdict: "block", reason: "no" } })),
  {
    seed: "None — informational only.",
    event: "SessionStart",
    returns: block("no"),
    expect: { unhonoured: "no" },
  },
  { seed: "None — informational only.", event: "SessionEnd", returns: block("no"), expect: { unhonoured: "no" } },
  {
    seed: "error: an unrecoverable error surfaces in the agent loop",
    event: "SessionError",
    returns: block("no"),
    expect: { unhonoured: "no" },
  },
  {
    seed: 'modify({"args": new_args}) # rewrite the payload, then continue',
    event: "PreToolUse",
    returns: modify({ args: { command: "ls" } }),
    expect: { change: { command: "ls" } },
  },
];

/** The way back from a rewritten view to the one value the operation uses. */
const backRows: (Row & { what: string })[] = [
  {
    what: "the whole view with other args",
    event: "PreToolUse",
    returns: modify({
      id: "call_abc123",
      name: "run_command",
      arguments: '{"command":"ls -la"}',
      args: { command: "ls" },
    }),
    expect: { change: { command: "ls" } },
  },
  {
    what: "the raw arguments alone",
    event: "PreToolUse",
    returns: modify({ arguments: '{"command": "pwd"}' }),
    expect: { change: { command: "pwd" } },
  },
  {
    what: "args and arguments: the decoded dict is what counts",
    event: "PreToolUse",
    returns: modify({ arguments: '{"command": "pwd"}', args: { command: "ls" } }),
    expect: { change: { command: "ls" } },
  },
  { what: "nothing at all", event: "PreToolUse", returns: modify({}), expect: {} },
  { what: "the same args", event: "PreToolUse", returns: modify({ args: { command: "ls -la" } }), expect: {} },
  {
    what: "a key it may not change, unchanged",
    event: "PreToolUse",
    returns: modify({ name: "run_command", args: {} }),
    expect: { change: {} },
  },
  {
    what: "the content",
    event: "PostToolUse",
    returns: modify({ content: "[redacted]" }),
    // The structured value would still hold what the hook took out of the text.
    expect: { change: { text: "[redacted]", is_error: false } },
  },
  {
    what: "the decoded result",
    event: "PostToolUse",
    returns: modify({ result: { stdout: "x" } }),
    expect: { change: { text: '{"stdout":"x"}', value: { stdout: "x" }, is_error: false } },
  },
  {
    what: "content and result",
    event: "PostToolUse",
    returns: modify({ content: "short", result: { stdout: "x" } }),
    expect: { change: { text: "short", value: { stdout: "x" }, is_error: false } },
  },
  {
    what: "is_error",
    event: "PostToolUse",
    returns: modify({ is_error: true }),
    expect: { change: { ...samples.PostToolUse.result, is_error: true } },
  },
  {
    what: "the whole view with another content",
    event: "PostToolUse",
    returns: modify({
      call_id: "call_abc123",
      name: "run_command",
      content: "short",
      is_error: false,
      result: { stdout: "ok", exit_code: 0 },
    }),
    expect: { change: { text: "short", is_error: false } },
  },
  { what: "the message", event: "TurnStart", returns: modify("be brief"), expect: { change: "be brief" } },
  { what: "the text", event: "TurnEnd", returns: modify({ text: "short" }), expect: { change: "short" } },
  {
    what: "one key of the request",
    event: "PreCompletion",
    returns: modify({ model: "small" }),
    expect: { change: { ...samples.PreCompletion.request, model: "small" } },
  },
  {
    what: "a new key of the request",
    event: "PreCompletion",
    returns: modify({ temperature: 0 }),
    expect: { change: { ...samples.PreCompletion.request, temperature: 0 } },
  },
  {
    what: "one key of the response",
    event: "PostCompletion",
    returns: modify({ finish_reason: "length" }),
    expect: { change: { ...samples.PostCompletion.response, finish_reason: "length" } },
  },
  { what: "the prompt", event: "SubagentStart", returns: modify({ prompt: "x" }), expect: { change: "x" } },
  {
    what: "the result",
    event: "SubagentVerify",
    returns: modify({ result: "x" }),
    expect: { change: { text: "x", is_error: false } },
  },
  {
    what: "a structured result",
    event: "SubagentStop",
    returns: modify({ result: { ok: true } }),
    expect: { change: { text: '{"ok":true}', value: { ok: true }, is_error: false } },
  },
  { what: "the text", event: "Stop", returns: modify({ text: "x" }), expect: { change: "x" } },
  {
    what: "one key of the data",
    event: "custom.deploy",
    returns: modify({ dry_run: true }),
    expect: { change: { version: "1.2.3", dry_run: true } },
  },
  {
    what: "data that was no dict",
    event: "custom.deploy",
    payload: { data: "v1" },
    returns: modify("v2"),
    expect: { change: "v2" },
  },
].map((row) => ({ ...row, seed: modified }) as Row & { what: string });

/** What is no decision: it passes with a warning, and strict mode makes it a fault like any other. */
const notDecisions: { event: EventName; returns: unknown }[] = [
  ...[
    undefined,
    null,
    true,
    false,
    "",
    "block",
    42,
    10n,
    [],
    [{ action: "block" }],
    {},
    { reason: "no" },
    { deny: "no" },
    { block: true, reason: "no" },
    { decision: "deny" },
    { Action: "block" },
    { action: "deny", reason: "no" },
    { action: "Block", reason: "no" },
    { action: "" },
    { action: null },
    { action: 7 },
    { action: ["block"] },
    { effect: "block", reason: "no" },
  ].map((returns) => ({ event: "PreToolUse" as const, returns })),
  { event: "SessionStart", returns: undefined },
  { event: "TurnStart", returns: "just a text" },
  { event: "custom.deploy", returns: 42 },
];

/** A modify that cannot be done: nothing of it is applied. */
const badRewrites: { what: string; event: EventName; returns: unknown }[] = [
  { what: "no payload", event: "PreToolUse", returns: { action: "modify" } },
  { what: "a forbidden key", event: "PreToolUse", returns: modify({ name: "other_tool" }) },
  { what: "a forbidden key beside a good one", event: "PreToolUse", returns: modify({ id: "x", args: {} }) },
  { what: "an unknown key", event: "PreToolUse", returns: modify({ argz: {} }) },
  { what: "an unknown key beside a good one", event: "PreToolUse", returns: modify({ args: {}, extra: 1 }) },
  { what: "a payload that is no dict", event: "PreToolUse", returns: modify("ls") },
  { what: "a payload that is a list", event: "PreToolUse", returns: modify([{ args: {} }]) },
  { what: "arguments that are no JSON", event: "PreToolUse", returns: modify({ arguments: "{command: ls" }) },
  { what: "a forbidden key", event: "PostToolUse", returns: modify({ name: "other_tool" }) },
  { what: "an unknown key", event: "PostToolUse", returns: modify({ text: "x" }) },
  { what: "the calls, which already happened", event: "TurnEnd", returns: modify({ tool_calls: [] }) },
  { what: "the agent", event: "SubagentStart", returns: modify({ agent: "other" }) },
  { what: "the attempt", event: "SubagentVerify", returns: modify({ attempt: 0 }) },
  { what: "an event nobody can modify", event: "SessionStart", returns: modify({}) },
  { what: "an event nobody can modify", event: "SessionError", returns: modify({ message: "x" }) },
  { what: "an event nobody can modify", event: "meta.tool_register", returns: modify({ name: "x" }) },
];

/** A modify that is well made, and makes a payload its event cannot have: that gate stays closed. */
const unfitRewrites: { event: EventName; returns: unknown }[] = [
  { event: "PreToolUse", returns: modify({ args: "ls" }) },
  { event: "PreToolUse", returns: modify({ args: null }) },
  { event: "PreToolUse", returns: modify({ arguments: "[1]" }) },
  { event: "PostToolUse", returns: modify({ content: 7 }) },
  { event: "PostToolUse", returns: modify({ is_error: "no" }) },
  { event: "TurnStart", returns: modify({ prompt: "x" }) },
  { event: "TurnEnd", returns: modify({ text: null }) },
];

const ADVISORY: readonly EventName[] = ["SessionStart", "SessionEnd", "SessionError"];

function closed(event: EventName): Summary {
  return ADVISORY.includes(event) ? {} : { verdict: "block" };
}

describe("markdown: decisions", () => {
  it.each(rows)("$event <- $returns: $seed", async (row) => {
    for (const strict of [false, true]) {
      expect(summaryOf(await fireOne(markdown, row, { strict }))).toEqual(row.expect);
    }
    const later = { ...row, returns: Promise.resolve(row.returns) };
    expect(summaryOf(await fireOne(markdown, later))).toEqual(row.expect);
  });

  it.each(notDecisions)(`$event <- $returns: ${anyOther}`, async (row) => {
    const fired = await fireOne(markdown, row);
    expect(summaryOf(fired)).toEqual({ fault: "HARN_E_CONTRACT" });
    expect(fired.warnings).toHaveLength(1);
    expect(fired.records.map(({ kind }) => kind)).toEqual(["event", "hook_call", "hook_failed", "outcome"]);
    const strict = await fireOne(markdown, row, { strict: true });
    expect(summaryOf(strict)).toEqual({ ...closed(row.event), fault: "HARN_E_CONTRACT" });
  });

  // "Any other return" is a string, a number, None: a decision that says block is a block, whatever else it says.
  it.each([
    { action: "block", reason: "no", severity: "high" },
    { action: "block", reason: "no", payload: {} },
    { action: "block", reason: 42 },
    { action: "block", reason: ["a", "b"] },
    { action: "block", reson: "typo" },
  ])("a block is not undone by what stands beside it: %j", async (returns) => {
    for (const strict of [false, true]) {
      const { outcome } = await fireOne(markdown, { event: "PreToolUse", returns }, { strict });
      expect(outcome.verdict).toBe("block");
    }
  });
});

describe("markdown: the way back from a modified view", () => {
  it.each(backRows)("$event: $what", async (row) => {
    expect(summaryOf(await fireOne(markdown, row))).toEqual(row.expect);
  });

  it.each(badRewrites)("$event: $what is refused", async ({ event, returns }) => {
    for (const strict of [false, true]) {
      const fired = await fireOne(markdown, { event, returns }, { strict });
      expect(summaryOf(fired)).toEqual({ ...closed(event), fault: "HARN_E_MODIFY" });
      expect(fired.warnings).toHaveLength(1);
    }
  });

  it.each(unfitRewrites)("$event <- $returns does not fit the event", async ({ event, returns }) => {
    for (const strict of [false, true]) {
      const fired = await fireOne(markdown, { event, returns }, { strict });
      expect(summaryOf(fired)).toEqual({ verdict: "block", fault: "HARN_E_MODIFY" });
    }
  });

  // The handler did not throw, so the fault must not say that it did.
  it.each([
    { event: "PreToolUse", returns: modify({ args: { n: 10n } }) },
    { event: "PostToolUse", returns: modify({ result: 10n }) },
    { event: "PostToolUse", returns: modify({ result: { n: 10n } }) },
    { event: "SubagentStop", returns: modify({ result: { n: 10n } }) },
  ] as const)("$event <- $returns is not JSON", async ({ event, returns }) => {
    const fired = await fireOne(markdown, { event, returns });
    expect(summaryOf(fired)).toEqual({ verdict: "block", fault: "HARN_E_PAYLOAD_JSON" });
  });

  const rewritable = catalogueNames.map(eventOf).filter((event) => {
    const isNamed = /\./.test(event) || markdown.names[event as keyof typeof markdown.names].length > 0;
    return isNamed && !ADVISORY.includes(event) && !event.startsWith("meta.");
  });

  it.each(
    rewritable.flatMap((event) => [
      { event, kind: "every field", from: samples },
      { event, kind: "only the fields it must have", from: bareSamples },
    ]),
  )("$event with $kind: a view returned as it came changes nothing", async ({ event, from }) => {
    const stack = createStack(markdown);
    stack.add(nameFor(markdown, event), (view: unknown) => modify(view));
    expect(summaryOf(await stack.fire(event, sampleOf(event, from)))).toEqual({});
  });

  it("a result that has both a text and a value keeps its text when the view comes back as it was", async () => {
    const payload = {
      subagent: { name: "reviewer" },
      result: { text: "three findings", value: { findings: 3 }, is_error: false },
    };
    const stack = createStack(markdown);
    stack.add("delegation.post", (view: unknown) => modify(view));
    expect(summaryOf(await stack.fire("SubagentStop", payload))).toEqual({});
  });
});

describe("markdown: what a handler sees", () => {
  const views: { seed: string; event: EventName; payload?: object; view: unknown }[] = [
    {
      seed: '# tool.pre {"id", "name", "arguments": raw JSON string from the model, "args": decoded dict}',
      event: "PreToolUse",
      view: {
        id: "call_abc123",
        name: "run_command",
        arguments: '{"command":"ls -la"}',
        args: { command: "ls -la" },
      },
    },
    {
      seed: '# tool.post {"call_id", "name", "content": JSON-encoded tool return value, "is_error", "result": decoded dict}',
      event: "PostToolUse",
      view: {
        call_id: "call_abc123",
        name: "run_command",
        content: '{"stdout":"ok","exit_code":0}',
        is_error: false,
        result: { stdout: "ok", exit_code: 0 },
      },
    },
    {
      seed: '"result": decoded dict, decoded from the content where the host gave none',
      event: "PostToolUse",
      payload: { tool: { name: "t", args: {} }, result: { text: '{"a": [1]}', is_error: false } },
      view: { call_id: "", name: "t", content: '{"a": [1]}', is_error: false, result: { a: [1] } },
    },
    {
      seed: '"result": decoded dict, as the host gave it where the content is not its encoding',
      event: "PostToolUse",
      payload: { tool: { name: "t", args: {} }, result: { text: "three findings", value: { n: 3 }, is_error: false } },
      view: { call_id: "", name: "t", content: "three findings", is_error: false, result: { n: 3 } },
    },
    {
      seed: "a content that is no JSON is its own result",
      event: "PostToolUse",
      payload: { tool: { name: "t", args: {} }, result: { text: "plain", is_error: true } },
      view: { call_id: "", name: "t", content: "plain", is_error: true, result: "plain" },
    },
    { seed: '# turn.start "the user message text"', event: "TurnStart", view: "the user message text" },
    {
      seed: '# turn.end {"text", "tool_calls": [{"name", "args"}], "usage": {"input_tokens", "output_tokens"}}',
      event: "TurnEnd",
      payload: {
        text: "final assistant message",
        tool_calls: [{ name: "run_command", args: { command: "ls" } }],
        usage: { input_tokens: 1234, output_tokens: 567 },
      },
      view: {
        text: "final assistant message",
        tool_calls: [{ name: "run_command", args: { command: "ls" } }],
        usage: { input_tokens: 1234, output_tokens: 567 },
      },
    },
    {
      seed: "log.info(msg) / log.warn(msg) | Structured logs that flow into turn.end payloads.",
      event: "TurnEnd",
      payload: { text: "done", logs: [{ level: "warn", message: "x" }] },
      view: { text: "done", tool_calls: [], logs: [{ level: "warn", message: "x" }] },
    },
    { seed: "session.start | None — informational only.", event: "SessionStart", view: null },
    { seed: "session.end | None — informational only.", event: "SessionEnd", view: null },
    {
      seed: "completion.pre | Provider request object (model, messages, tools).",
      event: "PreCompletion",
      view: samples.PreCompletion.request,
    },
    {
      seed: "completion.post | Provider response (choices, usage, finish_reason).",
      event: "PostCompletion",
      view: samples.PostCompletion.response,
    },
    {
      seed: "delegation.pre | {agent, prompt, depth, ...}.",
      event: "SubagentStart",
      view: { agent: "reviewer", prompt: "review it", depth: 1 },
    },
    {
      seed: "delegation.post | {agent, result, depth, ...}.",
      event: "SubagentStop",
      view: { agent: "reviewer", result: "looks good", depth: 1 },
    },
    {
      seed: "delegation.post_verify | Same shape as delegation.post plus attempt count.",
      event: "SubagentVerify",
      view: { agent: "reviewer", result: "looks good", depth: 1, attempt: 1 },
    },
    {
      seed: "error | Error envelope.",
      event: "SessionError",
      view: { message: "the provider hung up", name: "ProviderError", code: "E_PROVIDER" },
    },
    {
      seed: "agent.stop (#104): loop-exit decisions",
      event: "Stop",
      view: { text: "I am done", finish_reason: "stop", iteration: 4 },
    },
    {
      seed: 'events.emit("custom.my_event", payload)',
      event: "custom.my_event",
      payload: { data: { a: 1 } },
      view: { a: 1 },
    },
    {
      seed: "meta.* — meta built-in events fired by self-augmenting agents",
      event: "meta.tool_register",
      view: { name: "new_tool" },
    },
  ];

  it.each(views)("$event: $seed", async ({ event, payload, view }) => {
    expect(await seenBy(markdown, event, payload)).toEqual(view);
  });

  it("every event it has a name for is in this table", () => {
    const named = catalogueNames.filter((row) => markdown.names[row].length > 0).map(eventOf);
    const shown = new Set(views.map(({ event }) => event));
    expect(named.filter((event) => !shown.has(event) && event !== "custom.deploy")).toEqual([]);
  });

  it("after a modify the raw arguments and the decoded ones still say the same", async () => {
    const stack = createStack(markdown);
    let seen: { arguments?: string; args?: unknown } = {};
    stack.add("tool.pre", () => modify({ args: { command: "ls" } }));
    stack.add("tool.pre", (view: typeof seen) => {
      seen = view;
      return { action: "allow" };
    });
    await stack.fire("PreToolUse");
    expect(seen.args).toEqual({ command: "ls" });
    expect(JSON.parse(seen.arguments ?? "")).toEqual({ command: "ls" });
  });
});

describe("markdown: names", () => {
  it.each(["custom.my_event", "custom.a1", "custom._", "custom.0"])(
    "%s: anything matching ^custom\\.[a-z0-9_]+$ validates",
    (name) => {
      expect(markdown.resolve(name)).toEqual({ event: name });
    },
  );

  it.each(["meta.tool_register", "meta.hook_register"])("%s: a meta built-in event", (name) => {
    expect(markdown.resolve(name)).toEqual({ event: name });
  });

  it("a custom event reaches the hooks of its own name only", async () => {
    const stack = createStack(markdown);
    stack.add("custom.deploy", () => block("no"));
    expect((await stack.fire("custom.deploy")).outcome.verdict).toBe("block");
    expect((await stack.fire("custom.deploy_done")).outcome.verdict).toBe("allow");
  });
});

describe("markdown: faults", () => {
  const boom = () => {
    throw new Error("boom");
  };

  it("a handler that throws is no bad return: it closes a gate", async () => {
    for (const strict of [false, true]) {
      const stack = createStack(markdown, { strict });
      stack.add("tool.pre", boom);
      const fired = await stack.fire("PreToolUse");
      expect(summaryOf(fired)).toEqual({ verdict: "block", fault: "HARN_E_HOOK_THREW" });
      expect(fired.warnings).toHaveLength(1);
    }
  });

  it("a handler that never settles closes a gate", async () => {
    const stack = createStack(markdown);
    stack.add("tool.pre", () => new Promise(() => {}), { timeout_ms: 30 });
    expect(summaryOf(await stack.fire("PreToolUse"))).toEqual({ verdict: "block", fault: "HARN_E_HOOK_TIMEOUT" });
  });

  it("an observer that throws stops nothing", async () => {
    const stack = createStack(markdown, { strict: true });
    stack.add("session.start", boom);
    expect(summaryOf(await stack.fire("SessionStart"))).toEqual({ fault: "HARN_E_HOOK_THREW" });
  });

  it.each([
    { strict: false, verdict: "allow" },
    { strict: true, verdict: "block" },
  ])(
    "If `when` raises an exception, the hook is non-matching and a warning is logged; strict $strict: $verdict",
    async ({ strict, verdict }) => {
      const stack = createStack(markdown, { strict });
      let ran = 0;
      const handle = () => {
        ran += 1;
        return block("it ran");
      };
      stack.add("tool.pre", handle, { when: boom });
      const fired = await stack.fire("PreToolUse");
      expect(ran).toBe(0);
      expect(fired.outcome.verdict).toBe(verdict);
      expect(fired.outcome.faults.map(({ error }) => error.code)).toEqual(["HARN_E_WHEN"]);
      expect(fired.warnings).toHaveLength(1);
      expect(fired.records.map(({ kind }) => kind)).toEqual(["event", "hook_failed", "outcome"]);
    },
  );

  it.each(["allow", "block"] as const)("on_error %s outranks the dialect and strict mode", async (on_error) => {
    for (const strict of [false, true]) {
      const stack = createStack(markdown, { strict });
      stack.add("tool.pre", () => 42, { on_error });
      expect((await stack.fire("PreToolUse")).outcome.verdict).toBe(on_error);
    }
  });
});
