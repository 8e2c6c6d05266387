import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { type Document, type Path, placeFindings, readDocument } from "./document.js";
import { parseToml } from "./toml.js";

const directory = realpathSync(mkdtempSync(join(tmpdir(), "harn-document-")));
afterAll(() => rmSync(directory, { recursive: true }));

async function read(bytes: Buffer | string) {
  const path = join(directory, "harn.toml");
  writeFileSync(path, bytes);
  return readDocument(path, "harn.toml");
}

describe("reading", () => {
  test("a byte order mark and Windows line ends do not count", async () => {
    const result = await read('\ufeffa = 1\r\nb = """\r\nx\r\n"""\r\n');
    expect(result).toMatchObject({ document: { text: 'a = 1\nb = """\nx\n"""\n', value: { a: 1, b: "x\n" } } });
  });

  test.each([
    ["missing", join(directory, "missing.toml"), /does not exist/],
    ["a directory", directory, /is a directory/],
    ["below a file", join(directory, "harn.toml", "x"), /cannot be read/],
    ["a name no file can have", join(directory, "\u0000"), /cannot be read/],
    ["longer than any name", join(directory, "x".repeat(5_000)), /cannot be read/],
  ])("%s: refused at the start of the file", async (_, path, message) => {
    writeFileSync(join(directory, "harn.toml"), "");
    const result = await readDocument(path, "the manifest");
    expect(result).toMatchObject({
      problem: {
        code: "HARN_E_MANIFEST_READ",
        message: expect.stringMatching(message),
        place: { file: "the manifest", line: 1, column: 1 },
      },
    });
  });

  test.skipIf(process.platform === "win32" || process.getuid?.() === 0)("not readable: refused", async () => {
    const path = join(directory, "secret.toml");
    writeFileSync(path, "");
    chmodSync(path, 0);
    expect(await readDocument(path, "secret.toml")).toMatchObject({ problem: { code: "HARN_E_MANIFEST_READ" } });
  });

  test("exactly 1 MiB is read, one byte more is not", async () => {
    const line = "# comment\n";
    const full = line.repeat(Math.ceil(1024 ** 2 / line.length)).slice(0, 1024 ** 2);
    expect(await read(full)).toHaveProperty("document");
    expect(await read(`${full}#`)).toMatchObject({ problem: { message: expect.stringContaining("1 MiB") } });
  });

  test.each([
    ["at the start", Buffer.from([0xff, 0xfe]), 1, 1],
    ["in the third line", Buffer.concat([Buffer.from('a = 1\n\nb = "'), Buffer.from([0xc3, 0x28])]), 3, 6],
    ["a sequence that is cut off", Buffer.from([0x23, 0x20, 0xe2, 0x82]), 1, 3],
    ["an encoded surrogate", Buffer.concat([Buffer.from("# "), Buffer.from([0xed, 0xa0, 0x80])]), 1, 3],
    ["behind a replacement character that is meant", Buffer.from("232020efbfbd0a6120ff", "hex"), 2, 3],
    ["behind a byte order mark", Buffer.from("efbbbf2320ff", "hex"), 1, 3],
  ])("not UTF-8, %s", async (_, bytes, line, column) => {
    expect(await read(bytes)).toMatchObject({
      problem: { code: "HARN_E_MANIFEST_READ", message: "harn.toml is not UTF-8", place: { line, column } },
    });
  });

  test("a directory in the place of the manifest is no document", async () => {
    const path = join(directory, "as-directory.toml");
    mkdirSync(path);
    expect(await readDocument(path, "as-directory.toml")).toHaveProperty("problem");
  });
});

/** What a finding points at: the characters of its line that get a caret. */
async function pointedAt(text: string, path: Path, atKey = false): Promise<string> {
  const document: Document = { file: "harn.toml", text, value: await parseToml(text) };
  const [problem] = await placeFindings([{ code: "HARN_E_KEY_TYPE", message: "x", path, atKey }], document);
  expect(problem?.place.file).toBe("harn.toml");
  const { line = 0, column = 0, length = 0 } = problem?.place ?? {};
  return `${line}: ${text.split("\n")[line - 1]?.slice(column - 1, column - 1 + length)}`;
}

describe("places", () => {
  const manifest = `extends = ["@acme/a", "@acme/b"]
package.name = "dotted"

[exports]
"policy key" = 'hooks/policy.ts'

[[hooks]]
event = "PreToolUse"
options = { deny = ["a", "b"], nested.deep = 1 }

[[hooks]]
event = "PostToolUse"

[hooks.options]
"quoted" = [1, [2, { x = 3 }]]

[[hooks.options.rules]]
name = "first"

[[hooks.options.rules]]
`;

  test.each<[string, Path, value: string, key: string]>([
    ["a pair", ["hooks", 0, "event"], '8: "PreToolUse"', "8: event"],
    ["an element of a list", ["extends", 1], '1: "@acme/b"', '1: "@acme/b"'],
    ["a dotted key", ["package", "name"], '2: "dotted"', "2: package.name"],
    ["a quoted key", ["exports", "policy key"], "5: 'hooks/policy.ts'", '5: "policy key"'],
    ["a table by its header", ["exports"], "4: exports", "4: exports"],
    ["one of a list of tables", ["hooks", 1], "11: hooks", "11: hooks"],
    ["the whole list of tables, by the first", ["hooks"], "7: hooks", "7: hooks"],
    ["an inline table", ["hooks", 0, "options"], '9: { deny = ["a", "b"], nested.deep = 1 }', "9: options"],
    ["a pair of an inline table", ["hooks", 0, "options", "deny"], '9: ["a", "b"]', "9: deny"],
    ["an element inside of it", ["hooks", 0, "options", "deny", 1], '9: "b"', '9: "b"'],
    ["a dotted key inside of it", ["hooks", 0, "options", "nested", "deep"], "9: 1", "9: nested.deep"],
    ["a table of a list's last element", ["hooks", 1, "options"], "14: hooks.options", "14: hooks.options"],
    ["a quoted key below a header", ["hooks", 1, "options", "quoted"], "15: [1, [2, { x = 3 }]]", '15: "quoted"'],
    ["lists and tables in each other", ["hooks", 1, "options", "quoted", 1, 1, "x"], "15: 3", "15: x"],
    [
      "a list of tables in a list of tables",
      ["hooks", 1, "options", "rules", 0],
      "17: hooks.options.rules",
      "17: hooks.options.rules",
    ],
    [
      "its last and empty element",
      ["hooks", 1, "options", "rules", 1],
      "20: hooks.options.rules",
      "20: hooks.options.rules",
    ],
    ["a pair of its first", ["hooks", 1, "options", "rules", 0, "name"], '18: "first"', "18: name"],
  ])("%s", async (_, path, value, key) => {
    expect(await pointedAt(manifest, path)).toBe(value);
    expect(await pointedAt(manifest, path, true)).toBe(key);
  });

  test.each<[string, Path, string]>([
    ["in a hook: at its header", ["hooks", 1, "handler"], "11: hooks"],
    ["in a table that is missing, too: at the start", ["policy", "strict"], "1: e"],
    ["at the top: at the start", ["sources"], "1: e"],
    ["in an inline table: at its key", ["hooks", 0, "options", "max"], "9: options"],
    ["in a list: at its key", ["extends", 7], "1: extends"],
    ["deep below: at the nearest that is there", ["hooks", 0, "options", "deny", 9, "a", "b"], "9: deny"],
    ["a hook that is missing: at the first", ["hooks", 9, "event"], "7: hooks"],
    ["nothing at all: at the start", [], "1: e"],
    ["what every object has", ["constructor", "name"], "1: e"],
  ])("a key that is missing %s", async (_, path, expected) => {
    expect(await pointedAt(manifest, path)).toBe(expected);
  });

  test("a table that only dotted keys make is where the first of them is", async () => {
    const text = 'a = 1\npackage.version = "1"\npackage.harn = "2"\n';
    expect(await pointedAt(text, ["package", "name"])).toBe("2: package");
    expect(await pointedAt(text, ["package"])).toMatch(/^2: /);
  });

  test("a table that only a longer header makes is where that header is", async () => {
    const text = "a = 1\n[package.nested]\nb = 1\n";
    expect(await pointedAt(text, ["package", "name"])).toBe("2: package.nested");
  });

  test("a value over several lines is pointed at as far as its first line goes", async () => {
    const text = 'a = """\none\ntwo"""\nb = [\n  1,\n  { c = """\n""" },\n]\n';
    expect(await pointedAt(text, ["a"])).toBe('1: """');
    expect(await pointedAt(text, ["b"])).toBe("4: [");
    expect(await pointedAt(text, ["b", 1])).toBe('6: { c = """');
    expect(await pointedAt(text, ["b", 1, "c"])).toBe('6: """');
  });

  test("what stands behind a multi-line text has its own line", async () => {
    expect(await pointedAt('a = """\n\n\n"""\nb = 1 # here\n', ["b"])).toBe("5: 1");
    expect(await pointedAt("a = '''\n\n'''\nb = 1", ["b"])).toBe("4: 1");
  });

  test("characters count as an editor counts them", async () => {
    expect(await pointedAt('a = "😀é" # x\nb = { "ü" = "😀", c = 5 }\n', ["b", "c"])).toBe("2: 5");
    expect(await pointedAt("\ta\t=\t1\n", ["a"])).toBe("1: 1");
  });

  test("an empty document has a place, too", async () => {
    const [problem] = await placeFindings([{ code: "HARN_E_KEY_MISSING", message: "x", path: ["a"] }], {
      file: "harn.toml",
      text: "",
      value: {},
    });
    expect(problem?.place).toEqual({ file: "harn.toml", line: 1, column: 1, length: 1 });
  });

  test("findings come out in the order of the file, also those of one line", async () => {
    const text = "a = 1\nb = 2\nc = { d = 3, e = 4 }\n";
    const paths: Path[] = [["c", "e"], ["b"], ["c", "d"], ["a"], []];
    const findings = paths.map((path) => ({ code: "HARN_E_KEY_TYPE", message: path.join("."), path }) as const);
    const problems = await placeFindings(findings, { file: "harn.toml", text, value: await parseToml(text) });
    expect(problems.map(({ message }) => message)).toEqual(["", "a", "b", "c.d", "c.e"]);
  });
});
