import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readArguments } from "./arguments.js";
import { verbs } from "./verbs.js";

const page = readFileSync(new URL("../../../docs/cli.md", import.meta.url), "utf8");
const headings = [...page.matchAll(/^## (.+)$/gm)].flatMap(([, names = ""]) => names.split(", "));

// Protocols that speak JSON anyway, or in the words of somebody else.
const SPEAKS_A_PROTOCOL = ["hook", "mcp"];

describe.each(Object.entries(verbs))("%s", (name, { summary, load }) => {
  test("is one line in the help, and has a place in docs/cli.md", () => {
    expect(summary).toMatch(/^[a-z`].*[^.]$/);
    expect(headings).toContain(name);
  });

  test("answers in JSON when asked to", async () => {
    const { verb } = await load();
    if (!SPEAKS_A_PROTOCOL.includes(name)) expect(Object.keys(verb.flags)).toContain("json");
  });

  test("has two examples that its own flags allow", async () => {
    const { verb } = await load();
    expect(verb.examples.length).toBeGreaterThanOrEqual(2);
    expect(verb.usage).toMatch(new RegExp(`^${name}\\b`));
    for (const { command } of verb.examples) {
      const own = new RegExp(`\\bharn ${name}\\b((?:"[^"]*"|'[^']*'|[^|<>")])*)`).exec(command)?.[1];
      expect(own, command).toBeDefined();
      const words = (own?.match(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g) ?? []).map((word) => word.replace(/['"]/g, ""));
      expect(() => readArguments(name, verb, words), command).not.toThrow();
    }
  });
});
