import { afterEach, describe, expect, test } from "vitest";
import { parseToml, parseTree, TomlError, type TomlTable } from "./toml.js";

/** The first parser wrongly refuses this number, so a document with it is read by the second one. */
const ONLY_SECOND = "only_second = 0e2\n";

async function bySecond(text: string): Promise<TomlTable> {
  const { only_second, ...value } = await parseToml(ONLY_SECOND + text);
  expect(only_second).toBe(0);
  return plain(value) as TomlTable;
}

/** Without prototypes and hidden properties, which the two parsers make differently and nobody reads. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  const copy: TomlTable = Object.create(null);
  for (const [key, item] of Object.entries(value)) copy[key] = plain(item);
  return copy;
}

async function errorOf(text: string): Promise<TomlError> {
  const error = await parseToml(text).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(TomlError);
  return error as TomlError;
}

describe("both parsers read the same", () => {
  test.each([
    ["nothing", ""],
    ["a comment", "# nothing\n"],
    ["pairs", 'a = 1\nb = "two"\nc = true\nd = 1.5\n'],
    ["texts", 'a = "\\u00e9\\n\\""\nb = \'C:\\x\'\nc = """\none \\\n  two\n"""\nd = \'\'\'\nraw\n\'\'\'\n'],
    ["numbers", "a = 0xff\nb = 0o17\nc = 0b11\nd = 1_000\ne = -0.5\nf = 6e3\ng = inf\nh = -inf\ni = nan\n"],
    ["whole numbers no double holds", "a = 9007199254740993\nb = -9223372036854775808\n"],
    ["lists", 'a = []\nb = [1, [2, ["three"]], { four = 4 }]\n'],
    ["inline tables", "a = {}\nb = { c = 1, d = { e = 2 } }\n"],
    ["dotted keys in an inline table", "a = { b.c = 1, b.d = 2 }\n"],
    ["quoted keys", '"a b" = 1\n\'c.d\' = 2\n"" = 3\n"\\u0065" = 4\n'],
    ["tables", "[a]\nb = 1\n[c.d]\ne = 2\n[c]\nf = 3\n[empty]\n"],
    ["lists of tables", "[[a]]\nb = 1\n[[a]]\n[[a]]\nb = 3\n"],
    ["tables in lists of tables", "[[a]]\n[a.b]\nc = 1\n[[a.d]]\ne = 1\n[[a.d]]\n[[a]]\n[a.b]\nc = 2\n"],
    ["numbers as keys", "1 = 1\n[2]\n3 = 3\n[[4]]\n5 = 5\n"],
    ["__proto__", "[__proto__]\na = 1\n[b]\n__proto__ = { c = 1 }\n[[b.d]]\n__proto__ = 2\n"],
  ])("%s", async (_, text) => {
    const first = plain(await parseToml(text));
    expect(await bySecond(text)).toEqual(first);
  });
});

describe("where @iarna/toml differs, the specification decides", () => {
  test.each([
    ["0e2", 0],
    ["0e-2", 0],
    ["0E2", 0],
  ])("takes %s", async (number, value) => {
    expect(await parseToml(`a = ${number}\n`)).toEqual({ a: value });
  });

  test.each(["a = 07:32:00\n", "a = 07:32:00", "a = 1979-05-27T07:32:00Z\n", "a = 1979-05-27\n"])(
    "takes %j",
    async (text) => {
      const { a } = await parseToml(text);
      expect(a).toBeInstanceOf(Date);
    },
  );

  test.each([
    ["a date no calendar has", "a = 2023-02-30\n"],
    ["a time no clock shows", "a = 25:00:00\n"],
    ["a table that dotted keys have closed", "[a]\nb.c = 1\n[a.b]\nd = 2\n"],
    ["a dotted key into an inline table", "a = { b = 1 }\na.c = 2\n"],
    ["a dotted key into a table with a header", "[a.b]\nc = 1\n[a]\nb.d = 2\n"],
    ["an element added to a list", "a = [{ b = 1 }]\n[[a]]\nb = 2\n"],
    ["an underscore at the end of a number", "a = 1_\n"],
  ])("refuses %s", async (_, text) => {
    await errorOf(text);
  });

  test("a key may look like a number that is none", async () => {
    expect(plain(await parseToml("[1_]\na = 1\n"))).toEqual({ "1_": { a: 1 } });
    await expect(parseTree("[1_]\na = 1\n")).resolves.toBeDefined();
  });
});

describe("errors have a place", () => {
  test.each([
    ["a = \n", 1],
    ["a = 1\nb\n", 2],
    ["a = 1\n\n\n[b\n", 4],
    ['a = "never closed', 1],
    ["a = 1\na = 2\n", 2],
    ['a = """\n\n', 3],
    ["a = [1,\n2", 2],
    ["\u0000", 1],
    ['x = 1\ny = "\\ud800"\n', 2],
    ["😀 = 1\n", 1],
    ["a = '😀' b\n", 1],
  ])("%j, in line %i", async (text, line) => {
    const error = await errorOf(text);
    const lines = text.split("\n");
    expect(error.line).toBe(line);
    expect(error.column).toBeGreaterThanOrEqual(1);
    expect(error.column).toBeLessThanOrEqual((lines[line - 1]?.length ?? 0) + 1);
    expect(error.message).not.toMatch(/ at row |undefined/);
  });

  test("a carriage return alone ends no line", async () => {
    expect(await errorOf("a = 1\nb = 2\rc = 3\n")).toMatchObject({ line: 2, column: 6 });
    expect(await errorOf("\r")).toMatchObject({ line: 1, column: 1 });
  });
});

describe("no key is special", () => {
  const pollutable = [Object, Object.prototype, ...["toString", "valueOf", "hasOwnProperty"].map(methodOf)];
  const before = new Map(pollutable.map((target) => [target, Reflect.ownKeys(target)]));
  afterEach(() => {
    for (const [target, keys] of before) {
      for (const key of Reflect.ownKeys(target)) if (!keys.includes(key)) Reflect.deleteProperty(target, key);
    }
  });

  function methodOf(name: string): object {
    return Object.getOwnPropertyDescriptor(Object.prototype, name)?.value as object;
  }

  test.each([
    ["constructor.polluted = 1\n", ["constructor", "polluted"]],
    ["toString.polluted = 1\n", ["toString", "polluted"]],
    ["[valueOf]\npolluted = 1\n", ["valueOf", "polluted"]],
    ["[hasOwnProperty.polluted]\n", ["hasOwnProperty", "polluted"]],
    ["[a]\nconstructor.polluted = 1\n", ["a", "constructor", "polluted"]],
    ["a = { constructor.polluted = 1 }\n", ["a", "constructor", "polluted"]],
    ['"constr\\u0075ctor".polluted = 1\n', ["constructor", "polluted"]],
    ["[[constructor]]\npolluted = 1\n", ["constructor", "0", "polluted"]],
    ["__proto__.polluted = 1\n", ["__proto__", "polluted"]],
    ["[__proto__]\npolluted = 1\n", ["__proto__", "polluted"]],
    ["[constructor.prototype]\npolluted = 1\n", ["constructor", "prototype", "polluted"]],
  ])("%j is a value and changes nothing else", async (text, path) => {
    const value = await parseToml(text);
    for (const [target, keys] of before) expect(Reflect.ownKeys(target)).toEqual(keys);
    const found = path.reduce<unknown>((parent, key) => {
      expect(Object.hasOwn(parent as object, key)).toBe(true);
      return (parent as TomlTable)[key];
    }, value);
    expect(found === 1 || Object.keys(found as object).length === 0).toBe(true);
  });
});
