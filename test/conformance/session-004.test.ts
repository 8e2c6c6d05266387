import {
  block,
  type CallbackEvent,
  type CallbackHook,
  HarnError,
  scriptedModel,
  stop,
  subagentTool,
} from "@hooks/core";
import { describe, expect, it } from "vitest";
import { call, host } from "./session.js";

/** A hook on one of the 18 events that keeps what it was given. */
function heard(event: CallbackEvent, into: unknown[]): CallbackHook {
  return { event, handler: (input: unknown) => void into.push(input) } as CallbackHook;
}

const overloaded = Object.assign(new Error("overloaded"), { isRetryable: true });

describe("the 18 events of callback hooks", () => {
  it.each([
    ["SessionStart", [{ prompt: "go", isResume: false, sessionId: "s" }]],
    ["SessionEnd", [{ reason: "complete" }]],
    ["TurnStart", [{ model: "scripted" }, { model: "scripted" }, { model: "small" }]],
    [
      "TurnEnd",
      [
        { text: "ok", sessionId: "s.1" },
        { text: "done", sessionId: "s" },
      ],
    ],
    ["Error", []],
    [
      "PreToolUse",
      [
        { toolName: "write", toolInput: { path: "a" } },
        { toolName: "fail" },
        { toolName: "echo" },
        { toolName: "helper" },
      ],
    ],
    ["PostToolUse", [{ toolOutput: "written" }, { toolOutput: "it broke", isError: true }, { toolOutput: "ok" }]],
    ["PostToolUseFailure", [{ toolName: "fail", errorMessage: "it broke" }]],
    ["FileWrite", [{ toolName: "write", filePath: "a", isNew: true }]],
    ["PermissionRequest", [{ toolName: "echo", input: { text: "x" }, mode: "careful" }]],
    ["PermissionDenied", [{ toolName: "echo", reason: "not today" }]],
    ["SubagentStart", [{ agentName: "helper", prompt: "help", sessionId: "s.1", parentSessionId: "s" }]],
    ["SubagentStop", [{ agentName: "helper", result: "ok", sessionId: "s.1", parentSessionId: "s" }]],
    ["PreCompact", [{ trigger: "auto" }]],
    ["PostCompact", [{ trigger: "auto", messageCount: 1 }]],
    ["ModelSwitch", [{ previousModel: "scripted", newModel: "large" }]],
    ["RetryAttempt", [{ attempt: 1, maxAttempts: 2, delay: 500, error: { message: "overloaded" } }]],
    ["MemoryUpdate", [{ created: ["m1"] }]],
  ] as [CallbackEvent, object[]][])("%s", async (event, expected) => {
    const permissions = {
      mode: "careful",
      allow: ["write", "fail", "helper"],
      ask: () => ({ decision: "deny" as const, reason: "not today" }),
    };
    const script = [
      {
        calls: [
          { name: "write", args: { path: "a" } },
          { name: "fail" },
          { name: "echo", args: { text: "x" } },
          { name: "helper", args: { prompt: "help" } },
        ],
      },
      overloaded,
      "done",
    ];
    const { harness, session, run, tools } = host(script, { permissions });
    const inputs: object[] = [];
    harness.registerCallbacks([heard(event, inputs)]);
    let compactions = 0;
    await run({
      tools: [...tools, subagentTool({ name: "helper", model: scriptedModel(["ok"], "small") })],
      compaction: {
        isDue: (messages) => messages.length > 4 && compactions++ === 0,
        compact: () => ({ messages: [{ role: "user", content: "short" }] }),
      },
      memory: () => ({ created: ["m1"] }),
      onFinish: async () => {
        await session.setModel(scriptedModel([], "scripted"));
        await session.setModel(scriptedModel([], "large"));
      },
    });
    const own = ["SessionStart", "SessionEnd"].includes(event) ? inputs.filter(isRoot) : inputs;
    const sorted = event === "TurnStart" ? [...own].sort(byModel) : own;
    expect(sorted).toHaveLength(expected.length);
    expect(sorted).toMatchObject(expected);
  });

  const isRoot = (input: object) => (input as { sessionId: string }).sessionId === "s";
  const byModel = (a: object, b: object) =>
    (a as { model: string }).model.localeCompare((b as { model: string }).model);
});

describe("what the sentences beside the table say", () => {
  it("SessionStart isResume: a session that is run again, or was restored", async () => {
    const { run, payloads } = host(["one", "two"]);
    await run();
    await run();
    const restored = host(["one"], { isResume: true });
    await restored.run();
    expect(payloads("SessionStart").map(({ is_resume }) => is_resume)).toEqual([false, true]);
    expect(restored.payloads("SessionStart")[0]).toMatchObject({ is_resume: true, source: "resume" });
  });

  it("SessionEnd reason maxTurns", async () => {
    const { run, payloads } = host([call("echo", { text: "x" }), call("echo", { text: "x" })]);
    expect(await run({ maxTurns: 2 })).toMatchObject({ stop_reason: "max_turns" });
    expect(payloads("SessionEnd")[0]?.reason).toBe("maxTurns");
  });

  it("ModelSwitch when a run goes on with another model, and not for the model a session or a subagent begins with", async () => {
    const { run, tools, payloads } = host(["one"], { model: scriptedModel([], "unused") });
    await run({ tools });
    const helper = subagentTool({ name: "helper", model: scriptedModel(["ok"], "small") });
    const large = scriptedModel([call("helper", { prompt: "p" }), "two"], "large");
    await run({ model: large, tools: [helper] });
    expect(payloads("ModelSwitch").map(({ previous_model, new_model }) => [previous_model, new_model])).toEqual([
      ["scripted", "large"],
    ]);
    expect(payloads("SessionStart").map(({ session, model }) => [session.id, model])).toEqual([
      ["s", "scripted"],
      ["s", "large"],
      ["s.1", "small"],
    ]);
  });

  it("ModelSwitch only when the model changed", async () => {
    const { session, run, names } = host(["one"]);
    await run({ onFinish: () => session.setModel(scriptedModel([], "scripted")).then(() => undefined) });
    expect(names()).not.toContain("ModelSwitch");
  });

  it("RetryAttempt: before each retry, bounded, with its delay; the last error is thrown", async () => {
    const { run, payloads, slept } = host([overloaded, overloaded, overloaded]);
    await expect(run()).rejects.toBe(overloaded);
    expect(payloads("RetryAttempt").map(({ attempt, delay_ms }) => [attempt, delay_ms])).toEqual([
      [1, 500],
      [2, 1000],
    ]);
    expect(slept).toEqual([500, 1000]);
  });

  it("PostToolUseFailure sees what PostToolUse left, can modify the error output, and can stop the loop", async () => {
    const { harness, session, run, model } = host([call("fail"), "never"]);
    harness.registerCallbacks([
      { event: "PostToolUse", handler: ({ toolOutput }) => ({ updatedOutput: `${toolOutput}, once` }) },
      {
        event: "PostToolUseFailure",
        handler: ({ errorMessage }) => ({ updatedOutput: `${errorMessage}, twice`, preventContinuation: true }),
      },
    ]);
    const result = await run();
    expect(result.stop_reason).toBe("stopped");
    expect(result.messages.at(-1)).toMatchObject({ role: "tool", content: "it broke, once, twice", is_error: true });
    expect([model.requests.length, session.unsettled]).toEqual([1, []]);
  });

  it("preventContinuation stops the loop after this tool call; calls after it do not run", async () => {
    const calls = ["a", "b"].map((text) => ({ name: "echo", args: { text } }));
    const { harness, run, ran, model } = host([{ calls }, "never"]);
    harness.register({ event: "PreToolUse", handler: () => stop("enough") });
    expect(await run()).toMatchObject({ stop_reason: "stopped", reason: "enough" });
    expect([ran, model.requests.length]).toEqual([["echo a"], 1]);
  });

  it("parallel calls of one message are dispatched one after another, in order", async () => {
    const calls = ["a", "b", "c"].map((text) => ({ name: "echo", args: { text } }));
    const { run, ran, names } = host([{ calls }, "done"]);
    await run();
    expect(ran).toEqual(["echo a", "echo b", "echo c"]);
    expect(names().filter((name) => name.endsWith("ToolUse"))).toEqual(
      ["a", "b", "c"].flatMap(() => ["PreToolUse", "PostToolUse"]),
    );
  });

  it("parallelTools: the calls of one message run at the same time, each through its hooks; results keep their order", async () => {
    const calls = ["a", "b"].map((name) => ({ name }));
    const { run, model, names } = host([{ calls }, "done"]);
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const tools = [
      { name: "a", run: () => released.then(() => "A") },
      {
        name: "b",
        run() {
          release();
          return "B";
        },
      },
    ];
    await run({ tools, parallelTools: true });
    expect(model.requests[1]?.messages.slice(-2)).toMatchObject([{ content: "A" }, { content: "B" }]);
    expect(names().filter((name) => name === "PostToolUse")).toHaveLength(2);
    expect(names().indexOf("PostTurn")).toBeGreaterThan(names().lastIndexOf("PostToolUse"));
  });

  it("parallelTools: a call that fails the session waits for the others, and a stop is heard", async () => {
    const error = new HarnError("HARN_E_SESSION", "broken", "");
    const { run, names } = host([{ calls: [{ name: "a" }, { name: "b" }] }, "never"]);
    const over: string[] = [];
    const slow = { name: "b", run: () => new Promise<string>((r) => setTimeout(() => r(String(over.push("b"))), 5)) };
    const fails = { name: "a", run: () => Promise.reject(error) };
    await expect(run({ tools: [fails, slow], parallelTools: true })).rejects.toBe(error);
    expect([over, names().at(-1)]).toEqual([["b"], "SessionEnd"]);
    const stopped = host([{ calls: [{ name: "b" }, { name: "b" }] }, "never"]);
    stopped.harness.register({ event: "PostToolUse", handler: () => stop("enough") });
    expect(await stopped.run({ tools: [slow], parallelTools: true })).toMatchObject({ stop_reason: "stopped" });
    expect(stopped.model.requests).toHaveLength(1);
  });

  it("a reminder that does not survive compaction is not in the request that follows it", async () => {
    const tooLong = new Error("context length");
    const { harness, run, model } = host([tooLong, "done"]);
    harness.registerSessionHook("session_start", () => [
      { reminder: { body: "goes" } },
      { reminder: { body: "stays", preserve_on_compact: true, role_hint: "user_block" } },
    ]);
    const compaction = { isDue: () => false, isOverflow: () => true, compact: () => ({ messages: [] }) };
    await run({ compaction });
    expect(model.requests[1]?.messages).toEqual([{ role: "user", content: "stays" }]);
  });

  it("a compaction that hooks skip leaves the model's error as it was", async () => {
    const tooLong = new Error("context length");
    const { harness, run } = host([tooLong]);
    harness.register({ event: "PreCompact", handler: () => block("not now") });
    const compaction = { isDue: () => false, isOverflow: () => true, compact: () => ({ messages: [] }) };
    await expect(run({ compaction })).rejects.toBe(tooLong);
  });

  it("TurnEnd only of a turn that had an output: a refused completion has none", async () => {
    const { harness, run, names } = host();
    harness.register({ event: "PostCompletion", handler: () => block("no") });
    expect(await run()).toMatchObject({ stop_reason: "completion_blocked" });
    expect(names()).not.toContain("TurnEnd");
  });

  it("Error: with what went wrong", async () => {
    const error = Object.assign(new TypeError("bad"), { code: "E_BAD" });
    const { harness, run } = host([error]);
    const inputs: object[] = [];
    harness.registerCallbacks([heard("Error", inputs)]);
    await expect(run()).rejects.toBe(error);
    expect(inputs).toMatchObject([{ sessionId: "s", error: { message: "bad", name: "TypeError", code: "E_BAD" } }]);
  });

  it("Error: also of what is no Error", async () => {
    const { run, payloads } = host();
    const model = { name: "odd", complete: () => Promise.reject("plain text") };
    await expect(run({ model })).rejects.toBe("plain text");
    expect(payloads("SessionError")[0]?.error).toEqual({ message: "plain text" });
  });

  it("PreCompact also for a conversation the model finds too long", async () => {
    const tooLong = new Error("context length");
    const { run, payloads } = host([tooLong, "done"]);
    const compaction = {
      isDue: () => false,
      isOverflow: (error: unknown) => error === tooLong,
      compact: () => ({ messages: [] }),
    };
    expect((await run({ compaction })).text).toBe("done");
    expect(payloads("PreCompact")[0]?.trigger).toBe("overflow");
  });
});

describe("SessionEnd reason abort", () => {
  it.each([
    ...(["SessionStart", "UserPromptSubmit", "PreCompletion", "PreToolUse"] as const),
    ...(["PostToolUse", "Stop", "PreFinish"] as const),
  ])("aborted in a hook on %s", async (event) => {
    const abort = new AbortController();
    const { harness, run, names, payloads } = host([call("echo", { text: "x" }), "done"]);
    harness.register({ event, handler: () => abort.abort() });
    expect(await run({ signal: abort.signal })).toMatchObject({ stop_reason: "abort" });
    expect(names().at(-2)).toBe(event);
    expect(payloads("SessionEnd").map(({ reason }) => reason)).toEqual(["abort"]);
    expect(names()).not.toContain("SessionError");
  });

  it("aborted while a model and a tool do not listen", async () => {
    const deaf = () => new Promise<never>(() => {});
    for (const where of ["model", "tool"] as const) {
      const abort = new AbortController();
      const hang = () => {
        abort.abort();
        return deaf();
      };
      const { run, names, session } = host([call("hang")]);
      const model = { name: "deaf", complete: hang };
      const tools = [{ name: "hang", run: hang }];
      const result = await run({ signal: abort.signal, tools, ...(where === "model" ? { model } : {}) });
      expect(result.stop_reason).toBe("abort");
      expect(names().at(-1)).toBe("SessionEnd");
      expect(session.unsettled).toEqual(where === "tool" ? [{ kind: "tool_call", name: "hang" }] : []);
    }
  });

  it("aborted inside of a subagent: its session and the subagent are ended before the session is", async () => {
    const abort = new AbortController();
    const { run, fired, tools } = host([call("helper", { prompt: "p" })]);
    const hang = () => {
      abort.abort();
      return new Promise<never>(() => {});
    };
    const model = { name: "deaf", complete: hang };
    await run({ signal: abort.signal, tools: [...tools, subagentTool({ name: "helper", model })] });
    const ends = fired().filter(({ event }) => event === "SessionEnd" || event === "SubagentStop");
    expect(ends.map(({ event, payload }) => [event, payload.session.id])).toEqual([
      ["SessionEnd", "s.1"],
      ["SubagentStop", "s"],
      ["SessionEnd", "s"],
    ]);
  });

  it.each(["SubagentStart", "SubagentStop", "SubagentVerify"] as const)(
    "aborted while a hook on %s thinks: what started stops before the session ends",
    async (event) => {
      const abort = new AbortController();
      const { harness, run, names, tools } = host([call("helper", { prompt: "p" }), "done"]);
      harness.register({
        event,
        async handler() {
          abort.abort();
          await new Promise((resolve) => setTimeout(resolve, 5));
        },
      });
      const helper = subagentTool({ name: "helper", model: scriptedModel(["ok"], "small"), verify: true });
      expect(await run({ signal: abort.signal, tools: [...tools, helper] })).toMatchObject({ stop_reason: "abort" });
      const count = (name: string) => names().filter((one) => one === name).length;
      expect([count("SubagentStart"), count("SubagentStop")]).toEqual([1, 1]);
      expect(names("s").at(-1)).toBe("SessionEnd");
    },
  );

  it("aborted while a verifier does not listen", async () => {
    const abort = new AbortController();
    const { run, names, tools } = host([call("helper", { prompt: "p" }), "done"]);
    const verify = () => {
      abort.abort();
      return new Promise<never>(() => {});
    };
    const helper = subagentTool({ name: "helper", model: scriptedModel(["ok"], "small"), verify });
    expect(await run({ signal: abort.signal, tools: [...tools, helper] })).toMatchObject({ stop_reason: "abort" });
    expect(names("s").at(-1)).toBe("SessionEnd");
  });

  it("an error that comes too late is shown to a person", async () => {
    const abort = new AbortController();
    const { run, warnings } = host([call("late")]);
    const late = () => {
      abort.abort();
      return new Promise<never>((_, reject) =>
        queueMicrotask(() => queueMicrotask(() => reject(new Error("disk full")))),
      );
    };
    await run({ signal: abort.signal, tools: [{ name: "late", run: late }] });
    expect(warnings).toEqual([expect.stringMatching("disk full")]);
  });
});

describe("no error of the host is swallowed", () => {
  const error = new Error("host");
  const fail = () => {
    throw error;
  };
  it.each([
    ["onFinish", { onFinish: fail }],
    ["memory", { memory: fail }],
    ["compaction", { compaction: { isDue: () => true, compact: fail } }],
    ["wake", { daemon: { wake_interval_ms: 1, wake: fail } }],
  ])("%s", async (_, run) => {
    const one = host();
    await expect(one.run(run)).rejects.toBe(error);
    expect(one.names().slice(-2)).toEqual(["SessionError", "SessionEnd"]);
  });

  it("an observer's", async () => {
    const one = host(["done"], { observe: ({ event }) => (event === "Stop" ? fail() : undefined) });
    await expect(one.run()).rejects.toBe(error);
    expect(one.names().slice(-2)).toEqual(["SessionError", "SessionEnd"]);
  });

  it("a hook that raises, and then one that raises while the session ends: both are thrown", async () => {
    const one = host();
    one.harness.register({ event: "Stop", on_error: "raise", handler: fail });
    one.harness.register({ event: "SessionEnd", on_error: "raise", handler: fail });
    await expect(one.run()).rejects.toBeInstanceOf(AggregateError);
    expect(one.session.isOpen).toBe(false);
  });

  it("a session that is used before its start, after its end, or twice at once", async () => {
    const { session, run } = host();
    await expect(session.prompt("x")).rejects.toMatchObject({ code: "HARN_E_SESSION" });
    await session.start();
    await expect(run()).rejects.toMatchObject({ code: "HARN_E_SESSION" });
    await session.end("complete");
    await expect(session.end("complete")).rejects.toMatchObject({ code: "HARN_E_SESSION" });
  });
});
