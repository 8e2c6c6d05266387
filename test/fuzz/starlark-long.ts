import { parseArgs } from "node:util";
import { fuzzStarlark } from "./starlark.js";

const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    programs: { type: "string", default: "100000" },
    from: { type: "string", default: "0" },
  },
});

// Another seed every time: a run that repeats the last one finds nothing new.
const seed = Number(values.seed ?? Date.now() % 2 ** 31);
const start = performance.now();
console.log(`${values.programs} programs, seed ${seed}`);
const report = await fuzzStarlark({ seed, programs: Number(values.programs), from: Number(values.from) });
console.log(`in ${((performance.now() - start) / 1000).toFixed(1)} s`);
for (const [ending, times] of [...report.endings].sort(([, a], [, b]) => b - a)) {
  console.log(`  ${ending.padEnd(26)}${times}`);
}
const { program, milliseconds } = report.slowest;
console.log(`slowest: program ${program}, ${milliseconds.toFixed(0)} ms`);
if (report.failures.length > 0) {
  console.error(`\n${report.failures.length} failures\n\n${report.failures.join("\n\n")}`);
  process.exitCode = 1;
}
