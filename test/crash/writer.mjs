// Fires events on a tape as fast as it can, and says which outcomes it was handed, until somebody kills it.
import { writeSync } from "node:fs";
import { createHarness } from "@hooks/core";
import { openTape } from "@hooks/tape";

const [directory, sync] = process.argv.slice(2);
const tape = openTape({ session: "crash", directory, sync, mask: false });
writeSync(1, `${tape.file}\n`);
const harness = createHarness({ tape });
harness.register({ event: "PreToolUse", id: "guard", handler: () => undefined });

async function fire(n) {
  const { verdict } = await harness.fire("PreToolUse", { tool: { name: "Bash", args: { command: `${n}` } } });
  writeSync(1, `${verdict} ${n}\n`);
}

for (let n = 0; ; n += 4) await Promise.all([fire(n), fire(n + 1), fire(n + 2), fire(n + 3)]);
