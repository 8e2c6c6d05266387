import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { JsonObject } from "@hooks/core";
import { loadHarness } from "@hooks/manifest";
import { afterAll, describe, expect, test } from "vitest";

const plugin = fileURLToPath(new URL("..", import.meta.url));
const scratch = realpathSync(mkdtempSync(join(tmpdir(), "harn-meta-")));
const root = join(scratch, "project");
afterAll(() => rmSync(scratch, { recursive: true }));

interface Samples {
  readonly tools: readonly (readonly [string, JsonObject])[];
  readonly commands: readonly string[];
}

const samples = (name: string) =>
  JSON.parse(readFileSync(join(plugin, `samples/${name}.json`), "utf8").replaceAll("<root>", root)) as Samples;
const edits = samples("edits");
const harmless = samples("harmless");

const MANIFEST = `[exports]
policy = "hooks/policy.mjs"

[[hooks]]
event = "PreToolUse"
handler = "@hooks/meta-guard::guard"
`;
const MORE = '\n[[hooks]]\nevent = "Stop"\ncommand = ["python3", "hooks/check.py"]\n';

const FILES: Readonly<Record<string, string>> = {
  "hooks/policy.mjs": "export function guard() {}\n",
  "hooks/check.py": "",
  ".harness/hooks.txt": "",
  ".claude/settings.json": "{}",
  ".claude/commands/x.md": "",
  ".codex/hooks.json": "{}",
  "src/a.ts": "",
  "README.md": "",
  "p.diff": "--- a/src/a.ts\n+++ b/src/a.ts\n",
  "node_modules/acme-guards/package.json": '{"name":"acme-guards","harn":{"api":1,"hooks":{}}}',
  "node_modules/acme-pack/package.json": '{"name":"acme-pack","keywords":["harn-pack"]}',
  "node_modules/plain/package.json": '{"name":"plain"}',
};

for (const [file, text] of Object.entries(FILES)) {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}
mkdirSync(join(root, "node_modules/@hooks"));
symlinkSync(plugin, join(root, "node_modules/@hooks/meta-guard"));
writeFileSync(join(root, "harn.toml"), MANIFEST + MORE);
symlinkSync("harn.toml", join(root, "tolink"));
linkSync(join(root, "harn.toml"), join(root, "hardlink"));

async function load(options = "", isolation = "inline") {
  writeFileSync(join(root, "harn.toml"), `${MANIFEST}isolation = "${isolation}"\noptions = { ${options} }\n${MORE}`);
  const loaded = await loadHarness({ cwd: root, harness: { ports: { warn: () => {} } } });
  if (!loaded.ok) throw new Error(loaded.message);
  return (name: string, args: JsonObject) =>
    loaded.harness.fire("PreToolUse", { tool: { name, args }, session: { id: "s", cwd: root } });
}

const run = await load();

describe("edits of the policy", () => {
  test.each(edits.tools)("%s %j", async (name, args) => {
    expect(await run(name, args)).toMatchObject({ verdict: "block", faults: [] });
  });

  test.each(edits.commands)("%s", async (command) => {
    const { verdict, faults } = await run("Bash", { command });
    expect(faults).toEqual([]);
    expect(verdict).not.toBe("allow");
  });
});

describe("what is none", () => {
  test.each(harmless.tools)("%s %j", async (name, args) => {
    const { verdict, reason } = await run(name, args);
    expect([verdict, reason]).toEqual(["allow", undefined]);
  });

  test.each(harmless.commands)("%s", async (command) => {
    const { verdict, reason } = await run("Bash", { command });
    expect([verdict, reason]).toEqual(["allow", undefined]);
  });
});

test("options: more that is protected, less, a question instead of a block, and what is unclear", async () => {
  const asked = await load('protect = ["docs/**"], except = [".codex"], verdict = "ask", unclear = "allow"');
  expect((await asked("Write", { file_path: "docs/x.md" })).verdict).toBe("ask");
  expect((await asked("Write", { file_path: ".codex/hooks.json" })).verdict).toBe("allow");
  expect((await asked("Bash", { command: 'echo x > "$F"' })).verdict).toBe("allow");
});

test("it works in a worker, at priority 30, and says what to do instead", async () => {
  const inWorker = await load("", "worker");
  const outcome = await inWorker("Bash", { command: "echo x > harn.toml" });
  expect(outcome.reason).toBe(
    `> would edit ${root}/harn.toml: a person changes the policy: say what you would change and why`,
  );
  expect(outcome.trace).toMatchObject([{ priority: 30 }]);
});
