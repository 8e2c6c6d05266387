import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { loadHarness, type ManifestHarness } from "@hooks/manifest";
import { describe, expect, it } from "vitest";
import { root } from "../house/repository.js";

async function load(name: string): Promise<ManifestHarness> {
  const loaded = await loadHarness({ cwd: join(root, "examples", name) });
  if (!loaded.ok) throw new Error(loaded.message);
  expect(loaded.warnings).toEqual([]);
  return loaded.harness;
}

describe("examples/meta-policy", () => {
  it("every tool is audited, or refused", async () => {
    const harness = await load("meta-policy");
    expect(await harness.registerTool({ name: "run_tests" })).toMatchObject({ ok: true });
    expect(await harness.registerTool({ name: "send_mail" })).toEqual({
      ok: false,
      reason: "no audit hook sees calls of send_mail",
    });
    await harness.fire("PreToolUse", { tool: { name: "run_tests", args: {} } });
    expect(harness.metrics.snapshot()).toEqual({ "audit.runs": 1 });
  });

  it.each([
    [undefined, false],
    [10, false],
    [50, true],
  ])("a hook at priority %s joins: %s", async (priority, ok) => {
    const harness = await load("meta-policy");
    const definition = { id: "late", event: "Stop" as const, handler: () => undefined };
    const registered = await harness.registerHook(priority === undefined ? definition : { ...definition, priority });
    expect(registered.ok).toBe(ok);
  });

  it.each([
    [{ env: "staging" }, "allow", { env: "staging" }],
    [{ env: "production" }, "block", { env: "production" }],
    [{ env: "production", ticket: "soon" }, "block", { env: "production" }],
    [{ env: "production", ticket: "OPS-12" }, "allow", { reason: "as asked for in OPS-12" }],
  ])("custom.deploy %j: %s", async (data, verdict, expected) => {
    const harness = await load("meta-policy");
    expect(await harness.emit("custom.deploy", data)).toMatchObject({
      verdict,
      payload: { data: expected },
      faults: [],
    });
  });
});

const hasPython = spawnSync("python3", ["--version"]).status === 0;

describe("examples/executables", () => {
  it("the state of the project, when a session starts", async () => {
    const { reminders } = await (await load("executables")).fire("SessionStart", {});
    const body = "Current project: example\nLast change: the validator reads its payload from /dev/stdin";
    expect(reminders).toMatchObject([{ body }]);
  });

  it.each([
    ["Bash", { command: "rm -rf / --no-preserve-root" }, { verdict: "block", by: "SecurityValidator" }],
    ["Bash", { command: "rm -rf ./build" }, { verdict: "allow", faults: [] }],
  ])("settings.json: %s %j", async (name, args, expected) => {
    expect(await (await load("executables")).fire("PreToolUse", { tool: { name, args } })).toMatchObject(expected);
  });

  it.skipIf(!hasPython).each([
    ["Write", { file_path: "pnpm.lock" }, { verdict: "ask", reason: "pnpm.lock is written by the package manager" }],
    ["Edit", { file_path: ".env" }, { verdict: "block", reason: ".env holds secrets" }],
    ["Write", { file_path: "a.ts" }, { verdict: "allow", faults: [] }],
    ["MultiEdit", { file_path: ".env" }, { verdict: "allow", faults: [] }],
  ])("a hook of a coding agent: %s %j", async (name, args, expected) => {
    expect(await (await load("executables")).fire("PreToolUse", { tool: { name, args } })).toMatchObject(expected);
  });
});
