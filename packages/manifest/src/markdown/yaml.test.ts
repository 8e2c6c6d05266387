import { describe, expect, it } from "vitest";
import { parseYaml } from "./yaml.js";

const read = (text: string) => {
  const { value, mistakes } = parseYaml(text);
  return mistakes.length === 0
    ? JSON.parse(JSON.stringify(value))
    : mistakes.map(({ message, spot: { line, column } }) => `${line}:${column} ${message}`);
};

describe("YAML", () => {
  it.each([
    ["a: &x 1\nb: *x", { a: 1, b: 1 }],
    ["a: &x 1\nb: &x 2\nc: *x", { a: 1, b: 2, c: 2 }],
    ["a: &x [&y 1]\nb: &y 2\nc: *x\nd: *y", { a: [1], b: 2, c: [1], d: 2 }],
    ["a: &x {b: 1, c: 2}\nd: {<<: *x, c: 3}", { a: { b: 1, c: 2 }, d: { b: 1, c: 3 } }],
    ["d: {c: 3, <<: {b: 1, c: 2}}", { d: { b: 1, c: 3 } }],
    ["d: {<<: [{a: 1}, {a: 2, b: 2}]}", { d: { a: 1, b: 2 } }],
    ['"<<": {a: 1}', { "<<": { a: 1 } }],
    ["on: yes\noff: no", { on: "yes", off: "no" }],
    ["a: 010\nb: 0o10\nc: 0x10\nd: 1_000", { a: 10, b: 8, c: 16, d: "1_000" }],
    ["a: 2026-01-01\nb: 12:30:45", { a: "2026-01-01", b: "12:30:45" }],
    ["a: !!str 1", { a: "1" }],
  ])("%j", (text, expected) => expect(read(text)).toEqual(expected));

  it.each([
    ["a: *x", "1:4 nothing above is called &x"],
    ["a: *x\nb: &x 1", "1:4 nothing above is called &x"],
    ["a: &x [*x]", "1:8 *x is an alias of what it stands in"],
    ["a: {<<: 1}", "1:5 << takes a mapping, or a list of mappings"],
    ["? [a]\n: 1", "1:3 a key is a text, and not a value of its own"],
    ["a: 1\nb: 2\na: 3", '3:1 the key "a" stands twice'],
    ['1: a\n"1": b', '2:1 the key "1" stands twice'],
    ["a: 1\n--- # b\na: 2", "2:1 a second document starts here"],
    [`a: ${"[".repeat(150)}${"]".repeat(150)}`, "1:104 nested too deeply"],
  ])("%j: %s", (text, message) => expect(read(text)).toEqual([message]));

  it("nothing it holds is anybody's prototype", () => {
    const { value } = parseYaml("__proto__: {a: 1}\nb: {<<: {__proto__: {c: 1}}}");
    expect(Object.getPrototypeOf(value)).toBeNull();
    expect((value as { b: object }).b).not.toHaveProperty("c");
    expect(Object.keys(value as object)).toEqual(["__proto__", "b"]);
  });

  it.each(["a: {", "? ", "a: [", "- ", "a: &a "])("%j again and again is a mistake, told in a few lines", (part) => {
    const { mistakes } = parseYaml(part.repeat(2_000));
    expect(mistakes.length).toBeGreaterThan(0);
    expect(mistakes.length).toBeLessThan(30);
  });

  it("ten lines do not become ten million values", () => {
    const rows = Array.from(
      { length: 8 },
      (_, n) => `a${n}: &a${n} [${n === 0 ? "x" : `*a${n - 1}`}${`, *a${n - 1}`.repeat(n === 0 ? 0 : 9)}]`,
    );
    expect(read(rows.join("\n"))).toEqual(["1:1 too large once its aliases are filled in"]);
  });

  it("many keys and aliases are read once each, and found without a search", () => {
    const keys = Array.from({ length: 30_000 }, (_, n) => `k${n}: *a`);
    const { value, mistakes, locate } = parseYaml(`a: &a 1\n${keys.join("\n")}\n`);
    expect(mistakes).toEqual([]);
    for (const key of Object.keys(value as object)) expect(locate([key], true).line).toBeGreaterThan(0);
    expect(locate(["k29999"], true)).toMatchObject({ line: 30_001, column: 1 });
  });
});
