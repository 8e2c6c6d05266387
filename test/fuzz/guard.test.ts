import { expect, test } from "vitest";
import { fuzzGuard } from "./guard.js";

test("3,000 mutated commands are judged without a crash, within their budgets, and twice the same", () => {
  const { verdicts, failures, commands } = fuzzGuard({ seed: 20_267, commands: 3_000 });
  expect(failures.join("\n\n")).toBe("");
  // Mutants that are all alike would test one line of the guard.
  for (const verdict of ["allow", "ask", "block"]) expect(verdicts.get(verdict) ?? 0).toBeGreaterThan(commands / 50);
});
