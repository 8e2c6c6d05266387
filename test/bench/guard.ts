import { guard } from "@hooks/command-guard";
import { createHarness } from "@hooks/core";
import { coldGuard, guardCommands, guardShapes, parseOnly } from "./guard-commands.js";
import { compare, latency, report } from "./measure.js";

const guarded = createHarness();
guarded.register({ event: "PreToolUse", handler: guard });
const judged = (command: string) => {
  const prepared = guarded.prepare("PreToolUse", {
    tool: { name: "Bash", args: { command } },
    session: { id: "b", cwd: "/home/me/project" },
  });
  return () => guarded.dispatch(prepared);
};
for (const [name, command] of Object.entries(guardCommands)) {
  report(
    `command-guard, ${name}, against parsing it`,
    await compare({ "unbash parse": () => parseOnly(command), decision: judged(command) }),
    { decision: "10x" },
  );
}
await latency(
  "command-guard, one decision (target: p99 under 1 ms)",
  Object.fromEntries(Object.entries(guardCommands).map(([name, command]) => [name, judged(command)])),
);
console.log(
  "\ncommand-guard, 100 kB made to be slow (target: under 50 ms of processor time; cold is a process's first)",
);
for (const [name, command] of Object.entries(guardShapes)) {
  const run = judged(command);
  let fastest = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 5; round++) {
    const start = process.cpuUsage();
    await run();
    const { user, system } = process.cpuUsage(start);
    fastest = Math.min(fastest, (user + system) / 1_000);
  }
  console.log(
    `  ${name.padEnd(26)}cold ${coldGuard(name).toFixed(1).padStart(7)} ms   warm ${fastest.toFixed(1).padStart(7)} ms`,
  );
}
