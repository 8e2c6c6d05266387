import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHarness } from "@hooks/core";
import { openTape } from "@hooks/tape";

// Writes a tape of this many megabytes, and verifies it in a process whose heap could not hold a tenth of it.
const megabytes = Number(process.argv[2] ?? 1024);
const directory = mkdtempSync(join(tmpdir(), "harn-large-"));
const VERIFY = `
import { verifyTape } from "@hooks/tape";
const [file] = process.argv.slice(1);
const start = performance.now();
const { complete, records, bytes } = await verifyTape(file);
const seconds = (performance.now() - start) / 1000;
const peak = process.resourceUsage().maxRSS / 1024;
console.log(JSON.stringify({ complete, records, bytes, seconds, peak }));`;

try {
  const tape = openTape({ session: "large", directory, sync: "none", mask: { key: "bench" } });
  const harness = createHarness({ tape });
  for (let i = 0; i < 7; i++) harness.register({ event: "PostToolUse", id: `hook-${i}`, handler: () => undefined });
  const text = "a line of what a tool printed\n".repeat(40);
  const payload = harness.prepare("PostToolUse", {
    tool: { name: "Bash", args: { command: "npm test" } },
    result: { text, is_error: false },
  });
  while (statSync(tape.file).size < megabytes * 1e6) for (let i = 0; i < 1_000; i++) harness.dispatch(payload);
  await tape.close();
  const args = ["--max-old-space-size=64", "--input-type=module", "-e", VERIFY, tape.file];
  const said = JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" }));
  console.log(
    `${(said.bytes / 1e6).toFixed(0)} MB, ${said.records} records, ${said.complete ? "complete" : "NOT COMPLETE"}: ` +
      `${said.seconds.toFixed(1)} s, ${(said.bytes / 1e6 / said.seconds).toFixed(0)} MB/s, ${said.peak.toFixed(0)} MB of memory at most`,
  );
  if (!said.complete) process.exitCode = 1;
} finally {
  rmSync(directory, { recursive: true });
}
