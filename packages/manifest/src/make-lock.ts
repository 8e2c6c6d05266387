import { dirname, join, resolve } from "node:path";
import { LOCK } from "./content.js";
import { sealPackages } from "./integrity.js";
import { readLayers, shownFrom } from "./layers.js";
import type { FindOptions } from "./load.js";
import {
  type Downgrade,
  formatLock,
  type LockedPackage,
  lockProblems,
  readBothSides,
  readLock,
  relock,
} from "./lock.js";
import { createRun } from "./markdown/run.js";
import type { Problem } from "./problem.js";
import { isBroken, problemsOf } from "./unit.js";

/** What `harn lock` would write, and how that differs from what is there. */
export interface NewLock {
  /** Where; null when there is no manifest to lock. */
  readonly path: string | null;
  readonly text: string;
  readonly packages: readonly LockedPackage[];
  readonly downgrades: readonly Downgrade[];
  /** What keeps the policy from being locked. */
  readonly problems: readonly Problem[];
  /** What is different from the lock that is there, as every load would report it. */
  readonly differences: readonly Problem[];
}

/** Makes the lock of a project from what is installed. Reads, and runs nothing. */
export async function makeLock(options: FindOptions = {}, reason?: string): Promise<NewLock> {
  const cwd = resolve(options.cwd ?? process.cwd());
  const loading = { show: (part: string) => shownFrom(cwd, part), run: createRun() };
  const { manifest, units, unreadable } = await readLayers(cwd, options, loading);
  const broken = units.filter(isBroken);
  const problems = [...(await Promise.all(broken.map(problemsOf))).flat(), ...unreadable];
  const path = manifest === null ? null : join(dirname(manifest), LOCK);
  const sealed = await sealPackages(units.filter(({ layer }) => layer.kind !== "managed"));
  const read = path === null ? null : await readLock(path);
  const before =
    typeof read === "string" && path !== null ? await readBothSides(path) : ((read ?? []) as LockedPackage[]);
  const { packages, downgrades } = relock(sealed, before, reason);
  const differences = lockProblems(sealed, before, true);
  return { path, text: formatLock(packages), packages, downgrades, problems, differences };
}
