import { expect, test } from "vitest";
import { fuzzStarlark } from "./starlark.js";

test("4,000 programs end with a module or an error of Starlark's, and twice the same", async () => {
  const { endings, failures, programs } = await fuzzStarlark({ seed: 20_261, programs: 4_000 });
  expect(failures.join("\n\n")).toBe("");
  // Programs that all fail in the same way would test one line of the interpreter.
  expect(endings.get("done")).toBeGreaterThan(programs / 20);
  for (const code of ["SYNTAX", "RESOLVE", "EVAL", "STEPS", "MEMORY", "DEPTH"]) {
    expect(endings.get(`STARLARK_E_${code}`) ?? 0, code).toBeGreaterThan(0);
  }
}, 120_000);
