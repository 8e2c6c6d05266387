import { canonicalJson, createHarness, type HookRef, type Json, remind, type TapeEntry } from "@hooks/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { EntryText } from "./entry-text.js";
import { LineBuffer } from "./line-buffer.js";
import { createMask } from "./mask.js";
import { sha256 } from "./sha256.js";

const text = fc.string({ unit: "binary", maxLength: 6 });
const clock = fc.oneof(
  fc.double(),
  fc.integer({ min: -5, max: 5_000_000 }).map((value) => value / 1_000),
);
const hook: fc.Arbitrary<HookRef> = fc.constantFrom({ id: "a", handler: "h" }, { id: "ü", handler: '"', version: "1" });
const base = { at: clock, session: text, dispatch: fc.nat(), event: fc.constantFrom("PreToolUse", "custom.é") };
const payload = fc.constantFrom<Json>({ b: 1, a: "ü" }, { token: [null] });
const entry = fc.oneof(
  fc.record({ kind: fc.constant("event"), ...base, payload }),
  fc.record({ kind: fc.constant("hook_call"), ...base, hook, payload }),
  fc.record({ kind: fc.constant("hook_call"), ...base, hook, payload, observes: fc.constant(true) }),
  fc.record({
    kind: fc.constant("hook_returned"),
    ...base,
    hook,
    result: fc.constantFrom("allow", "block"),
    duration_ms: clock,
  }),
  fc.record({
    kind: fc.constant("hook_returned"),
    ...base,
    hook,
    result: fc.constant("allow"),
    warnings: fc.array(text),
    duration_ms: clock,
  }),
);

/** The records as the buffer has them, one after another. */
function written(entries: readonly TapeEntry[], texts: EntryText): string[] {
  const lines = new LineBuffer();
  for (const one of entries) lines.add(texts.of(one));
  return lines.take().toString().trimEnd().split("\n");
}

test("what is spliced is the canonical JSON of the record, in a line whose hash is that of its body", () => {
  fc.assert(
    fc.property(fc.array(entry, { minLength: 1, maxLength: 6 }), (entries) => {
      // A session's id is that of its payload, and a payload is known by its identity.
      const own = entries.map((one) => ({
        ...one,
        ...("payload" in one ? { payload: { ...(one.payload as object) } } : {}),
      }));
      let prev = "0".repeat(64);
      const expected = own.map((one, seq) => {
        const body = `"prev":"${prev}","record":${canonicalJson(one as never)},"seq":${seq}`;
        prev = sha256(body);
        return `{"hash":"${prev}",${body}}`;
      });
      expect(written(own as never, new EntryText(null))).toEqual(expected);
    }),
    { numRuns: 2_000 },
  );
});

test("records of real dispatches are written as they are, whatever hooks answer", async () => {
  const entries: TapeEntry[] = [];
  const harness = createHarness({ tape: { write: (one) => void entries.push(one) }, ports: { warn: () => {} } });
  const answers = [undefined, { args: { a: 1 } }, remind({ body: "mind" }), { deny: "no" }, 42];
  let calls = 0;
  harness.register({ event: "PreToolUse", handler: () => answers[calls++ % answers.length] as never });
  harness.register({ event: "PreToolUse", handler: () => undefined });
  for (let i = 0; i < 10; i++) await harness.fire("PreToolUse", { tool: { name: `t${i}`, args: { text: "ü\n" } } });
  const lines = written(entries, new EntryText(createMask({ key: "k" })));
  expect(lines.map((line) => JSON.parse(line).record)).toEqual(JSON.parse(JSON.stringify(entries)));
});

test("a buffer grows with what is added, and every line is handed out once", () => {
  const lines = new LineBuffer();
  const long = JSON.stringify("ü€𝒳".repeat(50_000));
  lines.add([long]);
  lines.add(["1"]);
  const [first, second] = lines.take().toString().split("\n");
  expect(JSON.parse(first as string).record).toBe(JSON.parse(long));
  expect(JSON.parse(second as string)).toMatchObject({ record: 1, seq: 1, prev: JSON.parse(first as string).hash });
  expect(lines.take()).toHaveLength(0);
});
