import { ask, block, type HarnError, modify, remind, scriptedModel, subagentTool } from "@hooks/core";
import { describe, expect, it } from "vitest";
import { call, host } from "./session.js";

const echo = [call("echo", { text: "x" }), "done"];

describe("the event catalogue of Markdown hooks", () => {
  it("session.start, session.end: a session begins, and terminates, clean or with an error", async () => {
    const clean = host();
    await clean.run();
    const broken = host([new Error("no")]);
    await expect(broken.run()).rejects.toThrow("no");
    for (const { names } of [clean, broken]) {
      expect([names()[0], names().at(-1)]).toEqual(["SessionStart", "SessionEnd"]);
    }
  });

  it("turn.start: before the model is called for a new turn; a block rejects the turn", async () => {
    const { harness, run, model } = host();
    harness.register({ event: "TurnStart", handler: () => block("empty turn") });
    expect(await run()).toMatchObject({ stop_reason: "turn_start_blocked", reason: "empty turn" });
    expect(model.requests).toEqual([]);
  });

  it("turn.end: the turn result, text, tool calls and usage; a modify rewrites the text", async () => {
    const usage = { input_tokens: 3, output_tokens: 4 };
    const { harness, session, run, payloads } = host([
      { ...call("echo", { text: "x" }), usage },
      { text: "done", usage },
    ]);
    harness.register({ event: "TurnEnd", handler: ({ text }) => modify({ text: `${text}.` }) });
    session.log({ level: "info", message: "noted" });
    expect((await run()).text).toBe("done.");
    expect(payloads("TurnEnd")[0]).toMatchObject({
      text: "done",
      tool_calls: [{ name: "echo", args: { text: "x" } }],
      usage: { input_tokens: 6, output_tokens: 8 },
      logs: [{ level: "info", message: "noted" }],
    });
  });

  it("turn.end: a block withholds the text; the logs of one turn are not those of the next", async () => {
    const { harness, session, run, payloads } = host(["one", "two"]);
    harness.register({ event: "TurnEnd", handler: ({ turn }) => (turn?.index === 1 ? block("not this") : undefined) });
    session.log({ message: "noted" });
    const wakes = [{ prompt: "again" }, "end" as const];
    const result = await run({ daemon: { wake_interval_ms: 1, wake: () => wakes.shift() ?? "end" } });
    expect(result).toMatchObject({ stop_reason: "turn_end_blocked", text: "", reason: "not this" });
    expect(payloads("TurnEnd").map(({ logs }) => logs)).toEqual([[{ message: "noted" }], undefined]);
  });

  it("tool.pre: after argument validation, so what is not valid never gets there", async () => {
    const { run, names, ran, model } = host([call("echo", { text: 1 }), call("nothing"), "done"]);
    await run();
    expect([names().includes("PreToolUse"), ran]).toEqual([false, []]);
    expect(model.requests[2]?.messages.filter(({ role }) => role === "tool")).toHaveLength(2);
  });

  it("tool.pre: a block gives the reason to the model, the tool does not run and tool.post does not fire", async () => {
    const { harness, run, names, ran, model } = host(echo);
    harness.register({ event: "PreToolUse", handler: () => block("dangerous") });
    await run();
    expect([ran, names().includes("PostToolUse")]).toEqual([[], false]);
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({
      is_error: true,
      content: expect.stringMatching("dangerous"),
    });
  });

  it("tool.pre: what a hook rewrote is what runs, and is held against the tool's schema again", async () => {
    const { harness, run, ran, model } = host([...echo.slice(0, 1), ...echo]);
    const rewrites = [{ text: "y" }, { text: 7 }];
    harness.register({ event: "PreToolUse", handler: () => modify({ args: rewrites.shift() ?? {} }) });
    await run();
    expect(ran).toEqual(["echo y"]);
    expect(model.requests[2]?.messages.at(-1)).toMatchObject({ is_error: true });
  });

  it("tool.post: a modify is what the model gets; a block withholds the result", async () => {
    const { harness, run, model } = host([...echo.slice(0, 1), ...echo]);
    let calls = 0;
    harness.register({
      event: "PostToolUse",
      handler: () => (++calls === 1 ? modify({ result: "redacted" }) : block("a secret")),
    });
    await run();
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({ content: "redacted", is_error: false });
    const withheld = model.requests[2]?.messages.at(-1)?.content;
    expect(withheld).toMatch("a secret");
    expect(withheld).not.toContain("x\n");
  });

  it("completion.pre: the request object; a block ends the run, a modify is what is sent", async () => {
    const { harness, run, model, payloads } = host(["one"]);
    harness.register({
      event: "PreCompletion",
      handler: ({ request }) => modify({ request: { ...request, messages: [{ role: "user", content: "rewritten" }] } }),
    });
    await run();
    expect(payloads("PreCompletion")[0]?.request).toMatchObject({
      model: "scripted",
      tools: [{ name: "echo" }, {}, {}],
    });
    expect(model.requests[0]?.messages).toEqual([{ role: "user", content: "rewritten" }]);
    harness.register({ event: "PreCompletion", handler: () => block("over budget") });
    expect(await run()).toMatchObject({ stop_reason: "completion_blocked", reason: "over budget" });
    expect(model.requests).toHaveLength(1);
  });

  it("completion.pre: a rewrite that is no request any more is an error, not a request", async () => {
    const { harness, run, model } = host();
    harness.register({ event: "PreCompletion", handler: () => modify({ request: { messages: "all" } }) });
    await expect(run()).rejects.toMatchObject({ code: "HARN_E_MODEL" });
    expect(model.requests).toEqual([]);
  });

  it("completion.post: the response; a modify is what the loop goes on with", async () => {
    const { harness, run, ran } = host(echo.slice(0, 1));
    harness.register({
      event: "PostCompletion",
      handler: () => modify({ response: { text: "no tools today", tool_calls: [] } }),
    });
    expect((await run()).text).toBe("no tools today");
    expect(ran).toEqual([]);
  });

  it("error: an unrecoverable error surfaces in the loop", async () => {
    const { run, payloads } = host([Object.assign(new TypeError("bad"), { code: "E_BAD" })]);
    await expect(run()).rejects.toThrow("bad");
    expect(payloads("SessionError")[0]?.error).toEqual({ message: "bad", name: "TypeError", code: "E_BAD" });
  });

  it("custom.*: a modify comes back to the emitter; meta.*: a block is honoured", async () => {
    const { harness, session } = host();
    harness.register({ event: "custom.my_event", handler: () => modify({ data: 2 }) });
    harness.register({ event: "meta.register_tool", handler: () => block("no new tools") });
    await session.start();
    expect(await session.emit("custom.my_event", 1)).toEqual({ ok: true, value: 2 });
    expect(await session.emit("meta.register_tool", {})).toMatchObject({ ok: false, reason: "no new tools" });
  });
});

describe("agent.stop", () => {
  it("a block keeps the agent working, with the reason as its next message", async () => {
    const { harness, run, model, payloads } = host(["done?", "done!"]);
    harness.register({ event: "Stop", handler: ({ text }) => (text === "done!" ? undefined : block("run the tests")) });
    expect(await run()).toMatchObject({ stop_reason: "complete", text: "done!" });
    expect(model.requests[1]?.messages.at(-1)).toEqual({ role: "user", content: "run the tests" });
    expect(payloads("Stop")).toMatchObject([
      { text: "done?", finish_reason: "stop", iteration: 0, stop_hook_active: false },
      { text: "done!", finish_reason: "stop", iteration: 1, stop_hook_active: true },
    ]);
  });

  it("is bounded", async () => {
    const { harness, run, payloads } = host(["1", "2", "3"]);
    harness.register({ event: "Stop", handler: () => block("more") });
    expect(await run({ maxStopBlocks: 2 })).toMatchObject({ stop_reason: "max_stop_blocks", reason: "more" });
    expect(payloads("SessionEnd")[0]?.reason).toBe("maxTurns");
  });
});

describe("delegation", () => {
  const task = { agent: "reviewer", prompt: "review" };

  it("delegation.pre: agent, prompt and depth; a block means the subagent never starts", async () => {
    const { harness, session, payloads, names } = host();
    harness.register({ event: "SubagentStart", handler: () => block("no subagents") });
    await session.start();
    const run = () => expect.unreachable();
    expect(await session.delegate({ ...task, run })).toMatchObject({
      ok: false,
      stop_reason: "subagent_start_blocked",
    });
    expect(payloads("SubagentStart")[0]).toMatchObject({ prompt: "review", subagent: { name: "reviewer", depth: 1 } });
    expect(names()).not.toContain("SubagentStop");
  });

  it("delegation.pre: a modify is the prompt the subagent gets; delegation.post: the result", async () => {
    const { harness, session } = host();
    harness.register({ event: "SubagentStart", handler: () => modify({ prompt: "review gently" }) });
    harness.register({ event: "SubagentStop", handler: ({ result }) => modify({ result: `${result?.text}!` }) });
    await session.start();
    const done = await session.delegate({ ...task, run: (_child, prompt) => prompt });
    expect(done).toMatchObject({ ok: true, result: { text: "review gently!" } });
  });

  it("delegation.post: a block refuses the answer after the subagent ran; a session that is not open delegates nothing", async () => {
    const { harness, session, names } = host();
    harness.register({ event: "SubagentStop", handler: () => block("not this answer") });
    await expect(session.delegate({ ...task, run: () => "x" })).rejects.toMatchObject({ code: "HARN_E_SESSION" });
    const abort = new AbortController();
    await session.start({ signal: abort.signal });
    expect(await session.delegate({ ...task, run: () => "x", verify: true })).toMatchObject({
      ok: false,
      stop_reason: "subagent_stop_blocked",
      reason: "not this answer",
    });
    expect(names()).not.toContain("SubagentVerify");
    abort.abort();
    await expect(session.delegate({ ...task, run: () => "x" })).rejects.toBe(abort.signal.reason);
    expect(names().filter((name) => name === "SubagentStart")).toHaveLength(1);
  });

  it("delegation.post: fires also when the subagent fails", async () => {
    const { session, payloads } = host();
    await session.start();
    const run = () => Promise.reject(new Error("lost"));
    await expect(session.delegate({ ...task, run })).rejects.toThrow("lost");
    expect(payloads("SubagentStop")[0]?.result).toEqual({ text: "lost", is_error: true });
  });

  it("delegation.post_verify: after delegation.post, and only when the delegation declares verify", async () => {
    const { session, names } = host();
    await session.start();
    await session.delegate({ ...task, run: () => "ok" });
    expect(names()).not.toContain("SubagentVerify");
    await session.delegate({ ...task, run: () => "ok", verify: true });
    expect(names().slice(-3)).toEqual(["SubagentStart", "SubagentStop", "SubagentVerify"]);
  });

  it("delegation.post_verify: block(reason) retries with the reason, up to maxVerifyRetries, then fails typed", async () => {
    const { harness, session, payloads } = host();
    harness.register({ event: "SubagentVerify", handler: ({ attempt }) => block(`no ${attempt}`) });
    await session.start();
    const prompts: string[] = [];
    const run = (_: unknown, prompt: string) => `answer ${prompts.push(prompt)}`;
    const failed = await session.delegate({ ...task, run, verify: true }).catch((error: HarnError) => error);
    expect(failed).toMatchObject({ code: "HARN_E_VERIFY_FAILED", message: expect.stringMatching("no 3") });
    expect(prompts).toHaveLength(3);
    expect(prompts[1]).toMatch("no 1");
    expect(payloads("SubagentVerify").map(({ attempt, max_attempts }) => [attempt, max_attempts])).toEqual([
      [1, 3],
      [2, 3],
      [3, 3],
    ]);
  });

  it("delegation.post_verify: a subagent that tries again remembers what it said, and its tool tells a failure", async () => {
    const { harness, run, tools, model: outer } = host([call("helper", { prompt: "sum it up" }), "done"]);
    harness.register({ event: "SubagentVerify", handler: ({ attempt }) => block(`no ${attempt}`) });
    const model = scriptedModel(["first", "second"], "small");
    const helper = subagentTool({ name: "helper", model, system: "be brief", verify: true, maxVerifyRetries: 1 });
    await run({ tools: [...tools, helper] });
    expect(model.requests[1]?.messages).toEqual([
      { role: "system", content: "be brief" },
      { role: "user", content: "sum it up" },
      { role: "assistant", content: "first" },
      { role: "user", content: expect.stringMatching(/sum it up[\s\S]*no 1/) },
    ]);
    const answered = outer.requests[1]?.messages.at(-1);
    expect(answered).toMatchObject({ role: "tool", is_error: true, content: expect.stringMatching("no 2") });
  });

  it("a subagent inherits the reminders of the hooks on its own start", async () => {
    const { harness, run, tools } = host([call("helper", { prompt: "p" }), "done"]);
    harness.register({ event: "SubagentStart", handler: () => remind({ body: "you are a reviewer" }) });
    const model = scriptedModel(["ok"], "small");
    await run({ tools: [...tools, subagentTool({ name: "helper", model })] });
    expect(model.requests[0]?.messages.at(-1)).toEqual({ role: "system", content: "you are a reviewer" });
  });

  it("a subagent that is refused, or that a hook ends, is an error for whoever asked", async () => {
    const { harness, run, tools, model } = host([
      call("helper", { prompt: "p" }),
      call("helper", { prompt: "p" }),
      "done",
    ]);
    let starts = 0;
    harness.register({ event: "SubagentStart", handler: () => (++starts === 1 ? block("no subagents") : undefined) });
    harness.register({
      event: "TurnStart",
      when: ({ session }) => session.parent_id === "s",
      handler: () => block("no turn"),
    });
    const helper = subagentTool({ name: "helper", model: scriptedModel(["never"], "small") });
    await run({ tools: [...tools, helper] });
    const results = model.requests[2]?.messages.filter(({ role }) => role === "tool");
    expect(results).toMatchObject([
      { is_error: true, content: "Blocked by a hook: no subagents" },
      { is_error: true, content: "turn_start_blocked: no turn" },
    ]);
  });

  it("delegation.post_verify: a declared function and the hooks must both pass, and reasons are joined", async () => {
    const { harness, session } = host();
    harness.register({ event: "SubagentVerify", handler: ({ attempt }) => (attempt === 1 ? block("b") : undefined) });
    await session.start();
    const prompts: string[] = [];
    const run = (_: unknown, prompt: string) => String(prompts.push(prompt));
    const verify = (_: unknown, attempt: number) => (attempt === 1 ? "a" : undefined);
    expect(await session.delegate({ ...task, run, verify })).toMatchObject({
      ok: true,
      attempts: 2,
      result: { text: "2" },
    });
    expect(prompts[1]).toMatch("a; b");
  });

  it.each([
    ["a hook", undefined],
    ["a function", () => Promise.reject(new Error("cannot look"))],
    ["a function that returns nonsense", (() => false) as never],
  ])("delegation.post_verify: a verifier that faults is a hard error: %s", async (_, verify) => {
    const { harness, session } = host();
    if (verify === undefined) {
      harness.register({
        event: "SubagentVerify",
        handler: () => {
          throw new Error("cannot look");
        },
      });
    }
    await session.start();
    let runs = 0;
    const run = () => String(++runs);
    const delegation = { ...task, run, verify: verify ?? (true as const) };
    await expect(session.delegate(delegation)).rejects.toMatchObject({ code: "HARN_E_VERIFIER" });
    expect(runs).toBe(1);
  });

  it("a subagent inherits the stack: a guard blocks inside of it", async () => {
    const { harness, run, ran, tools, fired, names } = host([call("helper", { prompt: "do it" }), "done"]);
    harness.register({ event: "PreToolUse", pattern: "echo", handler: () => block("not here either") });
    const model = scriptedModel([call("echo", { text: "x" }), "I could not"], "small");
    const result = await run({ tools: [...tools, subagentTool({ name: "helper", model, tools })] });
    expect([ran, result.text]).toEqual([[], "done"]);
    expect(model.requests[1]?.messages.at(-1)?.content).toMatch("not here either");
    const inside = fired().find(({ event, payload }) => event === "PreToolUse" && payload.session.id === "s.1");
    expect(inside?.payload.session).toMatchObject({ agent: "helper", parent_id: "s" });
    const prompts = fired().flatMap(({ event, payload }) => (event === "UserPromptSubmit" ? [payload] : []));
    expect(prompts).toMatchObject([{ prompt: "go" }, { prompt: "do it", source: "subagent" }]);
    expect(names("s.1")).toContain("SessionEnd");
  });

  it("a subagent whose session was left open is ended for it, and nothing of it stays unsettled", async () => {
    const { session, names, payloads } = host();
    await session.start();
    await session.delegate({
      ...task,
      async run(child) {
        await child.start();
        expect(session.unsettled).toEqual([{ kind: "subagent", name: "reviewer" }]);
        return "ok";
      },
    });
    expect(session.unsettled).toEqual([]);
    expect(names("s.1")).toEqual(["SessionStart", "SessionEnd"]);
    expect(payloads("SessionEnd")[0]?.reason).toBe("complete");
    expect(names("s").at(-1)).toBe("SubagentStop");
  });

  it("a subagent inherits the permissions, and an ask with nobody there is denied in it", async () => {
    const { harness, run, ran, tools } = host([call("helper", { prompt: "do it" }), "done"]);
    harness.register({ event: "PreToolUse", pattern: "echo", handler: () => ask("sure?") });
    const model = scriptedModel([call("echo", { text: "x" }), "no"], "small");
    await run({ tools: [...tools, subagentTool({ name: "helper", model, tools })] });
    expect(ran).toEqual([]);
  });

  it("agents that delegate to each other without end are stopped", async () => {
    const { session } = host([], { maxDepth: 2 });
    await session.start();
    const run = async (child: typeof session): Promise<string> => {
      await child.start();
      await child.delegate({ ...task, run });
      return "never";
    };
    await expect(session.delegate({ ...task, run })).rejects.toMatchObject({ code: "HARN_E_DELEGATION" });
  });
});
