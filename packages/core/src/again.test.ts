import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { HookReturn } from "./effect.js";
import type { EventName } from "./events.js";
import { createHarness } from "./harness.js";
import type { HookInit } from "./hook.js";
import { memoryTape } from "./tape.js";

type Handler = (payload: { tool: { args: { command: string } } }) => HookReturn<"PreToolUse"> | Promise<unknown>;

function hook(id: string, rank: number, handler: Handler, more: Partial<HookInit> = {}): HookInit {
  return { id, event: "PreToolUse", handlerName: id, rank, binds: rank < 100, handler: handler as never, ...more };
}

function stack(...hooks: HookInit[]) {
  const tape = memoryTape();
  const harness = createHarness({ tape, ports: { warn: () => {} } });
  harness.install(hooks);
  const run = (command: string) => harness.fire("PreToolUse", { tool: { name: "Bash", args: { command } } });
  return { run, tape, harness };
}

const guard: Handler = ({ tool }) => (tool.args.command.includes("rm") ? { deny: "no rm" } : undefined);
const to =
  (command: string): Handler =>
  () => ({ args: { command } });

describe("a gate that binds", () => {
  test("answers again for what a hook of a higher rank rewrote after it", async () => {
    const { run, tape } = stack(hook("guard", 0, guard), hook("project", 100, to("rm -rf /")));
    const outcome = await run("ls");
    expect(outcome).toMatchObject({ verdict: "block", reason: "no rm", by: "guard" });
    expect(outcome.trace.map(({ hook, result }) => [hook, result])).toEqual([
      ["guard", "allow"],
      ["project", "modify"],
      ["guard", "block"],
    ]);
    const calls = tape.records.flatMap((record) => (record.kind === "hook_call" ? [record.hook.id] : []));
    expect(calls).toEqual(["guard", "project", "guard"]);
  });

  test("answers once when nothing was rewritten after it, or only to the same", async () => {
    const { run, tape } = stack(hook("first", 100, to("ls"), { priority: -1 }), hook("guard", 0, guard));
    expect(await run("pwd")).toMatchObject({ verdict: "allow", payload: { tool: { args: { command: "ls" } } } });
    expect(await run("ls")).toMatchObject({ verdict: "allow" });
    expect(tape.records.filter(({ kind }) => kind === "hook_call")).toHaveLength(4);
  });

  test("does not answer again for its own rewrite, nor for one of its own rank", async () => {
    const { run, tape } = stack(hook("guard", 0, guard), hook("sibling", 0, to("pwd")));
    expect(await run("ls")).toMatchObject({ verdict: "allow" });
    expect(tape.records.filter(({ kind }) => kind === "hook_call")).toHaveLength(2);
  });

  test("answers again for what another of its rank rewrites because it was asked again", async () => {
    const turn: Handler = ({ tool }) => (tool.args.command === "clean" ? { args: { command: "rm -rf /" } } : undefined);
    const { run } = stack(
      hook("turn", 0, turn, { priority: 0 }),
      hook("project", 100, to("clean"), { priority: 1 }),
      hook("guard", 0, guard, { priority: 2 }),
    );
    expect(await run("ls")).toMatchObject({ verdict: "block", by: "guard" });
  });

  test("that its condition left out before is asked when the rewrite concerns it", async () => {
    const { run } = stack(
      hook("guard", 0, () => ({ deny: "no" }), { pattern: "tool.args.command == shutdown" }),
      hook("project", 100, to("shutdown")),
    );
    expect(await run("ls")).toMatchObject({ verdict: "block", by: "guard" });
  });

  test("and whose subject the rewrite changed is asked", async () => {
    const harness = createHarness({ ports: { warn: () => {} } });
    const init = (id: string, rank: number, more: object) =>
      ({ id, event: "PreCompletion", handlerName: id, rank, binds: rank < 100, ...more }) as never;
    harness.install([
      init("guard", 0, { pattern: "forbidden-*", handler: () => ({ block: true, reason: "not this one" }) }),
      init("project", 100, { handler: () => ({ effect: "modify", change: { request: { model: "forbidden-1" } } }) }),
    ]);
    expect(await harness.fire("PreCompletion", { request: { model: "small" } })).toMatchObject({ verdict: "block" });
  });

  test("waits for asynchronous hooks as for others", async () => {
    const { run } = stack(
      hook("guard", 0, async (payload) => guard(payload)),
      hook("project", 100, async () => ({ args: { command: "rm x" } })),
    );
    expect(await run("ls")).toMatchObject({ verdict: "block", by: "guard" });
  });

  test("an ask of the second round counts", async () => {
    const ask: Handler = ({ tool }) =>
      tool.args.command === "git push" ? { effect: "ask", reason: "sure?" } : undefined;
    const { run } = stack(hook("guard", 0, ask), hook("project", 100, to("git push")));
    expect(await run("ls")).toMatchObject({ verdict: "ask", reason: "sure?" });
  });

  test("what never settles is blocked, whatever the fault policy of the hook", async () => {
    const flip: Handler = ({ tool }) => ({ args: { command: `${tool.args.command}x` } });
    const hooks = Array.from({ length: 9 }, (_, rank) => hook(`pack ${rank}`, rank, flip, { on_error: "allow" }));
    const { run } = stack(...hooks, hook("project", 100, flip));
    expect(await run("ls")).toMatchObject({ verdict: "block", faults: [{ error: { code: "HARN_E_UNSETTLED" } }] });
  });
});

test("no hooks of a project make run what a policy blocks, whatever they rewrite and in whatever order", () => {
  const command = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 4 }).map((letters) => letters.join(""));
  const ban = fc.record({ priority: fc.integer({ min: -2, max: 2 }), rank: fc.constantFrom(0, 1), banned: command });
  const rewrite = fc.record({
    priority: fc.integer({ min: -3, max: 3 }),
    rank: fc.constantFrom(2, 100, 1_000),
    to: command,
    isLate: fc.boolean(),
    verdict: fc.constantFrom("modify", "allow", "ask"),
  });
  const property = fc.asyncProperty(
    fc.array(ban, { minLength: 1, maxLength: 4 }),
    fc.array(rewrite, { maxLength: 6 }),
    command,
    async (bans, rewrites, first) => {
      const gates = bans.map(({ priority, rank, banned }, index) => {
        const handler: Handler = ({ tool }) => (tool.args.command.includes(banned) ? { deny: banned } : undefined);
        return hook(`gate ${index}`, rank, handler, { priority });
      });
      const others = rewrites.map(({ priority, rank, to: next, isLate, verdict }, index) => {
        const answer =
          verdict === "modify"
            ? { args: { command: next } }
            : verdict === "ask"
              ? { effect: "ask", reason: "?" }
              : true;
        const handler = (() => (isLate ? Promise.resolve(answer) : answer)) as unknown as Handler;
        return hook(`other ${index}`, rank, handler, { priority });
      });
      const { run } = stack(...gates, ...others);
      const { verdict, payload } = await run(first);
      const executed = String((payload as unknown as { tool: { args: { command: string } } }).tool.args.command);
      const isBanned = bans.some(({ banned }) => executed.includes(banned));
      expect(isBanned && verdict !== "block").toBe(false);
    },
  );
  return fc.assert(property, { numRuns: 1_000 });
});

test("an event without a veto asks nobody again", async () => {
  const harness = createHarness({ ports: { warn: () => {} } });
  let calls = 0;
  const event: EventName = "PostToolUseFailure";
  harness.install([
    { id: "pack", event, handlerName: "pack", rank: 0, binds: true, handler: () => void calls++ },
    { id: "project", event, handlerName: "project", rank: 100, handler: () => ({ result: "other" }) },
  ]);
  await harness.fire(event, { tool: { name: "Bash", args: {} }, result: { text: "x", is_error: true } });
  expect(calls).toBe(1);
});
