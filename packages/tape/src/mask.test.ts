import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { block, createHarness, type Harness, type Json, modify, type TapeEntry } from "@hooks/core";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { EntryText } from "./entry-text.js";
import { createMask, MASKED, type MaskOptions } from "./mask.js";
import { readMaskKey } from "./mask-key.js";
import { replayTape } from "./replay.js";
import { openTape } from "./tape.js";

const directory = mkdtempSync(join(tmpdir(), "harn-mask-"));
afterAll(() => rmSync(directory, { recursive: true }));

const mask = (options = {}) => createMask({ key: "a key", ...options });
const maskText = (text: string, options = {}) => (JSON.parse(mask(options).payload({ text })) as { text: string }).text;
const letters = (length: number) => "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7".repeat(10).slice(0, length);
const CAPITALS = "ABCDEFGHIJKLMNOP";

test.each([
  ["aws-access-key", `AKIA${CAPITALS}`],
  ["github", `ghp_${letters(36)}`],
  ["gitlab", `glpat-${letters(20)}`],
  ["slack", `xoxb-1234567890-${letters(20)}`],
  ["openai", `sk-proj-${letters(40)}`],
  ["anthropic", `sk-ant-api03-${letters(40)}`],
  ["stripe", `sk_live_${letters(24)}`],
  ["google-api-key", `AIza${letters(35)}`],
  ["npm", `npm_${letters(36)}`],
  ["jwt", `eyJ${letters(20)}.eyJ${letters(30)}.${letters(43)}`],
  ["private-key", `-----BEGIN RSA PRIVATE KEY-----\n${letters(60)}\n-----END RSA PRIVATE KEY-----`],
])("%s is masked wherever it stands", (name, secret) => {
  const text = maskText(`curl -H 'X: ${secret}' and on`);
  expect(text).toMatch(new RegExp(`^curl -H 'X: \\[masked:${name}:[0-9a-f]{32}\\]' and on$`));
});

test.each([
  ["postgres://app:hunter22@db/x", "postgres://app:[masked:url-password:#]@db/x"],
  ["export DB_PASSWORD=hunter22 && run", "export DB_PASSWORD=[masked:assignment:#] && run"],
  ['{"client_secret": "hunter22"}', '{"client_secret": "[masked:assignment:#]"}'],
  ["mysql --password hunter22 -u root", "mysql --password [masked:flag:#] -u root"],
  [`Authorization: Bearer ${letters(30)}`, "Authorization: Bearer [masked:authorization:#]"],
])("the secret in %s is masked, and not what is around it", (text, masked) => {
  expect(maskText(text).replace(/[0-9a-f]{32}/, "#")).toBe(masked);
});

test.each([
  "git push origin main",
  "password=$PASSWORD npm run token",
  "const key = keys[0]; // the secret of success",
  "https://example.org:8080/a@b",
  "basic authentication and bearer of bad news",
  "skating sk-",
])("%s is left alone", (text) => {
  expect(maskText(text)).toBe(text);
});

test("paths mask every value below them, in a rewrite too, and what a hook quotes of them", () => {
  const masked = mask({ paths: ["tool.args.pin", "tool.args.*.code", "**.deep"] });
  const args = { pin: 1234, a: { code: "a long code" }, b: { c: { deep: [true, "x", null] } }, code: "stays" };
  const payload = JSON.parse(masked.payload({ tool: { args } }));
  expect(payload.tool.args.pin).toMatch(MASKED);
  expect(payload.tool.args.a.code).toMatch(MASKED);
  expect(payload.tool.args.b.c.deep).toEqual([expect.stringMatching(MASKED), expect.stringMatching(MASKED), null]);
  expect(payload.tool.args.code).toBe("stays");
  const hook = { id: "h", handler: "h" };
  const base = { at: 1, session: "s", dispatch: 1, event: "PreToolUse", hook, duration_ms: 1 };
  const text = masked.entry({
    ...base,
    kind: "hook_returned",
    result: "modify",
    reason: "has a long code",
    change: args,
  });
  expect(text).not.toContain("a long code");
  expect(text).not.toContain("1234");
  expect(JSON.parse(text).reason).toBe(`has ${payload.tool.args.a.code}`);
});

test("a record is masked whole, whichever of its fields holds what was said", () => {
  const said = "DB_PASSWORD=hunter22";
  const hook = { id: "h", handler: "h" };
  const base = { at: 1, session: "s", dispatch: 1, event: "PreToolUse", hook };
  const reminder = { body: said, tags: [], dedupe_key: null, ttl_turns: null, preserve_on_compact: false } as const;
  const entries: TapeEntry[] = [
    { ...base, kind: "event", payload: { tool: { name: "x", args: { said } } } },
    { ...base, kind: "hook_call", observes: true, payload: { tool: { name: "x", args: { said } } } },
    { ...base, kind: "hook_returned", result: "modify", change: { said }, duration_ms: 1, warnings: [said] },
    {
      ...base,
      kind: "hook_returned",
      result: "stop",
      stop: true,
      stop_reason: said,
      reason: said,
      reminders: [{ ...reminder, propagate: "none", role_hint: "system" }],
      duration_ms: 1,
    },
    { ...base, kind: "hook_vetoed", reason: said, decision: null, honoured: true },
    { ...base, kind: "hook_failed", code: "HARN_E_HOOK_THREW", message: said, on_error: "block", duration_ms: 1 },
    { ...base, kind: "outcome", verdict: "block", reason: said, modified: false, reminders: 0, stop: false },
  ];
  for (const entry of entries) {
    expect(mask().entry(entry)).not.toContain("hunter22");
    expect(new EntryText(mask()).of(entry).join("")).not.toContain("hunter22");
  }
});

test("keys with telling names, and expressions of one's own", () => {
  expect(mask().payload({ headers: { authorization: "x", max_tokens: 5, key: "k" }, db_password: "p" })).toMatch(
    /^\{"db_password":"\[masked:key-name:\w{32}\]","headers":\{"authorization":"\[masked:key-name:\w{32}\]","key":"k","max_tokens":5\}\}$/,
  );
  expect(maskText("badge B-12345 of b", { patterns: { badge: "B-([0-9]+)" } })).toMatch(
    /^badge B-\[masked:badge:\w{32}\] of b$/,
  );
  expect(() => mask({ patterns: { badge: "(" } })).toThrow(/mask.patterns: the pattern "badge"/);
  expect(() => mask({ patterns: { badge: "x*" } })).toThrow(/matches nothing at all/);
  expect(() => mask({ paths: ["a..b"] })).toThrow(/not a path/);
});

test("the same secret and key make the same mark, another key another one", () => {
  const secret = `ghp_${letters(36)}`;
  expect(maskText(secret)).toBe(maskText(secret));
  expect(maskText(secret)).not.toBe(maskText(secret, { key: "other" }));
});

test("what is masked is not masked again", () => {
  const parts = [
    `ghp_${letters(36)}`,
    `AKIA${CAPITALS}`,
    "password=",
    "hunter22",
    "://a:",
    "@",
    " ",
    '"',
    "Bearer ",
    letters(20),
    "--token ",
  ];
  const text = fc.array(fc.constantFrom(...parts), { maxLength: 8 }).map((items) => items.join(""));
  fc.assert(
    fc.property(fc.record({ text, password: text, pin: text }), (payload) => {
      const once = mask({ paths: ["pin"] }).payload(payload as Json);
      expect(mask({ paths: ["pin"] }).payload(JSON.parse(once))).toBe(once);
    }),
  );
});

test.each([
  "eyJ-",
  "sk-",
  "password=",
  "://a:",
  "-----BEGIN PRIVATE KEY-----",
  "a.",
  "bearer ",
  "secret secret_",
  "AKIA",
])(
  "a long text of %j is no trouble",
  (unit) => {
    const text = unit.repeat(300_000 / unit.length);
    expect(maskText(text).length).toBeGreaterThan(0);
  },
  5_000,
);

test("a payload's text is the same whether it is suspect or not", () => {
  const payload = createHarness().prepare("PreToolUse", { tool: { name: "Bash", args: { b: "key", a: "://" } } });
  expect(mask().payload(payload as unknown as Json)).toBe(
    '{"event":"PreToolUse","session":{"id":"local"},"tool":{"args":{"a":"://","b":"key"},"name":"Bash"}}',
  );
});

test.skipIf(process.platform !== "linux")("the key is made once, for its owner alone, and kept", () => {
  const before = process.env.XDG_STATE_HOME;
  process.env.XDG_STATE_HOME = directory;
  try {
    const key = readMaskKey();
    const file = join(directory, "harn", "mask.key");
    expect([key.length, statSync(file).mode & 0o777]).toEqual([32, 0o600]);
    chmodSync(join(directory, "harn"), 0o500);
    expect(readMaskKey()).toEqual(key);
    expect(createMask().description.key).toBe(createMask({ key }).description.key);
    chmodSync(join(directory, "harn"), 0o700);
    writeFileSync(file, "not a key");
    expect(() => readMaskKey()).toThrow(/holds no key/);
  } finally {
    if (before === undefined) delete process.env.XDG_STATE_HOME;
    else process.env.XDG_STATE_HOME = before;
  }
});

/** What a tape holds after some events, and whether it replays. */
async function recorded(options: MaskOptions, fire: (harness: Harness) => Promise<unknown>) {
  const tape = openTape({ session: "masked", directory, sync: "none", mask: { key: "a key", ...options } });
  await fire(createHarness({ tape, ports: { warn() {} } }));
  await tape.close();
  return { text: readFileSync(tape.file, "utf8"), replay: await replayTape(tape.file) };
}

const SECRET = "correct horse battery";

test.each<[string, MaskOptions, Record<string, Json>, (args: Record<string, Json>) => unknown]>([
  ["a path, in a text that comes before it", { paths: ["tool.args.pin"] }, { a: `say ${SECRET}`, pin: SECRET }, String],
  ["a path, quoted as JSON", { paths: ["tool.args.pin"] }, { pin: `${SECRET}\n"x"` }, JSON.stringify],
  ["a telling name", {}, { password: SECRET }, ({ password }) => `${password} is weak`],
  ["a telling name over a list", {}, { secrets: ["x", SECRET] }, ({ secrets }) => (secrets as string[])[1]],
  ["its place", {}, { command: "DB_PASSWORD=hunter22xyz run" }, () => "hunter22xyz is weak"],
  ["its looks, as a key", {}, { [`ghp_${letters(36)}`]: 1 }, () => "no"],
])("a secret known by %s is nowhere on the tape, whoever quotes it", async (_, options, args, quote) => {
  const { text, replay } = await recorded(options, async (harness) => {
    harness.register({
      event: "PreToolUse",
      handler: ({ tool }) => block(String(quote(tool.args as Record<string, Json>))),
    });
    await harness.fire("PreToolUse", { tool: { name: "Bash", args } });
  });
  for (const secret of [SECRET, "hunter22xyz", letters(36)]) expect(text).not.toContain(secret);
  expect(text).toMatch(MASKED);
  expect(replay).toMatchObject({ identical: true, divergences: [] });
});

test.each(["result", "tool", "*", "**.is_error", "**.id"])("%s as a path leaves what a replay needs", async (path) => {
  const { replay } = await recorded({ paths: [path] }, async (harness) => {
    harness.register({ event: "PostToolUse", handler: () => modify({ result: "new" }) });
    harness.register({ event: "PostToolUse", handler: () => undefined });
    harness.register({ event: "PreToolUse", handler: () => modify({ args: { a: 2 } }) });
    harness.register({ event: "PreToolUse", handler: () => undefined });
    const tool = { name: "Bash", args: { a: 1 }, call_id: "c" };
    await harness.fire("PreToolUse", { tool });
    await harness.fire("PostToolUse", { tool, result: { text: "t", value: { n: 5 }, is_error: false, dropped: 3 } });
  });
  expect(replay).toMatchObject({ identical: true, divergences: [] });
});

test("what hooks rewrite and quote, in any order, replays byte for byte, and nothing known stands there in clear", async () => {
  const secrets = [SECRET, "hunter22xyz", `ghp_${letters(36)}`, 'two\nlines of "it"'];
  const piece = fc.constantFrom(...secrets, "password=", "--token ", " and ", '"', "x");
  const text = fc.array(piece, { maxLength: 4 }).map((parts) => parts.join(""));
  const args = fc.dictionary(fc.constantFrom("a", "pin", "password", "z"), fc.oneof(text, fc.array(text)));
  const rewrite = fc.oneof(text, args, fc.constant(undefined));
  const event = fc.record({ args, output: text, rewrites: fc.array(rewrite, { maxLength: 3 }), reason: text });
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 3 }), async (events) => {
      const { text, replay } = await recorded({ paths: ["tool.args.pin"] }, async (harness) => {
        let turn = 0;
        for (const place of [0, 1, 2]) {
          harness.register({
            event: "PostToolUse",
            id: `h${place}`,
            handler() {
              const result = events[turn]?.rewrites[place];
              return result === undefined ? undefined : modify({ result });
            },
          });
        }
        harness.register({ event: "PostToolUse", id: "last", handler: () => block(events[turn]?.reason ?? "") });
        for (const { args, output } of events) {
          await harness.fire("PostToolUse", {
            tool: { name: "Bash", args },
            result: { text: output, is_error: false },
          });
          turn++;
        }
      });
      expect(replay.divergences.map(({ message }) => message)).toEqual([]);
      // What the first event holds at the path of the mask is known before a byte is written.
      const pin = events[0]?.args.pin;
      for (const secret of secrets) if (pin === secret) expect(text).not.toContain(JSON.stringify(secret).slice(1, -1));
    }),
    { numRuns: 150 },
  );
});
