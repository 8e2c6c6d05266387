import { describe, expect, test } from "vitest";
import { type ExplainOptions, explain } from "./index.js";
import { GROUPS, type Group } from "./rule.js";
import { rules } from "./rules.js";
import type { Dialect } from "./tools.js";

const groups = Object.fromEntries(Object.keys(GROUPS).map((group) => [group, "on"])) as Record<Group, "on">;
const ALL: ExplainOptions = { groups };
const WINDOWS: readonly Dialect[] = ["posix", "powershell", "cmd"];

function found(command: string, id: string, dialects: readonly Dialect[]): boolean {
  return dialects.some((dialect) => explain(command, { ...ALL, dialect }).findings.some(({ rule }) => rule === id));
}

describe.each(rules.map((rule) => [rule.id, rule] as const))("%s", (id, rule) => {
  const dialects: readonly Dialect[] = rule.group === "windows" ? WINDOWS : ["posix"];

  test("has a text for everything a person wants to know", () => {
    expect(rule.explanation).toMatch(/^[A-Z`].*\.$/);
    expect(rule.instead).toMatch(/^[A-Z`].*\.$/);
    expect(rule.references.length).toBeGreaterThan(0);
    for (const reference of rule.references) expect(new URL(reference).protocol).toBe("https:");
    expect(rule.hits.length).toBeGreaterThan(0);
    expect(rule.misses.length).toBeGreaterThan(0);
    expect(rule.alternatives.length).toBeGreaterThan(0);
  });

  test.each(rule.hits)("hits %s", (command) => {
    expect(found(command, id, dialects)).toBe(true);
  });

  test.each(rule.misses)("misses %s", (command) => {
    expect(found(command, id, dialects)).toBe(false);
  });

  test.each(rule.alternatives)("offers %s, which passes with every group on", (command) => {
    const dialect = rule.group === "windows" ? "powershell" : "posix";
    expect(explain(command, { ...ALL, strict: true, dialect })).toMatchObject({ verdict: "allow", findings: [] });
  });
});

test("ids are unique and say what they are about", () => {
  const ids = rules.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(/^[a-z]+(-[a-z]+)*$/);
});

test("every group has a rule", () => {
  expect(new Set(rules.map(({ group }) => group))).toEqual(new Set(Object.keys(GROUPS)));
});

test("the catastrophic tier is small", () => {
  expect(rules.filter(({ severity }) => severity === "catastrophic").map(({ id }) => id)).toEqual([
    "delete-root",
    "delete-home",
    "disk-write",
    "disk-format",
    "disk-erase-mac",
    "fork-bomb",
    "windows-format",
  ]);
});
