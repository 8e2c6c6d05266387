import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readDocument } from "../../packages/manifest/src/document.js";
import { parseTree } from "../../packages/manifest/src/toml.js";
import { root } from "../house/repository.js";

const SUITE = "../shared/toml-test";
const suite = join(root, SUITE, "tests");
const isThere = existsSync(join(suite, "files-toml-1.0.0"));

// https://github.com/toml-lang/toml-test: the documents a parser of TOML 1.0 must take, with their values, and those it
// must refuse. They are read the way a manifest is: bytes, UTF-8, line ends, then the parser.
const files = isThere ? readFileSync(join(suite, "files-toml-1.0.0"), "utf8").trim().split("\n") : [];
const documents = files.filter((file) => file.endsWith(".toml"));

if (!isThere) console.warn(`The public TOML suite is not at ${SUITE}: its documents are skipped.`);

describe.skipIf(!isThere)("the public TOML suite", () => {
  test("is all there", () => {
    expect(documents.length).toBeGreaterThan(600);
  });

  test.each(documents.filter((file) => file.startsWith("valid/")))("%s has its value", async (file) => {
    const read = await readDocument(join(suite, file), file);
    if ("problem" in read) expect.fail(`refused: ${read.problem.message}`);
    const expected = JSON.parse(readFileSync(join(suite, file.replace(/toml$/, "json")), "utf8")) as Tagged;
    expect(plain(read.document.value)).toEqual(untagged(expected));
    // Mistakes are placed with a second parser, which must take whatever the first one takes.
    await expect(parseTree(read.document.text)).resolves.toBeDefined();
  });

  test.each(documents.filter((file) => file.startsWith("invalid/")))("%s is refused, with a place", async (file) => {
    const read = await readDocument(join(suite, file), file);
    if ("document" in read) expect.fail(`taken for ${JSON.stringify(read.document.value)}`);
    const { message, place } = read.problem;
    expect(message).not.toBe("");
    expect(place.line).toBeGreaterThanOrEqual(1);
    expect(place.column).toBeGreaterThanOrEqual(1);
  });
});

type Tagged =
  | { readonly [key: string]: Tagged }
  | readonly Tagged[]
  | { readonly type: string; readonly value: string };

// A value and its expectation meet in the middle, as a text. What is not told apart: `1` and `1.0`, because JavaScript
// has one type for both; and of a date only its moment counts, in milliseconds, a local one read as if it were UTC.
// No key of a manifest takes a date, so nothing depends on more.
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Date) return Date.prototype.toISOString.call(value);
  if (typeof value === "bigint") return `number ${value}`;
  if (typeof value === "number") return `number ${Object.is(value, -0) ? "-0" : value}`;
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
  }
  return `${typeof value} ${value}`;
}

function untagged(tagged: Tagged): unknown {
  if (Array.isArray(tagged)) return tagged.map(untagged);
  if (isLeaf(tagged)) return textOf(tagged);
  return Object.fromEntries(Object.entries(tagged).map(([key, item]) => [key, untagged(item)]));
}

function isLeaf(tagged: Tagged): tagged is { type: string; value: string } {
  return Object.keys(tagged).length === 2 && typeof (tagged as { type?: unknown }).type === "string";
}

function textOf({ type, value }: { type: string; value: string }): string {
  switch (type) {
    case "string":
      return `string ${value}`;
    case "bool":
      return `boolean ${value}`;
    case "integer":
      return `number ${BigInt(value)}`;
    case "float":
      return plain(floatOf(value)) as string;
    case "date-local":
      return new Date(`${value}T00:00:00Z`).toISOString();
    case "time-local":
      return new Date(`0000-01-01T${value}Z`).toISOString();
    case "datetime-local":
      return new Date(`${value}Z`).toISOString();
    default:
      return new Date(value).toISOString();
  }
}

function floatOf(text: string): number {
  if (/nan$/.test(text)) return Number.NaN;
  if (/inf$/.test(text)) return text.startsWith("-") ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  return Number(text);
}
