import { describe, expect, test } from "vitest";
import {
  block,
  createHarness,
  defineObserver,
  HookFaultError,
  memoryTape,
  modify,
  type Observation,
  type Ports,
  remind,
} from "./index.js";

const bash = (command: string) => ({ tool: { name: "Bash", args: { command } } });

function watched(options: Parameters<typeof createHarness>[0] = {}) {
  const warnings: string[] = [];
  const harness = createHarness({
    ports: { warn: ({ hook, message }) => warnings.push(`${hook}: ${message}`) },
    ...options,
  });
  const seen: Observation[] = [];
  return { harness, warnings, seen, note: (observation: Observation) => void seen.push(observation) };
}

describe("an observer", () => {
  test("is told once how a dispatch ended, also when priority 0 blocked it", () => {
    const { harness, seen, note } = watched();
    harness.policy = "p1";
    harness.observe({ id: "audit", event: "*", handler: note });
    harness.register({ id: "first", event: "PreToolUse", priority: 0, handler: () => block("no") });
    harness.register({ id: "second", event: "PreToolUse", priority: 1, handler: () => undefined });
    harness.fire("PreToolUse", bash("ls"));
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({
      event: "PreToolUse",
      verdict: "block",
      reason: "no",
      by: "first",
      policy: "p1",
      dispatch: 1,
      raised: false,
      faults: [],
      trace: [
        { hook: "first", result: "block" },
        { hook: "second", skipped: '"first" had ended the chain' },
      ],
    });
    expect(seen[0]?.duration_ms).toBeGreaterThanOrEqual(0);
  });

  test("sees what was asked and what came of it, rewrites and faults included", async () => {
    const { harness, seen, note } = watched();
    harness.observe({ event: "PreToolUse", handler: note });
    harness.register({ event: "PreToolUse", handler: async () => modify({ args: { command: "npm ci" } }) });
    harness.register({
      id: "bad",
      event: "PreToolUse",
      on_error: "allow",
      handler: () => {
        throw new Error("oh");
      },
    });
    await harness.fire("PreToolUse", bash("npm i"));
    expect(seen[0]?.asked).toMatchObject(bash("npm i"));
    expect(seen[0]?.payload).toMatchObject(bash("npm ci"));
    expect(seen[0]?.faults).toEqual([
      { hook: "bad", code: "HARN_E_HOOK_THREW", message: "threw: oh", on_error: "allow" },
    ]);
  });

  test("changes nothing: not by an answer, not by what it is given", () => {
    const { harness, warnings } = watched();
    const answers = [block("no"), false, { args: {} }, remind({ body: "x" }), "text", null, true];
    for (const answer of answers) harness.observe({ event: "PreToolUse", handler: (() => answer) as never });
    harness.observe({
      id: "vandal",
      event: "PreToolUse",
      handler: ((observation: { verdict: string }) => {
        observation.verdict = "block";
      }) as never,
    });
    const outcome = harness.fire("PreToolUse", bash("ls"));
    if (outcome instanceof Promise) throw new Error("no observer is asynchronous");
    expect(outcome).toMatchObject({ verdict: "allow", modified: false, reminders: [] });
    expect(outcome.faults).toHaveLength(answers.length + 1);
    expect(warnings).toHaveLength(answers.length + 1);
    expect(warnings[0]).toContain("an observer returns nothing, got an object");
  });

  test("is held to its pattern and its when", () => {
    const { harness, seen, note } = watched();
    harness.observe({ id: "tools", event: "*", pattern: "{Pre,Post}ToolUse", handler: note });
    harness.observe({ id: "session", event: "*", pattern: 'session.agent == "main"', handler: note });
    harness.observe({ id: "write", event: "PreToolUse", pattern: "Write", handler: note });
    harness.observe({ id: "when", event: "PreToolUse", when: ({ tool }) => "x" in tool.args, handler: note });
    const outcome = harness.fire("PreToolUse", bash("ls"));
    harness.fire("SessionEnd", {});
    harness.fire("SessionEnd", { session: { id: "s", agent: "main" } });
    expect(seen.map(({ event }) => event)).toEqual(["PreToolUse", "SessionEnd"]);
    if (outcome instanceof Promise) throw new Error("no observer is asynchronous");
    expect(outcome.trace).toMatchObject([
      { hook: "tools", observes: true, result: "observed" },
      { hook: "session", observes: true, skipped: expect.stringContaining("does not match") },
      { hook: "when", observes: true, skipped: expect.stringContaining("is false") },
    ]);
  });

  test("that cannot match anything is refused", () => {
    const { harness } = watched();
    const observe = (pattern: string) => harness.observe({ event: "*", pattern, handler: () => {} });
    expect(() => observe("Bash")).toThrow("could never match");
    expect(() => observe("tool.nme == 1")).toThrow('tool has no "nme"');
    expect(() => observe("custom.deploy")).not.toThrow();
    expect(() => harness.register({ event: "*" as never, handler: () => undefined })).toThrow("Only observers");
  });

  test("that fails, or whose condition does, is a visible fault and no verdict; raise reaches the host", () => {
    const { harness, warnings } = watched();
    const fail = () => {
      throw new Error("disk full");
    };
    harness.observe({ id: "audit", event: "PreToolUse", handler: fail, on_error: "block" });
    harness.observe({ id: "odd", event: "PreToolUse", when: () => "yes" as never, handler: () => {} });
    const outcome = harness.fire("PreToolUse", bash("ls"));
    expect(outcome).toMatchObject({
      verdict: "allow",
      faults: [{ hook: "audit", on_error: "allow" }, { hook: "odd" }],
    });
    expect(warnings).toEqual(["audit: threw: disk full", expect.stringContaining("odd: when:")]);
    harness.observe({ id: "loud", event: "PreToolUse", handler: fail, on_error: "raise" });
    expect(() => harness.fire("PreToolUse", bash("ls"))).toThrow(HookFaultError);
  });

  test("is told of a fault that is raised, before the host gets it", () => {
    const { harness, seen, note } = watched();
    harness.observe({ event: "*", handler: note });
    harness.register({ id: "loud", event: "PreToolUse", on_error: "raise", handler: () => false as never });
    harness.register({
      id: "louder",
      event: "SessionEnd",
      on_error: "raise",
      handler: () => {
        throw new Error("oh");
      },
    });
    harness.fire("PreToolUse", bash("ls"));
    expect(() => harness.fire("SessionEnd", {})).toThrow("oh");
    expect(seen.map(({ verdict, raised }) => [verdict, raised])).toEqual([
      ["block", false],
      ["allow", true],
    ]);
    expect(seen[1]?.faults).toMatchObject([{ hook: "louder", on_error: "raise" }]);
  });

  test("that does not settle is abandoned at its deadline, and told so", async () => {
    let tick: () => void = () => {};
    let now = 0;
    const ports: Ports = {
      now: () => now,
      every: (_ms, call) => {
        tick = call;
        return () => {};
      },
      warn: () => {},
    };
    const { harness } = watched({ ports });
    let aborted = false;
    harness.observe({
      id: "slow",
      event: "PreToolUse",
      timeout_ms: 100,
      handler: (_, { signal }) =>
        new Promise(() => {
          signal.addEventListener("abort", () => {
            aborted = true;
          });
        }),
    });
    const next: string[] = [];
    harness.observe({ event: "PreToolUse", handler: async ({ event }) => void next.push(event) });
    const fired = harness.fire("PreToolUse", bash("ls"));
    tick();
    now = 101;
    tick();
    const outcome = await fired;
    expect(outcome).toMatchObject({
      verdict: "allow",
      faults: [{ hook: "slow", error: { code: "HARN_E_HOOK_TIMEOUT" } }],
    });
    expect(aborted).toBe(true);
    expect(next).toEqual(["PreToolUse"]);
  });

  test("is not told of a trial, and is removed again", () => {
    const { harness, seen, note } = watched({ trial: true });
    const remove = harness.observe(defineObserver({ event: "*", handler: note }));
    expect(harness.hooks.map(({ event, observes }) => [event, observes])).toEqual([["*", true]]);
    const outcome = harness.fire("SessionEnd", {});
    if (outcome instanceof Promise) throw new Error("no observer is asynchronous");
    expect(seen).toEqual([]);
    expect(outcome.trace).toMatchObject([{ skipped: "an observer is not told of a trial" }]);
    remove();
    expect(harness.hooks).toEqual([]);
  });

  test("stands on the tape as a call, between the chain and the outcome", async () => {
    const tape = memoryTape();
    const { harness, note } = watched({ tape });
    harness.observe({ id: "audit", event: "*", handler: async (observation) => note(observation) });
    harness.observe({ id: "bad", event: "*", handler: () => 1 as never });
    harness.register({ id: "guard", event: "PreToolUse", handler: () => block("no") });
    await harness.fire("PreToolUse", bash("ls"));
    expect(tape.records.map((record) => [record.kind, "hook" in record ? record.hook.id : ""])).toEqual([
      ["event", ""],
      ["hook_call", "guard"],
      ["hook_returned", "guard"],
      ["hook_vetoed", "guard"],
      ["hook_call", "audit"],
      ["hook_returned", "audit"],
      ["hook_call", "bad"],
      ["hook_failed", "bad"],
      ["outcome", ""],
    ]);
    expect(tape.records[4]).toMatchObject({ observes: true });
    expect(tape.records[5]).toMatchObject({ result: "observed" });
  });
});
