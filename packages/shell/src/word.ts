import type { SimpleCommand } from "./analysis.js";

/** A stretch of a word: text that is certain, a pattern the shell would match against files, or something only a run shows. */
export type Piece =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "glob"; readonly text: string }
  /** A variable of the environment; `required` when the command stops if it is empty, as in `${DIR:?}`. */
  | { readonly kind: "variable"; readonly name: string; readonly required: boolean }
  | Unknown;

/** The output of a program, a line that is read, a number: whatever is not in the command's text. */
export interface Unknown {
  readonly kind: "unknown";
  /** How it was written. */
  readonly source: string;
  /** The commands whose output it is. */
  readonly from?: readonly SimpleCommand[];
  /** For `<(...)`, a file whose content is this. */
  readonly content?: Word;
}

/** One argument, after quotes, escapes and expansions. */
export interface Word {
  readonly pieces: readonly Piece[];
  /** The argument itself where every piece is text, else null. */
  readonly text: string | null;
}

const EMPTY: readonly Piece[] = [];

/** A word that is nothing but text. */
export function literal(text: string): Word {
  return { pieces: text === "" ? EMPTY : [{ kind: "text", text }], text };
}

/** A word of pieces; neighbouring texts become one. */
export function wordOf(pieces: readonly Piece[]): Word {
  const [first] = pieces;
  if (first === undefined) return literal("");
  if (pieces.length === 1) return { pieces, text: first.kind === "text" ? first.text : null };
  const merged: Piece[] = [];
  for (const piece of pieces) {
    const last = merged[merged.length - 1];
    if (piece.kind === "text" && last?.kind === "text") {
      merged[merged.length - 1] = { kind: "text", text: last.text + piece.text };
    } else if (piece.kind !== "text" || piece.text !== "") merged.push(piece);
  }
  if (merged.length === 0) return literal("");
  const only = merged.length === 1 ? merged[0] : undefined;
  return { pieces: merged, text: only?.kind === "text" ? only.text : null };
}

// What hides a command is short.
const MOST_PIECES = 64;
const LONGEST_TEXT = 16_384;

/** A word of pieces that were put together from values; a value that is put into itself again and again is not followed. */
export function bounded(pieces: readonly Piece[]): Word {
  if (pieces.length > MOST_PIECES) return unknownWord("...");
  let length = 0;
  for (const piece of pieces) if (piece.kind === "text") length += piece.text.length;
  return length > LONGEST_TEXT ? unknownWord("...") : wordOf(pieces);
}

/** A word only a run shows. */
export function unknownWord(source: string): Word {
  return { pieces: [{ kind: "unknown", source }], text: null };
}

/** The word as a person would write it: `$NAME` for variables, `<...>` for what is not known. */
export function render(word: Word): string {
  return word.text ?? word.pieces.map(renderPiece).join("");
}

function renderPiece(piece: Piece): string {
  if (piece.kind === "variable") return `$${piece.name}`;
  return piece.kind === "unknown" ? `<${piece.source}>` : piece.text;
}

/** The text a word is certain to begin with. */
export function startOf(word: Word): string {
  const [first] = word.pieces;
  return first?.kind === "text" ? first.text : "";
}

const NOBODY: readonly SimpleCommand[] = [];

/** The commands whose output is a part of the word. */
export function producersOf({ text, pieces }: Word): readonly SimpleCommand[] {
  // Nearly every word is text, and rules ask about all of them.
  if (text !== null) return NOBODY;
  return pieces.flatMap((piece) => (piece.kind === "unknown" ? (piece.from ?? NOBODY) : NOBODY));
}

/** Whether no piece of the word is certain. */
export function isOpaque(word: Word): boolean {
  return word.pieces.length > 0 && word.pieces.every(({ kind }) => kind === "unknown" || kind === "variable");
}

/** The script of `>(...)`, which reads what is written to the word. */
export function readerOf({ pieces: [only, more] }: Word): string | null {
  return only?.kind === "unknown" && more === undefined && only.source.startsWith(">(")
    ? only.source.slice(2, -1)
    : null;
}

/** The word without its first `count` characters, which must be text. */
export function dropStart(word: Word, count: number): Word {
  const [first, ...rest] = word.pieces;
  return first?.kind === "text" ? wordOf([{ kind: "text", text: first.text.slice(count) }, ...rest]) : word;
}
