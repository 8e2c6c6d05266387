import { describe, expect, test } from "vitest";
import { parseToml, type TomlError } from "./toml.js";
import { describeSyntax } from "./toml-mistakes.js";

/** What a text that is not TOML is told. */
async function told(text: string): Promise<string> {
  try {
    await parseToml(text);
  } catch (error) {
    const { message, line, column } = error as TomlError;
    const mistake = describeSyntax(message, text.split("\n")[line - 1] ?? "", column);
    return `${mistake.message}: ${mistake.help}`;
  }
  throw new Error("it is TOML");
}

describe("what is not TOML", () => {
  test.each([
    ["strict = True # yes", "true and false are written in small letters: write strict = true"],
    ["event = PreToolUse # the gate", 'a text stands without quotes: write event = "PreToolUse"'],
    ['event = PreToolUse"', 'a text stands without quotes: write event = "PreToolUse"'],
    ["options = { mode = warn, max = 3 }", 'a text stands without quotes: write mode = "warn"'],
    ["handler = ./policy.ts::guard", 'a text stands without quotes: write handler = "./policy.ts::guard"'],
    [`a = ${"x".repeat(500)}`, "a text stands without quotes: put it in quotes"],
    ['deny = ["a" "b"]', "a comma is missing: put , between the two"],
    ['deny = ["a",, "b"]', '"," is not expected here: take it out; a text stands in quotes'],
    ['event = "a" "b"', "there is more on this line than belongs there: begin a new line, or take it out"],
    [
      "[hooks]\n[[hooks]]",
      '"hooks" is there already, as something else: write [[hooks]], with two brackets, for each hook',
    ],
    ["[policy\nstrict = true", "the header of a table is not closed: write [policy], or [[hooks]] for a hook"],
    ["priority = 010", "a number with a leading zero: take the zero out, or write it as a text in quotes"],
    ["priority", "a key has no value: write key = value"],
    ["priority =", 'a value is missing: write a "text", a number, true, false, a [list] or a { table = 1 }'],
    ['deny = ["a"', "a list is not closed: close it with ]"],
    ["= 1", '"=" is not expected here: take it out; a text stands in quotes'],
    [
      'a = "\\d"',
      "no escape begins like this: write \\\\ for a backslash, or put the text in single quotes, where it means itself",
    ],
  ])("%s", async (text, message) => {
    expect(await told(text)).toBe(message);
  });

  test.each(["x", "x = ", "[", "x = [", '"', " ", "x.", "=", "# ", "x = {a = "])(
    "is told at once, however long its line is: %j",
    (unit) => {
      const line = unit.repeat(Math.ceil(500_000 / unit.length));
      for (const column of [1, line.length - 1, line.length + 1]) {
        const { message, help } = describeSyntax("Unexpected character", line, column);
        expect(message.length + help.length).toBeLessThan(400);
      }
    },
  );
});
