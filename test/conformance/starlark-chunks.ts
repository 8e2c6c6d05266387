import { readFileSync } from "node:fs";
import {
  compileExpression,
  defineFunction,
  Program,
  repr,
  StarlarkError,
  StarlarkEvalError,
  type Thread,
  type Value,
} from "@hooks/starlark";

/** One program of a file that holds several, with what it should fail with. */
export interface Chunk {
  readonly file: string;
  /** Padded with empty lines, so that line numbers are the file's. */
  readonly source: string;
  readonly line: number;
  readonly expected: readonly { readonly of: string | undefined; readonly text: string; readonly line: number }[];
  /** Calls of an assertion at the top level, each of which must be reached. */
  readonly asserts: number;
}

/** Splits a file at its lines of three dashes. A line with `### text` behind it should fail with that text. */
export function chunksOf(path: string, file: string): Chunk[] {
  const chunks: Chunk[] = [];
  let start = 0;
  const lines = readFileSync(path, "utf8").split("\n");
  for (let end = 0; end <= lines.length; end++) {
    if (end < lines.length && lines[end] !== "---") continue;
    const own = lines.slice(start, end);
    const expected = own.flatMap((line, i) => {
      const [, of, text] = /###\s*(?:(java|go|rust):)?\s*(.*)$/.exec(line) ?? [];
      return text === undefined ? [] : [{ of, text: text.trim(), line: start + i + 1 }];
    });
    const asserts = own.filter((line) => /^assert_(?:eq|ne|fails)?\(/.test(line)).length;
    chunks.push({ file, source: "\n".repeat(start) + own.join("\n"), line: start + 1, expected, asserts });
    start = end + 1;
  }
  return chunks;
}

const areEqual = compileExpression("x == y", { names: ["x", "y"] });

/** Runs a chunk with the assertions of the suites; a failed one fails the chunk. */
export function runChunk({ file, source }: Chunk): { error: StarlarkError | null; reached: number } {
  let reached = 0;
  const assertion = (name: string, holds: (x: Value, y: Value) => boolean) =>
    defineFunction(name, { x: "any", y: "any?" }, ({ x, y = null }, thread) => {
      if (!holds(x, y)) thread.fail(`${name}: ${repr(thread, x)} and ${repr(thread, y)}`);
      if (thread.depth === 1) reached++;
    });
  const equal = (x: Value, y: Value) => areEqual.evaluate({ x, y }).value === true;
  const fails = defineFunction("assert_fails", { run: "callable", text: "string" }, ({ run, text }, thread) => {
    const message = failureOf(thread, () => run.call(thread, [], new Map()));
    if (message === null) return thread.fail(`assert_fails: it did not fail with ${text}`);
    if (!isExpected(message, text)) thread.fail(`assert_fails: ${message}, want ${text}`);
    if (thread.depth === 1) reached++;
  });
  const predeclared = {
    assert_eq: assertion("assert_eq", equal),
    assert_ne: assertion("assert_ne", (x, y) => !equal(x, y)),
    assert_: assertion("assert_", (x) => x !== false && x !== null && x !== 0 && x !== ""),
    assert_fails: fails,
  };
  try {
    Program.compile(source, { filename: file, predeclared, topLevelControl: true, globalReassign: true }).run();
    return { error: null, reached };
  } catch (error) {
    // Anything else is a crash of the interpreter, and fails the test as what it is.
    if (!(error instanceof StarlarkError)) throw error;
    return { error, reached };
  }
}

function failureOf(thread: Thread, run: () => unknown): string | null {
  const { depth } = thread;
  try {
    run();
    return null;
  } catch (error) {
    if (!(error instanceof StarlarkEvalError)) throw error;
    if (thread.depth !== depth) throw new Error("a call that failed was not left");
    return error.message;
  }
}

/** Whether a message contains a text, or matches it as a regular expression. */
export function isExpected(message: string, wanted: string): boolean {
  if (message.toLowerCase().includes(wanted.toLowerCase())) return true;
  try {
    return new RegExp(wanted, "i").test(message);
  } catch {
    return false;
  }
}
