import { type Piece, type Word, wordOf } from "./word.js";

const DEFAULT_IFS = " \t\n";

/** Collects the fields one word of a script becomes: quoted stretches stay whole, others are split. */
export class Fields {
  private readonly done: Word[] = [];
  private current: Piece[] = [];
  /** Whether there is a field even if nothing is in it, as after `""`. */
  private open = false;

  constructor(private readonly ifs: string = DEFAULT_IFS) {}

  fork(): Fields {
    const copy = new Fields(this.ifs);
    copy.done.push(...this.done);
    copy.current = [...this.current];
    copy.open = this.open;
    return copy;
  }

  /** Adds what belongs to the current field as it is. */
  add(pieces: readonly Piece[]): void {
    this.open = true;
    this.current.push(...pieces);
  }

  /** Adds the value of an unquoted expansion: split at IFS, its `*` and `?` patterns. */
  addSplit(pieces: readonly Piece[]): void {
    for (const piece of pieces) {
      if (piece.kind === "text") this.splitText(piece.text);
      else this.add([piece]);
    }
  }

  /** Ends the current field, as between the elements of an array. */
  cut(): void {
    if (this.open) this.done.push(wordOf(this.current));
    this.current = [];
    this.open = false;
  }

  finish(): Word[] {
    this.cut();
    return this.done;
  }

  private splitText(text: string): void {
    let start = 0;
    for (let i = 0; i <= text.length; i++) {
      const char = text[i];
      if (char !== undefined && !this.ifs.includes(char)) continue;
      if (i > start) this.add(withGlobs(text.slice(start, i)));
      if (char !== undefined) this.cut();
      start = i + 1;
    }
  }
}

/** Text whose `*`, `?` and `[...]` are patterns. */
export function withGlobs(text: string): Piece[] {
  if (!/[*?[]/.test(text)) return [{ kind: "text", text }];
  return text
    .split(/([*?]+|\[[^\]]*\])/)
    .map((part, index): Piece => ({ kind: index % 2 === 1 ? "glob" : "text", text: part }))
    .filter((piece) => piece.kind !== "text" || piece.text !== "");
}
