import { describe, expect, test } from "vitest";
import { createHarness, type Harness } from "./harness.js";
import type { Outcome } from "./outcome.js";
import { memoryTape } from "./tape.js";

const bash = { tool: { name: "exec_bash", args: { command: "ls" } } };
const result = (text: string, rest: object = {}) => ({ ...bash, result: { text, is_error: false, ...rest } });

function quiet(): Harness {
  return createHarness({ ports: { warn: () => {} } });
}

describe("tool hooks", () => {
  test("one registration makes up to four hooks, removed together", () => {
    const harness = quiet();
    const off = harness.registerToolHook({
      pattern: "exec_*",
      deny: "no",
      max_output: 10,
      pre: () => {},
      post: () => {},
    });
    expect(harness.hooks.map(({ ref }) => ref.id).sort()).toEqual([
      "tool_hook::exec_*::deny",
      "tool_hook::exec_*::max_output",
      "tool_hook::exec_*::post",
      "tool_hook::exec_*::pre",
    ]);
    off();
    expect(harness.hooks).toEqual([]);
  });

  test("a structured value does not carry what was cut", () => {
    const harness = quiet();
    harness.registerToolHook({ max_output: 100 });
    const long = "x".repeat(500);
    const { payload } = harness.fire("PostToolUse", result(long, { value: { long } })) as Outcome<"PostToolUse">;
    expect(payload.result.text.length).toBeLessThanOrEqual(100);
    expect(payload.result).not.toHaveProperty("value");
    expect(payload.result.dropped).toBeGreaterThan(400);
  });

  test("what was dropped adds up, and no later hook can hide it", () => {
    const harness = quiet();
    harness.registerToolHook({ max_output: 200 });
    harness.registerToolHook({ max_output: 100 });
    harness.registerToolHook({ post: () => "all good" });
    harness.register({ event: "PostToolUse", handler: ({ result }) => ({ result: result.text }) });
    const { payload } = harness.fire("PostToolUse", result("x".repeat(1_000))) as Outcome<"PostToolUse">;
    expect(payload.result.text).toBe("all good");
    expect(payload.result.dropped).toBeGreaterThanOrEqual(900);
  });
});

test("a cap that cuts nothing says nothing, also on tape", () => {
  const tape = memoryTape();
  const harness = createHarness({ tape });
  harness.registerToolHook({ max_output: 100 });
  expect(harness.fire("PostToolUse", result("short"))).toMatchObject({ verdict: "allow", modified: false, faults: [] });
  expect(tape.records.map(({ kind }) => kind)).toEqual(["event", "hook_call", "hook_returned", "outcome"]);
});

describe("persona and step hooks", () => {
  const step = (persona: string, name: string) => ({
    target: `${persona}.${name}`,
    persona,
    step: { name, args: [1] },
  });

  test("match the persona by glob and the step by name", () => {
    const harness = quiet();
    harness.registerStepHook("merge_*", "audit", "PreStep", () => ({ deny: "audited" }));
    expect(harness.fire("PreStep", step("merge_bot", "audit"))).toMatchObject({ verdict: "block", reason: "audited" });
    expect(harness.fire("PreStep", step("merge_bot", "audits"))).toMatchObject({ verdict: "allow" });
    expect(harness.fire("PreStep", step("x.merge_bot", "audit"))).toMatchObject({ verdict: "allow" });
  });

  test("a persona hook takes every step, and rewrites arguments and output", () => {
    const harness = quiet();
    harness.registerPersonaHook("*", "PreStep", () => ({ args: [2] }));
    harness.registerPersonaHook("bot", "PostStep", () => ({ output: "done" }));
    expect(harness.fire("PreStep", step("a", "b"))).toMatchObject({ payload: { step: { args: [2] } } });
    expect(harness.fire("PostStep", { ...step("bot", "b"), output: null })).toMatchObject({
      payload: { output: "done" },
    });
  });
});

describe("mistakes", () => {
  const harness = quiet();
  const raw = harness as unknown as Record<string, (...args: unknown[]) => unknown>;
  const nothing = () => undefined;

  test.each<[string, string, unknown[], string]>([
    [
      "tool: unknown key",
      "registerToolHook",
      [{ patern: "x", deny: "no" }],
      'tool hook: unknown key "patern". Did you mean "pattern"?',
    ],
    [
      "tool: wrong type",
      "registerToolHook",
      [{ deny: true }],
      'tool hook: "deny" must be a text that is not empty, got a boolean',
    ],
    ["tool: empty reason", "registerToolHook", [{ deny: "" }], '"deny" must be a text that is not empty'],
    [
      "tool: negative bound",
      "registerToolHook",
      [{ max_output: -1 }],
      '"max_output" must be a whole number, 0 or more, got a number',
    ],
    ["tool: no closure", "registerToolHook", [{ pre: "x" }], '"pre" must be a function, got a string'],
    ["tool: nothing to do", "registerToolHook", [{ pattern: "x" }], 'tool hook for "x" does nothing'],
    ["tool: no object", "registerToolHook", ["x"], '"config" must be an object, got a string'],
    ["tool: bad pattern", "registerToolHook", [{ pattern: "[", deny: "no" }], 'pattern "[": Missing closing'],
    [
      "session: unknown event",
      "registerSessionHook",
      ["session_strat", nothing],
      'session hook: unknown event "session_strat". Did you mean "session_start"?',
    ],
    [
      "session: event of another surface",
      "registerSessionHook",
      ["PreToolUse", nothing],
      'unknown event "PreToolUse". Harn has this event, but not on this surface',
    ],
    ["session: no handler", "registerSessionHook", ["session_start"], '"handler" must be a function, got nothing'],
    ["session: no name", "registerSessionHook", [7, nothing], "event must be a string, got a number"],
    [
      "persona: snake_case",
      "registerPersonaHook",
      ["*", "pre_step", nothing],
      'persona hook: unknown event "pre_step". Did you mean "PreStep"?',
    ],
    [
      "persona: session event",
      "registerPersonaHook",
      ["*", "SessionStart", nothing],
      "Harn has this event, but not on this surface",
    ],
    ["persona: a bar", "registerPersonaHook", ["a|b", "PreStep", nothing], "`|` is not part of a glob"],
    ["persona: one item", "registerPersonaHook", ["{a}", "PreStep", nothing], "{a} would stand for itself"],
    ["persona: nobody", "registerPersonaHook", ["!*", "PreStep", nothing], "it excludes everything"],
    [
      "persona: bad threshold",
      "registerPersonaHook",
      ["*", "OnBudgetThreshold(x)", nothing],
      'unknown event "OnBudgetThreshold(x)". Did you mean "OnBudgetThreshold',
    ],
    [
      "step: no name",
      "registerStepHook",
      ["*", "", "PreStep", nothing],
      '"step_name" must be a text that is not empty',
    ],
    ["step: bad glob", "registerStepHook", ["[", "a", "PreStep", nothing], 'pattern "[": Missing closing'],
    ["callback: not a list", "registerCallbacks", [{}], "callback hooks must be a list"],
    [
      "callback: unknown event",
      "registerCallbacks",
      [[{ event: "FileWrites", handler: nothing }]],
      'callback hook: unknown event "FileWrites". Did you mean "FileWrite"?',
    ],
    [
      "callback: unknown key",
      "registerCallbacks",
      [[{ event: "Error", matchers: "x", handler: nothing }]],
      'unknown key "matchers". Did you mean "matcher"?',
    ],
    [
      "callback: no handler",
      "registerCallbacks",
      [[{ event: "Error" }]],
      '"handler" is required and must be a function',
    ],
    [
      "hook: unknown key",
      "register",
      [{ event: "PreToolUse", priorty: 1, handler: nothing }],
      'hook: unknown key "priorty". Did you mean "priority"?',
    ],
    ["hook: unknown event", "register", [{ event: "tool.pre", handler: nothing }], 'unknown event "tool.pre"'],
    [
      "hook: bad policy",
      "register",
      [{ event: "PreToolUse", on_error: "ignore", handler: nothing }],
      '"on_error" must be "block", "allow" or "raise"',
    ],
    [
      "hook: bad timeout",
      "register",
      [{ event: "PreToolUse", timeout_ms: 0, handler: nothing }],
      '"timeout_ms" must be a number of milliseconds above 0',
    ],
    [
      "hook: bad priority",
      "register",
      [{ event: "PreToolUse", priority: 1.5, handler: nothing }],
      '"priority" must be a whole number',
    ],
  ])("%s", (_, method, args, message) => {
    expect(() => raw[method]?.(...args)).toThrow(message);
    expect(harness.hooks).toEqual([]);
  });

  test("a list of callbacks is registered whole or not at all", () => {
    expect(() =>
      raw.registerCallbacks?.([
        { event: "Error", handler: nothing },
        { event: "x", handler: nothing },
      ]),
    ).toThrow();
    expect(harness.hooks).toEqual([]);
  });
});
