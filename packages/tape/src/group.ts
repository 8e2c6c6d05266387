/**
 * One sync for everybody who waits: those that come while one is running share the next. The disk is asked once where
 * a hundred dispatches end together, and this thread goes on meanwhile.
 */
export class GroupSync {
  private running: Promise<void> = Promise.resolve();
  private next: Promise<void> | null = null;

  constructor(private readonly sync: () => Promise<void>) {}

  /** Settles with the first sync that starts after this call. */
  join(): Promise<void> {
    this.next ??= this.running.then(this.start, this.start);
    return this.next;
  }

  /** Settles, well or not, when nobody waits any more. */
  async idle(): Promise<void> {
    while (this.next !== null) await this.next.catch(() => {});
    await this.running.catch(() => {});
  }

  private readonly start = (): Promise<void> => {
    this.running = this.next ?? this.running;
    this.next = null;
    return this.sync();
  };
}
