import { dirname, resolve } from "node:path";
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
import { type Origin, readOrigins } from "./origins.js";
import type { Problem } from "./problem.js";
import { needsProvenance, originProblems, supplyRules } from "./registries.js";
import { lockPath, survey } from "./survey.js";
import { isBroken, problemsOf } from "./unit.js";

/** What `harn lock` would write, as `formatLock` makes a text of it, and how that differs from what is there. */
export interface NewLock {
  /** Where; null when there is no manifest to lock. */
  readonly path: string | null;
  readonly text: string;
  /** Where a policy asks for provenance, nothing is verified yet: who writes the lock does that. */
  readonly packages: readonly LockedPackage[];
  readonly downgrades: readonly Downgrade[];
  /** What keeps the policy from being locked. */
  readonly problems: readonly Problem[];
  /** What is different from the lock that is there, as every load would report it. */
  readonly differences: readonly Problem[];
}

export interface LockOptions {
  /** Why a package goes back to a lower version. */
  readonly reason?: string | undefined;
  /** Versions that were in use here before, beside those of the lock. */
  readonly seen?: readonly Seen[];
  /** Where scopes come from that no policy says anything about: what the package manager is set to. */
  readonly registries?: Readonly<Record<string, string>>;
}

/** Makes the lock of a project from what is installed. Reads, and runs nothing. */
export async function makeLock(
  options: FindOptions = {},
  { reason, seen = [], registries = {} }: LockOptions = {},
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
  const origins = manifest === null ? new Map<string, Origin>() : await readOrigins(dirname(manifest));
  const rules = supplyRules(units, registries);
  problems.push(...originProblems(sealed, origins, rules));
  const made = relock(sealed, origins, before, seen, reason);
  const packages = made.packages.map((entry) =>
    needsProvenance(entry, rules) ? { ...entry, provenance: false } : entry,
  );
  const differences = lockProblems(sealed, before, true);
  return { path, text: formatLock(packages), packages, downgrades: made.downgrades, problems, differences };
}

function unrepairable(why: string): Problem {
  const help = "take one side with git checkout --ours harn.lock, or remove the file, and run harn lock again";
  return { ...lockProblem(`${LOCK} cannot be repaired: ${why}`), help };
}
