/** Where lines end up. A promise that is kept means that they are there. */
export interface Sink {
  write(lines: readonly string[]): Promise<void>;
}

const MAX_QUEUED = 16 * 1024 * 1024;
const MAX_BATCH = 1024 * 1024;

interface Waiting {
  readonly lines: readonly string[];
  readonly size: number;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/** Lines on their way to a sink: those that come while it is busy go together next time. */
export class Queue {
  private readonly waiting: Waiting[] = [];
  private queued = 0;
  private isBusy = false;

  constructor(private readonly sink: Sink) {}

  /** Kept once the lines are with the sink; broken when they cannot be, or when too many wait already. */
  push(lines: readonly string[]): Promise<void> {
    const size = lines.reduce((sum, line) => sum + line.length, 0);
    if (this.queued > 0 && this.queued + size > MAX_QUEUED) {
      return Promise.reject(new Error(`${this.waiting.length} lines wait for the sink already; this one is not kept`));
    }
    this.queued += size;
    return new Promise((done, failed) => {
      this.waiting.push({ lines, size, done, failed });
      if (!this.isBusy) void this.drain();
    });
  }

  private async drain(): Promise<void> {
    this.isBusy = true;
    while (this.waiting.length > 0) {
      const batch = this.take();
      try {
        await this.sink.write(batch.flatMap(({ lines }) => lines));
        for (const { done } of batch) done();
      } catch (error) {
        for (const { failed } of batch) failed(error);
      }
      for (const { size } of batch) this.queued -= size;
    }
    this.isBusy = false;
  }

  private take(): Waiting[] {
    let size = 0;
    let count = 0;
    while (count < this.waiting.length && (count === 0 || size < MAX_BATCH)) size += this.waiting[count++]?.size ?? 0;
    return this.waiting.splice(0, count);
  }
}
