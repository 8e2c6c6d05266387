import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { findViolations, type Source } from "./edges.js";
import { root, sourceFiles } from "./repository.js";

test("every import follows the arrows of the house", () => {
  const sources = sourceFiles().map((path): Source => ({ path, text: readFileSync(`${root}/${path}`, "utf8") }));
  expect(sources.map(({ path }) => path)).toContain("packages/core/src/index.ts");
  expect(sources.flatMap(findViolations)).toEqual([]);
});

test.each([
  ["packages/core/src/a.ts", 'import { x } from "@hooks/starlark";'],
  ["packages/core/src/a.ts", 'import type { x } from "../../manifest/src/x.js";'],
  ["packages/core/src/a.ts", 'export * from "harn";'],
  ["packages/core/src/a.ts", 'import "node:fs";'],
  ["packages/core/src/a.ts", 'import { join } from "path";'],
  ["packages/core/src/a.ts", 'type Stats = import("node:fs").Stats;'],
  ["packages/core/src/a.ts", 'const fs = await import("node:fs");'],
  ["packages/core/src/a.ts", 'const fs = require("node:fs");'],
  ["packages/starlark/src/a.ts", 'import { x } from "@hooks/core";'],
  ["packages/manifest/src/a.ts", 'import { x } from "@hooks/agents";'],
  ["packages/agents/src/a.ts", 'import { x } from "@hooks/starlark";'],
  ["plugins/audit/src/a.ts", 'import { x } from "@hooks/path-jail";'],
  ["plugins/audit/src/a.ts", 'import { x } from "../../path-jail/src/a.js";'],
  ["packages/core/src/a.ts", "const now = Date.now();"],
  ["packages/core/src/a.ts", "const n = Math.random();"],
  ["packages/core/src/a.ts", 'const n = Math["random"]();'],
  ["packages/core/src/a.ts", "const text = `${" + "process.pid}`;"],
  ["packages/core/src/a.ts", "const all = { process };"],
  ["packages/core/src/a.ts", "globalThis.setTimeout(() => {}, 1);"],
  ["packages/elsewhere/src/a.ts", ""],
])("%s may not say %s", (path, text) => {
  expect(findViolations({ path, text })).toHaveLength(1);
});

test.each([
  ["packages/core/src/a.ts", 'import * as z from "zod/mini"; import { b } from "./b.js";'],
  ["packages/core/src/dialects/a.ts", 'import { b } from "../b.js";'],
  ["packages/core/src/ports.ts", "const now = () => performance.now();"],
  ["packages/core/src/a.ts", '// Date.now()\nconst text = "console.log(process)"; const max = Math.max(1, 2);'],
  ["packages/core/src/a.ts", "const pid = payload.process; const keys = { process: 1 };"],
  ["packages/manifest/src/a.ts", 'import "node:fs"; import "@hooks/core"; import "@hooks/starlark";'],
  ["packages/cli/src/a.ts", 'import "@hooks/manifest"; import "@hooks/audit"; import "@hooks/agents";'],
  ["plugins/audit/src/a.ts", 'import { defineHook } from "@hooks/core"; import { b } from "./b.js";'],
])("%s may say %s", (path, text) => {
  expect(findViolations({ path, text })).toEqual([]);
});
