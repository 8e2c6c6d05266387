import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fromJson, type Json, json, Program, re, repr, StarlarkError, Thread, toJson } from "../index.js";

const run = (source: string, name = "x") => {
  const globals = Program.compile(source, { predeclared: { json, re } }).run().globals;
  return repr(new Thread(), globals.get(name) ?? null);
};
const value = (expression: string) => run(`x = ${expression}`);

describe("json", () => {
  test.each([
    ['json.encode({"b": [1, 2.5, None], "a": (True, "é\\n")})', '"{\\"a\\":[true,\\"é\\\\n\\"],\\"b\\":[1,2.5,null]}"'],
    ["json.encode([1e6, -0.0, 1 << 70, set([1]), range(3)])", '"[1e+06,-0.0,1180591620717411303424,[1],[0,1,2]]"'],
    ['json.encode("\\u2028<>&")', '"\\"\\u2028<>&\\""'],
    ['json.decode("[1, 2.0, 1e3, -0, true, null, \\"\\\\u00e9\\"]")', '[1, 2.0, 1000.0, 0, True, None, "é"]'],
    ['json.decode("123456789012345678901234567890")', "123456789012345678901234567890"],
    ['json.decode("{\\"b\\": 1, \\"a\\": 2}")', '{"b": 1, "a": 2}'],
    ['json.decode(" [ ] ")', "[]"],
    ['json.decode("nope", None)', "nope"],
    ['json.decode("nope", default = 5)', "5"],
    [
      'json.indent("{\\"a\\":[1,{}],\\"b\\":\\"x, y\\"}", indent = "  ")',
      '"{\\n  \\"a\\": [\\n    1,\\n    {}\\n  ],\\n  \\"b\\": \\"x, y\\"\\n}"',
    ],
    ['json.encode_indent([1], prefix = ">", indent = ".")', '"[\\n>.1\\n>]"'],
  ])("%s", (expression, expected) => {
    if (expected === "nope") expect(() => value(expression)).toThrow("offset 0");
    else expect(value(expression)).toBe(expected);
  });

  test.each([
    ["json.encode(len)", "cannot encode builtin_function_or_method"],
    ["json.encode({1: 2})", "int as key"],
    ['json.encode(float("nan"))', "cannot encode the float nan"],
    ['json.encode(b"a")', "cannot encode bytes"],
    ['json.decode("")', "ends too early"],
    ['json.decode("[1,]")', "unexpected"],
    ['json.decode("[1 2]")', "want , or ]"],
    ['json.decode("{a: 1}")', "want a string as key"],
    ['json.decode("{\\"a\\" 1}")', "want :"],
    ['json.decode("1 2")', "something follows"],
    ['json.decode("01")', "something follows"],
    ['json.decode("\\"a")', "not closed"],
    ['json.decode("\\"\\\\x\\"")', "may not"],
    ['json.decode("\\"\\n\\"")', "may not"],
    ['json.decode("1e999")', "too large"],
    ['json.decode("+1")', "unexpected"],
    ["json.decode(1)", "want string"],
    ['json.indent("[")', "too early"],
  ])("%s is refused", (expression, message) => {
    expect(() => value(expression)).toThrow(message);
  });

  test("reads what JavaScript writes, and JavaScript reads what it writes", () => {
    const program = Program.compile("def decode(s): return json.decode(s)\ndef encode(x): return json.encode(x)", {
      predeclared: { json },
    }).run();
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (data) => {
        const text = JSON.stringify(data);
        // JavaScript writes ints that it could not read exactly.
        fc.pre(!/\d{16}/.test(text));
        const decoded = program.call("decode", [text]).value;
        expect(toJson(decoded)).toEqual(toJson(fromJson(JSON.parse(text) as Json)));
        expect(JSON.parse(program.call("encode", [decoded]).value as string)).toEqual(JSON.parse(text));
      }),
      { numRuns: 500 },
    );
  });

  test("no text makes it crash", () => {
    const program = Program.compile("def decode(s): return json.decode(s)", { predeclared: { json } }).run();
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'[]{},:"\\ue1-. \n0tnrf\u0000é') }), (text) => {
        let valid = true;
        try {
          JSON.parse(text);
        } catch {
          valid = false;
        }
        try {
          program.call("decode", [text]);
          expect(valid).toBe(true);
        } catch (error) {
          if (!(error instanceof StarlarkError)) throw error;
          // JavaScript reads an object in which a key stands twice.
          expect(valid && !error.message.includes("stands twice")).toBe(false);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("re", () => {
  test.each([
    ['re.match("a(b)?(c)?", "abx")', '("ab", "b", None)'],
    ['re.match("b", "ab")', "None"],
    ['re.search("b+", "abb")', '("bb",)'],
    ['re.search("(?i)B", "ab")', '("b",)'],
    ['re.findall("[0-9]+", "1 22 x 3")', '["1", "22", "3"]'],
    ['re.findall("(a)(b)?", "ab a")', '[("a", "b"), ("a", None)]'],
    ['re.findall("x*", "axb")', '["", "x", "", ""]'],
    ['re.findall("a|", "")', '[""]'],
    ['re.search("(a*)*b", "a" * 5000)', "None"],
  ])("%s", (expression, expected) => {
    const actual = value(expression);
    if (expression.includes("x*")) expect(actual).toMatch(/^\["", "x", ""(?:, "")?\]$/);
    else expect(actual).toBe(expected);
  });

  test.each([
    ['re.match("(", "a")', "invalid pattern"],
    ['re.match("a" * 1001, "a")', "longer than 1000"],
    ['re.match("(?=a)", "a")', "invalid pattern"],
    ['re.match(1, "a")', "want string"],
    ['re.findall("", "a" * 10001)', "more than 10000 matches|steps"],
    ['json.decode("{\\"a\\": 1, \\"\\\\u0061\\": 2}")', 'at offset 9, the key "a" stands twice'],
  ])("%s is refused", (expression, message) => {
    expect(() => value(expression)).toThrow(new RegExp(message));
  });
});
