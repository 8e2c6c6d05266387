import { describe, expect, it } from "vitest";
import { markdown } from "../../packages/core/src/dialects/markdown.js";
import { createStack, type HookExtras, type Stack, type StackOptions, seenBy } from "./harness.js";

// The decision constructors, as the dicts the seed says they stand for.
const allow = () => ({ action: "allow" });
const block = (reason: string) => ({ action: "block", reason });
const modify = (payload: unknown) => ({ action: "modify", payload });

interface ToolPre {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  readonly args: Readonly<Record<string, unknown>>;
}

interface ToolPost {
  readonly name: string;
  readonly content: string;
  readonly is_error: boolean;
}

const call = (name: string, args: object = {}) => ({ tool: { name, args, call_id: "call_abc123" } });

/** A stack of Markdown hooks that keeps a list of who ran. */
function setUp(options?: StackOptions): Stack & { ran: string[] } {
  const stack = createStack(markdown, options);
  const ran: string[] = [];
  return {
    ...stack,
    ran,
    add(name, handler, extras: HookExtras = {}) {
      const noted = (view: never) => {
        ran.push(extras.id ?? name);
        return handler(view);
      };
      stack.add(name, noted, extras);
    },
  };
}

describe("Anatomy of a hook: command_guard", () => {
  const dangerous = ["rm -rf /", ":(){ :|:& };:", "mkfs", "dd if=", "shutdown"];

  function guarded() {
    const stack = setUp();
    const denied: string[] = [];
    const handle = (payload: ToolPre) => {
      const command = String(payload.args.command ?? "");
      for (const pattern of dangerous) {
        if (command.includes(pattern)) {
          denied.push(pattern);
          return block(`dangerous command pattern blocked: '${pattern}'`);
        }
      }
      return allow();
    };
    const when = (payload: ToolPre) => payload.name === "run_command";
    stack.add("tool.pre", handle, { id: "command_guard", priority: 10, when });
    return { stack, denied };
  }

  it.each(dangerous)("blocks %j", async (pattern) => {
    const { stack, denied } = guarded();
    const { outcome } = await stack.fire("PreToolUse", call("run_command", { command: `sudo ${pattern} now` }));
    expect(outcome).toMatchObject({
      verdict: "block",
      reason: `dangerous command pattern blocked: '${pattern}'`,
      by: "command_guard",
    });
    expect(denied).toEqual([pattern]);
  });

  it.each([
    ["run_command", { command: "ls -la" }],
    ["run_command", {}],
    ["write_file", { command: "rm -rf /" }],
  ])("lets %s %j pass", async (name, args) => {
    const { stack } = guarded();
    expect((await stack.fire("PreToolUse", call(name, args))).outcome.verdict).toBe("allow");
  });

  it("`when` is a static gate, evaluated before `handle` is called", async () => {
    const { stack } = guarded();
    await stack.fire("PreToolUse", call("write_file"));
    expect(stack.ran).toEqual([]);
  });
});

describe("The four lifecycle events take a yes/no/rewrite answer", () => {
  it.each([
    { name: "turn.start", event: "TurnStart", payload: { prompt: "" } },
    { name: "tool.pre", event: "PreToolUse", payload: call("t") },
    { name: "tool.post", event: "PostToolUse", payload: { ...call("t"), result: { text: "x", is_error: false } } },
    { name: "turn.end", event: "TurnEnd", payload: { text: "done" } },
    { name: "delegation.post_verify", event: "SubagentVerify", payload: undefined },
    { name: "agent.stop", event: "Stop", payload: undefined },
  ] as const)("$name", async ({ name, event, payload }) => {
    const stack = setUp();
    stack.add(name, () => block("reason for the agent"));
    const { outcome } = await stack.fire(event, payload);
    expect(outcome).toMatchObject({ verdict: "block", reason: "reason for the agent" });
  });

  it("turn.start: inject context, reject empty turns, stamp a trace ID", async () => {
    const stack = setUp();
    stack.add("turn.start", (message: string) => (message.trim() === "" ? block("an empty turn") : allow()));
    stack.add("turn.start", (message: string) => modify(`[trace-1] ${message}`));
    expect((await stack.fire("TurnStart", { prompt: " " })).outcome.reason).toBe("an empty turn");
    expect((await stack.fire("TurnStart", { prompt: "hi" })).outcome.payload).toMatchObject({ prompt: "[trace-1] hi" });
  });

  it("tool.post: redact results, truncate", async () => {
    const stack = setUp();
    stack.add("tool.post", ({ content }: ToolPost) => modify({ content: content.replaceAll("hunter2", "***") }));
    stack.add("tool.post", ({ content }: ToolPost) => modify({ content: content.slice(0, 12) }));
    const result = { text: "password: hunter2 and more", is_error: false };
    const { outcome } = await stack.fire("PostToolUse", { ...call("t"), result });
    expect(outcome.payload).toMatchObject({ result: { text: "password: **" } });
  });
});

describe("Composition rules", () => {
  it("Hooks for an event run in priority order (low to high)", async () => {
    const stack = setUp();
    for (const priority of [40, 1, 30, -5, 10, 20]) stack.add("tool.pre", allow, { id: `p${priority}`, priority });
    await stack.fire("PreToolUse");
    expect(stack.ran).toEqual(["p-5", "p1", "p10", "p20", "p30", "p40"]);
  });

  it("Hooks with equal priority run in registration order", async () => {
    const stack = setUp();
    for (const id of ["zeta", "alpha", "mid"]) stack.add("tool.pre", allow, { id, priority: 10 });
    await stack.fire("PreToolUse");
    expect(stack.ran).toEqual(["zeta", "alpha", "mid"]);
  });

  it("If priority is omitted, it defaults to 0, which makes the hook the earliest in its event chain", async () => {
    const stack = setUp();
    stack.add("tool.pre", allow, { id: "audit", priority: 1 });
    stack.add("tool.pre", allow, { id: "no priority" });
    await stack.fire("PreToolUse");
    expect(stack.ran).toEqual(["no priority", "audit"]);
  });

  it("The first block wins: the chain short-circuits and the rest are skipped", async () => {
    const stack = setUp();
    stack.add("tool.pre", () => block("second"), { id: "second", priority: 20 });
    stack.add("tool.pre", () => block("first"), { id: "first", priority: 10 });
    stack.add("tool.pre", allow, { id: "audit", priority: 1 });
    const { outcome } = await stack.fire("PreToolUse");
    expect(outcome).toMatchObject({ verdict: "block", reason: "first", by: "first" });
    expect(stack.ran).toEqual(["audit", "first"]);
    expect(outcome.trace.map(({ hook, skipped }) => [hook, skipped !== undefined])).toEqual([
      ["audit", false],
      ["first", false],
      ["second", true],
    ]);
  });

  it.each([allow(), modify({ args: { command: "ls" } }), "allow", null])(
    'There is no "after-the-fact override": a later %j does not undo a block',
    async (later) => {
      const stack = setUp();
      stack.add("tool.pre", () => block("no"), { id: "policy", priority: 10 });
      stack.add("tool.pre", () => later, { id: "override", priority: 90 });
      const { outcome } = await stack.fire("PreToolUse");
      expect(outcome).toMatchObject({ verdict: "block", reason: "no", modified: false });
      expect(stack.ran).toEqual(["policy"]);
    },
  );

  it("modify rewrites the payload in place for downstream hooks and the underlying operation", async () => {
    const stack = setUp();
    const seen: unknown[] = [];
    stack.add("tool.pre", ({ args }: ToolPre) => modify({ args: { ...args, one: 1 } }), { priority: 1 });
    stack.add("tool.pre", ({ args }: ToolPre) => modify({ args: { ...args, two: 2 } }), { priority: 2 });
    stack.add(
      "tool.pre",
      ({ args }: ToolPre) => {
        seen.push(args);
        return allow();
      },
      { priority: 3 },
    );
    const { outcome } = await stack.fire("PreToolUse", call("t", { zero: 0 }));
    expect(seen).toEqual([{ zero: 0, one: 1, two: 2 }]);
    expect(outcome.payload).toMatchObject({ tool: { name: "t", args: { zero: 0, one: 1, two: 2 } } });
    expect(outcome).toMatchObject({ verdict: "allow", modified: true });
  });

  it("after modify the next hook still has the keys that were not rewritten", async () => {
    const stack = setUp();
    stack.add("tool.pre", () => modify({ args: { command: "ls" } }), { priority: 1 });
    stack.add("tool.pre", ({ id, name }: ToolPre) => block(`${id} ${name}`), {
      priority: 2,
      when: (payload: ToolPre) => payload.name === "run_command",
    });
    expect((await stack.fire("PreToolUse", call("run_command"))).outcome.reason).toBe("call_abc123 run_command");
  });

  it("a rewrite before a block does not soften the block", async () => {
    const stack = setUp();
    stack.add("tool.pre", () => modify({ args: {} }), { priority: 1 });
    stack.add("tool.pre", () => block("no"), { priority: 2 });
    expect((await stack.fire("PreToolUse")).outcome).toMatchObject({ verdict: "block", reason: "no" });
  });

  it("allow is a no-op pass", async () => {
    const stack = setUp();
    for (let n = 0; n < 5; n++) stack.add("tool.pre", allow);
    const { outcome, warnings } = await stack.fire("PreToolUse");
    expect(outcome).toMatchObject({ verdict: "allow", reason: undefined, modified: false, faults: [] });
    expect(warnings).toEqual([]);
  });

  it("Hooks that fall off the end of `handle` produce a runtime warning and pass through", async () => {
    const stack = setUp();
    stack.add("tool.pre", () => undefined, { id: "forgetful", priority: 1 });
    stack.add("tool.pre", allow, { id: "next", priority: 2 });
    const { outcome, warnings } = await stack.fire("PreToolUse");
    expect(outcome.verdict).toBe("allow");
    expect(warnings).toMatchObject([{ hook: "forgetful", event: "PreToolUse" }]);
    expect(stack.ran).toEqual(["forgetful", "next"]);
  });
});

describe("when", () => {
  const name = (payload: ToolPre) => payload.name;

  it.each([
    { when: 'payload["name"] == "run_command"', test: (p: ToolPre) => name(p) === "run_command", matches: true },
    { when: 'payload["name"] in [...]', test: (p: ToolPre) => ["read_file"].includes(name(p)), matches: false },
    { when: "omitted", test: undefined, matches: true },
  ])("$when", async ({ test, matches }) => {
    const stack = setUp();
    stack.add("tool.pre", allow, { id: "hook", ...(test === undefined ? {} : { when: test }) });
    const { outcome } = await stack.fire("PreToolUse", call("run_command"));
    expect(stack.ran).toEqual(matches ? ["hook"] : []);
    expect(outcome.trace[0]?.skipped === undefined).toBe(matches);
  });

  it.each([
    { content: "x".repeat(4001), is_error: false, ran: ["large"] },
    { content: "short", is_error: true, ran: ["errors"] },
    { content: "short", is_error: false, ran: [] },
  ])("scopes to errors only, or to large outputs: $ran", async ({ content, is_error, ran }) => {
    const stack = setUp();
    stack.add("tool.post", allow, { id: "errors", when: (payload: ToolPost) => payload.is_error });
    stack.add("tool.post", allow, { id: "large", when: (payload: ToolPost) => payload.content.length > 4000 });
    await stack.fire("PostToolUse", { ...call("t"), result: { text: content, is_error } });
    expect(stack.ran).toEqual(ran);
  });

  it("payload — the same dict that `handle` will receive", async () => {
    let seen: unknown;
    const stack = setUp();
    stack.add("tool.pre", allow, {
      when: (payload: ToolPre) => {
        seen = payload;
        return true;
      },
    });
    await stack.fire("PreToolUse");
    expect(seen).toEqual(await seenBy(markdown, "PreToolUse"));
  });

  it("event — the event name as a string: the name the hook subscribed to", async () => {
    const seen: string[] = [];
    const stack = setUp({
      when: () => (_view, event) => {
        seen.push(event);
        return event === ("tool.pre" as string);
      },
    });
    stack.add("tool.pre", allow, { id: "hook", when: 'event == "tool.pre"' });
    await stack.fire("PreToolUse");
    expect(seen).toEqual(["tool.pre"]);
    expect(stack.ran).toEqual(["hook"]);
  });

  it("sees the payload as modified so far: a gate judges what will be executed", async () => {
    const stack = setUp();
    stack.add("tool.pre", () => modify({ args: { command: "rm -rf /" } }), { id: "rewriter", priority: 1 });
    stack.add("tool.pre", () => block("dangerous"), {
      id: "guard",
      priority: 10,
      when: (payload: ToolPre) => String(payload.args.command).includes("rm -rf /"),
    });
    expect((await stack.fire("PreToolUse", call("t", { command: "ls" }))).outcome.by).toBe("guard");
  });

  it("If `when` raises an exception, the hook is treated as non-matching for that dispatch and a warning is logged", async () => {
    const stack = setUp();
    const when = (payload: ToolPre) => (payload as unknown as { missing: { key: string } }).missing.key === "x";
    stack.add("tool.pre", () => block("never reached"), { id: "broken", priority: 1, when });
    stack.add("tool.pre", allow, { id: "next", priority: 2 });
    const { outcome, warnings, records } = await stack.fire("PreToolUse");
    expect(outcome.verdict).toBe("allow");
    expect(stack.ran).toEqual(["next"]);
    expect(warnings).toMatchObject([{ hook: "broken", error: { code: "HARN_E_WHEN" } }]);
    expect(records.filter(({ kind }) => kind === "hook_failed")).toMatchObject([{ on_error: "allow" }]);
  });

  it("for that dispatch only: the next one asks `when` again", async () => {
    const stack = setUp();
    const when = (payload: ToolPre) =>
      String(payload.args.command as string).length > 0 && payload.args.n !== undefined;
    const raising = (payload: ToolPre) => {
      if (payload.args.n === 0) throw new Error("division by zero");
      return when(payload);
    };
    stack.add("tool.pre", () => block("no"), { when: raising });
    expect((await stack.fire("PreToolUse", call("t", { n: 0 }))).outcome.verdict).toBe("allow");
    expect((await stack.fire("PreToolUse", call("t", { n: 1 }))).outcome.verdict).toBe("block");
  });

  it("strict mode: a `when` that raises fails closed", async () => {
    const stack = setUp({ strict: true });
    const when = () => {
      throw new Error("boom");
    };
    stack.add("tool.pre", allow, { id: "broken", when });
    const { outcome, warnings } = await stack.fire("PreToolUse");
    expect(outcome).toMatchObject({ verdict: "block", by: "broken" });
    expect(warnings).toHaveLength(1);
  });
});

describe("The policy stack", () => {
  function governed() {
    const stack = setUp();
    const jailed = (path: unknown) => typeof path === "string" && (path.startsWith("/") || path.includes(".."));
    const audit = { priority: 1 };
    stack.add("completion.post", allow, { id: "completion_window_guard", priority: 40 });
    stack.add(
      "tool.pre",
      ({ args }: ToolPre) => (String(args.path).startsWith(".harness/") ? block("the harness is off limits") : allow()),
      { id: "meta_tool_guard", priority: 30 },
    );
    stack.add("tool.pre", ({ name }: ToolPre) => (name === "exec.run" ? block("use a named tool") : allow()), {
      id: "prefer_named_tools",
      priority: 20,
    });
    stack.add("tool.pre", ({ args }: ToolPre) => (jailed(args.path) ? block("outside of the jail") : allow()), {
      id: "path_guard",
      priority: 10,
    });
    stack.add(
      "tool.pre",
      ({ args }: ToolPre) => (String(args.command).includes("rm -rf /") ? block("dangerous") : allow()),
      { id: "command_guard", priority: 10 },
    );
    stack.add("tool.pre", allow, { id: "audit_tool_pre", ...audit });
    stack.add("tool.post", allow, { id: "audit_tool_post", ...audit });
    return stack;
  }

  it.each([
    { tool: "run_command", args: { command: "rm -rf / --no-preserve-root" }, by: "command_guard" },
    { tool: "write_file", args: { path: "../etc/passwd" }, by: "path_guard" },
    { tool: "exec.run", args: { command: "ls" }, by: "prefer_named_tools" },
    { tool: "write_file", args: { path: ".harness/hooks/audit.md" }, by: "meta_tool_guard" },
    { tool: "read_file", args: { path: "README.md" }, by: undefined },
  ])("$tool $args is decided by $by, and the audit saw it", async ({ tool, args, by }) => {
    const stack = governed();
    const { outcome } = await stack.fire("PreToolUse", call(tool, args));
    expect(outcome.by).toBe(by);
    expect(stack.ran[0]).toBe("audit_tool_pre");
  });

  it("Each event is dispatched unconditionally, also for tools added later", async () => {
    const stack = governed();
    const { outcome } = await stack.fire("PreToolUse", call("generated_yesterday", { command: "rm -rf /" }));
    expect(outcome.verdict).toBe("block");
  });

  it("a hook added while an event is dispatched waits for the next one", async () => {
    const stack = setUp();
    let added = false;
    stack.add(
      "tool.pre",
      () => {
        if (!added) stack.add("tool.pre", () => block("late"), { id: "late" });
        added = true;
        return allow();
      },
      { id: "first" },
    );
    expect((await stack.fire("PreToolUse")).outcome.verdict).toBe("allow");
    expect((await stack.fire("PreToolUse")).outcome.by).toBe("late");
  });
});
