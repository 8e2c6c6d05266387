import { describe, expect, test } from "vitest";
import { samples } from "../../../test/conformance/samples.js";
import type { Dialect } from "./dialect.js";
import { callback } from "./dialects/callback.js";
import { harn } from "./dialects/harn.js";
import { markdown } from "./dialects/markdown.js";
import { settings } from "./dialects/settings.js";
import { type CatalogueName, catalogueNames, type EventName } from "./events.js";
import { createHarness } from "./harness.js";
import { readView } from "./unview.js";

const EXAMPLES: Partial<Record<CatalogueName, EventName>> = {
  "custom.*": "custom.deploy",
  "meta.*": "meta.tool_register",
};

describe.each([harn, markdown, settings, callback])("the $name dialect", (dialect: Dialect) => {
  const known = catalogueNames.filter((row) => dialect.names[row].length > 0);

  test.each(known)("reads back its view of %s", (row) => {
    const event = EXAMPLES[row] ?? (row as EventName);
    const harness = createHarness();
    const view = dialect.view(harness.prepare(event, samples[row] as never));
    const again = dialect.view(harness.prepare(event, readView(dialect, event, view) as never));
    expect(again).toEqual(view);
  });
});

test("a view that is no object is refused", () => {
  expect(() => readView(settings, "PreToolUse", "ls")).toThrow("must be an object, got a string");
});

test("arguments that are no JSON are refused", () => {
  expect(() => readView(markdown, "PreToolUse", { name: "Bash", arguments: "{" })).toThrow("arguments is not JSON");
});
