import { resolve } from "node:path";
import { readLayers, shownFrom } from "./layers.js";
import type { FindOptions } from "./load.js";
import {
  type Downgrade,
  formatLock,
  LOCK,
  type LockedPackage,
  lockProblem,
  lockProblems,
  readBothSides,
  relock,
  type Seen,
} from "./lock.js";
import { createRun } from "./markdown/run.js";
import type { Problem } from "./problem.js";
import { lockPath, survey } from "./survey.js";
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
export async function makeLock(
  options: FindOptions = {},
  { reason, seen = [] }: { readonly reason?: string | undefined; readonly seen?: readonly Seen[] } = {},
): Promise<NewLock> {
  const cwd = resolve(options.cwd ?? process.cwd());
  const loading = { show: (part: string) => shownFrom(cwd, part), run: createRun() };
  const { manifest, units, unreadable } = await readLayers(cwd, options, loading);
  const broken = units.filter(isBroken);
  const problems = [...(await Promise.all(broken.map(problemsOf))).flat(), ...unreadable];
  const path = manifest === null ? null : lockPath(manifest);
  const { sealed, locked } = await survey(units, cwd, manifest);
  const read = typeof locked === "string" && path !== null ? await readBothSides(path) : (locked ?? []);
  // What cannot be read may hold a highest version, which must not be forgotten.
  if (typeof read === "string") problems.push(unrepairable(read));
  const before = typeof read === "string" ? [] : read;
  const { packages, downgrades } = relock(sealed, before, seen, reason);
  const differences = lockProblems(sealed, before, true);
  return { path, text: formatLock(packages), packages, downgrades, problems, differences };
}

function unrepairable(why: string): Problem {
  const help = "take one side with git checkout --ours harn.lock, or remove the file, and run harn lock again";
  return { ...lockProblem(`${LOCK} cannot be repaired: ${why}`), help };
}
