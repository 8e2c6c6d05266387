import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type JsonDocument, parseJson } from "./json.js";

const parsed = (text: string): JsonDocument => {
  const document = parseJson(text);
  if ("mistake" in document) throw new Error(document.mistake.message);
  return document;
};

describe("parseJson", () => {
  it("reads what JSON.parse reads, and refuses what it refuses", () => {
    const almost = fc
      .tuple(fc.json(), fc.nat(), fc.constantFrom("", ",", "}", "]", '"', "//", "\\", "\u0001", "0", "'", "{"))
      .map(([text, at, extra]) => text.slice(0, at % (text.length + 1)) + extra + text.slice(at % (text.length + 1)));
    fc.assert(
      fc.property(fc.oneof(fc.json(), almost, fc.string()), (text) => {
        let expected: unknown;
        try {
          expected = JSON.parse(text);
        } catch {
          expect(parseJson(text)).toHaveProperty("mistake");
          return;
        }
        expect(JSON.parse(JSON.stringify(parsed(text).value))).toEqual(JSON.parse(JSON.stringify(expected)));
      }),
      { numRuns: 2_000 },
    );
  });

  it("finds every value and every key again", () => {
    const text = '{\n  "hooks": {\n    "Stop": [{ "path": "a.ts" }, 12]\n  }\n}';
    const { locate } = parsed(text);
    expect(locate(["hooks", "Stop", 0, "path"])).toEqual({ line: 3, column: 24, length: 6 });
    expect(locate(["hooks", "Stop", 0, "path"], true)).toEqual({ line: 3, column: 16, length: 6 });
    expect(locate(["hooks", "Stop", 1])).toEqual({ line: 3, column: 34, length: 2 });
    expect(locate(["hooks", "Stop"], true)).toEqual({ line: 3, column: 5, length: 6 });
    expect(locate(["hooks", "Stop", 0, "timeout"])).toEqual({ line: 3, column: 14, length: 18 });
    expect(locate(["hooks"])).toEqual({ line: 2, column: 12, length: 1 });
    expect(locate([])).toEqual({ line: 1, column: 1, length: 1 });
  });

  it("tells of keys that stand twice, and no key is special", () => {
    const { value, repeated } = parsed('{"a": {"b": 1, "b": 2}, "__proto__": {"x": 1}}');
    expect(repeated).toEqual([["a", "b"]]);
    expect(Object.keys(value as object)).toEqual(["a", "__proto__"]);
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  });

  it.each([
    ["", "unexpected end of input", 1, 1],
    ['{"a": }', 'unexpected "}"', 1, 7],
    ['{\n  "a": 1,\n}', 'unexpected "}"', 3, 1],
    ["{\n  // no\n}", "unexpected character '/'", 2, 3],
    ['{"a": 1} x', "unexpected character 'x'", 1, 10],
    ["[".repeat(100_000), "nested too deeply", 1, 1],
  ])("%j", (text, message, line, column) => {
    expect(parseJson(text)).toEqual({ mistake: { message, spot: { line, column, length: 1 } } });
  });
});
