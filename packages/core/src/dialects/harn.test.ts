import { describe, expect, it } from "vitest";
import { createStack, fireOne, type Row, summaryOf } from "../../../../test/conformance/harness.js";
import { samples } from "../../../../test/conformance/samples.js";
import { allow, ask, block, modify, remind, stop } from "../effect.js";
import { HookFaultError } from "../errors.js";
import type { EventName } from "../events.js";
import { harn } from "./harn.js";

const tool = "PreToolUse returns {deny: reason} to refuse the call or {args: replacement} to rewrite the arguments";
const post = "PostToolUse returns a string or {result: replacement} to rewrite the result";
const steps = "both can deny via {deny: reason} or rewrite via {args} / {output}";
const spec =
  "The reminder spec uses the same keys as transcript.inject_reminder: body, tags, dedupe_key, ttl_turns, preserve_on_compact, propagate, and role_hint";
const ack = "nil or true | Allow / advisory acknowledgment";
const no = "false | Veto (same as {block: true})";
const veto = "{block: true, reason: ...} | Veto";
const permission =
  '{decision: "allow"|"deny"|"ask", reason?: ...} | Permission short-circuit (only honoured for permission_asked)';
const reminder =
  "{reminder: {...}, then?: ...} | Inject a system_reminder, then apply the optional inner control/action";
const bare = '{body: "...", tags?: [...], dedupe_key?: ...} | Inject a reminder and otherwise allow/pass';
const list =
  "[{reminder: {...}}, ...] | Session hook effect list; reminders are injected in order and deduped by dedupe_key";
const loud = "Any other return shape raises a runtime error so misuse fails loudly";
/** The page of the seed, generalised by the constructors and the events the other seeds bring. */
const constructors = "or the constructors of @hooks/core (allow() block() ask() modify() remind() stop())";
const rewrites = "modify is sequential: the next hook and the operation see it";
const advisory = "a veto on an advisory event is recorded, has no effect, does not stop the chain";

const args = { command: "ls" };

const rows: Row[] = [
  { seed: ack, event: "PreToolUse", returns: undefined, expect: {} },
  { seed: ack, event: "PreToolUse", returns: null, expect: {} },
  { seed: ack, event: "PreToolUse", returns: true, expect: {} },
  { seed: ack, event: "SessionStart", returns: true, expect: {} },
  { seed: ack, event: "PermissionAsked", returns: null, expect: {} },

  {
    seed: no,
    event: "PreToolUse",
    returns: false,
    expect: { verdict: "block", reason: "PreToolUse hook returned false" },
  },
  {
    seed: no,
    event: "UserPromptSubmit",
    returns: false,
    expect: { verdict: "block", reason: "UserPromptSubmit hook returned false" },
  },
  {
    seed: no,
    event: "PermissionAsked",
    returns: false,
    expect: { verdict: "block", decision: "deny", reason: "PermissionAsked hook returned false" },
  },
  {
    seed: advisory,
    event: "SessionStart",
    returns: false,
    expect: { unhonoured: "SessionStart hook returned false" },
  },

  {
    seed: veto,
    event: "PreToolUse",
    returns: { block: true, reason: "no" },
    expect: { verdict: "block", reason: "no" },
  },
  {
    seed: "{block: true} skips this compaction pass",
    event: "PreCompact",
    returns: { block: true },
    expect: { verdict: "block", reason: "PreCompact hook blocked the operation" },
  },
  {
    seed: veto,
    event: "UserPromptSubmit",
    returns: { block: true, reason: null },
    expect: { verdict: "block", reason: "UserPromptSubmit hook blocked the operation" },
  },
  {
    seed: veto,
    event: "PermissionAsked",
    returns: { block: true, reason: "never" },
    expect: { verdict: "block", decision: "deny", reason: "never" },
  },
  {
    seed: "a reason of blanks is no reason",
    event: "UserPromptSubmit",
    returns: { block: true, reason: " " },
    expect: { verdict: "block", reason: "UserPromptSubmit hook blocked the operation" },
  },
  {
    seed: "a reason of blanks is no reason",
    event: "PermissionAsked",
    returns: { decision: "deny", reason: "" },
    expect: { verdict: "block", decision: "deny", reason: "decision=deny" },
  },
  { seed: "{block: false} vetoes nothing", event: "PreToolUse", returns: { block: false }, expect: {} },
  { seed: advisory, event: "FileEdited", returns: { block: true, reason: "no" }, expect: { unhonoured: "no" } },
  { seed: advisory, event: "PostToolUseFailure", returns: { block: true, reason: "no" }, expect: { unhonoured: "no" } },

  { seed: tool, event: "PreToolUse", returns: { deny: "gated" }, expect: { verdict: "block", reason: "gated" } },
  { seed: tool, event: "PreToolUse", returns: { args }, expect: { change: args } },
  { seed: tool, event: "PreToolUse", returns: { args: {} }, expect: { change: {} } },
  {
    seed: "the same arguments rewrite nothing",
    event: "PreToolUse",
    returns: { args: { command: "ls -la" } },
    expect: {},
  },

  { seed: post, event: "PostToolUse", returns: "short", expect: { change: { text: "short", is_error: false } } },
  { seed: post, event: "PostToolUse", returns: "", expect: { change: { text: "", is_error: false } } },
  { seed: post, event: "PostToolUse", returns: { result: "x" }, expect: { change: { text: "x", is_error: false } } },
  {
    seed: post,
    event: "PostToolUse",
    returns: { result: { stdout: "[redacted]" } },
    expect: { change: { text: '{"stdout":"[redacted]"}', value: { stdout: "[redacted]" }, is_error: false } },
  },
  {
    seed: post,
    event: "PostToolUse",
    returns: { result: null },
    expect: { change: { text: "null", value: null, is_error: false } },
  },
  {
    seed: post,
    event: "PostToolUseFailure",
    returns: "it failed",
    expect: { change: { text: "it failed", is_error: true } },
  },
  {
    seed: post,
    event: "PostToolUseFailure",
    returns: { result: "it failed" },
    expect: { change: { text: "it failed", is_error: true } },
  },
  {
    seed: "a hook that cuts a result says how much of it is gone",
    event: "PostToolUse",
    returns: { result: "x", dropped: 5 },
    expect: { change: { text: "x", is_error: false, dropped: 5 } },
  },
  {
    seed: "a block withholds the result",
    event: "PostToolUse",
    returns: { deny: "secret" },
    expect: { verdict: "block", reason: "secret" },
  },

  { seed: steps, event: "PreStep", returns: { deny: "no" }, expect: { verdict: "block", reason: "no" } },
  { seed: steps, event: "PreStep", returns: { args: ["dev"] }, expect: { change: ["dev"] } },
  { seed: steps, event: "PreStep", returns: { args: { branch: "dev" } }, expect: { change: { branch: "dev" } } },
  { seed: steps, event: "PostStep", returns: { output: { ok: false } }, expect: { change: { ok: false } } },
  { seed: steps, event: "PostStep", returns: { output: "text" }, expect: { change: "text" } },
  { seed: advisory, event: "PostStep", returns: { deny: "too late" }, expect: { unhonoured: "too late" } },
  ...(
    ["OnApprovalRequested", "OnHandoffEmitted", "OnPersonaPaused", "OnPersonaResumed", "OnBudgetThreshold"] as const
  ).map((event): Row => ({ seed: advisory, event, returns: { deny: "no" }, expect: { unhonoured: "no" } })),

  {
    seed: permission,
    event: "PermissionAsked",
    returns: { decision: "allow", reason: "ci" },
    expect: { decision: "allow", reason: "ci" },
  },
  {
    seed: permission,
    event: "PermissionAsked",
    returns: { decision: "allow" },
    expect: { decision: "allow", reason: "decision=allow" },
  },
  {
    seed: permission,
    event: "PermissionAsked",
    returns: { decision: "deny", reason: "never" },
    expect: { verdict: "block", decision: "deny", reason: "never" },
  },
  {
    seed: permission,
    event: "PermissionAsked",
    returns: { decision: "deny" },
    expect: { verdict: "block", decision: "deny", reason: "decision=deny" },
  },
  {
    seed: permission,
    event: "PermissionAsked",
    returns: { decision: "ask", reason: "sure?" },
    expect: { verdict: "ask", decision: "ask", reason: "sure?" },
  },

  { seed: reminder, event: "PreToolUse", returns: { reminder: { body: "a" } }, expect: { reminders: ["a"] } },
  { seed: reminder, event: "SessionStart", returns: { reminder: { body: "a" } }, expect: { reminders: ["a"] } },
  { seed: reminder, event: "PermissionAsked", returns: { reminder: { body: "a" } }, expect: { reminders: ["a"] } },
  {
    seed: reminder,
    event: "PreToolUse",
    returns: { reminder: { body: "a" }, then: { args } },
    expect: { reminders: ["a"], change: args },
  },
  {
    seed: reminder,
    event: "PreToolUse",
    returns: { reminder: { body: "a" }, then: null },
    expect: { reminders: ["a"] },
  },
  {
    seed: reminder,
    event: "PreToolUse",
    returns: { reminder: { body: "a" }, then: true },
    expect: { reminders: ["a"] },
  },
  {
    seed: "reminders are applied in order, also when the verdict is a block",
    event: "PreToolUse",
    returns: { reminder: { body: "a" }, then: { deny: "no" } },
    expect: { reminders: ["a"], verdict: "block", reason: "no" },
  },
  {
    seed: reminder,
    event: "UserPromptSubmit",
    returns: { reminder: { body: "a" }, then: false },
    expect: { reminders: ["a"], verdict: "block", reason: "UserPromptSubmit hook returned false" },
  },
  {
    seed: reminder,
    event: "PostToolUse",
    returns: { reminder: { body: "a" }, then: "short" },
    expect: { reminders: ["a"], change: { text: "short", is_error: false } },
  },
  {
    seed: reminder,
    event: "PermissionAsked",
    returns: { reminder: { body: "a" }, then: { decision: "allow", reason: "ok" } },
    expect: { reminders: ["a"], decision: "allow", reason: "ok" },
  },
  {
    seed: reminder,
    event: "PreToolUse",
    returns: { reminder: { body: "a" }, then: { reminder: { body: "b" }, then: { body: "c" } } },
    expect: { reminders: ["a", "b", "c"] },
  },

  {
    seed: bare,
    event: "SessionStart",
    returns: { body: "a", tags: ["t"], dedupe_key: "k" },
    expect: { reminders: ["a"] },
  },
  { seed: bare, event: "PreToolUse", returns: { body: "a" }, expect: { reminders: ["a"] } },
  {
    seed: spec,
    event: "PreToolUse",
    returns: {
      body: "a",
      tags: ["t"],
      dedupe_key: "k",
      ttl_turns: 2,
      preserve_on_compact: true,
      propagate: "all",
      role_hint: "developer",
    },
    expect: { reminders: ["a"] },
  },

  { seed: list, event: "SessionStart", returns: [], expect: {} },
  {
    seed: list,
    event: "PostTurn",
    returns: [{ reminder: { body: "a" } }, { reminder: { body: "b" } }],
    expect: { reminders: ["a", "b"] },
  },
  {
    seed: list,
    event: "PostTurn",
    returns: [
      { reminder: { body: "old", dedupe_key: "k" } },
      { reminder: { body: "b" } },
      { reminder: { body: "new", dedupe_key: "k" } },
    ],
    expect: { reminders: ["b", "new"] },
  },

  { seed: constructors, event: "PreToolUse", returns: allow(), expect: {} },
  { seed: constructors, event: "PreToolUse", returns: block("no"), expect: { verdict: "block", reason: "no" } },
  { seed: constructors, event: "PreToolUse", returns: ask("sure?"), expect: { verdict: "ask", reason: "sure?" } },
  { seed: constructors, event: "PreToolUse", returns: modify({ args }), expect: { change: args } },
  { seed: constructors, event: "PreToolUse", returns: remind({ body: "a" }), expect: { reminders: ["a"] } },
  {
    seed: constructors,
    event: "PreToolUse",
    returns: remind({ body: "a" }, remind({ body: "b" }, block("no"))),
    expect: { reminders: ["a", "b"], verdict: "block", reason: "no" },
  },
  { seed: constructors, event: "PreToolUse", returns: stop(), expect: { stop: true } },
  {
    seed: constructors,
    event: "PreToolUse",
    returns: stop("enough", modify({ args })),
    expect: { stop: true, change: args },
  },
  {
    seed: constructors,
    event: "PostToolUse",
    returns: stop("enough", "short"),
    expect: { stop: true, change: { text: "short", is_error: false } },
  },
  { seed: advisory, event: "SessionEnd", returns: block("no"), expect: { unhonoured: "no" } },

  { seed: rewrites, event: "UserPromptSubmit", returns: { prompt: "new" }, expect: { change: "new" } },
  { seed: rewrites, event: "TurnStart", returns: { prompt: "new" }, expect: { change: "new" } },
  { seed: rewrites, event: "TurnEnd", returns: modify({ text: "new" }), expect: { change: "new" } },
  { seed: rewrites, event: "PreCompletion", returns: { request: { model: "s" } }, expect: { change: { model: "s" } } },
  { seed: rewrites, event: "PostCompletion", returns: { response: { n: 1 } }, expect: { change: { n: 1 } } },
  { seed: rewrites, event: "SubagentStart", returns: { prompt: "new" }, expect: { change: "new" } },
  {
    seed: rewrites,
    event: "SubagentVerify",
    returns: { result: "new" },
    expect: { change: { text: "new", is_error: false } },
  },
  {
    seed: rewrites,
    event: "SubagentStop",
    returns: { result: "new" },
    expect: { change: { text: "new", is_error: false } },
  },
  { seed: rewrites, event: "Stop", returns: { text: "new" }, expect: { change: "new" } },
  { seed: rewrites, event: "custom.deploy", returns: { data: { v: 2 } }, expect: { change: { v: 2 } } },
  { seed: veto, event: "custom.deploy", returns: { deny: "no" }, expect: { verdict: "block", reason: "no" } },
  { seed: veto, event: "meta.tool_register", returns: { deny: "no" }, expect: { verdict: "block", reason: "no" } },
  ...(
    [
      "UserPromptSubmit",
      "TurnStart",
      "TurnEnd",
      "PreCompletion",
      "PostCompletion",
      "PreToolUse",
      "PostToolUse",
      "PreCompact",
      "SubagentStart",
      "SubagentVerify",
      "SubagentStop",
      "Stop",
      "PreStep",
    ] as const
  ).map((event): Row => ({ seed: veto, event, returns: block("no"), expect: { verdict: "block", reason: "no" } })),
];

/** What may not be returned: a gate is closed by it, an observer is passed over, and a person hears of both. */
interface Refused {
  seed: string;
  event: EventName;
  returns: unknown;
  code?: string;
}

function nested(depth: number): unknown {
  return depth === 0 ? true : { reminder: { body: `${depth}` }, then: nested(depth - 1) };
}

const cycle: Record<string, unknown> = {};
cycle.self = cycle;

const refused: Refused[] = [
  ...[
    "text",
    "",
    0,
    1,
    42,
    Number.NaN,
    10n,
    Symbol("x"),
    () => true,
    {},
    new Date(0),
    new Map([["deny", "no"]]),
    { unknown: 1 },
    { Deny: "capital" },
    { allow: true },
    { reason: "bare" },
    { action: "block", reason: "another dialect" },
    { exit_code: 2, stdout: "", stderr: "" },
    { updatedInput: {} },
    { deny: "" },
    { deny: "  " },
    { deny: 7 },
    { deny: true },
    { deny: null },
    { deny: "no", args: {} },
    { deny: "no", reason: "twice" },
    { block: "yes" },
    { block: 1 },
    { block: null },
    { block: true, reason: 5 },
    { block: true, reson: "typo" },
    { block: true, args: {} },
    { args: {}, extra: 1 },
    { result: "of another event" },
    { output: "of another event" },
    { prompt: "of another event" },
    { decision: "deny", reason: "only PermissionAsked takes one" },
    { reminder: { body: "a" }, than: true },
    { reminder: { body: "a" }, deny: "no" },
    { reminder: { body: "a" }, then: 42 },
    { reminder: { body: "a" }, then: { result: "of another event" } },
    [false],
    [null],
    ["text"],
    [{ body: "not wrapped" }],
    [{ deny: "no" }],
    [{ reminder: { body: "a" }, then: true }],
    [[{ reminder: { body: "a" } }]],
    nested(40),
    { effect: "blok" },
    { effect: 7 },
    { effect: "allow", extra: 1 },
    { effect: "block" },
    { effect: "block", reason: "" },
    { effect: "ask", reason: 7 },
    { effect: "modify" },
    { effect: "modify", change: "text" },
    { effect: "modify", change: { argz: {} } },
    { effect: "modify", change: { args: {}, name: "other" } },
    { effect: "stop", reason: 7 },
    { effect: "stop", then: 42 },
  ].map((returns): Refused => ({ seed: loud, event: "PreToolUse", returns })),
  { seed: post, event: "PostToolUse", returns: { args: {} } },
  { seed: post, event: "PostToolUse", returns: { result: "x", extra: 1 } },
  { seed: post, event: "PostToolUse", returns: { dropped: 5 } },
  { seed: post, event: "PostToolUse", returns: { result: "x", dropped: -1 } },
  { seed: post, event: "PostToolUse", returns: { result: "x", dropped: "5" } },
  { seed: tool, event: "PreToolUse", returns: { args: {}, dropped: 5 } },
  { seed: post, event: "PostToolUse", returns: 42 },
  { seed: steps, event: "PreStep", returns: { output: 1 } },
  { seed: steps, event: "PreStep", returns: "Allow" },
  { seed: steps, event: "PostStep", returns: { args: [] } },
  { seed: steps, event: "PostStep", returns: "Pass" },
  { seed: permission, event: "PermissionAsked", returns: { decision: "maybe" } },
  { seed: permission, event: "PermissionAsked", returns: { decision: null } },
  { seed: permission, event: "PermissionAsked", returns: { decision: "deny", reason: 7 } },
  { seed: permission, event: "PermissionAsked", returns: { decision: "deny", raison: "typo" } },
  { seed: permission, event: "UserPromptSubmit", returns: { decision: "deny" } },
  { seed: permission, event: "PermissionReplied", returns: { decision: "deny" } },
  { seed: loud, event: "SessionStart", returns: "text" },
  { seed: loud, event: "SessionStart", returns: 42 },
  { seed: loud, event: "SessionStart", returns: { args: {} } },
  { seed: loud, event: "FileEdited", returns: { queued: "job-7" } },
  { seed: "Advisory events honour reminders only", event: "SessionStart", returns: modify({ prompt: "x" }) },
  { seed: "stop belongs to tools", event: "TurnStart", returns: stop() },
  { seed: "stop belongs to tools", event: "SessionEnd", returns: stop() },
  { seed: "only PreToolUse can be asked about", event: "UserPromptSubmit", returns: ask("sure?") },
  { seed: "only PreToolUse can be asked about", event: "PostToolUse", returns: ask("sure?") },
  { seed: "meta.* cannot be modified", event: "meta.tool_register", returns: { data: {} } },
  ...[
    { body: "" },
    { body: "  " },
    { body: 7 },
    { body: "a", deny: "no" },
    { body: "a", tags: "t" },
    { body: "a", tags: [""] },
    { body: "a", dedupe_key: 7 },
    { body: "a", ttl_turns: 0 },
    { body: "a", ttl_turns: 1.5 },
    { body: "a", preserve_on_compact: "yes" },
    { body: "a", propagate: "everyone" },
    { body: "a", role_hint: "boss" },
    { body: "a", ttl: 1 },
    { reminder: "a" },
    { reminder: {} },
    { reminder: { body: "a", bodyy: "b" } },
    [{ reminder: { body: "" } }],
  ].map((returns): Refused => ({ seed: spec, event: "PreToolUse", returns, code: "HARN_E_REMINDER" })),
  { seed: tool, event: "PreToolUse", returns: { args: "ls" }, code: "HARN_E_MODIFY" },
  { seed: tool, event: "PreToolUse", returns: { args: null }, code: "HARN_E_MODIFY" },
  { seed: tool, event: "PreToolUse", returns: { args: ["ls"] }, code: "HARN_E_MODIFY" },
  { seed: rewrites, event: "UserPromptSubmit", returns: { prompt: 7 }, code: "HARN_E_MODIFY" },
  { seed: tool, event: "PreToolUse", returns: { args: { f: () => 1 } }, code: "HARN_E_PAYLOAD_JSON" },
  { seed: tool, event: "PreToolUse", returns: { args: { n: 10n } }, code: "HARN_E_PAYLOAD_JSON" },
  { seed: tool, event: "PreToolUse", returns: { args: { d: new Date(0) } }, code: "HARN_E_PAYLOAD_JSON" },
  { seed: tool, event: "PreToolUse", returns: { args: cycle }, code: "HARN_E_PAYLOAD_LIMIT" },
  { seed: post, event: "PostToolUse", returns: { result: 10n }, code: "HARN_E_PAYLOAD_JSON" },
  { seed: post, event: "PostToolUse", returns: { result: { n: 10n } }, code: "HARN_E_PAYLOAD_JSON" },
  { seed: post, event: "PostToolUse", returns: { result: cycle }, code: "HARN_E_PAYLOAD_LIMIT" },
];

const ADVISORY: readonly EventName[] = [
  "PostStep",
  "PermissionReplied",
  "SessionStart",
  "SessionEnd",
  "FileEdited",
  "PostToolUseFailure",
];

describe("harn: what a handler may return", () => {
  it.each(rows)("$event <- $returns: $seed", async (row) => {
    expect(summaryOf(await fireOne(harn, row))).toEqual(row.expect);
    const later = { ...row, returns: Promise.resolve(row.returns) };
    expect(summaryOf(await fireOne(harn, later))).toEqual(row.expect);
  });

  it("a reminder has its defaults filled in", async () => {
    const { outcome } = await fireOne(harn, { event: "PreToolUse", returns: { body: "a", tags: ["t", "t"] } });
    expect(outcome.reminders).toEqual([
      {
        body: "a",
        tags: ["t"],
        dedupe_key: null,
        ttl_turns: null,
        preserve_on_compact: false,
        propagate: "session",
        role_hint: "system",
      },
    ]);
  });
});

describe("harn: what a handler may not return", () => {
  it.each(refused)("$event <- $returns: $seed", async ({ event, returns, code = "HARN_E_CONTRACT" }) => {
    for (const strict of [false, true]) {
      const fired = await fireOne(harn, { event, returns }, { strict });
      const closed = ADVISORY.includes(event) ? {} : { verdict: "block" };
      const denied = event === "PermissionAsked" ? { decision: "deny" } : {};
      expect(summaryOf(fired)).toEqual({ ...closed, ...denied, fault: code });
      expect(fired.warnings.map(({ error }) => error?.code)).toEqual([code]);
    }
  });

  it("nesting is bounded, not forbidden", async () => {
    const { outcome } = await fireOne(harn, { event: "PreToolUse", returns: nested(32) });
    expect(outcome.reminders).toHaveLength(32);
  });
});

describe("harn: names", () => {
  const spellings = [
    ["session_start", "SessionStart"],
    ["session_end", "SessionEnd"],
    ["user_prompt_submit", "UserPromptSubmit"],
    ["pre_compact", "PreCompact"],
    ["post_compact", "PostCompact"],
    ["post_turn", "PostTurn"],
    ["permission_asked", "PermissionAsked"],
    ["permission_replied", "PermissionReplied"],
    ["file_edited", "FileEdited"],
    ["session_error", "SessionError"],
    ["session_idle", "SessionIdle"],
    ["pre_finish", "PreFinish"],
    ["on_unsettled_detected", "OnUnsettledDetected"],
    ["post_finish", "PostFinish"],
  ];

  it.each(spellings)("%s and %s are one event", (snake, pascal) => {
    expect(harn.resolve(snake)).toEqual({ event: pascal });
    expect(harn.resolve(pascal)).toEqual({ event: pascal });
  });

  it.each(["custom.deploy", "custom.a_1", "custom.0", "meta.tool_register", "meta.hook_register"])(
    "%s is an event",
    (name) => {
      expect(harn.resolve(name)).toEqual({ event: name });
    },
  );

  it.each([
    ["OnBudgetThreshold(80)", 80],
    ["OnBudgetThreshold( 80 )", 80],
    ["OnBudgetThreshold(99.5)", 99.5],
    ["OnBudgetThreshold(0)", 0],
  ])("%s carries its percentage", (name, threshold) => {
    expect(harn.resolve(name)).toEqual({ event: "OnBudgetThreshold", threshold });
  });
});

describe("harn: OnBudgetThreshold(pct)", () => {
  it.each([
    { name: "OnBudgetThreshold(80)", pct: 79.9, fires: false },
    { name: "OnBudgetThreshold(80)", pct: 80, fires: true },
    { name: "OnBudgetThreshold(80)", pct: 95, fires: true },
    { name: "OnBudgetThreshold(80)", pct: undefined, fires: false },
    { name: "OnBudgetThreshold(0)", pct: undefined, fires: false },
    { name: "OnBudgetThreshold", pct: 1, fires: true },
    { name: "OnBudgetThreshold", pct: undefined, fires: true },
  ])("$name with $pct %: $fires", async ({ name, pct, fires }) => {
    const stack = createStack(harn);
    stack.add(name, () => ({ body: "the budget" }));
    const budget = pct === undefined ? {} : { pct };
    const { outcome } = await stack.fire("OnBudgetThreshold", { persona: "p", budget });
    expect(outcome.reminders).toHaveLength(fires ? 1 : 0);
    // A hook that stays silent says why.
    expect(outcome.trace[0]?.skipped === undefined).toBe(fires);
  });
});

describe("harn: what a handler sees", () => {
  it.each(["PreToolUse", "PostToolUse", "FileEdited", "PreStep", "UserPromptSubmit"] as const)(
    "%s: the canonical payload itself",
    async (event) => {
      const stack = createStack(harn);
      let seen: unknown;
      stack.add(event, (view: unknown) => {
        seen = view;
      });
      await stack.fire(event);
      expect(seen).toEqual({ ...samples[event], event });
    },
  );
});

describe("harn: faults", () => {
  const boom = () => {
    throw new Error("boom");
  };
  const rejects = () => Promise.reject(new Error("boom"));

  describe.each([
    ["throws", boom],
    ["rejects", rejects],
  ])("a handler that %s", (_how, handler) => {
    it.each([
      { event: "PreToolUse", on_error: undefined, blocks: true },
      { event: "UserPromptSubmit", on_error: undefined, blocks: true },
      { event: "PostToolUse", on_error: undefined, blocks: true },
      { event: "SessionStart", on_error: undefined, blocks: false },
      { event: "PostToolUseFailure", on_error: undefined, blocks: false },
      { event: "PreToolUse", on_error: "allow", blocks: false },
      { event: "PreToolUse", on_error: "block", blocks: true },
      { event: "SessionStart", on_error: "block", blocks: false },
    ] as const)("on $event with on_error $on_error blocks: $blocks", async ({ event, on_error, blocks }) => {
      for (const strict of [false, true]) {
        const stack = createStack(harn, { strict });
        stack.add(event, handler, on_error === undefined ? {} : { on_error });
        const fired = await stack.fire(event);
        expect(summaryOf(fired)).toEqual({ ...(blocks ? { verdict: "block" } : {}), fault: "HARN_E_HOOK_THREW" });
        expect(fired.warnings).toHaveLength(1);
        expect(fired.records.map(({ kind }) => kind)).toEqual(["event", "hook_call", "hook_failed", "outcome"]);
      }
    });

    it.each(["PreToolUse", "SessionStart"] as const)("on %s with on_error raise reaches the host", async (event) => {
      const stack = createStack(harn);
      stack.add(event, handler, { on_error: "raise" });
      await expect(stack.fire(event)).rejects.toThrow(HookFaultError);
    });
  });

  it("a handler that never settles is a fault at its deadline", async () => {
    const stack = createStack(harn);
    stack.add("PreToolUse", () => new Promise(() => {}), { timeout_ms: 30 });
    expect(summaryOf(await stack.fire("PreToolUse"))).toEqual({ verdict: "block", fault: "HARN_E_HOOK_TIMEOUT" });
  });

  it("a `when` that raises closes a gate", async () => {
    const stack = createStack(harn);
    stack.add("PreToolUse", () => true, { when: boom });
    expect(summaryOf(await stack.fire("PreToolUse"))).toEqual({ verdict: "block", fault: "HARN_E_WHEN" });
  });
});
