/** Numbers that look random and are the same for the same seeds, so that what failed can be made again. */
export class Random {
  private state: number;

  constructor(...seeds: readonly number[]) {
    this.state = 0x9e3779b9;
    for (const seed of seeds) {
      this.state = Math.imul(this.state ^ seed, 0x85ebca6b);
      this.below(1);
    }
  }

  /** A whole number from 0 up to, and not with, `limit`: mulberry32. */
  below(limit: number): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000) * limit);
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T;
  }

  /** True once in `n` times. */
  once(n: number): boolean {
    return this.below(n) === 0;
  }

  /** A piece of something `length` long: where it starts, where it ends. */
  range(length: number, longest: number): [start: number, end: number] {
    const start = this.below(length + 1);
    return [start, Math.min(length, start + 1 + this.below(longest))];
  }
}
