import fc from "fast-check";
import { expect, test } from "vitest";
import { readLines } from "./lines.js";

async function linesOf(chunks: readonly Uint8Array[], most?: number): Promise<(string | null)[]> {
  async function* stream() {
    yield* chunks;
  }
  const lines: (string | null)[] = [];
  for await (const { text } of readLines(stream(), most)) lines.push(text);
  return lines;
}

test("wherever the bytes are cut, the lines are the same", async () => {
  const word = fc.string({ unit: "binary" }).map((text) => text.replaceAll("\n", ""));
  await fc.assert(
    fc.asyncProperty(fc.array(word), fc.array(fc.nat(40)), async (words, cuts) => {
      const bytes = Buffer.from(words.map((text) => `${text}\n`).join(""));
      const places = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length];
      const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
      expect(await linesOf(chunks)).toEqual(words);
    }),
    { seed: 7, numRuns: 300 },
  );
});

test("a line that is too long, or no UTF-8, has no text, and the next one has", async () => {
  expect(await linesOf([Buffer.from("123456\nab\n")], 4)).toEqual([null, "ab"]);
  expect(await linesOf([Buffer.from([0xff, 0x0a, 0x61])])).toEqual([null, "a"]);
});
