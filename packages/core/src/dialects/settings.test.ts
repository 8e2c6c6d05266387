import { describe, expect, it } from "vitest";
import {
  createStack,
  fireOne,
  type Row,
  type Summary,
  seenBy,
  summaryOf,
} from "../../../../test/conformance/harness.js";
import { bareSamples, session } from "../../../../test/conformance/samples.js";
import { catalogueNames, type EventName } from "../events.js";
import { type ProcessResult, settings } from "./settings.js";

const normal = "0 | Normal completion | Hook ran successfully, continue execution";
const hard = "2 | Hard block | Operation is prevented, AI is notified";
const other = "Any other | Error | Logged as warning, execution continues (fail-open)";
const context = "Any text written to stdout is injected into the AI's context as a system-level message.";
const decision = "For PreToolUse hooks that need to communicate nuanced decisions, write a JSON object to stdout";
const explain = "If a hook blocks an operation, it MUST provide a clear explanation.";

const SIX = ["SessionStart", "UserPromptSubmit", "PreToolUse", "SubagentStop", "Stop", "SessionEnd"] as const;
const GATES: readonly EventName[] = ["UserPromptSubmit", "PreToolUse", "SubagentStop", "Stop"];

const ended = (exit_code: number | null, stdout = "", stderr = ""): ProcessResult => ({ exit_code, stdout, stderr });
const printed = (value: unknown) => ended(0, `${JSON.stringify(value)}\n`);

/** A veto, where this event takes one. */
function vetoed(event: EventName, reason: string): Summary {
  return GATES.includes(event) ? { verdict: "block", reason } : { unhonoured: reason };
}

const rows: Row[] = [
  ...SIX.flatMap((event): Row[] => [
    { seed: normal, event, returns: ended(0), expect: {} },
    { seed: normal, event, returns: ended(0, " \n\t\n"), expect: {} },
    { seed: "stderr of a hook that ends well is nobody's business", event, returns: ended(0, "", "debug"), expect: {} },
    {
      seed: context,
      event,
      returns: ended(0, "Current project: MyApp\n"),
      expect: { reminders: ["Current project: MyApp"] },
    },
    { seed: hard, event, returns: ended(2, "", "no"), expect: vetoed(event, "no") },
    { seed: hard, event, returns: ended(2, "", " no \n"), expect: vetoed(event, "no") },
    { seed: hard, event, returns: ended(2, "no\n"), expect: vetoed(event, "no") },
    {
      seed: "of two texts the one on stderr is the explanation",
      event,
      returns: ended(2, "checking...\n", "no\n"),
      expect: vetoed(event, "no"),
    },
    {
      seed: explain,
      event,
      returns: ended(2),
      expect: vetoed(event, `${event} hook blocked the operation (exit code 2)`),
    },
    {
      seed: "Hard block: write decision and exit 2",
      event,
      returns: ended(2, '{"decision":"block","message":"protected"}\n', "noise"),
      expect: vetoed(event, "protected"),
    },
    {
      seed: "exit 2 blocks, whatever was printed",
      event,
      returns: ended(2, '{"continue":true}'),
      expect: vetoed(event, '{"continue":true}'),
    },
    {
      seed: "exit 2 blocks, whatever was printed",
      event,
      returns: ended(2, '{"decision":"ask","message":"sure?"}'),
      expect: vetoed(event, "sure?"),
    },
    { seed: decision, event, returns: printed({ continue: true }), expect: {} },
    { seed: decision, event, returns: printed({ decision: "block", message: "no" }), expect: vetoed(event, "no") },
    {
      seed: explain,
      event,
      returns: printed({ decision: "block" }),
      expect: vetoed(event, `${event} hook blocked the operation`),
    },
    {
      seed: "continue: false is no permission to continue",
      event,
      returns: printed({ continue: false, message: "no" }),
      expect: vetoed(event, "no"),
    },
  ]),

  {
    seed: 'Prompt user for confirmation: {"decision": "ask", "message": "..."}',
    event: "PreToolUse",
    returns: printed({ decision: "ask", message: "This will force-push to main. Are you sure?" }),
    expect: { verdict: "ask", reason: "This will force-push to main. Are you sure?" },
  },
  {
    seed: explain,
    event: "PreToolUse",
    returns: printed({ decision: "ask" }),
    expect: { verdict: "ask", reason: "PreToolUse hook asks for confirmation" },
  },
  {
    seed: "the stricter of two words counts",
    event: "PreToolUse",
    returns: printed({ continue: true, decision: "block", message: "no" }),
    expect: { verdict: "block", reason: "no" },
  },
  {
    seed: "the stricter of two words counts",
    event: "PreToolUse",
    returns: printed({ continue: false, decision: "ask", message: "no" }),
    expect: { verdict: "block", reason: "no" },
  },
  {
    seed: "the stricter of two words counts",
    event: "PreToolUse",
    returns: printed({ continue: true, decision: "ask", message: "sure?" }),
    expect: { verdict: "ask", reason: "sure?" },
  },
  { seed: decision, event: "PreToolUse", returns: printed({ continue: true, message: "fine" }), expect: {} },
  {
    seed: context,
    event: "PreToolUse",
    returns: ended(0, "line one\nline two\n"),
    expect: { reminders: ["line one\nline two"] },
  },
  { seed: context, event: "PreToolUse", returns: ended(0, "[1, 2]"), expect: { reminders: ["[1, 2]"] } },
  { seed: context, event: "PreToolUse", returns: ended(0, '"text"'), expect: { reminders: ['"text"'] } },
  { seed: context, event: "PreToolUse", returns: ended(0, "{not json"), expect: { reminders: ["{not json"] } },
  {
    seed: "text before a decision makes all of it text",
    event: "PreToolUse",
    returns: ended(0, 'checking...\n{"continue":true}'),
    expect: { reminders: ['checking...\n{"continue":true}'] },
  },
  {
    seed: context,
    event: "SessionStart",
    returns: printed({ branch: "main" }),
    expect: { reminders: ['{"branch":"main"}'] },
  },
  {
    seed: context,
    event: "UserPromptSubmit",
    returns: printed({ message: "hi" }),
    expect: { reminders: ['{"message":"hi"}'] },
  },
];

/** Printed objects that mean to decide and do not: they close a gate instead of turning into harmless text. */
const badDecisions: { event: EventName; printed: unknown }[] = [
  ...[
    {},
    { decison: "block" },
    { decision: "blok" },
    { decision: "allow" },
    { decision: "deny" },
    { decision: null },
    { decision: true },
    { decision: "block", mesage: "typo" },
    { decision: "block", message: 7 },
    { decision: "block", reason: "the word is message" },
    { continue: "yes" },
    { continue: 1 },
    { continue: null },
    { continue: true, extra: 1 },
    { continue: true, decision: "allow" },
    { message: "alone" },
    { hookSpecificOutput: { permissionDecision: "deny" } },
  ].map((value) => ({ event: "PreToolUse" as const, printed: value })),
  { event: "UserPromptSubmit", printed: { decision: "approve" } },
  { event: "UserPromptSubmit", printed: { continue: "no" } },
  { event: "UserPromptSubmit", printed: { decision: "ask", message: "a prompt cannot be asked about" } },
  { event: "Stop", printed: { decision: "ask", message: "a stop cannot be asked about" } },
  { event: "SessionStart", printed: { decision: "approve" } },
];

describe("settings: what a process may answer", () => {
  it.each(rows)("$event <- $returns: $seed", async (row) => {
    for (const strict of [false, true]) {
      expect(summaryOf(await fireOne(settings, row, { strict }))).toEqual(row.expect);
    }
    const later = { ...row, returns: Promise.resolve(row.returns) };
    expect(summaryOf(await fireOne(settings, later))).toEqual(row.expect);
  });

  it.each(badDecisions)("$event <- $printed is no decision", async ({ event, printed: value }) => {
    for (const strict of [false, true]) {
      const fired = await fireOne(settings, { event, returns: printed(value) }, { strict });
      const closed = GATES.includes(event) ? { verdict: "block" } : {};
      expect(summaryOf(fired)).toEqual({ ...closed, fault: "HARN_E_CONTRACT" });
      expect(fired.warnings).toHaveLength(1);
    }
  });

  it.each([
    ["PreToolUse", '{"decision": "block", "message": "cut'],
    ["PreToolUse", "{'decision': 'block', 'message': 'no'}"],
    ["PreToolUse", "{'continue': False}"],
    ["PreToolUse", 'checking...\n{"decision": "block", "message": "no"}'],
    ["PreToolUse", '{"decision": "block"}\ndone'],
    ["PreToolUse", '{"continue": true}\n{"decision": "block"}'],
    ["PreToolUse", '{\n  "hookSpecificOutput": {\n    "permissionDecision": "deny"'],
    ["UserPromptSubmit", "{'decision': 'block'}"],
    ["Stop", '{"decision": "block",}'],
  ] as const)("%s <- %j was meant as a decision", async (event, stdout) => {
    const fired = await fireOne(settings, { event, returns: ended(0, stdout) });
    expect(summaryOf(fired)).toEqual({ verdict: "block", fault: "HARN_E_CONTRACT" });
  });

  it.each([
    ["PreToolUse", '{"tool_name": "Bash"}\nand more'],
    ["PreToolUse", "the decision: block"],
    ["UserPromptSubmit", 'write {"decision": "block"} to block'],
    ["SessionStart", "{'decision': 'block'}"],
  ] as const)("%s <- %j is text", async (event, stdout) => {
    const fired = await fireOne(settings, { event, returns: ended(0, stdout) });
    expect(summaryOf(fired)).toEqual({ reminders: [stdout] });
  });

  it("context lives for one turn, and can be found", async () => {
    const { outcome } = await fireOne(settings, { event: "SessionStart", returns: ended(0, "v2.3.1") });
    expect(outcome.reminders).toEqual([
      expect.objectContaining({ body: "v2.3.1", tags: ["context"], ttl_turns: 1, role_hint: "system" }),
    ]);
  });

  it.each([
    [ended(0, "", " checked \n"), "checked"],
    [ended(0, "context", "checked"), "checked"],
    [ended(0, '{"decision":"ask","message":"sure?"}', "checked"), "checked"],
    [ended(2, '{"decision":"block","message":"no"}', "checked"), "checked"],
    [ended(2, "", "no"), undefined],
    [ended(0, "", " \n"), undefined],
  ])("what it said to the person is kept beside what it decided: %j", async (returns, stderr) => {
    const { outcome, records, warnings } = await fireOne(settings, { event: "PreToolUse", returns });
    const returned = records.find(({ kind }) => kind === "hook_returned");
    expect(returned?.kind === "hook_returned" ? returned.stderr : "none").toBe(stderr);
    expect(outcome.trace[0]?.stderr).toBe(stderr);
    expect(warnings).toEqual([]);
  });

  it("the injected content should be visible in the session transcript", async () => {
    const { records } = await fireOne(settings, { event: "SessionStart", returns: ended(0, "v2.3.1") });
    const returned = records.find(({ kind }) => kind === "hook_returned");
    expect(returned).toMatchObject({ reminders: [{ body: "v2.3.1" }] });
  });

  it.each([
    undefined,
    null,
    "text",
    0,
    2,
    {},
    [],
    { exit_code: 0 },
    { exit_code: "0", stdout: "", stderr: "" },
    { exit_code: 0, stdout: null, stderr: "" },
    { exit_code: 0, stdout: "" },
    { action: "allow" },
    { code: 0, stdout: "", stderr: "" },
  ])("%j is no process result", async (returns) => {
    const fired = await fireOne(settings, { event: "PreToolUse", returns });
    expect(summaryOf(fired)).toEqual({ verdict: "block", fault: "HARN_E_CONTRACT" });
  });
});

describe("settings: faults", () => {
  const codes = [1, 3, 126, 127, 137, 255, -1, null];

  it.each(SIX.flatMap((event) => codes.map((code) => ({ event, code }))))(
    `$event, exit code $code: ${other}`,
    async ({ event, code }) => {
      const returns = ended(code, '{"decision":"block","message":"printed before it broke"}', "Traceback: boom");
      const fired = await fireOne(settings, { event, returns });
      expect(summaryOf(fired)).toEqual({ fault: "HARN_E_HOOK_EXIT" });
      expect(fired.warnings).toHaveLength(1);
      expect(fired.warnings[0]?.message).toContain("Traceback: boom");
      expect(fired.records.map(({ kind }) => kind)).toEqual(["event", "hook_call", "hook_failed", "outcome"]);
      const strict = await fireOne(settings, { event, returns }, { strict: true });
      const closed = GATES.includes(event) ? { verdict: "block" } : {};
      expect(summaryOf(strict)).toEqual({ ...closed, fault: "HARN_E_HOOK_EXIT" });
    },
  );

  it.each([
    { strict: false, expected: { fault: "HARN_E_HOOK_TIMEOUT" } },
    { strict: true, expected: { verdict: "block", fault: "HARN_E_HOOK_TIMEOUT" } },
  ])(
    "If a hook exceeds its timeout, the framework kills it and continues execution; strict $strict",
    async ({ strict, expected }) => {
      const stack = createStack(settings, { strict });
      let told = false;
      const hang = (_view: never, { signal }: { signal: AbortSignal }) => {
        signal.addEventListener("abort", () => {
          told = true;
        });
        return new Promise(() => {});
      };
      stack.add("PreToolUse", hang as never, { timeout_ms: 30 });
      const fired = await stack.fire("PreToolUse");
      expect(summaryOf(fired)).toEqual(expected);
      expect(told).toBe(true);
      expect(fired.warnings).toHaveLength(1);
    },
  );

  it("a failed hook does not end the chain: the next one still blocks", async () => {
    const stack = createStack(settings);
    stack.add("PreToolUse", () => ended(1));
    stack.add("PreToolUse", () => ended(2, "", "no"));
    expect((await stack.fire("PreToolUse")).outcome).toMatchObject({ verdict: "block", reason: "no" });
  });

  it("a runner that throws is no exit code: it closes a gate", async () => {
    const stack = createStack(settings);
    stack.add("PreToolUse", () => Promise.reject(new Error("no such file")));
    expect(summaryOf(await stack.fire("PreToolUse"))).toEqual({ verdict: "block", fault: "HARN_E_HOOK_THREW" });
  });
});

describe("settings: what a process gets on stdin", () => {
  const base = { session_id: session.id, transcript_path: session.transcript_path };

  it.each([
    { event: "SessionStart", extra: {} },
    { event: "UserPromptSubmit", extra: { prompt: "Research the current state of container orchestration" } },
    { event: "PreToolUse", extra: { tool_name: "run_command", tool_input: { command: "ls -la" } } },
    { event: "SubagentStop", extra: {} },
    { event: "Stop", extra: {} },
    { event: "SessionEnd", extra: {} },
  ] as const)("$event: the base payload and $extra", async ({ event, extra }) => {
    expect(await seenBy(settings, event)).toEqual({ ...base, hook_event_name: event, ...extra });
  });

  it("a session without a transcript still has the field, as a text", async () => {
    const seen = await seenBy(settings, "Stop", bareSamples.Stop);
    expect(seen).toEqual({ session_id: "local", transcript_path: "", hook_event_name: "Stop" });
  });

  it("the framework defines six lifecycle events", () => {
    expect(catalogueNames.filter((row) => settings.names[row].length > 0).sort()).toEqual([...SIX].sort());
  });
});
