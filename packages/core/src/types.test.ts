import { expectTypeOf, test } from "vitest";
import { allow, ask, block, modify, remind, stop } from "./effect.js";
import type { Change, Payload } from "./events.js";
import { createHarness } from "./harness.js";
import { defineHook } from "./hook.js";

test("the event decides what a handler sees", () => {
  defineHook({
    event: "PreToolUse",
    handler: (payload) => {
      expectTypeOf(payload).toEqualTypeOf<Payload<"PreToolUse">>();
      expectTypeOf(payload.tool.name).toBeString();
    },
  });
  expectTypeOf<Change<"SessionStart">>().toBeNever();
  expectTypeOf<Change<"UserPromptSubmit">>().toEqualTypeOf<{ readonly prompt: string }>();
  expectTypeOf<Change<"PreToolUse">["args"]>().toEqualTypeOf<Payload<"PreToolUse">["tool"]["args"]>();
  expectTypeOf<Payload<"custom.deploy">["event"]>().toEqualTypeOf<"custom.deploy">();
});

test("a verdict the event does not honour does not compile", () => {
  defineHook({ event: "PreToolUse", handler: () => ask("sure?") });
  defineHook({ event: "PreToolUse", handler: () => modify({ args: { command: "ls" } }) });
  defineHook({ event: "PreToolUse", handler: () => stop("enough", block("no")) });
  defineHook({ event: "PreToolUse", handler: async () => remind({ body: "careful" }, { deny: "no" }) });
  defineHook({ event: "UserPromptSubmit", handler: () => modify({ prompt: "hello" }) });
  defineHook({ event: "PermissionAsked", handler: () => ({ decision: "deny", reason: "no" }) });
  defineHook({ event: "SessionStart", handler: () => allow() });
  defineHook({ event: "SessionStart", handler: () => ({ body: "hello", tags: ["x"] }) });
  defineHook({ event: "PostToolUse", handler: () => "shorter" });
  defineHook({ event: "PostToolUse", handler: () => [{ reminder: { body: "x" } }] });

  // @ts-expect-error SessionStart is advisory
  defineHook({ event: "SessionStart", handler: () => block("no") });
  // @ts-expect-error SessionEnd is advisory
  defineHook({ event: "SessionEnd", handler: () => false });
  // @ts-expect-error a prompt cannot be asked about
  defineHook({ event: "UserPromptSubmit", handler: () => ask("sure?") });
  // @ts-expect-error PreCompact has nothing to rewrite
  defineHook({ event: "PreCompact", handler: () => modify({ trigger: "manual" }) });
  // @ts-expect-error args are what PreToolUse lets a hook rewrite
  defineHook({ event: "PreToolUse", handler: () => modify({ argz: {} }) });
  // @ts-expect-error a decision answers PermissionAsked only
  defineHook({ event: "PreToolUse", handler: () => ({ decision: "deny" }) });
  // @ts-expect-error a string rewrites a result, and a prompt has none
  defineHook({ event: "UserPromptSubmit", handler: () => "text" });
  // @ts-expect-error there is no such event
  defineHook({ event: "PreToolUsed", handler: () => allow() });
  // @ts-expect-error stop belongs to tools
  defineHook({ event: "TurnStart", handler: () => stop() });
});

test("the surfaces are typed by their events", () => {
  const harness = createHarness();
  harness.registerSessionHook("user_prompt_submit", ({ prompt }) => {
    expectTypeOf(prompt).toBeString();
    return prompt === "" ? { block: true, reason: "empty" } : null;
  });
  harness.registerSessionHook("FileEdited", ({ path }) => expectTypeOf(path).toBeString() && undefined);
  harness.registerStepHook("merge_*", "audit", "PreStep", ({ step }) => {
    expectTypeOf(step.name).toBeString();
  });
  harness.registerCallbacks([
    {
      event: "PreToolUse",
      handler: (input) => {
        expectTypeOf(input.toolName).toBeString();
        return { decision: "allow" };
      },
    },
    { event: "SessionEnd", handler: (input) => void expectTypeOf(input.reason).toEqualTypeOf<string | undefined>() },
  ]);
  expectTypeOf(harness.fire).parameter(0).toExtend<string>();
});
