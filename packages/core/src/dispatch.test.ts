import { beforeEach, describe, expect, test, vi } from "vitest";
import type { HookContext } from "./context.js";
import { allow, ask, block, modify, remind, stop } from "./effect.js";
import { createHarness, type Harness, type HarnessOptions } from "./harness.js";
import type { Outcome } from "./outcome.js";
import type { Warning } from "./ports.js";
import { memoryTape } from "./tape.js";

const bash = { tool: { name: "Bash", args: { command: "ls" } } };
const failing = () => {
  throw new Error("broken");
};

let warnings: Warning[];
beforeEach(() => {
  warnings = [];
});

function harnessWith(options: HarnessOptions = {}): Harness {
  return createHarness({ ...options, ports: { warn: (warning) => warnings.push(warning), ...options.ports } });
}

describe("order", () => {
  test("priority ascending, then registration; a chain is what it was when the event fired", () => {
    const harness = harnessWith();
    const seen: string[] = [];
    const at = (name: string, priority?: number) =>
      harness.register({
        event: "PreToolUse",
        ...(priority === undefined ? {} : { priority }),
        handler: () => {
          seen.push(name);
          if (name === "first") at("late", 99);
        },
      });
    at("ten", 10);
    at("first", -1);
    at("zero a");
    at("zero b");
    harness.fire("PreToolUse", bash);
    expect(seen).toEqual(["first", "zero a", "zero b", "ten"]);
    harness.fire("PreToolUse", bash);
    expect(seen.slice(4)).toEqual(["first", "zero a", "zero b", "ten", "late"]);
  });

  test("removing a hook takes it out, and only it, and only once", () => {
    const harness = harnessWith();
    const off = harness.register({ event: "PreToolUse", handler: () => block("one") });
    harness.register({ event: "PreToolUse", handler: () => block("two") });
    off();
    off();
    expect(harness.fire("PreToolUse", bash)).toMatchObject({ verdict: "block", reason: "two" });
    expect(harness.hooks).toHaveLength(1);
  });
});

describe("sync and async", () => {
  test("a chain of sync handlers answers at once, one promise makes it a promise", async () => {
    const harness = harnessWith();
    harness.register({ event: "PreToolUse", handler: () => allow() });
    expect(harness.fire("PreToolUse", bash)).not.toBeInstanceOf(Promise);
    harness.register({ event: "PreToolUse", handler: async () => modify({ args: { command: "pwd" } }) });
    harness.register({ event: "PreToolUse", handler: ({ tool }) => block(`saw ${tool.args.command}`) });
    const outcome = harness.fire("PreToolUse", bash);
    expect(outcome).toBeInstanceOf(Promise);
    expect(await outcome).toMatchObject({ verdict: "block", reason: "saw pwd", modified: true });
  });

  test("takes a thenable that is no promise, and one whose then throws", async () => {
    const harness = harnessWith();
    const thenable = { then: (resolve: (value: unknown) => void) => resolve(block("thenable")) };
    harness.register({ event: "PreToolUse", handler: (() => thenable) as never });
    expect(await harness.fire("PreToolUse", bash)).toMatchObject({ reason: "thenable" });

    const broken = harnessWith();
    broken.register({ event: "PreToolUse", handler: (() => ({ then: failing })) as never });
    expect(await broken.fire("PreToolUse", bash)).toMatchObject({ verdict: "block", faults: [{ on_error: "block" }] });
  });

  test("dispatches of one harness do not disturb each other", async () => {
    const harness = harnessWith();
    harness.register({
      event: "PreToolUse",
      handler: async ({ tool }) => {
        await new Promise((resolve) => setTimeout(resolve, Number(tool.args.wait)));
        return modify({ args: { wait: 0, done: tool.args.wait ?? null } });
      },
    });
    const outcomes = await Promise.all(
      [30, 1, 15].map((wait) => harness.fire("PreToolUse", { tool: { name: "Bash", args: { wait } } })),
    );
    expect(outcomes.map(({ payload }) => payload.tool.args.done)).toEqual([30, 1, 15]);
  });
});

describe("modify", () => {
  test("is seen by the next hook, its when and its pattern, and by the operation", () => {
    const harness = harnessWith();
    const seen: unknown[] = [];
    harness.register({ event: "PreToolUse", handler: () => modify({ args: { command: "pwd", safe: true } }) });
    harness.register({
      event: "PreToolUse",
      pattern: "tool.args.safe",
      handler: ({ tool }) => void seen.push(tool.args),
    });
    harness.register({
      event: "PreToolUse",
      when: ({ tool }) => tool.args.command === "pwd",
      handler: () => void seen.push("when"),
    });
    const outcome = harness.fire("PreToolUse", bash) as Outcome<"PreToolUse">;
    expect(seen).toEqual([{ command: "pwd", safe: true }, "when"]);
    expect(outcome.payload.tool).toEqual({ name: "Bash", args: { command: "pwd", safe: true } });
    expect(outcome.modified).toBe(true);
  });

  test("to the same value is no modification", () => {
    const harness = harnessWith();
    harness.register({ event: "PreToolUse", handler: ({ tool }) => modify({ args: { ...tool.args } }) });
    expect(harness.fire("PreToolUse", bash)).toMatchObject({ modified: false });
  });

  test("is checked again: a payload that no longer fits is a fault", () => {
    const harness = harnessWith();
    harness.register({ event: "PreToolUse", handler: () => ({ args: "rm -rf" }) as never });
    const outcome = harness.fire("PreToolUse", bash) as Outcome<"PreToolUse">;
    expect(outcome).toMatchObject({ verdict: "block", modified: false });
    expect(outcome.faults[0]?.error).toMatchObject({
      code: "HARN_E_MODIFY",
      message: "the rewritten payload of PreToolUse is not valid: tool.args is not valid: a string",
    });
    expect(outcome.payload.tool.args).toEqual({ command: "ls" });
  });

  test("of something that is no JSON is a fault", () => {
    const harness = harnessWith();
    harness.register({ event: "PreToolUse", handler: () => modify({ args: { when: new Date() } }) as never });
    expect((harness.fire("PreToolUse", bash) as Outcome).faults[0]?.error.code).toBe("HARN_E_PAYLOAD_JSON");
  });

  test("what a hook does to the payload by hand reaches nobody", () => {
    const harness = harnessWith();
    harness.register({
      event: "PreToolUse",
      on_error: "allow",
      handler: ({ tool }) => {
        (tool as { name: string }).name = "Other";
      },
    });
    harness.register({ event: "PreToolUse", handler: ({ tool }) => block(tool.name) });
    expect(harness.fire("PreToolUse", bash)).toMatchObject({ reason: "Bash", faults: [{ hook: expect.any(String) }] });
  });
});

describe("faults", () => {
  const cases: [string, () => unknown, string][] = [
    ["throws", failing, "HARN_E_HOOK_THREW"],
    ["rejects", () => Promise.reject(new Error("broken")), "HARN_E_HOOK_THREW"],
    [
      "throws nothing",
      () => {
        throw undefined;
      },
      "HARN_E_HOOK_THREW",
    ],
    ["returns nonsense", () => 42, "HARN_E_CONTRACT"],
    ["returns an unknown key", () => ({ blok: true }), "HARN_E_CONTRACT"],
    ["returns a bad reminder", () => ({ reminder: { body: "" } }), "HARN_E_REMINDER"],
  ];

  test.each(cases)("on a gate a handler that %s blocks, and everybody hears of it", async (_, handler, code) => {
    const tape = memoryTape();
    const harness = harnessWith({ tape });
    harness.register({ id: "guard", event: "PreToolUse", handler: handler as never });
    const outcome = await harness.fire("PreToolUse", bash);
    expect(outcome).toMatchObject({ verdict: "block", by: "guard", faults: [{ hook: "guard", on_error: "block" }] });
    expect(outcome.reason).toContain('hook "guard" failed and its policy is to block');
    expect(warnings).toMatchObject([{ event: "PreToolUse", hook: "guard", error: { code } }]);
    expect(tape.records.filter(({ kind }) => kind === "hook_failed")).toMatchObject([{ code, on_error: "block" }]);
    expect(tape.records.filter(({ kind }) => kind === "hook_returned")).toEqual([]);
  });

  test.each(cases)(
    "on an advisory event a handler that %s is passed over, and the chain goes on",
    async (_, handler, code) => {
      const harness = harnessWith();
      const after = vi.fn();
      harness.register({ event: "SessionEnd", handler: handler as never });
      harness.register({ event: "SessionEnd", handler: after });
      expect(await harness.fire("SessionEnd", {})).toMatchObject({ verdict: "allow", faults: [{ on_error: "allow" }] });
      expect(after).toHaveBeenCalledOnce();
      expect(warnings).toMatchObject([{ error: { code } }]);
    },
  );

  test("on_error decides: allow goes on, raise reaches the host, block on an advisory event has nothing to block", async () => {
    const open = harnessWith();
    open.register({ event: "PreToolUse", on_error: "allow", handler: failing });
    open.register({ event: "PreToolUse", handler: () => ask("sure?") });
    expect(open.fire("PreToolUse", bash)).toMatchObject({ verdict: "ask", faults: [{ on_error: "allow" }] });

    const loud = harnessWith();
    loud.register({ id: "loud", event: "PreToolUse", on_error: "raise", handler: failing });
    expect(() => loud.fire("PreToolUse", bash)).toThrow('hook "loud": threw: broken');
    loud.register({ event: "PreToolUse", priority: -1, handler: async () => {} });
    await expect(loud.fire("PreToolUse", bash)).rejects.toMatchObject({ name: "HookFaultError", hook: "loud" });

    const strictly = harnessWith();
    strictly.register({ id: "odd", event: "PreToolUse", on_error: "raise", handler: (() => 42) as never });
    warnings = [];
    expect(() => strictly.fire("PreToolUse", bash)).toThrow('hook "odd": a PreToolUse hook cannot return a number');
    expect(warnings).toHaveLength(1);

    const advisory = harnessWith();
    advisory.register({ event: "SessionEnd", on_error: "block", handler: failing });
    expect(advisory.fire("SessionEnd", {})).toMatchObject({ verdict: "allow", faults: [{ on_error: "block" }] });
  });

  test("a when that throws, or has no language, is never a silent skip", () => {
    const harness = harnessWith();
    harness.register({ event: "PreToolUse", when: failing, handler: () => allow() });
    expect(harness.fire("PreToolUse", bash)).toMatchObject({
      verdict: "block",
      reason: expect.stringContaining("when: broken"),
    });
    expect(() => harness.register({ event: "PreToolUse", when: "True", handler: () => allow() })).toThrow(
      "this harness has no language for conditions",
    );
  });

  test.each([undefined, null, 1, "yes", Promise.resolve(false)])(
    "a when that answers %s is a fault",
    async (answer) => {
      const harness = harnessWith();
      harness.register({ event: "PreToolUse", when: (() => answer) as never, handler: () => allow() });
      expect(await harness.fire("PreToolUse", bash)).toMatchObject({
        verdict: "block",
        faults: [{ on_error: "block" }],
      });
    },
  );

  test("a warning that cannot be shown changes no verdict, and what failed is recorded", () => {
    const tape = memoryTape();
    const harness = createHarness({ tape, ports: { warn: failing } });
    const shown = vi.spyOn(console, "warn").mockImplementation(() => {});
    harness.register({ event: "SessionEnd", handler: failing });
    expect(harness.fire("SessionEnd", {})).toMatchObject({ verdict: "allow", faults: [{ on_error: "allow" }] });
    expect(shown).toHaveBeenCalledWith(expect.stringContaining("the warn port failed"));
    shown.mockRestore();
    expect(tape.records.map(({ kind }) => kind)).toContain("hook_failed");
  });

  test("a when in the language of the port sees the payload as modified so far", () => {
    const seen: unknown[] = [];
    const harness = harnessWith({
      when: (expression) => (view, event) => seen.push([expression, event, (view as { prompt: string }).prompt]) > 1,
    });
    harness.register({ event: "UserPromptSubmit", handler: () => modify({ prompt: "new" }) });
    harness.register({ event: "UserPromptSubmit", when: "x", handler: () => block("not reached") });
    harness.register({ event: "UserPromptSubmit", when: "y", handler: () => block("reached") });
    expect(harness.fire("UserPromptSubmit", { prompt: "old" })).toMatchObject({ reason: "reached" });
    expect(seen).toEqual([
      ["x", "UserPromptSubmit", "new"],
      ["y", "UserPromptSubmit", "new"],
    ]);
  });

  test("effects an event does not honour are refused, not dropped", () => {
    for (const [event, payload, effect, message] of [
      ["UserPromptSubmit", { prompt: "x" }, ask("sure?"), "cannot ask a person"],
      ["UserPromptSubmit", { prompt: "x" }, stop(), "cannot stop the agent"],
      ["PreCompact", {}, modify({ trigger: "x" }), "cannot return {trigger}"],
      ["PreToolUse", bash, { decision: "deny" }, "takes no permission decision"],
    ] as const) {
      const harness = harnessWith();
      harness.register({ event, handler: (() => effect) as never });
      const outcome = harness.fire(event, payload as never) as Outcome;
      expect(outcome.faults[0]?.error.message).toContain(message);
      expect(outcome.verdict).toBe("block");
    }
  });
});

describe("deadlines", () => {
  test("a handler that never settles is told, abandoned and reported, and the chain goes on", async () => {
    vi.useFakeTimers();
    try {
      const harness = harnessWith();
      let signal: AbortSignal | undefined;
      let settle: ((value: undefined) => void) | undefined;
      harness.register({
        id: "slow",
        event: "PreToolUse",
        timeout_ms: 100,
        on_error: "allow",
        handler: (_, context) => {
          ({ signal } = context);
          return new Promise((resolve) => {
            settle = resolve;
          }) as Promise<undefined>;
        },
      });
      harness.register({ event: "PreToolUse", handler: async () => ask("and then?") });
      const pending = harness.fire("PreToolUse", bash);
      await vi.advanceTimersByTimeAsync(90);
      expect(signal?.aborted).toBe(false);
      await vi.advanceTimersByTimeAsync(60);
      expect(signal?.aborted).toBe(true);
      settle?.(block("too late") as never);
      const outcome = await pending;
      expect(outcome).toMatchObject({ verdict: "ask", faults: [{ hook: "slow" }] });
      expect(signal?.reason).toMatchObject({ code: "HARN_E_HOOK_TIMEOUT" });
      expect(warnings[0]?.message).toContain("did not settle within 100 ms");
    } finally {
      vi.useRealTimers();
    }
  });

  test("blocks on a gate by default, in real time, and leaves no timer behind", async () => {
    let ticking = 0;
    const harness = harnessWith({
      ports: {
        every(ms, tick) {
          const timer = setInterval(tick, ms);
          ticking++;
          return () => {
            ticking--;
            clearInterval(timer);
          };
        },
      },
    });
    harness.register({ event: "PreToolUse", timeout_ms: 30, handler: () => new Promise<undefined>(() => {}) });
    expect(await harness.fire("PreToolUse", bash)).toMatchObject({ verdict: "block", faults: [{ on_error: "block" }] });
    await vi.waitFor(() => expect(ticking).toBe(0));
  });

  test("each hook of a chain has its own time", async () => {
    const harness = harnessWith();
    const pause = (ms: number) => async () => {
      await new Promise((resolve) => setTimeout(resolve, ms));
      return allow();
    };
    for (let i = 0; i < 4; i++) harness.register({ event: "PreToolUse", timeout_ms: 200, handler: pause(80) });
    expect(await harness.fire("PreToolUse", bash)).toMatchObject({ verdict: "allow", faults: [] });
  });

  test("an abandoned handler that rejects later is no unhandled rejection", async () => {
    const harness = harnessWith();
    let fail: (error: Error) => void = () => {};
    harness.register({
      event: "SessionEnd",
      timeout_ms: 10,
      handler: () =>
        new Promise<undefined>((_, reject) => {
          fail = reject;
        }),
    });
    await harness.fire("SessionEnd", {});
    fail(new Error("late"));
    await new Promise((resolve) => setImmediate(resolve));
    expect(warnings).toHaveLength(1);
  });
});

describe("what comes back", () => {
  test("the trace has every hook: what it did, or why it did not run", () => {
    const harness = harnessWith();
    harness.register({ id: "audit", event: "PreToolUse", priority: 1, handler: () => {} });
    harness.register({ id: "writes", event: "PreToolUse", priority: 2, pattern: "Write", handler: () => {} });
    harness.register({ id: "never", event: "PreToolUse", priority: 3, when: () => false, handler: () => {} });
    harness.register({ id: "path", event: "PreToolUse", priority: 4, pattern: "tool.args.path", handler: () => {} });
    harness.register({ id: "weak", event: "PreToolUse", priority: 5, on_error: "allow", handler: failing });
    harness.register({ id: "guard", event: "PreToolUse", priority: 10, handler: () => block("no") });
    harness.register({ id: "late", event: "PreToolUse", priority: 20, handler: () => {} });
    const { trace } = harness.fire("PreToolUse", bash) as Outcome;
    expect(trace).toMatchObject([
      { hook: "audit", priority: 1, result: "allow", duration_ms: expect.any(Number) },
      { hook: "writes", skipped: 'pattern "Write" does not match' },
      { hook: "never", skipped: 'when "a function" is false' },
      { hook: "path", skipped: 'pattern "tool.args.path" does not match' },
      { hook: "weak", result: "allow", fault: "HARN_E_HOOK_THREW: threw: broken" },
      { hook: "guard", result: "block", reason: "no" },
      { hook: "late", skipped: '"guard" had ended the chain' },
    ]);
  });

  test("an outcome is plain data when it is written down", () => {
    const harness = harnessWith({ timing: false });
    harness.register({ id: "guard", event: "PreToolUse", handler: () => remind({ body: "careful" }, block("no")) });
    const written = JSON.parse(JSON.stringify(harness.fire("PreToolUse", bash)));
    expect(written).toMatchObject({
      event: "PreToolUse",
      verdict: "block",
      reason: "no",
      by: "guard",
      payload: { event: "PreToolUse", session: { id: "local" }, tool: { name: "Bash" } },
      reminders: [{ body: "careful" }],
      trace: [{ hook: "guard", result: "block" }],
    });
  });

  test("ids are unique, whatever hooks are called", () => {
    const harness = harnessWith();
    for (let i = 0; i < 3; i++) harness.registerToolHook({ pattern: "x", deny: "no" });
    expect(harness.hooks.map(({ ref }) => ref.id)).toEqual([
      "tool_hook::x::deny",
      "tool_hook::x::deny#2",
      "tool_hook::x::deny#3",
    ]);
  });

  test("a context knows its hook and its options", () => {
    const harness = harnessWith();
    const seen: unknown[] = [];
    harness.register({
      id: "tuned",
      event: "PreToolUse",
      options: { deny: ["x"] },
      handler: function tuned(_, { hook, options, session, signal }) {
        seen.push(hook, options, session, signal.aborted);
      },
    });
    harness.fire("PreToolUse", bash);
    expect(seen).toEqual([{ id: "tuned", handler: "tuned" }, { deny: ["x"] }, { id: "local" }, false]);
  });
});

test("a handler that takes its context by a default is told why it has no signal", () => {
  const harness = harnessWith();
  const nobody = {
    hook: { id: "nobody", handler: "" },
    options: "none",
    project: null,
    session: { id: "" },
    signal: undefined as never,
  };
  const seen: unknown[] = [];
  const handler = (_payload: unknown, context: HookContext = nobody) => {
    seen.push(context.hook.id, context.options);
    return context.signal.aborted ? undefined : null;
  };
  harness.register({ id: "odd", event: "PreToolUse", options: 1, handler });
  expect((harness.fire("PreToolUse", bash) as Outcome).faults[0]?.error.message).toContain(
    "a context that is declared",
  );
  expect(seen).toEqual(["odd", 1]);
});

describe("a tape that commits", () => {
  const records = (commit: () => undefined | Promise<undefined>) => ({ ...memoryTape(), commit });

  test("is asked once for each dispatch, after the outcome is written", async () => {
    const memory = memoryTape();
    const kinds: unknown[] = [];
    const tape = { ...memory, commit: () => void kinds.push(memory.records.at(-1)?.kind) as undefined };
    const harness = harnessWith({ tape });
    harness.register({ event: "PreToolUse", handler: async () => undefined });
    await harness.fire("PreToolUse", bash);
    await harness.fire("SessionIdle", {});
    expect(kinds).toEqual(["outcome", "outcome"]);
  });

  test("makes the agent wait for its promise", async () => {
    let keep = (): void => {};
    const kept = new Promise<undefined>((resolve) => {
      keep = () => resolve(undefined);
    });
    const pending = harnessWith({ tape: records(() => kept) }).fire("PreToolUse", bash);
    let answered = false;
    void Promise.resolve(pending).then(() => {
      answered = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(answered).toBe(false);
    keep();
    expect((await pending).verdict).toBe("allow");
  });

  test.each([
    ["throws", () => fail()],
    ["rejects", async () => fail()],
    ["answers something", () => true as unknown as undefined],
  ])("blocks gates when it %s, and nothing else", async (_, commit) => {
    const harness = harnessWith({ tape: records(commit), ports: { warn: () => {} } });
    expect(await harness.fire("PreToolUse", bash)).toMatchObject({ verdict: "block", by: "tape" });
    expect(await harness.fire("SessionIdle", {})).toMatchObject({ verdict: "allow", faults: [{ hook: "tape" }] });
  });

  test("keeps what led to a fault that is raised", async () => {
    const memory = memoryTape();
    const kinds: unknown[] = [];
    const tape = { ...memory, commit: () => void kinds.push(memory.records.at(-1)?.kind) as undefined };
    const harness = harnessWith({ tape, ports: { warn: () => {} } });
    harness.register({ event: "PreToolUse", on_error: "raise", handler: () => fail() });
    expect(() => harness.fire("PreToolUse", bash)).toThrow("no room");
    expect(kinds).toEqual(["hook_failed"]);
  });

  function fail(): undefined {
    throw new Error("no room");
  }
});

describe("the tape", () => {
  test("records a dispatch in order, with the payload each hook saw", async () => {
    const tape = memoryTape();
    let now = 0;
    const harness = harnessWith({ tape, ports: { now: () => now++ }, session: { id: "s1" } });
    harness.register({ id: "rewrite", event: "PreToolUse", handler: async () => modify({ args: { command: "pwd" } }) });
    harness.register({ id: "guard", event: "PreToolUse", handler: () => block("no") });
    await harness.fire("PreToolUse", bash);
    const payload = (command: string) => ({ tool: { args: { command } } });
    expect(tape.records).toMatchObject([
      { seq: 0, kind: "event", session: "s1", dispatch: 1, event: "PreToolUse", payload: payload("ls") },
      { seq: 1, kind: "hook_call", hook: { id: "rewrite" }, payload: payload("ls") },
      { seq: 2, kind: "hook_returned", hook: { id: "rewrite" }, result: "modify", change: { command: "pwd" } },
      { seq: 3, kind: "hook_call", hook: { id: "guard" }, payload: payload("pwd") },
      { seq: 4, kind: "hook_returned", hook: { id: "guard" }, result: "block", reason: "no" },
      { seq: 5, kind: "hook_vetoed", hook: { id: "guard" }, reason: "no", decision: null, honoured: true },
      { seq: 6, kind: "outcome", verdict: "block", by: "guard", modified: true },
    ]);
    expect(tape.records.map(({ at }) => at)).toEqual([...tape.records.map(({ at }) => at)].sort((a, b) => a - b));
  });

  test("a permission decision is a record of its own, also when it allows", () => {
    const tape = memoryTape();
    const harness = harnessWith({ tape });
    harness.register({ event: "PermissionAsked", handler: () => ({ decision: "allow", reason: "read only" }) });
    expect(harness.fire("PermissionAsked", bash)).toMatchObject({ verdict: "allow", decision: "allow" });
    expect(tape.records.map(({ kind }) => kind)).toEqual([
      "event",
      "hook_call",
      "hook_returned",
      "hook_vetoed",
      "outcome",
    ]);
    expect(tape.records[3]).toMatchObject({ decision: "allow", reason: "read only" });
  });

  test("a veto on an advisory event is recorded and changes nothing", () => {
    const tape = memoryTape();
    const harness = harnessWith({ tape });
    const after = vi.fn();
    harness.register({ event: "SessionStart", handler: (() => block("no")) as never });
    harness.register({ event: "SessionStart", handler: after });
    expect(harness.fire("SessionStart", {})).toMatchObject({ verdict: "allow", faults: [] });
    expect(after).toHaveBeenCalledOnce();
    expect(tape.records.filter(({ kind }) => kind === "hook_vetoed")).toMatchObject([{ honoured: false }]);
  });

  test("a sink that cannot write makes gates block, and is heard on the others", () => {
    const tape = {
      write: () => {
        throw new Error("disk full");
      },
    };
    const harness = harnessWith({ tape });
    harness.register({ event: "PreToolUse", handler: () => allow() });
    expect(harness.fire("PreToolUse", bash)).toMatchObject({
      verdict: "block",
      by: "tape",
      reason: "the tape could not be written: disk full",
    });
    expect(harness.fire("SessionEnd", {})).toMatchObject({ verdict: "allow", faults: [{ hook: "tape" }] });
    expect(warnings).toHaveLength(2);
  });
});

test("a sink that answers with a promise has written nothing", () => {
  const harness = harnessWith({ tape: { write: (async () => {}) as never } });
  expect(harness.fire("PreToolUse", bash)).toMatchObject({ verdict: "block", by: "tape" });
});

test("a payload that never crossed the border crosses it in dispatch", () => {
  const harness = harnessWith();
  harness.register({ event: "PreToolUse", pattern: "Bash", handler: () => block("no") });
  const forged = { event: "PreToolUse", session: { id: "s" }, tool: { name: ["Bash"], args: {} } };
  expect(() => harness.dispatch(forged as never)).toThrow("tool.name must be a string");
  const plain = { ...forged, tool: { name: "Bash", args: {} } };
  expect(harness.dispatch(plain as never)).toMatchObject({ verdict: "block" });
  expect(Object.isFrozen((harness.dispatch(plain as never) as Outcome).payload)).toBe(true);
});

describe("payloads", () => {
  test("a mistake in a payload is an error that names it", () => {
    const harness = harnessWith();
    const fire = (payload: unknown) => () => harness.fire("PreToolUse", payload as never);
    expect(fire({ tool: { name: "Bash", arguments: {} } })).toThrow(
      'payload of PreToolUse: tool.args is missing; unknown key "tool.arguments"',
    );
    expect(fire({ tool: { name: 1, args: {} } })).toThrow("tool.name must be a string, got a number");
    expect(fire({ ...bash, tools: 1 })).toThrow('unknown key "tools", did you mean "tool"?');
    expect(fire(null)).toThrow('"payload" must be an object, got null');
    expect(() => harness.fire("PreToolUsed" as never, bash as never)).toThrow(
      'unknown event "PreToolUsed". Did you mean "PreToolUse"?',
    );
  });

  test("cannot pollute, and cannot outgrow the limits", () => {
    const harness = harnessWith({ limits: { depth: 6, size: 10_000 } });
    const args = JSON.parse('{"__proto__": {"polluted": 1}, "constructor": 2}');
    const outcome = harness.fire("PreToolUse", { tool: { name: "x", args } }) as Outcome<"PreToolUse">;
    expect(Object.keys(outcome.payload.tool.args)).toEqual(["__proto__", "constructor"]);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    const deep = JSON.parse(`${'{"a":'.repeat(10)}1${"}".repeat(10)}`);
    expect(() => harness.fire("PreToolUse", { tool: { name: "x", args: deep } })).toThrow("too deep");
    expect(() => harness.fire("PreToolUse", { tool: { name: "x".repeat(20_000), args: {} } })).toThrow("too large");
  });

  test("custom and meta events carry data of their own", () => {
    const harness = harnessWith();
    harness.register({ event: "custom.deploy", handler: ({ data }) => block(`no ${JSON.stringify(data)}`) });
    expect(harness.fire("custom.deploy", { data: { to: "prod" } })).toMatchObject({ reason: 'no {"to":"prod"}' });
    expect(harness.fire("custom.other", { data: 1 })).toMatchObject({ verdict: "allow" });
    expect(() => harness.fire("custom.Deploy" as never, { data: 1 } as never)).toThrow('unknown event "custom.Deploy"');
  });
});
