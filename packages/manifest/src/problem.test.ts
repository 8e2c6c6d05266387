import { expect, test } from "vitest";
import { type Problem, renderProblem } from "./problem.js";

function problemAt(line: number, column: number, length: number, rest: Partial<Problem> = {}): Problem {
  return {
    code: "HARN_E_KEY_TYPE",
    severity: "error",
    message: "what is wrong",
    place: { file: "harn.toml", line, column, length },
    ...rest,
  };
}

/** The lines of a frame without its head: the source line, and the carets below it. */
function frame(text: string, line: number, column: number, length = 1): [source: string, carets: string] {
  const [, , , source = "", carets = ""] = renderProblem(problemAt(line, column, length), text).split("\n");
  return [source, carets];
}

/** What the carets stand below. */
function underlined([source, carets]: [string, string]): string {
  const start = carets.indexOf("^");
  return source.slice(start, carets.lastIndexOf("^") + 1);
}

test("a problem with everything", () => {
  const text = '[[hooks]]\nevent = "PreTolUse"\n';
  const problem = problemAt(2, 9, 11, { hint: 'did you mean "PreToolUse"?', help: "events: ..." });
  expect(renderProblem(problem, text)).toMatchInlineSnapshot(`
    "error[HARN_E_KEY_TYPE]: what is wrong
      --> harn.toml:2:9
      |
    2 | event = "PreTolUse"
      |         ^^^^^^^^^^^ did you mean "PreToolUse"?
    help: events: ..."
  `);
});

test("a warning says that it is one", () => {
  expect(renderProblem(problemAt(1, 1, 1, { severity: "warning" }), "a")).toMatch(/^warning\[HARN_E_KEY_TYPE\]: /);
});

test("the gutter is as wide as the number of the line", () => {
  const text = `${"\n".repeat(999)}x = 1`;
  expect(
    renderProblem(problemAt(1_000, 5, 1), text)
      .split("\n")
      .slice(1),
  ).toEqual(["     --> harn.toml:1000:5", "     |", "1000 | x = 1", "     |     ^"]);
});

test("without a text there is no frame, and the hint is still said", () => {
  expect(renderProblem(problemAt(1, 1, 1, { hint: "a hint", help: "a remedy" }), "")).toBe(
    "error[HARN_E_KEY_TYPE]: what is wrong\n  --> harn.toml:1:1\n   = a hint\nhelp: a remedy",
  );
});

test("a place behind the end of the text has no frame", () => {
  expect(renderProblem(problemAt(3, 1, 1), "a\nb")).toBe("error[HARN_E_KEY_TYPE]: what is wrong\n  --> harn.toml:3:1");
});

test("the last line needs no line end", () => {
  expect(frame("a = 1\nb = 2", 2, 5)).toEqual(["2 | b = 2", "  |     ^"]);
});

test("the empty line behind the last line end can be pointed at", () => {
  expect(frame("a = [\n", 2, 1)).toEqual(["2 |", "  | ^"]);
});

test("a place right behind the end of a line", () => {
  expect(frame("a =", 1, 4)).toEqual(["1 | a =", "  |    ^"]);
});

test("tabs keep the carets below what they point at", () => {
  const shown = frame("\ta\t=\tbad\t# x", 1, 6, 3);
  expect(underlined(shown)).toBe("bad");
  expect(shown.join("")).not.toContain("\t");
});

test("carets do not run on behind the line", () => {
  expect(underlined(frame("a = 1", 1, 5, 500))).toBe("1");
});

test.each([
  ["at the start", 1],
  ["in the first part", 60],
  ["in the middle", 5_000],
  ["near the end", 9_990],
  ["at the end", 9_998],
])("a long line is cut around the place, %s", (_, column) => {
  const line = `${"x".repeat(column - 1)}BAD${"y".repeat(Math.max(0, 10_000 - column - 2))}`;
  const shown = frame(`first\n${line}\nlast`, 2, column, 3);
  expect(underlined(shown)).toBe("BAD");
  expect(shown[0].length).toBeLessThan(200);
  expect(shown[1].length).toBeLessThan(200);
});

test("a line is not cut in the middle of a character", () => {
  for (const shift of ["", "x"]) {
    const line = `${shift}${"😀".repeat(200)}BAD${"😀".repeat(200)}`;
    const shown = frame(line, 1, line.indexOf("BAD") + 1, 3);
    expect(shown[0]).not.toMatch(/\p{Surrogate}/u);
    expect(underlined(shown)).toBe("BAD");
  }
});

// Columns are counted as editors and language servers count them. How wide a terminal draws a character depends on the
// terminal, so the carets follow the columns.
test.each(['a = "漢字" bad', 'a = "😀" bad', 'a = "e\u0301" bad'])("wide text, and text that joins: %s", (line) => {
  expect(underlined(frame(line, 1, line.indexOf("bad") + 1, 3))).toBe("bad");
});

test("what could move the cursor of a terminal does not get there", () => {
  const problem = problemAt(1, 1, 1, { message: "a \u001b[2J message", hint: "a \u0007 hint", help: "a \u009b help" });
  const rendered = renderProblem(problem, 'a = "\u001b[31m\u0000"');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  expect(rendered).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
});

test("a message of several lines stays one head", () => {
  const rendered = renderProblem(problemAt(1, 1, 1, { message: "first\nsecond" }), "a");
  expect(rendered.split("\n").slice(-4)).toEqual([" --> harn.toml:1:1".padStart(19), "  |", "1 | a", "  | ^"]);
});
