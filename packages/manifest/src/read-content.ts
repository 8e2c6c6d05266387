import { dirname, resolve } from "node:path";
import type { Content } from "./content.js";
import { readLayers, shownFrom } from "./layers.js";
import type { FindOptions } from "./load.js";
import { createRun } from "./markdown/run.js";
import type { Problem } from "./problem.js";
import { type SupplyRules, supplyRules } from "./registries.js";
import { survey } from "./survey.js";
import { problemsOf } from "./unit.js";

/** The content of a project, for whoever decides whether to trust it. Reads, and runs nothing. */
export async function readContent(
  options: FindOptions = {},
): Promise<{ readonly root: string | null; readonly content: Content; readonly problems: readonly Problem[] }> {
  const cwd = resolve(options.cwd ?? process.cwd());
  const { manifest, units, unreadable } = await readLayers(cwd, options, {
    show: (part) => shownFrom(cwd, part),
    run: createRun(),
  });
  const problems = [...(await Promise.all(units.map(problemsOf))).flat(), ...unreadable];
  const root = manifest === null ? (units.at(-1)?.root ?? null) : dirname(manifest);
  const { content } = await survey(units, cwd, manifest);
  return { root, content, problems };
}

/** Where packages of a project must come from, as its layers say. Reads, and runs nothing. */
export async function readSupplyRules(
  options: FindOptions = {},
  more: Readonly<Record<string, string>> = {},
): Promise<SupplyRules> {
  const cwd = resolve(options.cwd ?? process.cwd());
  const loading = { show: (part: string) => shownFrom(cwd, part), run: createRun() };
  const { units } = await readLayers(cwd, options, loading);
  return supplyRules(units, more);
}
