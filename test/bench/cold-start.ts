// How long the command line takes from a cold start, as multiples of a Node that does nothing.
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { trust } from "../house/trusted.js";
import { tenthPercentile } from "./measure.js";

const ROUNDS = 30;
const bin = fileURLToPath(new URL("../../packages/cli/dist/bin.js", import.meta.url));
const samples = fileURLToPath(new URL("../cli/", import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "harn-cold-"));
cpSync(join(samples, "run-block"), scratch, { recursive: true });
cpSync(join(samples, "policy.mjs"), join(scratch, "policy.mjs"));
const event = '{"event": "PreToolUse", "payload": {"tool": {"name": "Bash", "args": {"command": "ls"}}}}\n';

const commands: Readonly<Record<string, { readonly args: readonly string[]; readonly target?: string }>> = {
  "node -e 0": { args: ["-e", "0"] },
  "harn --version": { args: [bin, "--version"], target: "2.5x" },
  "harn list": { args: [bin, "list"], target: "2.5x" },
  "harn run, one event": { args: [bin, "run"], target: "2.5x" },
};

// NODE_EXTRA_CA_CERTS and the like would be charged to every start.
const env = { PATH: process.env.PATH, HOME: scratch };
await trust(scratch, env);
const samplesOf = new Map(Object.keys(commands).map((name) => [name, [] as number[]]));
// The first round fills the code cache.
for (let round = -1; round < ROUNDS; round++) {
  for (const [name, { args }] of Object.entries(commands)) {
    const start = performance.now();
    const { status, stderr } = spawnSync(process.execPath, args, { cwd: scratch, env, input: event });
    if (status !== 0) throw new Error(`${name}: exit ${status}\n${stderr}`);
    if (round >= 0) samplesOf.get(name)?.push(performance.now() - start);
  }
}
rmSync(scratch, { recursive: true });

const times = [...samplesOf].map(([name, taken]) => ({ name, ms: tenthPercentile(taken) }));
const bare = times[0]?.ms ?? 1;
console.log(`\nCold start, ${ROUNDS} rounds, tenth percentile`);
for (const { name, ms } of times) {
  const { target } = commands[name] ?? {};
  const aim = target === undefined ? "" : `   target ${target}`;
  console.log(`  ${name.padEnd(22)}${ms.toFixed(1).padStart(7)} ms${(ms / bare).toFixed(2).padStart(8)}x${aim}`);
}
