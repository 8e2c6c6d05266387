import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  ask,
  block,
  createHarness,
  createSession,
  defineTool,
  type Harness,
  remind,
  runAgent,
  type ScriptedAnswer,
  type Session,
  scriptedModel,
  stop,
  subagentTool,
} from "@hooks/core";
import { openSessionTapes, readTape, replayTape, verifyTape } from "@hooks/tape";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Random } from "../fuzz/random.js";

/** Nothing, or a wait of up to three milliseconds. */
async function pause(chance: Random): Promise<void> {
  if (chance.once(2)) await new Promise((resolve) => setTimeout(resolve, chance.below(4)));
}

/** Hooks of every kind of answer, fault and delay. */
function arm(harness: Harness, chance: Random): void {
  const answers = {
    nothing: () => undefined,
    block: () => block("no PASSWORD=hunter22xyz"),
    remind: () => remind({ body: "mind", dedupe_key: "a", ttl_turns: 2 }),
    throw() {
      throw new Error("broken");
    },
  };
  const kinds: (keyof typeof answers)[] = ["nothing", "nothing", "block", "remind", "throw"];
  const answer = async () => {
    await pause(chance);
    return answers[chance.pick(kinds)]();
  };
  harness.register({ event: "PreToolUse", handler: answer });
  harness.register({ event: "PreToolUse", handler: () => (chance.once(9) ? ask("sure?") : undefined) });
  harness.register({ event: "PreToolUse", handler: () => (chance.once(9) ? stop("enough") : undefined) });
  harness.register({
    event: "PreToolUse",
    handler: ({ tool }) => (chance.once(3) ? { args: { ...tool.args, pin: "1234567890" } } : undefined),
  });
  for (const event of ["PostToolUse", "SubagentStart", "SubagentVerify", "Stop"] as const) {
    harness.register({ event, handler: answer });
  }
  harness.register({ event: "FileEdited", timeout_ms: 5, handler: () => new Promise(() => {}) });
  harness.observe({ event: "*", handler: () => pause(chance) });
}

async function live(session: Session, chance: Random): Promise<void> {
  const echo = defineTool({
    name: "echo",
    async run(_, { fileEdited }) {
      await pause(chance);
      if (chance.once(9)) fileEdited("f");
      if (chance.once(9)) throw new Error("tool");
      return "ok";
    },
  });
  const calls = (...names: string[]) => ({
    calls: names.map((name) => ({ name, args: { prompt: "q", pin: "12345678x" } })),
  });
  const script = () =>
    Array.from({ length: 8 }, () =>
      chance.pick<ScriptedAnswer>([
        "done",
        calls("echo", "helper"),
        calls("helper", "helper"),
        calls("echo"),
        new Error("down"),
      ]),
    );
  const helper = subagentTool({
    name: "helper",
    model: scriptedModel(script(), "small"),
    tools: [echo],
    verify: true,
    maxVerifyRetries: 1,
  });
  const abort = new AbortController();
  if (chance.once(3)) setTimeout(() => abort.abort(), chance.below(30));
  const run = { session, model: scriptedModel(script()), tools: [echo, helper], prompt: "go", signal: abort.signal };
  await runAgent({ ...run, parallelTools: !chance.once(3), maxStopBlocks: 1, maxTurns: 5 }).catch(() => undefined);
}

test("sessions on one harness, with parallel tools, subagents, faults and aborts: each ends, and each tape replays", async () => {
  const directory = mkdtempSync(join(tmpdir(), "harn-at-once-"));
  try {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1 }), async (seed) => {
        const chance = new Random(seed);
        const tapes = openSessionTapes({ directory, sync: "none", mask: { key: "k", paths: ["**.pin"] } });
        const harness = createHarness({ tape: tapes, ports: { warn: () => {} } });
        arm(harness, chance);
        const permissions = { otherwise: "allow" as const, ask: () => chance.once(2) };
        const ports = { warn: () => {}, sleep: async () => {} };
        const ids = ["a", "b", "c"].map((id) => `${seed}-${id}`);
        await Promise.all(ids.map((id) => live(createSession(harness, { id, permissions, ports }), chance)));
        for (const id of ids) {
          const file = tapes.fileOf(id) as string;
          expect(await verifyTape(file)).toMatchObject({ complete: true });
          expect((await replayTape(file)).divergences.map(({ message }) => message)).toEqual([]);
          const events = [...readTape(file)].flatMap(({ record }) => (record.kind === "event" ? [record] : []));
          const count = (name: string) => events.filter(({ event }) => event === name).length;
          expect(count("SessionEnd")).toBe(count("SessionStart"));
          expect(events.at(-1)).toMatchObject({ event: "SessionEnd", session: id });
        }
      }),
      { numRuns: 30 },
    );
  } finally {
    rmSync(directory, { recursive: true });
  }
});
