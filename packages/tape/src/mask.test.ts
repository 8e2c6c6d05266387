import { createHarness, type Json, type TapeEntry } from "@hooks/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { EntryText } from "./entry-text.js";
import { createMask, MASKED } from "./mask.js";

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
