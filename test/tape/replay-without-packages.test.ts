import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadHarness } from "@hooks/manifest";
import { openTape, readTape, replayTape } from "@hooks/tape";
import { expect, test } from "vitest";

const GUARD = `export const guard = ({ tool }) => {
  if (tool.args.command.includes("rm -rf")) return { deny: "not that" };
  if (tool.args.command.includes("push")) return { reminder: { body: "say why" }, then: { args: { command: "git push --dry-run" } } };
  if (tool.args.command === "boom") throw new Error("broken");
};
export const redact = async ({ result }) => ({ result: result.text.toUpperCase() });`;

/** A project with a package of hooks, installed as npm does it. */
function writeProject(): string {
  const project = realpathSync(mkdtempSync(join(tmpdir(), "harn-replay-")));
  const home = join(project, "node_modules", "@acme", "guard");
  mkdirSync(home, { recursive: true });
  const harn = { api: 1, hooks: { guard: { events: ["PreToolUse"] }, redact: { events: ["PostToolUse"] } } };
  writeFileSync(
    join(home, "package.json"),
    JSON.stringify({ name: "@acme/guard", version: "3.1.4", type: "module", exports: "./index.js", harn }),
  );
  writeFileSync(join(home, "index.js"), GUARD);
  writeFileSync(
    join(project, "harn.toml"),
    `[dependencies]\n"@acme/guard" = "^3.0.0"\n
[[hooks]]\nevent = "PreToolUse"\nhandler = "@acme/guard::guard"\n
[[hooks]]\nevent = "PostToolUse"\nhandler = "@acme/guard::redact"\n`,
  );
  return project;
}

test("a session replays byte for byte after its hook packages, its manifest and its project are deleted", async () => {
  const project = writeProject();
  const tape = openTape({ session: "s", file: join(project, "tape.jsonl"), sync: "none", mask: { key: "k" } });
  const loaded = await loadHarness({ cwd: project, harness: { tape, ports: { warn: () => {} } } });
  if (!loaded.ok) throw new Error(loaded.message);
  const { harness } = loaded;
  for (const command of [
    "ls",
    "rm -rf /",
    "git push",
    "boom",
    "export TOKEN=ghp_abcdefghijklmnopqrstuvwxyz0123456789",
  ]) {
    const tool = { name: "Bash", args: { command } };
    await harness.fire("PreToolUse", { tool });
    await harness.fire("PostToolUse", { tool, result: { text: "done", is_error: false } });
  }
  await tape.close();

  const elsewhere = mkdtempSync(join(tmpdir(), "harn-kept-"));
  const kept = join(elsewhere, "tape.jsonl");
  copyFileSync(tape.file, kept);
  rmSync(project, { recursive: true });
  expect(existsSync(project)).toBe(false);
  try {
    const hooks = [...readTape(kept)].flatMap(({ record }) => (record.kind === "hook_call" ? [record.hook] : []));
    expect(hooks[0]).toMatchObject({ package: "@acme/guard", version: "3.1.4" });
    const to = join(elsewhere, "again.jsonl");
    expect(await replayTape(kept, { to })).toMatchObject({ identical: true, events: 10, divergences: [] });
    // A process that never had the packages comes to the same bytes.
    const again = join(elsewhere, "third.jsonl");
    const script = `import { replayTape } from "@hooks/tape"; await replayTape(${JSON.stringify(kept)}, { to: ${JSON.stringify(again)} });`;
    const cwd = fileURLToPath(new URL("../..", import.meta.url));
    execFileSync(process.execPath, ["--input-type=module", "-e", script], { cwd });
    for (const file of [to, again]) execFileSync("cmp", [kept, file]);
  } finally {
    rmSync(elsewhere, { recursive: true });
  }
});
