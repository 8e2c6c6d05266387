import { describe, expect, test } from "vitest";
import { StarlarkSyntaxError } from "../errors.js";
import { Scanner, type Token } from "./scanner.js";

function tokensOf(source: string): Token[] {
  const scanner = new Scanner(source, "test.star");
  const tokens: Token[] = [];
  do tokens.push(scanner.next());
  while (tokens.at(-1)?.kind !== "end");
  return tokens;
}

const shapeOf = (source: string) =>
  tokensOf(source)
    .map(({ kind, text, value }) => (value !== null ? `${kind}:${value}` : text === "" ? kind : `${kind}:${text}`))
    .join(" ")
    .replaceAll("newline:\n", "newline");

describe("tokens", () => {
  test.each([
    ["", "end"],
    ["# only a comment", "end"],
    ["\n\n  \n# x\n", "end"],
    ["a b_1 é", "name:a name:b_1 name:é newline end"],
    ["if not x", "keyword:if keyword:not name:x newline end"],
    ["1 0x1F 0o17 0b11 1.5 1e3 .5 5.", "int:1 int:31 int:15 int:3 float:1.5 float:1000 float:0.5 float:5 newline end"],
    ["9007199254740993", "int:9007199254740993 newline end"],
    ["6or()", "int:6 keyword:or operator:( operator:) newline end"],
    ["a//=b<<=c**d", "name:a operator://= name:b operator:<<= name:c operator:** name:d newline end"],
    ["'a' \"b\" r'\\n' '''c\nd'''", "string:a string:b string:\\n string:c\nd newline end"],
    ['b"a\\xff"', "bytes:97,255 newline end"],
    ['rb"\\x" bR"\\y"', "bytes:92,120 bytes:92,121 newline end"],
    ["'a\\\nb'", "string:ab newline end"],
    ["x = 1 \\\n + 2", "name:x operator:= int:1 operator:+ int:2 newline end"],
    ["(a,\n\n  b)\nc", "operator:( name:a operator:, name:b operator:) newline name:c newline end"],
    ["a; b", "name:a operator:; name:b newline end"],
    ["\ufeffa", "name:a newline end"],
    ["a\r\nb\r\n", "name:a newline name:b newline end"],
    ["'''a\r\nb'''", "string:a\nb newline end"],
    ["r'a\\\r\nb\\\nc'", "string:a\\\nb\\\nc newline end"],
    ["assert", "name:assert newline end"],
  ])("of %j", (source, shape) => {
    expect(shapeOf(source)).toBe(shape);
  });

  test("indentation opens and closes blocks; comments and empty lines do not", () => {
    const source = "if a:\n    b\n\n  # no\n\t\n\t# nor here\n    if c:\n        d\ne\n";
    expect(shapeOf(source)).toBe(
      "keyword:if name:a operator:: newline indent name:b newline keyword:if name:c operator:: newline indent name:d newline outdent outdent name:e newline end",
    );
  });

  test("know where they are", () => {
    const places = tokensOf("ab = [\n\t\t'x',\n]\n c").map(({ text, line, column }) => `${text}@${line}:${column}`);
    expect(places).toEqual([
      "ab@1:1",
      "=@1:4",
      "[@1:6",
      "x@2:3",
      ",@2:6",
      "]@3:1",
      "\n@3:2",
      "@4:2",
      "c@4:2",
      "@4:3",
      "@4:3",
      "@4:3",
    ]);
  });
});

describe("refuses", () => {
  test.each([
    ["'a", 1, 1, "a string is not closed"],
    ["x = 'a\nb'", 1, 5, "not closed at the end of its line"],
    ["x = '''a\nb", 1, 5, "a string is not closed"],
    ["'\\q'", 1, 2, "invalid escape sequence \\q"],
    ["'\\x4'", 1, 2, "invalid escape sequence"],
    ["'\\xe9'", 1, 2, "write \\u00e9"],
    ["b'\\777'", 1, 3, "larger than a byte"],
    ["'\\ud800'", 1, 2, "invalid Unicode code point"],
    ["017", 1, 1, "use 0o17"],
    ["08", 1, 1, "invalid octal"],
    ["1_0", 1, 1, "not grouped"],
    ["0x", 1, 1, "invalid hex literal"],
    ["0XG", 1, 1, "hex literal"],
    ["0o18", 1, 1, "octal"],
    ["0b2", 1, 1, "binary"],
    ["1e999", 1, 1, "too large"],
    ["9".repeat(10_001), 1, 1, "more than 10000 digits"],
    ["a $", 1, 3, 'unexpected character "$"'],
    ["a\u00a0b", 1, 2, "U+00A0"],
    ["“a”", 1, 1, "plain quotes"],
    ["!a", 1, 1, "use not"],
    ["f'a'", 1, 1, "f-strings"],
    ["rf'a'", 1, 1, "f-strings"],
    ["u'a'", 1, 1, "no u"],
    ["import x", 1, 1, "load"],
    ["x is y", 1, 3, "use =="],
    ["(a\n[b)", 1, 1, "this ( is not closed"],
    ["x = {\n  'a': [1,\n", 2, 8, "this [ is not closed"],
    ["if a:\n    b\n  c", 3, 3, "unindent"],
    ["if a:\n\tb", 2, 1, "tabs are not allowed"],
    ["if a:\n  \tb", 2, 3, "tabs are not allowed"],
    ["(".repeat(201), 1, 201, "nested too deeply"],
  ])("%j", (source, line, column, message) => {
    let thrown: unknown;
    try {
      tokensOf(source);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(StarlarkSyntaxError);
    expect(thrown).toMatchObject({ line, column, file: "test.star", message: expect.stringContaining(message) });
  });
});
