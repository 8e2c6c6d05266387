import fc from "fast-check";
import { RE2JS } from "re2js";
import { describe, expect, test } from "vitest";
import { canMatch } from "./reach.js";

const programOf = (source: string) => RE2JS.compile(source).re2().prog;
const anything = () => true;

describe("an expression that", () => {
  test.each([
    ["matches the empty text", "", true],
    ["has a beginning behind a character", "a^", false],
    ["has an end before a character", "$a", false],
    ["may leave out what keeps it from matching", "a(?:^b)?", true],
    ["has lines", "(?m)a$\\n^b", true],
    ["has lines that nothing separates", "(?m)a$^b", false],
    ["has a border within a word", "a\\bb", false],
    ["has a border beside a word", "a\\b-", true],
    ["has no border where one is", "a\\B-", false],
    ["has an empty class", "[^\\x00-\\x{10FFFF}]", false],
    ["goes round in circles", "(?:(?:a*)*^)*b", true],
    ["folds case", "(?i)k", true],
  ])("%s", (_, source, isAlive) => {
    expect(canMatch(programOf(source), anything)).toBe(isAlive);
  });

  test("needs a character that no text has", () => {
    const letters = (code: number) => /[a-z]/.test(String.fromCharCode(code));
    expect(canMatch(programOf("a b"), letters)).toBe(false);
    expect(canMatch(programOf("a[ b]"), letters)).toBe(true);
    expect(canMatch(programOf("[^a-z]"), letters)).toBe(true);
    expect(canMatch(programOf("é"), letters)).toBe(true);
  });
});

// Every text of up to four of these characters: what matches one of them must be called alive.
const CHARACTERS = ["a", "-", "\n"];
const texts = [""];
for (let index = 0; index < texts.length && (texts[index] ?? "").length < 4; index++) {
  for (const character of CHARACTERS) texts.push((texts[index] ?? "") + character);
}

test("agrees with trying every text", () => {
  const part = fc.constantFrom(
    "a",
    "-",
    "\\n",
    "^",
    "$",
    "(?m:^)",
    "(?m:$)",
    "\\b",
    "\\B",
    "[a-]",
    ".",
    "a?",
    "(?:a^)?",
  );
  const expressions = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(""));
  const only = (code: number) => CHARACTERS.includes(String.fromCharCode(code));
  fc.assert(
    fc.property(
      fc.oneof(
        expressions,
        fc.tuple(expressions, expressions).map((pair) => pair.join("|")),
      ),
      (source) => {
        const compiled = RE2JS.compile(`(?:${source})`);
        // What lies beyond ASCII may always be there, and is a character like the dash.
        const isFound = texts.some((text) => compiled.matcher(text).find());
        expect(canMatch(programOf(source), only)).toBe(isFound);
      },
    ),
    { numRuns: 2_000 },
  );
});
