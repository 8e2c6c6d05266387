import { parseArgs } from "node:util";
import { describeFailures, fuzzManifests } from "./manifest.js";

const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    mutants: { type: "string", default: "50000" },
    from: { type: "string", default: "0" },
  },
});

// Another seed every time: a run that repeats the last one finds nothing new.
const seed = Number(values.seed ?? Date.now() % 2 ** 31);
const start = performance.now();
console.log(`${values.mutants} mutated manifests, seed ${seed}`);
const report = await fuzzManifests({ seed, mutants: Number(values.mutants), from: Number(values.from) });
const { stacks, codes, slowest, failures } = report;
console.log(
  `${stacks} loaded, ${report.mutants - stacks} refused, in ${((performance.now() - start) / 1000).toFixed(1)} s`,
);
for (const [code, times] of [...codes].sort(([, a], [, b]) => b - a)) console.log(`  ${code.padEnd(26)}${times}`);
console.log(`slowest: mutant ${slowest.mutant}, ${slowest.bytes} bytes, ${slowest.milliseconds.toFixed(0)} ms`);
if (failures.length > 0) {
  console.error(`\n${failures.length} different failures\n${describeFailures(report)}`);
  process.exitCode = 1;
}
