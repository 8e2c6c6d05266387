import { Worker } from "node:worker_threads";

/**
 * Ends the process when one piece of work takes too long, after it has said which and saved the input. A thread of its
 * own does this: a loop that never ends would keep any timer of this one from firing.
 */
export class Watchdog {
  private readonly state = new Int32Array(new SharedArrayBuffer(8));
  private readonly input: Buffer;
  private readonly thread: Worker;

  constructor(options: { readonly budgetMs: number; readonly largest: number; readonly seed: number; file: string }) {
    const input = new SharedArrayBuffer(options.largest);
    this.input = Buffer.from(input);
    this.state[0] = IDLE;
    this.thread = new Worker(THREAD, {
      eval: true,
      execArgv: [],
      workerData: { ...options, input, state: this.state },
    });
  }

  /** Starts the clock for the next piece of work. */
  watch(index: number, bytes: Buffer): void {
    this.state[1] = bytes.copy(this.input);
    Atomics.store(this.state, 0, index);
    Atomics.notify(this.state, 0);
  }

  async stop(): Promise<void> {
    const stopped = new Promise((resolve) => this.thread.once("exit", resolve));
    Atomics.store(this.state, 0, STOP);
    Atomics.notify(this.state, 0);
    await stopped;
  }
}

const IDLE = -1;
const STOP = -2;

// Plain JavaScript in a text: a thread of Node 20 cannot be started from a TypeScript file.
const THREAD = `
const { workerData: { budgetMs, file, input, seed, state } } = require("node:worker_threads");
const { writeFileSync, writeSync } = require("node:fs");
for (;;) {
  const index = Atomics.load(state, 0);
  if (index === ${STOP}) break;
  const woken = Atomics.wait(state, 0, index, index === ${IDLE} ? Infinity : budgetMs);
  if (woken !== "timed-out") continue;
  writeFileSync(file, Buffer.from(input).subarray(0, state[1]));
  writeSync(2, "seed " + seed + ", mutant " + index + ": not done after " + budgetMs + " ms\\n  input: " + file + "\\n");
  process.kill(process.pid, "SIGKILL");
}`;
