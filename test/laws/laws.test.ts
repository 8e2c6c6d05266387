import {
  allow,
  ask,
  block,
  createHarness,
  type EventName,
  modify,
  type Outcome,
  type PayloadInput,
  remind,
  stop,
} from "@hooks/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Act, compose, honours, type ModelHook, type ModelOutcome } from "./reference.js";

const CHAINS = 100_000;

const events = Object.keys(honours) as EventName[];
const tool = { name: "Bash", args: { n: 0 } };
const payloads: Record<string, object> = {
  PreToolUse: { tool },
  UserPromptSubmit: { prompt: "0" },
  PermissionAsked: { tool },
  PreCompact: {},
  SessionEnd: {},
};

const act: fc.Arbitrary<Act> = fc.letrec<{ act: Act; leaf: Act }>((tie) => ({
  leaf: fc.oneof(
    fc.constant<Act>({ kind: "allow" }),
    fc.record({ kind: fc.constant("block" as const), reason: fc.constantFrom("no", "never") }),
    fc.record({ kind: fc.constant("ask" as const), reason: fc.constantFrom("sure?", "really?") }),
    fc.record({ kind: fc.constant("modify" as const), value: fc.integer({ min: 0, max: 3 }) }),
    fc.record({ kind: fc.constant("decide" as const), decision: fc.constantFrom("allow", "deny", "ask") }),
    fc.constant<Act>({ kind: "throw" }),
  ) as fc.Arbitrary<Act>,
  act: fc.oneof(
    { maxDepth: 3 },
    { weight: 4, arbitrary: tie("leaf") },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant("remind" as const),
        body: fc.constantFrom("a", "b"),
        key: fc.constantFrom(null, "k1", "k2"),
        then: tie("act"),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("stop" as const), then: tie("act") }) },
  ) as fc.Arbitrary<Act>,
})).act;

const hook: fc.Arbitrary<ModelHook> = fc.record({
  priority: fc.integer({ min: 0, max: 3 }),
  matches: fc.oneof({ weight: 5, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
  on_error: fc.constantFrom(null, "block", "allow", "raise"),
  act,
});
const chain = fc.array(hook, { maxLength: 8 });
const event = fc.constantFrom(...events);

function toReturn(event: EventName, act: Act): unknown {
  switch (act.kind) {
    case "allow":
      return allow();
    case "block":
      return block(act.reason);
    case "ask":
      return ask(act.reason);
    case "modify":
      return modify(event === "PreToolUse" ? { args: { n: act.value } } : { prompt: String(act.value) });
    case "decide":
      return { decision: act.decision };
    case "remind":
      return remind({ body: act.body, dedupe_key: act.key }, toReturn(event, act.then));
    case "stop":
      return stop("enough", toReturn(event, act.then));
    case "throw":
      throw new Error("as planned");
  }
}

function build(event: EventName, hooks: readonly ModelHook[], isAsync: (i: number) => boolean) {
  const ran: number[] = [];
  const harness = createHarness({ ports: { warn: () => {} } });
  for (const [i, { priority, matches, on_error, act }] of hooks.entries()) {
    harness.register({
      id: String(i),
      event,
      priority,
      ...(on_error === null ? {} : { on_error }),
      ...(matches ? {} : { when: () => false }),
      handler: (() => {
        ran.push(i);
        return isAsync(i) ? Promise.resolve().then(() => toReturn(event, act)) : toReturn(event, act);
      }) as never,
    });
  }
  return { fire: () => harness.fire(event, payloads[event] as PayloadInput<EventName>), ran };
}

function observe(outcome: Outcome, ran: number[]): ModelOutcome {
  const payload = outcome.payload as { tool?: { args: { n: number } }; prompt?: string };
  return {
    verdict: outcome.verdict,
    by: outcome.by === undefined ? null : Number(outcome.by),
    decision: outcome.decision ?? null,
    value: Number(payload.prompt ?? payload.tool?.args.n ?? 0),
    reminders: outcome.reminders.map(({ body, dedupe_key }) => ({ body, key: dedupe_key })),
    stop: outcome.stop === undefined ? null : Number(outcome.stop.by),
    ran,
    faults: outcome.faults.map((fault) => Number(fault.hook)),
    raised: null,
  };
}

function fireSync(event: EventName, hooks: readonly ModelHook[]): ModelOutcome | { raised: number } {
  const { fire, ran } = build(event, hooks, () => false);
  try {
    return observe(fire() as Outcome, ran);
  } catch (error) {
    return { raised: Number((error as { hook: string }).hook) };
  }
}

function expected(event: EventName, hooks: readonly ModelHook[]): ModelOutcome | { raised: number } {
  const outcome = compose(event, hooks);
  return outcome.raised === null ? outcome : { raised: outcome.raised };
}

const rank = { allow: 0, ask: 1, block: 2 };

describe("the laws of composition", () => {
  test(`${CHAINS.toLocaleString("en")} random chains come out as the reference says`, () => {
    fc.assert(
      fc.property(event, chain, (event, hooks) => {
        expect(fireSync(event, hooks)).toEqual(expected(event, hooks));
      }),
      { numRuns: CHAINS },
    );
  }, 300_000);

  test("it makes no difference which handlers are asynchronous", async () => {
    await fc.assert(
      fc.asyncProperty(event, chain, fc.integer(), async (event, hooks, bits) => {
        const { fire, ran } = build(event, hooks, (i) => ((bits >> i) & 1) === 1);
        const got = await Promise.resolve()
          .then(fire)
          .then(
            (outcome) => observe(outcome as Outcome, ran),
            (error: { hook: string }) => ({ raised: Number(error.hook) }),
          );
        expect(got).toEqual(expected(event, hooks));
      }),
      { numRuns: 5_000 },
    );
  }, 120_000);

  test("adding a hook never loosens a verdict, wherever it is added", () => {
    fc.assert(
      fc.property(event, chain, hook, fc.nat(8), (event, hooks, added, at) => {
        const place = Math.min(at, hooks.length);
        const before = compose(event, hooks);
        const after = fireSync(event, [...hooks.slice(0, place), added, ...hooks.slice(place)]);
        // A raised fault reaches the host as an exception: nothing is allowed by it.
        if (before.raised !== null || !("verdict" in after)) return;
        // The one exception: an answer to a permission question that nobody had answered.
        if (event === "PermissionAsked" && before.decision === null) return;
        expect(rank[after.verdict]).toBeGreaterThanOrEqual(rank[before.verdict]);
      }),
      { numRuns: 10_000 },
    );
  }, 60_000);

  test("nothing runs after a block", () => {
    fc.assert(
      fc.property(chain, chain, (before, after) => {
        const quiet = before.filter(({ act }) => act.kind !== "throw").map((hook) => ({ ...hook, priority: 0 }));
        const blocking: ModelHook = {
          priority: 1,
          matches: true,
          on_error: null,
          act: { kind: "block", reason: "no" },
        };
        const late = after.map((hook) => ({ ...hook, priority: 2 }));
        const outcome = fireSync("PreToolUse", [...quiet, blocking, ...late]);
        if ("raised" in outcome && !("verdict" in outcome)) return;
        expect((outcome as ModelOutcome).verdict).toBe("block");
        expect((outcome as ModelOutcome).ran.every((i) => i <= quiet.length)).toBe(true);
      }),
      { numRuns: 10_000 },
    );
  }, 60_000);
});
