import { parseArgs } from "node:util";
import { fuzzGuard } from "./guard.js";

// Of processor time, the best of several runs: the verdict is about the program and not about the machine.
const LONGEST_MS = 50;

const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    commands: { type: "string", default: "100000" },
    from: { type: "string", default: "0" },
  },
});

// Another seed every time: a run that repeats the last one finds nothing new.
const seed = Number(values.seed ?? Date.now() % 2 ** 31);
const start = performance.now();
console.log(`${values.commands} mutated commands, seed ${seed}`);
const { verdicts, failures, slowest } = fuzzGuard({
  seed,
  commands: Number(values.commands),
  from: Number(values.from),
});
console.log(`in ${((performance.now() - start) / 1000).toFixed(1)} s`);
for (const [verdict, times] of [...verdicts].sort(([, a], [, b]) => b - a)) {
  console.log(`  ${verdict.padEnd(26)}${times}`);
}
for (const { command, characters, milliseconds } of slowest) {
  console.log(`slow: command ${command}, ${characters} characters, ${milliseconds.toFixed(1)} ms at best`);
}
const late = slowest.filter(({ milliseconds }) => milliseconds > LONGEST_MS);
if (late.length > 0) console.error(`\n${late.length} decisions over ${LONGEST_MS} ms`);
if (failures.length > 0) console.error(`\n${failures.length} failures\n\n${failures.join("\n\n")}`);
if (late.length + failures.length > 0) process.exitCode = 1;
