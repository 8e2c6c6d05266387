import type { Ports } from "./ports.js";

/** Something that waits for a hook's promise. */
export interface Waiting {
  /** Its place among the waiting. */
  index: number;
  /** How long the present hook may take. */
  readonly timeout_ms: number;
  /** When the present hook was first seen waiting; the waiter sets it to null for every new hook. */
  since: number | null;
  expire(): void;
}

/** How late a deadline may be noticed. */
const TICK_MS = 20;

/**
 * Deadlines of all waiting dispatches of a harness. One ticker serves them all and runs only while something waits:
 * a timer for each hook would cost several times what dispatching it does.
 */
export class Deadlines {
  private readonly waiting: Waiting[] = [];
  private stop: (() => void) | null = null;

  constructor(private readonly ports: Ports) {}

  add(waiter: Waiting): void {
    waiter.index = this.waiting.push(waiter) - 1;
    this.stop ??= this.ports.every(TICK_MS, () => this.tick());
  }

  delete(waiter: Waiting): void {
    const { index } = waiter;
    if (this.waiting[index] !== waiter) return;
    const last = this.waiting.pop() as Waiting;
    if (last === waiter) return;
    last.index = index;
    this.waiting[index] = last;
  }

  private tick(): void {
    if (this.waiting.length === 0) {
      this.stop?.();
      this.stop = null;
      return;
    }
    const now = this.ports.now();
    for (const waiter of [...this.waiting]) {
      if (waiter.since === null) waiter.since = now;
      else if (now - waiter.since >= waiter.timeout_ms) waiter.expire();
    }
  }
}
