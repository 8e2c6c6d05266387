/** A secret in one of the ways it is written. */
export interface Spelling {
  readonly text: string;
  /** The same inside of canonical JSON. */
  readonly inJson: string;
  readonly mark: string;
}

const MAX_REMEMBERED = 128;

/** Secrets that were masked at one place, so that they are masked wherever else they are written. */
export class Remembered {
  /** Grows with every secret that was not known. */
  learnt = 0;

  /** The one that was seen longest ago comes first. */
  private readonly spellings = new Map<string, readonly Spelling[]>();
  /** Longer ones first: one secret may be a part of another. */
  private ordered: readonly Spelling[] = [];

  learn(secret: string, mark: string): void {
    const known = this.spellings.get(secret);
    if (known !== undefined) {
      this.spellings.delete(secret);
      this.spellings.set(secret, known);
      return;
    }
    const [oldest] = this.spellings.keys();
    if (oldest !== undefined && this.spellings.size === MAX_REMEMBERED) this.spellings.delete(oldest);
    // Whoever quotes arguments often quotes them as JSON.
    const texts = new Set([secret, escaped(secret)]);
    this.spellings.set(
      secret,
      [...texts].map((text) => ({ text, inJson: escaped(text), mark })),
    );
    this.ordered = [...this.spellings.values()].flat().sort((a, b) => b.text.length - a.text.length);
    this.learnt++;
  }

  /** Those that stand in a text of canonical JSON, the longest first, and what to put in their place. */
  in(json: string): readonly Spelling[] {
    return this.ordered.filter(({ inJson }) => json.includes(inJson));
  }
}

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
