import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { memoryTape } from "@hooks/core";
import { loadHarness } from "@hooks/manifest";
import { PROMPT, script } from "./script.js";
import { runSession } from "./session.js";
import { timeline } from "./timeline.js";
import { listFiles, openWorkspace } from "./tools.js";

const tape = memoryTape();
const cwd = fileURLToPath(new URL("../../..", import.meta.url));
const loaded = await loadHarness({ cwd, manifest: "harn.toml.example", harness: { tape, session: { id: "example" } } });
if (!loaded.ok) {
  console.error(loaded.message);
  process.exit(1);
}
const { harness } = loaded;
const describe = timeline(process.stdout.isTTY === true && !process.env.NO_COLOR);
const workspace = mkdtempSync(join(tmpdir(), "harn-example-"));

function firedTimes(event: string): number {
  return tape.records.filter((record) => record.kind === "event" && record.event === event).length;
}

// The same policy as the command line reads it.
const list = spawnSync(process.execPath, ["packages/cli/dist/bin.js", "list", "--manifest", "harn.toml.example"], {
  cwd,
  encoding: "utf8",
});
console.log(`The policy, as harn list shows it:

${list.stdout || list.stderr}`);

console.log(`A governed session: the ${harness.hooks.length} hooks of harn.toml.example rule on what a scripted model asks for.
The tools are real. They work in a temporary directory, which is removed at the end.

The user: "${PROMPT}"`);

try {
  const tools = openWorkspace(workspace);
  for await (const moment of runSession(harness, PROMPT, script, tools)) {
    for (const line of describe(moment)) console.log(line);
  }
  console.log(`
Audit      ${firedTimes("PreToolUse")} calls asked for, ${firedTimes("PostToolUse")} came to run
On disk    ${listFiles(workspace).join(", ")}
Tape       ${tape.records.length} records: every event, every hook that was called, what it answered

The policy is harn.toml.example: change a hook and run this again.
Try next   npm run -s harn -- trust --yes --manifest harn.toml.example
           npm run -s harn -- explain --manifest harn.toml.example --tool run_command --arg command='rm -rf notes'
           npm run -s harn -- validate --manifest harn.toml.example
           npm run -s harn -- --help
           npm test`);
} finally {
  rmSync(workspace, { recursive: true });
}
