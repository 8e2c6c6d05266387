import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  compileExpression,
  defineFunction,
  Program,
  repr,
  StarlarkError,
  type Thread,
  type Value,
} from "@hooks/starlark";
import { describe, expect, test } from "vitest";
import { root } from "../house/repository.js";

// The public suite of the Starlark specification lies beside the repository and is read from there.
const suite = join(root, "../shared/starlark/conformance");
// Where implementations differ, the one whose strings are like ours comes first.
const IMPLEMENTATIONS = ["java", "go", "rust"];

interface Chunk {
  readonly file: string;
  /** Padded with empty lines, so that line numbers are the file's. */
  readonly source: string;
  readonly line: number;
  readonly expected: readonly { readonly of: string | undefined; readonly text: string }[];
  /** Calls of an assertion at the top level, each of which must be reached. */
  readonly asserts: number;
}

function chunksOf(file: string): Chunk[] {
  const chunks: Chunk[] = [];
  let start = 0;
  const lines = readFileSync(join(suite, file), "utf8").split("\n");
  for (let end = 0; end <= lines.length; end++) {
    if (end < lines.length && lines[end] !== "---") continue;
    const own = lines.slice(start, end);
    const expected = own.flatMap((line) => {
      const [, of, text] = /###\s*(?:(java|go|rust):)?\s*(.*)$/.exec(line) ?? [];
      return text === undefined ? [] : [{ of, text: text.trim() }];
    });
    const asserts = own.filter((line) => /^assert_(?:eq|ne)?\(/.test(line)).length;
    chunks.push({ file, source: "\n".repeat(start) + own.join("\n"), line: start + 1, expected, asserts });
    start = end + 1;
  }
  return chunks;
}

function run({ file, source }: Chunk): { error: StarlarkError | null; reached: number } {
  let reached = 0;
  const assertion = (name: string, holds: (thread: Thread, x: Value, y: Value) => boolean) =>
    defineFunction(name, { x: "any", y: "any?" }, ({ x, y = null }, thread) => {
      if (!holds(thread, x, y)) thread.fail(`${name}: ${repr(thread, x)} and ${repr(thread, y)}`);
      if (thread.frames.length === 1) reached++;
    });
  const areEqual = compileExpression("x == y", { names: ["x", "y"] });
  const equal = (_: Thread, x: Value, y: Value) => areEqual.evaluate({ x, y }).value === true;
  const predeclared = new Map<string, Value>([
    ["assert_eq", assertion("assert_eq", equal)],
    ["assert_ne", assertion("assert_ne", (thread, x, y) => !equal(thread, x, y))],
    ["assert_", assertion("assert_", (_, x) => x !== false && x !== null && x !== 0 && x !== "")],
  ]);
  try {
    Program.compile(source, { filename: file, predeclared, topLevelControl: true, globalReassign: true }).run();
    return { error: null, reached };
  } catch (error) {
    // Anything else is a crash of the interpreter, and fails the test as what it is.
    if (!(error instanceof StarlarkError)) throw error;
    return { error, reached };
  }
}

function fits(message: string, wanted: string): boolean {
  if (message.toLowerCase().includes(wanted.toLowerCase())) return true;
  try {
    return new RegExp(wanted, "i").test(message);
  } catch {
    return false;
  }
}

describe.skipIf(!existsSync(suite))("the conformance suite of the Starlark specification", () => {
  const files = existsSync(suite)
    ? IMPLEMENTATIONS.flatMap((name) => readdirSync(join(suite, name)).map((file) => join(name, file)))
    : [];

  test.each(files.filter((file) => file.endsWith(".star")).flatMap(chunksOf))("$file:$line", (chunk) => {
    const { error, reached } = run(chunk);
    const { expected, asserts } = chunk;
    if (expected.length === 0) {
      expect(error).toBeNull();
      expect(reached).toBe(asserts);
      return;
    }
    // An error that only some implementations raise may be raised here too, or not.
    const isRequired = expected.some(({ of }) => of === undefined || of === "java");
    if (error === null && !isRequired) return;
    expect(error).not.toBeNull();
    expect(
      expected.some(({ text }) => fits(error?.message ?? "", text)),
      error?.message,
    ).toBe(true);
  });
});

if (!existsSync(suite)) console.warn("skipped: the Starlark conformance suite is not beside the repository");
