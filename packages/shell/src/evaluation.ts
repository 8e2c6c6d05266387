import type { Function as FunctionNode, ParsedScript } from "unbash";
import type { Analysis, Limits, Mount, Reason, Recursion, SimpleCommand, Stdin } from "./analysis.js";
import type { State } from "./state.js";
import { literal, type Piece, type Word } from "./word.js";

/** Where in a script a command stands. */
export interface Scope {
  readonly state: State;
  readonly stdin: Stdin;
  readonly depth: number;
  readonly via: readonly string[];
  readonly wrappers: readonly string[];
  readonly elsewhere: string | null;
  readonly mounts: readonly Mount[];
  /** The functions and aliases that are being called. */
  readonly calls: readonly string[];
  /** Whether it runs beside what started it: in the background or in a pipeline. */
  readonly forked: boolean;
}

/** What a part of a script is certain to print. */
export type Output = readonly Piece[];

export const NO_OUTPUT: Output = [];

/** Walks a parsed script; handed in, so that expansions can run the scripts they find. */
export type WalkScript = (evaluation: Evaluation, script: ParsedScript, scope: Scope) => Output;

/** Walks one command of a script, for calls of functions. */
export type WalkNode = (evaluation: Evaluation, node: FunctionNode["body"], scope: Scope) => Output;

// Noncharacters: no text holds them, and the shell gives them no meaning, in quotes or outside of them.
const OPEN = "\uFDD0";
const CLOSE = "\uFDD1";
const PLACEHOLDER = /\uFDD0(\d+)\uFDD1/;
export const RESERVED = /[\uFDD0\uFDD1]/;

/** Thrown when a budget is spent; what was found until then stays. */
export class Exhausted extends Error {}

/** The findings of one analysis, and what it may still cost. */
export class Evaluation implements Analysis {
  readonly commands: SimpleCommand[] = [];
  readonly indeterminate: Reason[] = [];
  readonly recursive: Recursion[] = [];
  /** Pieces that are not text, put into a nested script's text as placeholders. */
  private readonly held: Piece[] = [];
  private steps = 0;
  private parsed = 0;
  private expanded = 0;
  private read = 0;

  constructor(
    readonly limits: Limits,
    readonly walkScript: WalkScript,
    readonly walkNode: WalkNode,
  ) {}

  spend(steps: number): void {
    this.steps += steps;
    if (this.steps <= this.limits.steps) return;
    this.note("too-large", `more than ${this.limits.steps} steps to follow`);
    throw new Exhausted();
  }

  /** Nested scripts are parsed again and again: their text is budgeted as a whole. */
  spendText(length: number): void {
    this.parsed += length;
    if (this.parsed <= this.limits.length * 2) return;
    this.note("too-large", "nested scripts are longer than the limit");
    throw new Exhausted();
  }

  /** Values that grow by being put into each other are budgeted by what they hold. */
  spendValue(word: Word): void {
    this.spend(1 + word.pieces.length);
    for (const piece of word.pieces) {
      if (piece.kind !== "text") continue;
      this.expanded += piece.text.length;
      if (this.expanded > this.limits.length * 4) {
        this.note("too-large", "expansions are longer than the limit");
        throw new Exhausted();
      }
    }
  }

  /** What one command prints and the next reads is budgeted with the values. */
  spendOutput(output: Output): Output {
    for (const piece of output) {
      if (piece.kind !== "text" || piece.text.length < 1_024) continue;
      this.expanded += piece.text.length;
      if (this.expanded > this.limits.length * 4) {
        this.note("too-large", "what is handed from command to command is longer than the limit");
        throw new Exhausted();
      }
    }
    return output;
  }

  /** Many commands may read one text, as those of a function do: every one of them searches it again. */
  spendInput(stdin: Stdin): void {
    if (stdin.kind !== "text") return;
    for (const piece of stdin.text.pieces)
      if (piece.kind === "text" && piece.text.length >= 1_024) this.read += piece.text.length;
    if (this.read <= this.limits.length * 2) return;
    this.note("too-large", "what commands read is longer than the limit");
    throw new Exhausted();
  }

  /** False, and noted, where a part is nested too deeply to be followed. */
  isWithin(depth: number): boolean {
    if (depth <= this.limits.depth) return true;
    this.note("too-deep", `nested more than ${this.limits.depth} deep`);
    return false;
  }

  note(code: Reason["code"], detail: string, from: readonly SimpleCommand[] = []): void {
    if (this.indeterminate.some((reason) => reason.code === code && reason.detail === detail)) return;
    this.indeterminate.push({ code, detail, from });
  }

  /** The text of a script with everything that is not certain held back behind placeholders. */
  scriptText(script: Word): string {
    if (script.text !== null) return script.text;
    return script.pieces
      .map((piece) => (piece.kind === "text" ? piece.text : `${OPEN}${this.held.push(piece) - 1}${CLOSE}`))
      .join("");
  }

  /** The pieces of a stretch of script text. */
  piecesOf(text: string): Piece[] {
    if (!text.includes(OPEN)) return text === "" ? [] : [{ kind: "text", text }];
    return text
      .split(PLACEHOLDER)
      .map((part, index): Piece => (index % 2 === 0 ? { kind: "text", text: part } : this.heldAt(part)))
      .filter((piece) => piece.kind !== "text" || piece.text !== "");
  }

  wordOfText(text: string): Word {
    if (!text.includes(OPEN)) return literal(text);
    const pieces = this.piecesOf(text);
    return { pieces, text: null };
  }

  private heldAt(index: string): Piece {
    return this.held[Number(index)] ?? { kind: "unknown", source: "..." };
  }
}

/** A scope one level further in. */
export function within(scope: Scope, change: Partial<Scope>): Scope {
  return { ...scope, depth: scope.depth + 1, ...change };
}
