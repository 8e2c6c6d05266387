import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "@hooks/core";
import { loadHarness } from "@hooks/manifest";
import { afterAll, describe, expect, test, vi } from "vitest";
import { root } from "../house/repository.js";

const scratch = realpathSync(mkdtempSync(join(tmpdir(), "harn-recommended-")));
afterAll(() => rmSync(scratch, { recursive: true }));
vi.stubEnv("XDG_STATE_HOME", join(scratch, "state"));

const TIGHTEN = `
[[tighten]]
hook = "@hooks/recommended/jail-the-filesystem"
options = { deny = [".env*"], unclear = "block" }
`;

function project(name: string, more = ""): string {
  const cwd = join(scratch, name);
  mkdirSync(join(cwd, "node_modules/@hooks"), { recursive: true });
  mkdirSync(join(cwd, "src"));
  writeFileSync(join(cwd, "src/a.ts"), "x");
  symlinkSync(join(root, "plugins/recommended"), join(cwd, "node_modules/@hooks/recommended"));
  writeFileSync(join(cwd, "harn.toml"), `extends = ["@hooks/recommended"]\n${more}`);
  return cwd;
}

async function load(cwd: string) {
  const loaded = await loadHarness({ cwd, harness: { ports: { warn: () => {} } } });
  if (!loaded.ok) throw new Error(loaded.message);
  const { harness } = loaded;
  const call = (name: string, args: JsonObject) =>
    harness.fire("PreToolUse", { tool: { name, args }, session: { id: "s", cwd } });
  return { harness, call };
}

test("reads like English in harn list", () => {
  const cwd = project("list");
  const text = execFileSync(process.execPath, [join(root, "packages/cli/dist/bin.js"), "list"], {
    cwd,
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1" },
  });
  const rows = text
    .split("\n")
    .flatMap((line) => /^ +(\d+) {2}@hooks\/recommended\/(\S+)/.exec(line)?.slice(1, 3).join(" ") ?? []);
  expect(rows).toEqual([
    "1 audit-everything",
    "10 deny-dangerous-commands",
    "10 jail-the-filesystem",
    "20 prefer-named-tools",
    "30 protect-the-policy",
    "40 cap-requests",
    "40 redact-completions",
    "41 cap-completions",
    "40 redact-and-cap-results",
    "40 redact-and-cap-failures",
    "40 redact-and-cap-subagents",
    "40 redact-and-cap-turns",
  ]);
});

describe("the stack", async () => {
  const { harness, call } = await load(project("stack"));

  test.each([
    ["Bash", { command: "rm -rf /" }, "block", "deny-dangerous-commands"],
    ["Bash", { command: "git reset --hard" }, undefined, "deny-dangerous-commands"],
    ["Bash", { command: "cat /var/lib/secret" }, "block", "jail-the-filesystem"],
    ["Write", { file_path: "../elsewhere.txt", content: "" }, "block", "jail-the-filesystem"],
    ["exec", { command: "ls" }, "block", "prefer-named-tools"],
    ["Write", { file_path: "harn.toml", content: "" }, "block", "protect-the-policy"],
    ["Bash", { command: "echo x >> harn.toml" }, "block", "protect-the-policy"],
  ] as const)("%s %j", async (name, args, verdict, by) => {
    const outcome = await call(name, args);
    expect(outcome.faults).toEqual([]);
    expect(outcome.by).toBe(`@hooks/recommended/${by}`);
    if (verdict !== undefined) expect(outcome.verdict).toBe(verdict);
  });

  test.each(["npm test", "ls src", "git status", "echo hello", "node src/a.js"])("%s passes", async (command) => {
    expect(await call("Bash", { command })).toMatchObject({ verdict: "allow", faults: [] });
  });

  test("what comes back is without secrets, and every decision is in the audit", async () => {
    const text = `API_TOKEN=ghp_${"a1B2c3D4".repeat(5)}`;
    const result = { text, is_error: false };
    const { payload } = await harness.fire("PostToolUse", { tool: { name: "Bash", args: {} }, result });
    expect(payload.result.text).not.toContain("ghp_");
    const lines = readFileSync(join(scratch, "state/harn/audit/audit.jsonl"), "utf8").trimEnd().split("\n");
    const verdicts = lines.map((line) => JSON.parse(line) as { verdict: string; policy: string });
    expect(verdicts.filter(({ verdict }) => verdict === "block").length).toBeGreaterThanOrEqual(5);
    expect(new Set(verdicts.map(({ policy }) => policy))).toEqual(new Set([harness.digest]));
    expect(lines.join()).not.toContain("a1B2c3D4");
  });
});

test("a secret goes before a completion is cut in its middle", async () => {
  const { harness } = await load(project("completions"));
  const token = `ghp_${"a1B2c3D4".repeat(5)}`;
  for (let before = 49_900; before < 50_100; before += 20) {
    const text = `${"a ".repeat(before / 2)}${token} ${"b ".repeat(60_000)}`;
    const { payload } = await harness.fire("PostCompletion", { response: { content: [{ type: "text", text }] } });
    const [{ text: left }] = payload.response.content as unknown as [{ text: string }];
    expect(left.length).toBeLessThanOrEqual(100_000);
    expect(left).not.toMatch(/ghp_|a1B2c3D4/);
  }
});

test("a project tightens it", async () => {
  const { call } = await load(project("tightened", TIGHTEN));
  expect((await call("Read", { file_path: ".env.local" })).verdict).toBe("block");
  expect((await call("Bash", { command: 'cat "$FILE"' })).verdict).toBe("block");
  const loose = project("loosened", TIGHTEN.replace('"block"', '"allow"'));
  expect((await loadHarness({ cwd: loose })).ok).toBe(false);
});
