import { block, remind } from "@hooks/core";
import { describe, expect, it } from "vitest";
import { call, host } from "./session.js";

describe("the session lifecycle table", () => {
  it("session_start: after the session record is open, before the loop starts", async () => {
    const { run, names, payloads } = host();
    await run();
    expect(names()[0]).toBe("SessionStart");
    expect(payloads("SessionStart")[0]).toMatchObject({ prompt: "go", is_resume: false, source: "startup" });
  });

  it("session_end: after the loop exits; nothing comes after it", async () => {
    const { run, names } = host([call("echo", { text: "a" }), "done"]);
    await run();
    expect(names().at(-1)).toBe("SessionEnd");
    expect(names().filter((name) => name === "SessionEnd")).toHaveLength(1);
  });

  it("the whole order of a run with one tool call", async () => {
    const { run, names } = host([call("write", { path: "a.ts" }), "done"]);
    await run();
    expect(names()).toEqual([
      ...["SessionStart", "UserPromptSubmit", "TurnStart"],
      ...["PreCompletion", "PostCompletion", "PreToolUse", "PostToolUse", "FileEdited", "PostTurn"],
      ...["PreCompletion", "PostCompletion", "PostTurn", "Stop", "TurnEnd"],
      ...["PreFinish", "PostFinish", "SessionEnd"],
    ]);
  });

  it("user_prompt_submit: {block: true, reason} returns stop_reason user_prompt_submit_blocked", async () => {
    const { harness, run, model, names } = host();
    harness.registerSessionHook("user_prompt_submit", ({ prompt }) =>
      prompt.includes("secret") ? { block: true, reason: "secret in prompt" } : null,
    );
    const result = await run({ prompt: "the secret" });
    expect(result).toMatchObject({ stop_reason: "user_prompt_submit_blocked", reason: "secret in prompt" });
    expect(model.requests).toEqual([]);
    expect(names()).not.toContain("TurnStart");
    expect(names().at(-1)).toBe("SessionEnd");
  });

  it("user_prompt_submit: before the agent sees the prompt, so a rewrite is what it sees", async () => {
    const { harness, run, model } = host();
    harness.register({ event: "UserPromptSubmit", handler: () => ({ prompt: "other" }) });
    await run();
    expect(model.requests[0]?.messages).toEqual([{ role: "user", content: "other" }]);
  });

  const compaction = {
    isDue: (messages: readonly unknown[]) => messages.length > 2,
    compact: () => ({ messages: [{ role: "user" as const, content: "short" }], summary: "short" }),
  };

  it("pre_compact: {block: true} skips this compaction pass", async () => {
    const { harness, run, names, model } = host([call("echo", { text: "a" }), "done"]);
    harness.registerSessionHook("pre_compact", () => ({ block: true, reason: "not now" }));
    await run({ compaction });
    expect(names()).toContain("PreCompact");
    expect(names()).not.toContain("PostCompact");
    expect(model.requests[1]?.messages).toHaveLength(3);
  });

  it("post_compact: after autocompaction completes and replaces messages", async () => {
    const { run, payloads, model } = host([call("echo", { text: "a" }), "done"]);
    await run({ compaction });
    expect(payloads("PreCompact")[0]).toMatchObject({ trigger: "auto", message_count: 3 });
    expect(payloads("PostCompact")[0]).toMatchObject({ trigger: "auto", message_count: 1, summary: "short" });
    expect(model.requests[1]?.messages).toEqual([{ role: "user", content: "short" }]);
  });

  it("post_turn: after a model/tool turn is recorded, before the loop decides whether to continue", async () => {
    const { run, payloads } = host([call("echo", { text: "a" }), "done"]);
    await run();
    expect(payloads("PostTurn").map(({ turn, text }) => [turn.index, text])).toEqual([
      [0, ""],
      [1, "done"],
    ]);
  });

  it("file_edited: queued, and drained at the turn boundary", async () => {
    const { run, names, payloads } = host([
      {
        calls: [
          { name: "write", args: { path: "a" } },
          { name: "echo", args: { text: "x" } },
        ],
      },
      "done",
    ]);
    await run();
    const order = names();
    expect(order.indexOf("FileEdited")).toBeGreaterThan(order.lastIndexOf("PostToolUse"));
    expect(order[order.indexOf("FileEdited") + 1]).toBe("PostTurn");
    expect(payloads("FileEdited")[0]).toMatchObject({ path: "a", is_new: true, tool: { name: "write" } });
  });

  it("session_error: before session_end when the loop ended with an error; and the error is thrown", async () => {
    const error = new Error("provider is down");
    const { run, names, payloads } = host([error]);
    await expect(run()).rejects.toBe(error);
    expect(names().slice(-2)).toEqual(["SessionError", "SessionEnd"]);
    expect(payloads("SessionError")[0]?.error.message).toBe("provider is down");
    expect(payloads("SessionEnd")[0]?.reason).toBe("error");
  });

  it("session_idle: each time the daemon enters its wake_interval_ms wait between turns", async () => {
    const { run, names, payloads } = host(["one", "two"]);
    const wakes = ["idle" as const, { prompt: "again", source: "timer" }, "end" as const];
    const result = await run({ daemon: { wake_interval_ms: 50, wake: () => wakes.shift() ?? "end" } });
    expect(result.text).toBe("two");
    expect(payloads("SessionIdle").map((payload) => payload.wake_interval_ms)).toEqual([50, 50, 50]);
    expect(payloads("UserPromptSubmit").map(({ source }) => source)).toEqual([undefined, "timer"]);
    expect(names().filter((name) => name === "SessionStart")).toHaveLength(1);
  });

  it("pre_finish, on_unsettled_detected, on_finish, post_finish: in this order", async () => {
    const { harness, session, run, payloads } = host();
    const order: string[] = [];
    for (const event of ["pre_finish", "on_unsettled_detected", "post_finish"] as const) {
      harness.registerSessionHook(event, () => void order.push(event));
    }
    session.track("job", "build");
    await run({ onFinish: () => void order.push("on_finish") });
    expect(order).toEqual(["pre_finish", "on_unsettled_detected", "on_finish", "post_finish"]);
    expect(payloads("OnUnsettledDetected")[0]?.unsettled).toEqual([{ kind: "job", name: "build" }]);
  });

  it("on_unsettled_detected: only when something is unsettled", async () => {
    const { session, run, names } = host();
    session.track("job", "build")();
    await run();
    expect(names()).not.toContain("OnUnsettledDetected");
  });

  it("a veto on an advisory event has no effect", async () => {
    const { harness, run } = host();
    harness.registerSessionHook("session_start", (() => ({ block: true, reason: "no" })) as never);
    expect((await run()).stop_reason).toBe("complete");
  });
});

describe("permission_asked and permission_replied", () => {
  const push = [call("echo", { text: "x" }), "done"];

  it("when the dynamic policy needs to escalate; a decision short-circuits it", async () => {
    const asked: string[] = [];
    const ask = ({ tool }: { tool: { name: string } }) => asked.push(tool.name) > 0;
    const { harness, run, ran, payloads } = host(push, { permissions: { mode: "default", ask } });
    harness.registerSessionHook("permission_asked", () => ({ decision: "deny", reason: "never unattended" }));
    await run();
    expect([asked, ran]).toEqual([[], []]);
    expect(payloads("PermissionAsked")[0]).toMatchObject({ tool: { name: "echo" }, mode: "default" });
    expect(payloads("PermissionReplied")[0]).toMatchObject({ decision: "deny", reason: "never unattended" });
    expect(payloads("PermissionDenied")[0]).toMatchObject({ reason: "never unattended" });
  });

  it.each([
    ["allow", [], ["echo x"]],
    ["ask", ["echo"], []],
  ] as const)("a decision of a hook: %s", async (decision, asks, runs) => {
    const asked: string[] = [];
    const ask = ({ tool }: { tool: { name: string } }) => {
      asked.push(tool.name);
      return false;
    };
    const { harness, run, ran, payloads } = host(push, { permissions: { ask } });
    harness.registerSessionHook("permission_asked", () => ({ decision, reason: "the hook says so" }));
    await run();
    expect([asked, ran]).toEqual([asks, runs]);
    expect(payloads("PermissionReplied")[0]?.decision).toBe(decision === "allow" ? "allow" : "deny");
  });

  it.each([
    ["a deny rule wins over an allow rule", { deny: ["echo"], allow: ["*"] }, "deny", false],
    ["an allow rule needs no question", { allow: ["echo"] }, "allow", false],
    ["nobody to ask is a no", {}, "deny", true],
    ["the person says yes", { ask: (): boolean => true }, "allow", true],
    ["the person says no", { ask: (): boolean => false }, "deny", true],
  ] as const)("%s", async (_, permissions, decision, isAsked) => {
    const { run, ran, payloads, names } = host(push, { permissions });
    await run();
    expect(payloads("PermissionReplied")[0]?.decision).toBe(decision);
    expect(ran).toEqual(decision === "allow" ? ["echo x"] : []);
    expect(names().includes("PermissionAsked")).toBe(isAsked);
    expect(names().includes("PermissionDenied")).toBe(decision === "deny");
    expect(names().includes("PostToolUse")).toBe(decision === "allow");
  });

  it("an ask of PreToolUse goes the same way, and an allow rule does not answer it", async () => {
    const { harness, run, ran, payloads, model } = host(push, { permissions: { allow: ["*"] } });
    harness.register({ event: "PreToolUse", handler: () => ({ effect: "ask", reason: "this leaves" }) });
    await run();
    expect(ran).toEqual([]);
    expect(payloads("PermissionAsked")[0]?.reason).toBe("this leaves");
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({ role: "tool", is_error: true });
  });

  it("a decision that is remembered is not asked for again, for the same arguments", async () => {
    let asked = 0;
    const ask = () => ({ decision: "allow" as const, remember: ++asked > 0 });
    const script = [call("echo", { text: "x" }), call("echo", { text: "x" }), call("echo", { text: "y" }), "done"];
    const { run, ran } = host(script, { permissions: { ask } });
    await run();
    expect([asked, ran.length]).toEqual([2, 3]);
  });

  it("an ask callback that fails is the host's error, and the tool does not run", async () => {
    const error = new Error("no terminal");
    const permissions = {
      ask() {
        throw error;
      },
    };
    const { run, ran } = host(push, { permissions });
    await expect(run()).rejects.toBe(error);
    expect(ran).toEqual([]);
  });
});

describe("reminders", () => {
  it("live in the next requests, and expire by ttl_turns", async () => {
    const { harness, run, model } = host([call("echo", { text: "a" }), call("echo", { text: "b" }), "done"]);
    harness.register({
      event: "PreToolUse",
      when: ({ tool }) => tool.args.text === "a",
      handler: () => remind({ body: "mind", ttl_turns: 1 }),
    });
    await run();
    const seen = model.requests.map(({ messages }) => messages.some(({ content }) => content === "mind"));
    expect(seen).toEqual([false, true, false]);
  });

  it("are injected also when the verdict is a block", async () => {
    const { harness, run, model } = host([call("echo", { text: "a" }), "done"]);
    harness.register({ event: "PreToolUse", handler: () => remind({ body: "mind" }, block("no")) });
    await run();
    expect(model.requests[1]?.messages.at(-1)).toEqual({ role: "system", content: "mind" });
  });

  it("survive compaction only with preserve_on_compact", async () => {
    const { harness, session } = host();
    harness.registerSessionHook("session_start", () => [
      { reminder: { body: "goes" } },
      { reminder: { body: "stays", preserve_on_compact: true } },
    ]);
    await session.start();
    await session.compact({ trigger: "manual" }, () => ({}));
    expect(session.reminders.pending.map(({ body }) => body)).toEqual(["stays"]);
  });

  it("propagate to subagents as declared", async () => {
    const { harness, session } = host();
    harness.register({
      event: "SessionStart",
      when: (payload) => payload.session.parent_id === undefined,
      handler: () =>
        (["all", "session", "none"] as const).map((propagate) => ({ reminder: { body: propagate, propagate } })),
    });
    await session.start();
    const seen: string[][] = [];
    const note = (pending: readonly { body: string }[]) => void seen.push(pending.map(({ body }) => body));
    await session.delegate({
      agent: "child",
      prompt: "p",
      async run(child) {
        note(child.reminders.pending);
        await child.start();
        await child.delegate({ agent: "grandchild", prompt: "p", run: ({ reminders }) => note(reminders.pending) });
        return "ok";
      },
    });
    expect(seen).toEqual([["all", "session"], ["all"]]);
  });
});

describe("personas and steps", () => {
  it("PreStep denies or rewrites args, PostStep rewrites the output", async () => {
    const { harness, session } = host();
    harness.registerStepHook("merge_*", "audit", "PreStep", () => ({ args: [2] }));
    harness.registerStepHook("merge_*", "audit", "PostStep", ({ output }) => ({ output: `${String(output)}!` }));
    harness.registerPersonaHook("other", "PreStep", () => ({ deny: "not you" }));
    await session.start();
    const seen: unknown[] = [];
    const run = (args: unknown) => {
      seen.push(args);
      return "out";
    };
    const step = { name: "audit", args: [1] };
    expect(await session.step({ ...step, persona: "merge_bot" }, run)).toEqual({ ok: true, output: "out!" });
    expect(await session.step({ ...step, persona: "other" }, run)).toMatchObject({ ok: false, reason: "not you" });
    expect(seen).toEqual([[2]]);
  });

  it("the notices of a persona, and OnBudgetThreshold(pct)", async () => {
    const { harness, session, names } = host();
    const heard: string[] = [];
    harness.registerPersonaHook("p", "OnBudgetThreshold(80)", ({ budget }) => void heard.push(`${budget.pct}`));
    await session.start();
    await session.approvalRequested({ persona: "p" });
    await session.handoffEmitted({ persona: "p", details: { to: "q" } });
    await session.personaPaused({ persona: "p" });
    await session.personaResumed({ persona: "p", step: "audit" });
    await session.budget({ persona: "p", used: 70, limit: 100 });
    await session.budget({ persona: "p", used: 85, limit: 100 });
    expect(heard).toEqual(["85"]);
    expect(names().slice(1)).toEqual([
      ...["OnApprovalRequested", "OnHandoffEmitted", "OnPersonaPaused", "OnPersonaResumed"],
      ...["OnBudgetThreshold", "OnBudgetThreshold"],
    ]);
  });
});
