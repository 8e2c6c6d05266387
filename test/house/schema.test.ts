import { readFileSync } from "node:fs";
import { join } from "node:path";
import { toJsonSchema } from "@hooks/manifest";
import { expect, test } from "vitest";
import { root } from "./repository.js";

const SCHEMA = "packages/manifest/schema/harn.schema.json";

// Whoever installs the command line alone has an editor too.
test.each([SCHEMA, "packages/cli/schema/harn.schema.json"])("%s is what the loader checks with", async (file) => {
  await expect(`${JSON.stringify(toJsonSchema(), null, 2)}\n`).toMatchFileSnapshot(join(root, file));
});

test("every key of the schema says what it is for", () => {
  const undescribed: string[] = [];
  const visit = (schema: Record<string, unknown>, path: string) => {
    const properties = (schema.properties ?? {}) as Record<string, Record<string, unknown>>;
    for (const [key, value] of Object.entries(properties)) {
      if (typeof value.description !== "string") undescribed.push(`${path}${key}`);
      visit(value, `${path}${key}.`);
    }
    if (schema.items !== undefined) visit(schema.items as Record<string, unknown>, path);
  };
  visit(JSON.parse(readFileSync(join(root, SCHEMA), "utf8")) as Record<string, unknown>, "");
  expect(undescribed).toEqual([]);
});
