import { expect, test } from "vitest";
import { digestOf } from "./digest.js";

const guard = { event: "PreToolUse", handlerName: "@acme/guards::guard", package: "@acme/guards", version: "1.2.0" };
const handler = () => undefined;

test("a digest is the same for the same policy, whoever holds the functions", () => {
  const digest = digestOf("text", [
    { ...guard, handler, options: { deny: ["rm"], since: new Date(0), big: 2n ** 60n } },
  ]);
  expect(digest).toMatch(/^[0-9a-f]{64}$/);
  expect(
    digestOf("text", [
      { handler: () => true, options: { big: 2n ** 60n, deny: ["rm"], since: new Date(0) }, ...guard },
    ]),
  ).toBe(digest);
});

test.each([
  ["the manifest", "other", {}],
  ["a version", "text", { version: "1.2.1" }],
  ["a handler", "text", { handlerName: "@acme/guards::other" }],
  ["options", "text", { options: { deny: [] } }],
  ["a pattern", "text", { pattern: "Bash" }],
  ["a condition", "text", { when: "True" }],
  ["a priority", "text", { priority: 1 }],
])("another digest for %s that changed", (_, text, change) => {
  expect(digestOf(text, [{ ...guard, ...change, handler }])).not.toBe(digestOf("text", [{ ...guard, handler }]));
});
