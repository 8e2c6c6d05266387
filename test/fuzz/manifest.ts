import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadHarness } from "@hooks/manifest";
import { describeThrown, judge } from "./manifest-judge.js";
import { makeMutant } from "./manifest-mutations.js";
import { makeHome } from "./manifest-seeds.js";
import { Random } from "./random.js";
import { Watchdog } from "./watchdog.js";

export interface FuzzOptions {
  readonly seed: number;
  readonly mutants: number;
  /** The number of the first one, to make a single mutant again. */
  readonly from?: number;
}

/** One thing that went wrong, and the first mutant that showed it. */
export interface Failure {
  readonly what: string;
  readonly origin: string;
  readonly mutant: number;
  /** The file that holds it. */
  readonly input: string;
  times: number;
}

export interface FuzzReport {
  readonly seed: number;
  readonly mutants: number;
  /** How many of them loaded. */
  readonly stacks: number;
  /** How many manifests each code was given to. */
  readonly codes: ReadonlyMap<string, number>;
  readonly slowest: { readonly mutant: number; readonly milliseconds: number; readonly bytes: number };
  readonly failures: readonly Failure[];
}

// A module may take ten seconds to load before it is given up; whatever needs more than three times that hangs.
const BUDGET_MS = 30_000;
const LARGEST_INPUT = 8 * 1024 * 1024;

/** Loads mutants of valid manifests, one after the other. Every one ends as a stack or as problems with a place. */
export async function fuzzManifests({ seed, mutants, from = 0 }: FuzzOptions): Promise<FuzzReport> {
  const home = makeHome();
  const manifest = join(home, "harn.toml");
  const failures = new Failures(seed);
  const watchdog = new Watchdog({ budgetMs: BUDGET_MS, largest: LARGEST_INPUT, seed, file: failures.fileOf("hang") });
  const codes = new Map<string, number>();
  const slowest = { mutant: from, milliseconds: 0, bytes: 0 };
  const rejections: unknown[] = [];
  const noteRejection = (reason: unknown) => void rejections.push(reason);
  let stacks = 0;
  process.on("unhandledRejection", noteRejection);
  try {
    for (let mutant = from; mutant < from + mutants; mutant++) {
      const { origin, bytes } = makeMutant(new Random(seed, mutant));
      writeFileSync(manifest, bytes);
      watchdog.watch(mutant, bytes);
      const start = performance.now();
      const { loaded, faults } = await judge(bytes, () => loadHarness({ cwd: home, manifest }));
      const milliseconds = performance.now() - start;
      if (milliseconds > slowest.milliseconds) Object.assign(slowest, { mutant, milliseconds, bytes: bytes.length });
      if (loaded?.ok) stacks++;
      const problems = loaded?.ok === false ? loaded.problems : (loaded?.warnings ?? []);
      for (const code of new Set(problems.map(({ code }) => code))) codes.set(code, (codes.get(code) ?? 0) + 1);
      // What nobody waits for is rejected between two turns of the event loop.
      await new Promise(setImmediate);
      for (const reason of rejections.splice(0)) faults.push(`a rejection nobody handled: ${describeThrown(reason)}`);
      for (const what of faults) failures.add(what, { mutant, origin, bytes });
    }
  } finally {
    process.off("unhandledRejection", noteRejection);
    await watchdog.stop();
    rmSync(home, { recursive: true });
    failures.close();
  }
  return { seed, mutants, stacks, codes, slowest, failures: failures.list() };
}

/** Failures, each of them once, with the input that showed it first. */
class Failures {
  private readonly known = new Map<string, Failure>();
  private readonly directory = mkdtempSync(join(tmpdir(), "harn-fuzz-failed-"));

  constructor(private readonly seed: number) {}

  fileOf(name: string | number): string {
    return join(this.directory, `${this.seed}-${name}.toml`);
  }

  add(what: string, { mutant, origin, bytes }: { mutant: number; origin: string; bytes: Buffer }): void {
    const known = this.known.get(what) ?? { what, origin, mutant, input: this.fileOf(mutant), times: 0 };
    if (known.times++ === 0) writeFileSync(known.input, bytes);
    this.known.set(what, known);
  }

  list(): Failure[] {
    return [...this.known.values()];
  }

  close(): void {
    if (this.known.size === 0) rmSync(this.directory, { recursive: true });
  }
}

/** Everything a failure needs to be looked at, for a person. */
export function describeFailures({ seed, failures }: Pick<FuzzReport, "seed" | "failures">): string {
  return failures
    .map(({ what, mutant, origin, input, times }) =>
      [
        `seed ${seed}, mutant ${mutant} (of "${origin}"; ${times} times): ${what}`,
        `  input: ${input}`,
        `  again: jiti test/fuzz/manifest-long.ts --seed ${seed} --from ${mutant} --mutants 1`,
      ].join("\n"),
    )
    .join("\n");
}
