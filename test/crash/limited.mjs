// Fires sixty events on a tape, in this file or under a name of its own in this directory, and says how each ended.
import { createHarness } from "@hooks/core";
import { openTape } from "@hooks/tape";

const [where] = process.argv.slice(2);
const place = where.endsWith(".jsonl") ? { file: where } : { directory: where };
const tape = openTape({ session: "limited", mask: false, ...place });
const harness = createHarness({ tape, ports: { warn: () => {} } });
for (let n = 0; n < 60; n++) {
  const { verdict, reason } = harness.fire("PreToolUse", { tool: { name: "Bash", args: { text: "x".repeat(500) } } });
  console.log(JSON.stringify({ verdict, reason }));
}
await tape.close().catch(() => {});
