import { join } from "node:path";
import { loadHarness, type ManifestHarness } from "@hooks/manifest";
import { beforeEach, describe, expect, it } from "vitest";
import { root } from "../house/repository.js";

let harness: ManifestHarness;

beforeEach(async () => {
  const loaded = await loadHarness({ cwd: join(root, "examples/governed-agent") });
  if (!loaded.ok) throw new Error(loaded.message);
  expect(loaded.warnings).toEqual([]);
  harness = loaded.harness;
});

const call = (name: string, args: object) => ({ tool: { name, args: args as never, call_id: "call_1" } });

describe("the seven hooks", () => {
  it("stand at their priorities", () => {
    const stack = harness.hooks.map(({ ref, eventName, priority }) => [ref.id, eventName, priority]);
    expect(stack.sort()).toEqual([
      ["audit_tool_post", "tool.post", 1],
      ["audit_tool_pre", "tool.pre", 1],
      ["command_guard", "tool.pre", 10],
      ["completion_window_guard", "completion.post", 40],
      ["meta_tool_guard", "tool.pre", 30],
      ["path_guard", "tool.pre", 10],
      ["prefer_named_tools", "tool.pre", 20],
    ]);
  });

  it.each([
    { by: "command_guard", tool: "run_command", args: { command: "sudo rm -rf / --no-preserve-root" } },
    { by: "command_guard", tool: "run_command", args: { command: "dd if=/dev/zero of=/dev/sda" } },
    { by: "path_guard", tool: "write_file", args: { path: "../outside.txt" } },
    { by: "path_guard", tool: "write_file", args: { path: "/etc/passwd" } },
    { by: "path_guard", tool: "edit_file", args: { path: "a\\..\\..\\b" } },
    { by: "path_guard", tool: "write_file", args: {} },
    { by: "prefer_named_tools", tool: "exec.run", args: { command: "ls" } },
    { by: "meta_tool_guard", tool: "write_file", args: { path: ".harness/hooks/audit.md" } },
    { by: "meta_tool_guard", tool: "run_command", args: { command: "echo x > .harness/hooks/y.md" } },
    { by: "meta_tool_guard", tool: "move_file", args: { paths: [{ to: "./.HARNESS/hooks" }] } },
  ])("$by blocks $tool $args, and the audit saw it", async ({ by, tool, args }) => {
    const outcome = await harness.fire("PreToolUse", call(tool, args));
    expect(outcome).toMatchObject({ verdict: "block", by, faults: [] });
    expect(harness.metrics.snapshot()).toMatchObject({ "audit.tool.pre": 1 } as object);
  });

  it.each([
    { tool: "run_command", args: { command: "ls -la" } },
    { tool: "write_file", args: { path: "src/main.ts" } },
    { tool: "search", args: { query: "rm -rf / is dangerous" } },
    { tool: "read_file", args: { path: ".harness/hooks/audit.md" } },
    { tool: "write_file", args: { path: "docs/harness.md" } },
  ])("$tool $args passes", async ({ tool, args }) => {
    expect(await harness.fire("PreToolUse", call(tool, args))).toMatchObject({ verdict: "allow", faults: [] });
  });

  it("audit_tool_post counts results, and failures apart", async () => {
    const result = (is_error: boolean) => ({ ...call("t", {}), result: { text: "x", is_error } });
    await harness.fire("PostToolUse", result(false));
    expect(harness.metrics.snapshot()).toEqual({ "audit.tool.post": 1 });
    await harness.fire("PostToolUse", result(true));
    expect(harness.metrics.snapshot()).toEqual({ "audit.tool.post": 2, "audit.tool.error": 1 });
  });

  it.each([
    { response: { usage: { output_tokens: 8001 } }, verdict: "block" },
    { response: { usage: { output_tokens: 8000 } }, verdict: "allow" },
    { response: { usage: { completion_tokens: 8001 } }, verdict: "block" },
    { response: { usage: { completion_tokens: 8000 } }, verdict: "allow" },
    { response: { usage: null, choices: [{ text: "x".repeat(40_000) }] }, verdict: "block" },
    { response: { choices: [{ text: "short" }] }, verdict: "allow" },
  ])("completion_window_guard: $verdict", async ({ response, verdict }) => {
    expect(await harness.fire("PostCompletion", { response })).toMatchObject({ verdict, faults: [] });
  });

  it("what they logged goes out with the end of the turn, once", async () => {
    await harness.fire("PreToolUse", call("run_command", { command: "ls" }));
    const first = await harness.fire("TurnEnd", { text: "done" });
    expect(first.payload.logs).toEqual([{ level: "info", message: "call run_command call_1", hook: "audit_tool_pre" }]);
    expect((await harness.fire("TurnEnd", { text: "done" })).payload.logs).toBeUndefined();
  });
});
