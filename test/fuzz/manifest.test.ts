import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadHarness } from "@hooks/manifest";
import { afterAll, expect, test } from "vitest";
import { describeFailures, fuzzManifests } from "./manifest.js";
import { makeHome, manifestSeeds } from "./manifest-seeds.js";

const home = makeHome();
afterAll(() => rmSync(home, { recursive: true }));

test.each([...manifestSeeds])("the seed %s is a manifest that loads", async (_, text) => {
  const manifest = join(home, "harn.toml");
  writeFileSync(manifest, text);
  const loaded = await loadHarness({ cwd: home, manifest });
  expect(loaded.ok ? "" : loaded.message).toBe("");
});

test("2,000 mutants are a stack or problems with a place, and nothing else happens", async () => {
  const report = await fuzzManifests({ seed: 20_251, mutants: 2_000 });
  expect(describeFailures(report)).toBe("");
  // A mutation that breaks everything tests one line of the loader; one that breaks nothing tests none.
  expect(report.stacks).toBeGreaterThan(report.mutants / 20);
  expect(report.codes.size).toBeGreaterThan(15);
}, 120_000);
