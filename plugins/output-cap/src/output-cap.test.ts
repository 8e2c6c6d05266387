import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { estimateTokens, type Json } from "@hooks/core";
import { loadHarness } from "@hooks/manifest";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { settingsOf } from "./settings.js";
import { cutText, fits } from "./text.js";

const plugin = fileURLToPath(new URL("..", import.meta.url));
const scratch = realpathSync(mkdtempSync(join(tmpdir(), "harn-output-cap-")));
afterAll(() => rmSync(scratch, { recursive: true }));
const TOKEN = `ghp_${"a1B2c3D4".repeat(5)}`;
let projects = 0;

async function load(options: string, event = "PostToolUse", isolation = "inline") {
  const cwd = join(scratch, `project-${projects++}`);
  mkdirSync(join(cwd, "node_modules/@hooks"), { recursive: true });
  symlinkSync(plugin, join(cwd, "node_modules/@hooks/output-cap"));
  writeFileSync(
    join(cwd, "harn.toml"),
    `[[hooks]]\nevent = "${event}"\nhandler = "@hooks/output-cap::cap"\npriority = 40\nisolation = "${isolation}"\noptions = { ${options.replaceAll("<dir>", join(cwd, "spill"))} }\n`,
  );
  const loaded = await loadHarness({ cwd });
  return { loaded, spill: join(cwd, "spill") };
}

async function run(options: string, result: { text: string; value?: Json }, isolation?: string) {
  const { loaded, spill } = await load(options, "PostToolUse", isolation);
  if (!loaded.ok) throw new Error(loaded.message);
  const tool = { name: "Bash", args: { command: "x" } };
  const outcome = await loaded.harness.fire("PostToolUse", { tool, result: { is_error: false, ...result } });
  loaded.harness.close();
  expect(outcome.faults).toEqual([]);
  return { outcome, result: outcome.payload.result, spill };
}

const SPILL = 'spill_dir = "<dir>"';
const lines = (n: number) => Array.from({ length: n }, (_, i) => `line ${i}`).join("\n");

describe.each(["inline", "worker"])("%s", (isolation) => {
  test("what is short and holds no secret passes as it is", async () => {
    const { outcome } = await run(SPILL, { text: "fine" }, isolation);
    expect(outcome.modified).toBe(false);
  });

  test("what is long is cut, and all of it is in a file only its owner can read", async () => {
    const text = `${lines(2_000)}\n${TOKEN}\n${lines(2_000)}`;
    const { result, spill } = await run(`max_chars = 1000, ${SPILL}`, { text }, isolation);
    expect(result.text.length).toBeLessThanOrEqual(1_000);
    expect(result.text).toMatch(/^line 0\n/);
    expect(result.text).toMatch(/line 1999$/);
    expect(result.dropped).toBe(text.length - result.text.length);
    const [file = ""] = readdirSync(spill);
    expect(result.text).toContain(`all of it: ${join(spill, file)}`);
    expect(statSync(join(spill, file)).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(spill, file), "utf8")).toBe(text.replace(TOKEN, "[REDACTED:github]"));
  });
});

describe("a cut", () => {
  test.each([
    ["head", /^line 0\n/, /\.\.\.\]\n$/],
    ["tail", /^\[\.\.\./, /line 999$/],
  ])("can keep the %s", async (keep, start, end) => {
    const { result } = await run(`max_chars = 800, keep = "${keep}", keep_lines = [], ${SPILL}`, {
      text: lines(1_000),
    });
    expect(result.text).toMatch(start);
    expect(result.text).toMatch(end);
  });

  test("keeps lines that say what is wrong", async () => {
    const text = `${lines(900)}\nsrc/a.ts:3 error TS2345: no\n${lines(900)}`;
    const { result } = await run(`max_chars = 1000, ${SPILL}`, { text });
    expect(result.text).toContain("src/a.ts:3 error TS2345: no");
  });

  test("goes by lines and by tokens as well, whatever is met first", async () => {
    const byLines = await run(`max_lines = 20, ${SPILL}`, { text: lines(1_000) });
    expect(byLines.result.text.split("\n").length).toBeLessThanOrEqual(20);
    const byTokens = await run(`max_tokens = 300, ${SPILL}`, { text: "字".repeat(5_000) });
    expect(estimateTokens(byTokens.result.text)).toBeLessThanOrEqual(300);
  });

  test("comes after redaction: a secret that the cut would halve is gone", async () => {
    for (let shift = 0; shift < 60; shift += 7) {
      const text = `${"x ".repeat(250 - shift)}${TOKEN}${" y".repeat(5_000)}`;
      const { result } = await run('max_chars = 1000, keep = "head", spill = false', { text });
      expect(result.text).not.toContain("ghp_");
    }
  });

  test("keeps every bound for every text", () => {
    const text = fc.string({ unit: "binary", minLength: 0, maxLength: 3_000 });
    const bounds = fc.record({
      max_chars: fc.integer({ min: 500, max: 1_500 }),
      max_lines: fc.option(fc.integer({ min: 10, max: 50 }), { nil: undefined }),
      max_tokens: fc.option(fc.integer({ min: 200, max: 900 }), { nil: undefined }),
      keep: fc.constantFrom("head", "tail", "both"),
    });
    fc.assert(
      fc.property(text, bounds, (given, options) => {
        const settings = settingsOf({ ...JSON.parse(JSON.stringify(options)), keep_lines: ["a"] });
        const cut = cutText(given, settings, (n) => `[${n} dropped]`);
        expect(fits(cut, settings)).toBe(true);
      }),
      { seed: 11, numRuns: 300 },
    );
  });
});

describe("structured results", () => {
  test("stay JSON, as a value and as a text, and keep the bound", async () => {
    const value = { rows: Array.from({ length: 5_000 }, (_, id) => ({ id, name: "n".repeat(50), token: TOKEN })) };
    for (const given of [{ text: "", value }, { text: JSON.stringify(value) }]) {
      const { result } = await run(`max_chars = 2000, ${SPILL}`, given);
      expect(result.text.length).toBeLessThanOrEqual(2_000);
      const parsed = JSON.parse(result.text) as { truncated: string; value: { rows: { id: number }[] } };
      expect(parsed.truncated).toContain("all of it:");
      expect(parsed.value.rows[0]?.id).toBe(0);
      expect(result.text).not.toContain("ghp_");
    }
  });

  test("keep every bound, whatever is in them, and however long the name of the file is", async () => {
    const value = fc
      .jsonValue({ maxDepth: 4 })
      .map((inner) => Array.from({ length: 200 }, () => ({ inner, text: "word ".repeat(20) })));
    const { loaded } = await load('max_chars = 700, max_tokens = 220, spill_dir = "<dir>"');
    const long = await load(`max_chars = 500, spill_dir = "<dir>/${"long/".repeat(120)}"`);
    await fc.assert(
      fc.asyncProperty(value, async (given) => {
        const tool = { name: "T", args: {} };
        const result = { text: "", value: given as Json, is_error: false };
        const { payload } = await loaded.harness.fire("PostToolUse", { tool, result });
        expect(payload.result.text.length).toBeLessThanOrEqual(700);
        expect(estimateTokens(payload.result.text)).toBeLessThanOrEqual(220);
        JSON.parse(payload.result.text);
      }),
      { seed: 4, numRuns: 60 },
    );
    const tool = { name: "T", args: {} };
    for (const text of [lines(500), JSON.stringify(Array(500).fill("x")), `\0${"x".repeat(900)}`]) {
      const { payload } = await long.loaded.harness.fire("PostToolUse", { tool, result: { text, is_error: false } });
      expect(payload.result.text.length).toBeLessThanOrEqual(500);
    }
  });

  test("a number no double can hold is kept digit by digit", async () => {
    const text = `{"id": 12345678901234567890, "s": "1234567890123456789", "token": "${TOKEN}"}`;
    const { result } = await run("spill = false", { text });
    expect(JSON.parse(result.text)).toEqual({
      id: "12345678901234567890",
      s: "1234567890123456789",
      token: "[REDACTED:github]",
    });
  });

  test("a text that is fine is not written anew", async () => {
    const { outcome } = await run("spill = false", { text: '{ "id": 12345678901234567890,\n "a": [1, 2] }' });
    expect(outcome.modified).toBe(false);
  });
});

describe("what is no text", () => {
  test("binary output is not shown", async () => {
    const { result } = await run(SPILL, { text: `\u007fELF\0\0\u0001${"\ufffd".repeat(500)}` });
    expect(result.text).toMatch(/^\[binary output of 507 characters, not shown; all of it: /);
  });

  test("halves of surrogate pairs are replaced", async () => {
    const { result } = await run(SPILL, { text: `a\ud800b${"c".repeat(100)}` });
    expect(result.text).toBe(`a\ufffdb${"c".repeat(100)}`);
  });
});

test("the directory for whole texts keeps as many files as it may", async () => {
  const { loaded, spill } = await load(`max_chars = 500, spill_files = 3, ${SPILL}`);
  const tool = { name: "Bash", args: {} };
  for (let n = 0; n < 6; n++) {
    await loaded.harness.fire("PostToolUse", { tool, result: { text: `${n} ${lines(500)}`, is_error: false } });
  }
  expect(readdirSync(spill)).toHaveLength(3);
});

test("a file that cannot be written is said, and the cut stands", async () => {
  const { result } = await run('max_chars = 600, spill_dir = "/dev/null/x"', { text: lines(1_000) });
  expect(result.text).toContain("it could not be kept in a file");
  expect(result.text.length).toBeLessThanOrEqual(600);
});

describe("completions and turns", () => {
  test("the texts of a response are capped, a tool call is left whole", async () => {
    const { loaded } = await load("max_chars = 500, spill = false", "PostCompletion");
    const call = { type: "tool_use", name: "Write", input: { content: "z".repeat(2_000) } };
    const content = [{ type: "text", text: lines(500) }, call];
    const { payload } = await loaded.harness.fire("PostCompletion", { response: { model: "m", content } });
    const [text, kept] = payload.response.content as unknown as [{ text: string }, unknown];
    expect(text.text.length).toBeLessThanOrEqual(500);
    expect(kept).toEqual(call);
  });

  test("all texts of a response together keep the bounds, and each keeps its share", async () => {
    const { loaded } = await load("max_chars = 900, spill = false", "PostCompletion");
    const content = Array.from({ length: 12 }, (_, place) => ({ type: "text", text: lines(10 * place + 1) }));
    const thought = { message: { reasoning_content: `${lines(40)}${TOKEN}` } };
    const { payload } = await loaded.harness.fire("PostCompletion", { response: { content, choices: [thought] } });
    const { response } = payload as unknown as {
      response: { content: { text: string }[]; choices: (typeof thought)[] };
    };
    const texts = [...response.content.map(({ text }) => text), response.choices[0]?.message.reasoning_content ?? ""];
    expect(texts.join("").length).toBeLessThanOrEqual(900);
    expect(texts.join("").length).toBeGreaterThan(300);
    expect(JSON.stringify(response)).not.toContain(TOKEN);
  });

  test.each(["TurnEnd", "Stop"] as const)("%s", async (event) => {
    const { loaded } = await load("max_chars = 500, spill = false", event);
    const { payload } = await loaded.harness.fire(event, { text: `${TOKEN}\n${lines(500)}` });
    expect(payload.text?.length).toBeLessThanOrEqual(500);
    expect(payload.text).toMatch(/^\[REDACTED:github\]\n/);
  });
});

describe("options", () => {
  test.each([
    ["max_chars = 10", "must be >= 500"],
    ['keeps = "head"', 'has no option "keeps"'],
    ['spill_dir = "out"', "must match pattern"],
  ])("%s is refused at load", async (options, message) => {
    const { loaded } = await load(options);
    expect(loaded.ok ? "" : loaded.message).toContain(message);
  });

  test.each(['patterns = [{ id = "x", regex = "(" }]', 'disable_detectors = ["nope"]', 'keep_lines = ["("]'])(
    "%s, which only running shows, withholds the result",
    async (options) => {
      const { loaded } = await load(options);
      const result = { text: "x", is_error: false };
      const outcome = await loaded.harness.fire("PostToolUse", { tool: { name: "Bash", args: {} }, result });
      expect(outcome.verdict).toBe("block");
    },
  );

  test("own patterns, and what is no secret", async () => {
    const options = `patterns = [{ id = "badge", regex = "ACME-[0-9]+" }], allow = ["ghp_a1B2.*"]`;
    const { result } = await run(options, { text: `ACME-17 ${TOKEN}` });
    expect(result.text).toBe(`[REDACTED:badge] ${TOKEN}`);
  });
});
