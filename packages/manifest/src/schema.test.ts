import { readFileSync } from "node:fs";
import { catalogueNames } from "@hooks/core";
import { describe, expect, test } from "vitest";
import { fromJSONSchema } from "zod";
import { checkShape, toJsonSchema } from "./schema.js";
import { parseToml, type TomlTable } from "./toml.js";

type JsonSchema = {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly [key: string]: unknown;
};

const jsonSchema = toJsonSchema() as JsonSchema;
const editor = fromJSONSchema(jsonSchema as never);
const hook = { event: "PreToolUse", handler: "policy::check" };

/** Every key a manifest can have, from the top: `hooks.event`. */
function keysOf(schema: JsonSchema, path = ""): [path: string, schema: JsonSchema][] {
  const own = Object.entries(schema.properties ?? {});
  return [
    ...own.flatMap(([key, inner]): [string, JsonSchema][] => [[path + key, inner], ...keysOf(inner, `${path}${key}.`)]),
    ...(schema.items === undefined ? [] : keysOf(schema.items, path)),
  ];
}

/** The description of a key: its own, or that of what it is made of. */
function described({ description, allOf }: JsonSchema): string | undefined {
  return description ?? (allOf as JsonSchema[] | undefined)?.map(described).find((text) => text !== undefined);
}

describe("the JSON Schema for editors", () => {
  test.each(keysOf(jsonSchema))("describes %s", (_, schema) => {
    expect(described(schema)).toMatch(/^\S/);
    expect(described(schema)?.length).toBeGreaterThan(8);
  });

  test("says something else of every key", () => {
    const all = keysOf(jsonSchema).map(([, schema]) => described(schema));
    expect(new Set(all).size).toBe(all.length);
  });

  test("takes harn.toml.example", async () => {
    const text = readFileSync(new URL("../../../harn.toml.example", import.meta.url), "utf8");
    const value = await parseToml(text);
    expect(editor.safeParse(value).error).toBeUndefined();
    expect(checkShape(value)).toEqual([]);
  });

  test.each([...catalogueNames.filter((name) => !name.endsWith("*")), "custom.deploy", "OnBudgetThreshold(80)", "*"])(
    "takes the event %s",
    (event) => {
      expect(editor.safeParse({ hooks: [{ ...hook, event }] }).error).toBeUndefined();
    },
  );

  test.each(["PreToolUsse", "tool.pre", "session_start", "custom.*", "custom.Deploy", "OnBudgetThreshold(high)", ""])(
    "takes no event %j",
    (event) => {
      expect(editor.safeParse({ hooks: [{ ...hook, event }] }).success).toBe(false);
    },
  );

  test("names the file it is for, and itself", () => {
    expect(jsonSchema).toMatchObject({ $id: "harn.schema.json", title: "harn.toml", type: "object" });
    expect(jsonSchema.additionalProperties).toBe(false);
  });
});

const right: readonly (readonly [string, TomlTable])[] = [
  ["nothing", {}],
  ["a hook", { hooks: [hook] }],
  ["a hook without a handler, which other rules are about", { hooks: [{ event: "Stop" }] }],
  ["an empty pattern", { hooks: [{ ...hook, pattern: "" }] }],
  ["a priority below zero", { hooks: [{ ...hook, priority: -5 }] }],
  ["a fraction of a millisecond", { hooks: [{ ...hook, timeout_ms: 0.5 }] }],
  ["options of any kind", { hooks: [{ ...hook, options: { a: [1, { b: "c" }] } }] }],
  ["every table", { package: { name: "a" }, exports: { a: "b" }, dependencies: { c: "1" }, policy: {}, sources: {} }],
];

const wrong: readonly (readonly [string, unknown, message: string])[] = [
  ["a key of another name", { hook: [] }, 'unknown key "hook"'],
  ["a key of another name in a hook", { hooks: [{ ...hook, timeout: 1 }] }, 'unknown key "timeout"'],
  ["one table", { hooks: hook }, '"hooks" must be a list, got a table'],
  ["a text among the hooks", { hooks: ["x"] }, 'item 1 of "hooks" must be a table, got "x"'],
  ["no event", { hooks: [{ handler: "a::b" }] }, '"event" is missing'],
  ["an empty event", { hooks: [{ ...hook, event: "" }] }, '"event" must not be empty'],
  ["a number for a text", { hooks: [{ ...hook, handler: 1 }] }, '"handler" must be a text, got 1'],
  ["a text for a number", { hooks: [{ ...hook, priority: "1" }] }, '"priority" must be a number, got "1"'],
  ["a fraction", { hooks: [{ ...hook, priority: 1.5 }] }, '"priority" must be a whole number, got 1.5'],
  ["not a number", { hooks: [{ ...hook, priority: Number.NaN }] }, '"priority" must be a finite number, got NaN'],
  ["no time at all", { hooks: [{ ...hook, timeout_ms: 0 }] }, '"timeout_ms" must be above 0, got 0'],
  ["endless time", { hooks: [{ ...hook, timeout_ms: Number.POSITIVE_INFINITY }] }, '"timeout_ms" must be'],
  ["another policy for faults", { hooks: [{ ...hook, on_error: "ignore" }] }, '"on_error" must be "block" or "allow"'],
  ["a text for a list", { extends: "a" }, '"extends" must be a list, got "a"'],
  ["a list for a table", { package: [] }, '"package" must be a table, got a list'],
  ["a text for yes or no", { policy: { strict: "yes" } }, '"strict" must be true or false, got "yes"'],
  ["a number for a path", { exports: { a: 1 } }, '"a" must be a text, got 1'],
  ["a package without a name", { package: {} }, '"name" is missing'],
  ["no list", 5, "the manifest must be a table, got 5"],
];

describe("a shape that is", () => {
  test.each(right)("right: %s", (_, value) => {
    expect(checkShape(value)).toEqual([]);
    expect(editor.safeParse(value).success).toBe(true);
  });

  test.each(wrong)("wrong: %s", (_, value, message) => {
    const [first, ...rest] = checkShape(value);
    expect(first?.message).toContain(message);
    expect(rest).toEqual([]);
    expect(editor.safeParse(value).success).toBe(false);
  });

  test("wrong in many places is reported for each of them", () => {
    const findings = checkShape({ polcy: {}, hooks: [{ ...hook, priorty: 1 }, { event: 1 }, 5] });
    expect(findings.map(({ path }) => path.join("."))).toEqual(
      expect.arrayContaining(["polcy", "hooks.0.priorty", "hooks.1.event", "hooks.2"]),
    );
    expect(findings.find(({ path }) => path.includes("polcy"))).toMatchObject({
      atKey: true,
      hint: 'did you mean "policy"?',
    });
    expect(findings.find(({ path }) => path.includes("priorty"))?.help).toMatch(/^keys here: id, event, pattern/);
  });

  test.each([
    ["a table with a length", "[exports.version]\nlength.a = 1\n"],
    ["a table with the length of a table without a prototype", "[exports.version]\nlength.a.b.__proto__ = 1\n"],
    ["a table in the place of a list", "[[hooks]]\nevent = 'Stop'\ncommand = { length.a.toString = 0 }\n"],
  ])("wrong by %s", async (_, text) => {
    expect(checkShape(await parseToml(text))).toMatchObject([{ code: "HARN_E_KEY_TYPE" }]);
  });

  test.each(["exports", "dependencies"])("wrong under a key every object has: %s", (table) => {
    const value: TomlTable = { [table]: JSON.parse('{"__proto__": 5}') };
    expect(checkShape(value)).toMatchObject([{ code: "HARN_E_KEY_TYPE", path: [table, "__proto__"] }]);
  });
});
