import { block, createHarness, createSession, type Outcome, runAgent, scriptedModel, subagentTool } from "@hooks/core";
import { describe, expect, it } from "vitest";
import { call, host } from "./session.js";

describe("a session is used in its order", () => {
  const misused = { code: "HARN_E_SESSION" };

  it("is started once at a time, and ended once", async () => {
    const { session } = host();
    await session.start();
    await expect(session.start()).rejects.toMatchObject(misused);
    const ending = session.end("complete");
    expect(session.isOpen).toBe(false);
    await expect(session.end("abort")).rejects.toMatchObject(misused);
    await ending;
    await expect(session.end("complete")).rejects.toMatchObject(misused);
    await session.start();
    expect(session.isOpen).toBe(true);
  });

  it("takes no edit before its start, and asks no model it does not have", async () => {
    const { session } = host();
    expect(() => session.fileEdited({ path: "a" })).toThrow("was not started");
    await session.start();
    await expect(session.completion({ model: "", messages: [], tools: [] })).rejects.toMatchObject(misused);
    const other = createSession(createHarness());
    await expect(runAgent({ session: other, prompt: "go" })).rejects.toMatchObject(misused);
    expect(other.isOpen).toBe(false);
  });

  it("has an id of its own when it is given none, and knows its agent", () => {
    const ports = { newId: () => "made" };
    const session = createSession(createHarness(), { agent: "coder", ports });
    expect([session.id, session.agent, session.depth]).toEqual(["made", "coder", 0]);
  });
});

describe("what a tool or a model gives that is none", () => {
  it.each<[string, unknown, RegExp]>([
    ["a number", 5, /got a number/],
    ["null", null, /got null/],
    ["a list", ["a"], /got a list/],
    ["an object without a text", { output: "x" }, /result.text is missing/],
    ["a text that is none", { text: 5 }, /result.text must be a string, got a number/],
    ["a value that is no JSON", { text: "x", value: () => 1 }, /result.value is not JSON: function/],
    ["more than a payload holds", "x".repeat(20_000_000), /too large|larger/i],
  ])(
    "a tool that returns %s has run and failed; the model hears why, and the session goes on",
    async (_, returned, why) => {
      const { run, names, payloads } = host([call("odd"), "done"]);
      const { messages, stop_reason } = await run({ tools: [{ name: "odd", run: () => returned as string }] });
      expect(stop_reason).toBe("complete");
      expect(messages.at(-2)).toMatchObject({ role: "tool", is_error: true, content: expect.stringMatching(why) });
      expect(names().filter((name) => name.startsWith("PostToolUse"))).toEqual(["PostToolUse", "PostToolUseFailure"]);
      expect(payloads("PostToolUse")[0]?.result.is_error).toBe(true);
    },
  );

  it.each<[unknown, string]>([
    [undefined, "is not JSON: undefined"],
    [null, "it must be an object, got null"],
    ["text", "it must be an object, got a string"],
    [
      { tool_calls: [{ name: "x", args: "{}" }] },
      "tool_calls.0.id is missing; tool_calls.0.args is not valid: a string",
    ],
  ])("a model that answers %j ends the run with what is wrong with it", async (answer, why) => {
    const { run, names } = host();
    const model = { name: "odd", complete: () => answer as object };
    await expect(run({ model })).rejects.toMatchObject({ code: "HARN_E_MODEL", message: expect.stringContaining(why) });
    expect(names().slice(-2)).toEqual(["SessionError", "SessionEnd"]);
  });
});

describe("a host with a loop of its own", () => {
  it("switches the model of a session that is open, and of no other", async () => {
    const { session, payloads } = host([], { model: scriptedModel([], "small") });
    const large = scriptedModel([], "large");
    await expect(session.setModel(large)).rejects.toMatchObject({ code: "HARN_E_SESSION" });
    expect(session.model?.name).toBe("small");
    await session.start();
    await session.setModel(large);
    expect(payloads("ModelSwitch")).toMatchObject([{ previous_model: "small", new_model: "large" }]);
  });

  it("fires the same events through the methods of a session", async () => {
    const { harness, session, model, tools, names, payloads } = host([call("echo", { text: "a" })]);
    harness.register({ event: "TurnStart", handler: () => ({ prompt: "other" }) });
    await session.start({ prompt: "go", model });
    const prompt = await session.prompt("go");
    const done = await session.turn(prompt.ok ? prompt.value : "", async (asked) => {
      const answer = await session.completion({ model: "m", messages: [{ role: "user", content: asked }], tools: [] });
      const [asks] = answer.ok ? answer.value.tool_calls : [];
      const result = await session.toolCall(tools[0], asks as { id: string; name: string; args: { text: string } });
      await session.postTurn({ text: "" });
      return { text: `${asked}: ${result.result.text}` };
    });
    expect(done).toEqual({ ok: true, value: "other: a" });
    await session.finish(done.ok ? done.value : "");
    await session.end("complete");
    expect(names()).toEqual([
      ...[
        "SessionStart",
        "UserPromptSubmit",
        "TurnStart",
        "PreCompletion",
        "PostCompletion",
        "PreToolUse",
        "PostToolUse",
      ],
      ...["PostTurn", "TurnEnd", "PreFinish", "PostFinish", "SessionEnd"],
    ]);
    expect(payloads("TurnEnd")[0]?.text).toBe("other: a");
  });

  it("a turn that is blocked is not run", async () => {
    const { harness, session } = host();
    harness.register({ event: "TurnStart", handler: () => block("no") });
    await session.start();
    expect(await session.turn("go", () => expect.unreachable())).toMatchObject({ stop_reason: "turn_start_blocked" });
  });
});

describe("file edits are told before what follows them", () => {
  it("those that came after the last iteration of a turn, before the daemon waits", async () => {
    const { session, run, names } = host(["a", "b"]);
    const wakes = [{ prompt: "go on" }, "end" as const];
    const memory = () => {
      session.fileEdited({ path: "memory.md" });
      return {};
    };
    await run({ memory, daemon: { wake_interval_ms: 1, wake: () => wakes.shift() ?? "end" } });
    const order = names().filter((name) => ["FileEdited", "TurnEnd", "SessionIdle"].includes(name));
    expect(order).toEqual(["TurnEnd", "FileEdited", "SessionIdle", "TurnEnd", "FileEdited", "SessionIdle"]);
  });

  it("those of a host that has no iterations, before its turn ends", async () => {
    const { session, names } = host();
    await session.start();
    await session.turn("go", () => {
      session.fileEdited({ path: "a" });
      return { text: "done" };
    });
    expect(names().slice(-2)).toEqual(["FileEdited", "TurnEnd"]);
  });

  it("each of them once, also when the session is aborted", async () => {
    const abort = new AbortController();
    const { session, payloads } = host();
    await session.start({ signal: abort.signal });
    session.fileEdited({ path: "a" });
    session.fileEdited({ path: "b" });
    abort.abort();
    await expect(session.postTurn({ text: "" })).rejects.toBe(abort.signal.reason);
    await session.end("abort");
    expect(payloads("FileEdited").map(({ path }) => path)).toEqual(["a", "b"]);
  });

  it("those of the turn's last moment before PreFinish, and those of onFinish before SessionEnd", async () => {
    const { session, run, names } = host();
    await run({
      memory() {
        session.fileEdited({ path: "memory.md" });
        return {};
      },
      onFinish() {
        session.fileEdited({ path: "report.md" });
        return undefined;
      },
    });
    expect(names().slice(-5)).toEqual(["FileEdited", "PreFinish", "PostFinish", "FileEdited", "SessionEnd"]);
  });

  it("also when the run ends with an error", async () => {
    const { run, payloads, names } = host([call("write", { path: "a" }), new Error("down")], {
      observe: ({ event }) => {
        if (event === "PostToolUse") throw new Error("host");
      },
    });
    await expect(run()).rejects.toThrow("host");
    expect(payloads("FileEdited").map(({ path }) => path)).toEqual(["a"]);
    expect(names().slice(-3)).toEqual(["SessionError", "FileEdited", "SessionEnd"]);
  });
});

describe("what is told, and to whom", () => {
  it("nothing of a memory that did not change, and no SessionError of an abort", async () => {
    const abort = new AbortController();
    const { session, run, names } = host();
    await run({ memory: () => ({ created: [], deleted: [] }) });
    expect(names()).not.toContain("MemoryUpdate");
    await session.start({ signal: abort.signal });
    abort.abort();
    await session.fail(abort.signal.reason);
    expect(names()).not.toContain("SessionError");
  });

  it("a tool hears the abort of its session, and the conversation keeps what the model said", async () => {
    const abort = new AbortController();
    const { run } = host([call("wait"), "done"]);
    let heard: AbortSignal | undefined;
    const wait = {
      name: "wait",
      run: (_: never, { signal }: { signal: AbortSignal }) => {
        heard = signal;
        return "ok";
      },
    };
    const result = await run({ signal: abort.signal, tools: [wait] });
    expect(result.messages).toEqual([
      { role: "user", content: "go" },
      { role: "assistant", content: "", tool_calls: [{ id: "call-1", name: "wait", args: {} }] },
      { role: "tool", call_id: "call-1", name: "wait", content: "ok", is_error: false },
      { role: "assistant", content: "done" },
    ]);
    abort.abort();
    expect(heard?.aborted).toBe(true);
  });

  it("a permission outside of a tool call is decided by the same policy, and told", async () => {
    const { session, names } = host([], { permissions: { deny: ["deploy"], otherwise: "allow" } });
    await session.start();
    const denied = await session.permission({ name: "deploy", args: {} });
    expect(denied).toMatchObject({ decision: "deny", by: "rule" });
    expect(await session.permission({ name: "read", args: {} })).toMatchObject({ decision: "allow", by: "default" });
    expect(names().slice(1)).toEqual(["PermissionReplied", "PermissionDenied", "PermissionReplied"]);
  });

  it("a subagent of a resumed session begins anew, with the ports and the observer of its parent", async () => {
    const seen: Outcome[] = [];
    const { run, slept, tools, payloads } = host([call("helper", { prompt: "p" }), "done"], {
      isResume: true,
      observe: (outcome) => void seen.push(outcome),
    });
    const busy = Object.assign(new Error("busy"), { isRetryable: true });
    await run({ tools: [...tools, subagentTool({ name: "helper", model: scriptedModel([busy, "ok"], "small") })] });
    expect(payloads("SessionStart").map(({ is_resume }) => is_resume)).toEqual([true, false]);
    expect(slept).toEqual([500]);
    expect(seen.filter(({ payload }) => payload.session.id === "s.1").map(({ event }) => event)).toContain(
      "RetryAttempt",
    );
  });

  it("concurrent calls of tools do not mix their results, nor the order of their events", async () => {
    const { harness, session, tools, fired } = host();
    harness.register({
      event: "PreToolUse",
      handler: async ({ tool }) => {
        await new Promise((resolve) => setTimeout(resolve, tool.args.text === "a" ? 5 : 1));
      },
    });
    await session.start();
    const echo = tools.find(({ name }) => name === "echo");
    const calls = ["a", "b", "c"].map((text) => session.toolCall(echo, { id: text, name: "echo", args: { text } }));
    expect((await Promise.all(calls)).map(({ call_id, result }) => [call_id, result.text])).toEqual([
      ["a", "a"],
      ["b", "b"],
      ["c", "c"],
    ]);
    for (const id of ["a", "b", "c"]) {
      const own = fired().filter(({ payload }) => (payload as { tool?: { call_id?: string } }).tool?.call_id === id);
      expect(own.map(({ event }) => event)).toEqual(["PreToolUse", "PostToolUse"]);
    }
  });
});
