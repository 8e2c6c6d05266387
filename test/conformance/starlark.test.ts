import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "../house/repository.js";
import { type Chunk, chunksOf, isExpected, runChunk } from "./starlark-chunks.js";

// The public suite of the Starlark specification lies beside the repository and is read from there.
const suite = join(root, "../shared/starlark/conformance");
// Where implementations differ, the one whose strings are like ours comes first.
const IMPLEMENTATIONS = ["java", "go", "rust"];
const own = join(root, "test/conformance/starlark");

function chunksIn(directory: string, names: readonly string[]): Chunk[] {
  const files = names.flatMap((name) =>
    existsSync(join(directory, name)) ? readdirSync(join(directory, name)).map((file) => join(name, file)) : [],
  );
  return files.filter((file) => file.endsWith(".star")).flatMap((file) => chunksOf(join(directory, file), file));
}

describe.skipIf(!existsSync(suite))("the conformance suite of the Starlark specification", () => {
  test.each(chunksIn(suite, IMPLEMENTATIONS))("$file:$line", (chunk) => {
    const { error, reached } = runChunk(chunk);
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
      expected.some(({ text }) => isExpected(error?.message ?? "", text)),
      error?.message,
    ).toBe(true);
  });
});

if (!existsSync(suite)) console.warn("skipped: the Starlark conformance suite is not beside the repository");

describe("the specification, section by section", () => {
  test.each(chunksIn(own, ["."]))("$file:$line", (chunk) => {
    const { error, reached } = runChunk(chunk);
    const [expected] = chunk.expected;
    if (expected === undefined) {
      expect(error?.report ?? "").toBe("");
      expect(reached).toBe(chunk.asserts);
      return;
    }
    expect(isExpected(error?.message ?? "", expected.text), error?.message).toBe(true);
    expect(error?.line).toBe(expected.line);
  });
});
