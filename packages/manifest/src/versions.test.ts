import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { RUNTIME_VERSION } from "./versions.js";

test("the version of the runtime is that of its package", () => {
  const text = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  expect(RUNTIME_VERSION).toBe((JSON.parse(text) as { version: string }).version);
});
