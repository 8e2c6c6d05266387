import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createStack, fireOne, nameFor, seenBy, thawedAt } from "../../../../test/conformance/harness.js";
import { bareSamples, eventOf, sampleOf, samples } from "../../../../test/conformance/samples.js";
import type { Dialect } from "../dialect.js";
import { HarnError } from "../errors.js";
import { type CatalogueName, catalogueNames, type EventName, type Payload, rowOf, specOf } from "../events.js";
import { DEFAULT_LIMITS } from "../json.js";
import { readPayload } from "../payload.js";
import { callback } from "./callback.js";
import { harn } from "./harn.js";
import { markdown } from "./markdown.js";
import { settings } from "./settings.js";

const dialects: Dialect[] = [harn, markdown, settings, callback];

/** Every name of a dialect with the row it stands for; a family is spelt out with one of its members. */
function namesAndRows(dialect: Dialect): { name: string; row: CatalogueName }[] {
  return catalogueNames.flatMap((row) =>
    dialect.names[row].map((name) => ({ name: row.endsWith(".*") ? eventOf(row) : name, row })),
  );
}

function payloadOf(event: EventName, from = samples): Payload {
  return readPayload(event, sampleOf(event, from), { id: "local" }, DEFAULT_LIMITS);
}

/** The words each dialect reads in an answer. */
const KEYS: Record<Dialect["name"], readonly string[]> = {
  harn: [
    "block",
    "reason",
    "deny",
    "args",
    "result",
    "dropped",
    "output",
    "prompt",
    "decision",
    "reminder",
    "then",
    "body",
    "tags",
    "effect",
    "change",
  ],
  markdown: ["action", "reason", "payload"],
  settings: ["exit_code", "stdout", "stderr"],
  callback: ["decision", "updatedInput", "message", "preventContinuation", "updatedOutput"],
};

const NOT_EVENTS = [
  "",
  " ",
  "*",
  "toString",
  "__proto__",
  "constructor",
  "hasOwnProperty",
  "PreToolUsed",
  "pretooluse",
  "pre_tool_use",
  "tool.prre",
  "tool.*",
  "SessionStart ",
  "OnBudgetThreshold(",
  "OnBudgetThreshold()",
  "OnBudgetThreshold(eighty)",
  "OnBudgetThreshold(80%)",
  "OnBudgetThreshold(-1)",
  "OnPersonaPaused(80)",
  "custom",
  "custom.",
  "custom.*",
  "custom.<name>",
  "custom.Deploy",
  "custom.de-ploy",
  "custom.de.ploy",
  "custom.deploy ",
  "custom.deploy\n",
  "meta.",
  "meta.*",
  "meta.<name>",
  "meta.Tool",
  "metal.tool",
];

describe.each(dialects)("every dialect: $name", (dialect) => {
  it.each(namesAndRows(dialect))("the name $name stands for $row", ({ name, row }) => {
    const resolved = dialect.resolve(name);
    expect(resolved).toEqual({ event: eventOf(row) });
    expect(rowOf(resolved?.event ?? "")).toBe(row);
  });

  it.each(namesAndRows(dialect))(
    "a hook registered as $name fires for $row and for nothing else",
    async ({ name, row }) => {
      const stack = createStack(dialect);
      let fired = 0;
      stack.add(
        name,
        () => {
          fired += 1;
        },
        { on_error: "allow" },
      );
      await stack.fire(eventOf(row));
      expect(fired).toBe(1);
      for (const other of catalogueNames) if (other !== row) await stack.fire(eventOf(other));
      expect(fired).toBe(1);
    },
  );

  it("no name stands for two rows", () => {
    const names = namesAndRows(dialect).map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  it.each(NOT_EVENTS)("%j is no event", (name) => {
    expect(dialect.resolve(name)).toBeUndefined();
  });

  it("does not know the names of the other dialects, unless they are its own too", () => {
    const own = new Set(namesAndRows(dialect).map(({ name }) => name));
    const foreign = dialects.flatMap((other) => namesAndRows(other).map(({ name }) => name));
    for (const name of foreign) if (!own.has(name)) expect(dialect.resolve(name), name).toBeUndefined();
  });

  it.each(catalogueNames)("the view of %s is frozen all the way down", (row) => {
    expect(thawedAt(dialect.view(payloadOf(eventOf(row), samples)))).toBeUndefined();
    expect(thawedAt(dialect.view(payloadOf(eventOf(row), bareSamples)))).toBeUndefined();
  });

  it.each(namesAndRows(dialect))("the view of $name is what its handler gets", async ({ row }) => {
    const event = eventOf(row);
    expect(await seenBy(dialect, event)).toEqual(dialect.view(payloadOf(event)));
  });

  it("parses anything into an effect, or refuses it with an error of its own", () => {
    fc.assert(
      fc.property(fc.constantFrom(...catalogueNames), answers(dialect), (row, returned) => {
        const event = eventOf(row);
        const call = { event, spec: specOf(event), payload: payloadOf(event) };
        expectAnswer(() => dialect.parse(returned, call));
      }),
      { numRuns: 2_000 },
    );
  });

  it.each(KEYS[dialect.name])("an awkward value under %s is refused like any other wrong one", (key) => {
    for (const event of ["PreToolUse", "PostToolUse", "PermissionAsked"] as const) {
      const call = { event, spec: specOf(event), payload: payloadOf(event) };
      for (const value of [...awkward(), () => true]) {
        expectAnswer(() => dialect.parse({ [key]: value }, call));
      }
    }
  });

  it("an answer, whatever it is, ends as an outcome with a record", async () => {
    const rows = namesAndRows(dialect).map(({ row }) => row);
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...rows), answers(dialect), fc.boolean(), async (row, returns, strict) => {
        const event = eventOf(row);
        const { outcome, warnings, records } = await fireOne(dialect, { event, returns }, { strict });
        const kinds = records.map(({ kind }) => kind).filter((kind) => kind !== "hook_vetoed");
        const isFault = outcome.faults.length > 0;
        expect(kinds).toEqual(["event", "hook_call", isFault ? "hook_failed" : "hook_returned", "outcome"]);
        if (isFault) expect(warnings.map(({ error }) => error?.code)).toEqual([outcome.faults[0]?.error.code]);
        if (outcome.verdict === "block") expect(outcome.reason).toMatch(/\S/);
        expect(thawedAt(outcome.payload)).toBeUndefined();
        // What the operation will use still fits the schema of its event.
        expect(() => readPayload(event, outcome.payload, { id: "local" }, DEFAULT_LIMITS)).not.toThrow();
      }),
      { numRuns: 500 },
    );
  });

  it("its hooks do not share what they see: a handler cannot change what the next one gets", async () => {
    const { row } = namesAndRows(dialect).find(({ row }) => row === "PreToolUse") ?? { row: "SessionStart" as const };
    const stack = createStack(dialect);
    const seen: unknown[] = [];
    const name = nameFor(dialect, eventOf(row));
    const vandal = (view: Record<string, unknown>) => {
      for (const key of Object.keys(view)) Reflect.set(view, key, "vandalised");
      Reflect.set(view, "extra", true);
    };
    stack.add(name, vandal, { on_error: "allow" });
    stack.add(
      name,
      (view: unknown) => {
        seen.push(view);
      },
      { on_error: "allow" },
    );
    const { outcome } = await stack.fire(eventOf(row));
    expect(seen).toEqual([dialect.view(payloadOf(eventOf(row)))]);
    expect(outcome.modified).toBe(false);
  });
});

/** Values that break whoever prints or compares them carelessly. */
function awkward(): unknown[] {
  const cycle: Record<string, unknown> = { body: "note" };
  cycle.self = cycle;
  return [10n, cycle, Object.create(null), Symbol("s"), new Map(), Number.NaN, "", " \n"];
}

/** Anything at all, and things that look like an answer of some dialect. */
function answers(dialect: Dialect): fc.Arbitrary<unknown> {
  const anything = fc.anything({ withBigInt: true, withNullPrototype: true, withDate: true, withMap: true });
  const word = fc.constantFrom("allow", "block", "deny", "ask", "modify", "remind", "stop", "passthrough", "yes");
  const value = fc.oneof(anything, word, fc.boolean(), fc.string(), fc.constantFrom(...awkward()));
  const shaped = fc.dictionary(fc.constantFrom(...KEYS[dialect.name]), value, { maxKeys: 3 });
  const printed = fc.oneof(fc.string(), fc.json(), fc.constantFrom('{"decision":"ask"}', '{"continue":1}'));
  const ended = fc.record({ exit_code: fc.constantFrom(0, 1, 2, null), stdout: printed, stderr: fc.string() });
  return dialect.name === "settings" ? fc.oneof(anything, shaped, ended) : fc.oneof(anything, shaped);
}

function expectAnswer(parse: () => unknown): void {
  let effect: unknown;
  try {
    effect = parse();
  } catch (error) {
    if (error instanceof HarnError) return;
    throw new Error(`not an error of its own: ${error}`, { cause: error });
  }
  expectEffect(effect);
}

const EFFECT_KEYS = ["verdict", "reason", "decision", "change", "reminders", "stop", "warnings", "stderr"];

function expectEffect(effect: unknown): void {
  expect(effect).toBeTypeOf("object");
  const { verdict, reason, decision, change, reminders, stop, warnings } = effect as Record<string, unknown>;
  expect(EFFECT_KEYS).toEqual(expect.arrayContaining(Object.keys(effect as object)));
  expect(["allow", "ask", "block"]).toContain(verdict);
  if (verdict !== "allow") expect(reason).toMatch(/\S/);
  if (reason !== undefined) expect(reason).toBeTypeOf("string");
  if (decision !== undefined) expect(["allow", "deny", "ask"]).toContain(decision);
  if (change !== undefined) expect(change).toHaveProperty("value");
  if (reminders !== undefined) expect(reminders).toBeInstanceOf(Array);
  if (stop !== undefined) expect(stop).toBeTypeOf("object");
  if (warnings !== undefined) expect(warnings).toBeInstanceOf(Array);
}
