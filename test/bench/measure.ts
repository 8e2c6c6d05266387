/** One contestant: something to call again and again. */
export type Contestant = () => unknown;

export interface Row {
  readonly name: string;
  readonly nanoseconds: number;
  readonly ratio: number;
}

const ROUNDS = 41;
const SAMPLE_MS = 4;

/**
 * Times contestants against the first of them. Machines are noisy, so the rounds are interleaved, the tenth percentile
 * of each contestant's samples counts, and what is reported is a ratio within one run.
 */
export async function compare(contestants: Readonly<Record<string, Contestant>>): Promise<Row[]> {
  const entries = await Promise.all(
    Object.entries(contestants).map(async ([name, run]) => {
      const sample = isPromise(run()) ? sampleAsync : sampleSync;
      return { name, run, sample, batch: await calibrate(run, sample), samples: [] as number[] };
    }),
  );
  for (let round = 0; round < ROUNDS; round++) {
    for (const entry of entries) entry.samples.push((await entry.sample(entry.run, entry.batch)) / entry.batch);
  }
  const times = entries.map(({ name, samples }) => ({ name, nanoseconds: tenthPercentile(samples) }));
  const reference = times[0]?.nanoseconds ?? 1;
  return times.map((time) => ({ ...time, ratio: time.nanoseconds / reference }));
}

/** Prints a table; a target is shown beside the row it is for. */
export function report(title: string, rows: readonly Row[], targets: Readonly<Record<string, string>> = {}): void {
  const width = Math.max(...rows.map(({ name }) => name.length)) + 2;
  console.log(`\n${title}`);
  for (const { name, nanoseconds, ratio } of rows) {
    const target = targets[name] === undefined ? "" : `   target ${targets[name]}`;
    console.log(
      `  ${name.padEnd(width)}${duration(nanoseconds).padStart(10)}${ratio.toFixed(2).padStart(9)}x${target}`,
    );
  }
}

/** How long single calls take, the slow ones included: what one decision costs whoever waits for it. */
export async function latency(title: string, runs: Readonly<Record<string, Contestant>>, calls = 2_000): Promise<void> {
  const width = Math.max(...Object.keys(runs).map((name) => name.length)) + 2;
  console.log(`\n${title}`);
  for (const [name, run] of Object.entries(runs)) {
    const times: number[] = [];
    for (let call = -calls / 4; call < calls; call++) {
      const start = performance.now();
      await run();
      // What comes before is warm-up.
      if (call >= 0) times.push((performance.now() - start) * 1e6);
    }
    times.sort((a, b) => a - b);
    const at = (share: number) => duration(times[Math.floor(times.length * share)] ?? 0).padStart(10);
    console.log(`  ${name.padEnd(width)}p50${at(0.5)}   p99${at(0.99)}`);
  }
}

function duration(nanoseconds: number): string {
  if (nanoseconds < 1_000) return `${nanoseconds.toFixed(0)} ns`;
  if (nanoseconds < 1_000_000) return `${(nanoseconds / 1_000).toFixed(2)} µs`;
  return `${(nanoseconds / 1_000_000).toFixed(2)} ms`;
}

function sampleSync(run: Contestant, batch: number): number {
  const start = performance.now();
  for (let i = 0; i < batch; i++) run();
  return (performance.now() - start) * 1e6;
}

async function sampleAsync(run: Contestant, batch: number): Promise<number> {
  const start = performance.now();
  for (let i = 0; i < batch; i++) await run();
  return (performance.now() - start) * 1e6;
}

async function calibrate(run: Contestant, sample: typeof sampleSync | typeof sampleAsync): Promise<number> {
  let batch = 1;
  while ((await sample(run, batch)) < SAMPLE_MS * 1e6 && batch < 1e7) batch *= 2;
  return batch;
}

export function tenthPercentile(samples: readonly number[]): number {
  return [...samples].sort((a, b) => a - b)[Math.floor(samples.length / 10)] ?? 0;
}

function isPromise(value: unknown): boolean {
  return value instanceof Promise;
}
