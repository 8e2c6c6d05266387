import { dirname, join, resolve } from "node:path";
import { type Content, contentOf } from "./content.js";
import { HashCache } from "./hash-cache.js";
import { type Sealed, sealPackages } from "./integrity.js";
import { LOCK, type LockedPackage, lockProblem, lockProblems, readLock } from "./lock.js";
import { type Origins, readOrigins } from "./origins.js";
import { readOwnFiles } from "./own-files.js";
import type { Problem } from "./problem.js";
import { originProblems, provenanceProblems, type SupplyRules, supplyRules } from "./registries.js";
import { Stamps } from "./stamps.js";
import { readText } from "./text-file.js";
import type { Unit } from "./unit.js";

/** What lies on the disk for a policy: the project's own files, and its packages beside what harn.lock says of them. */
export interface Survey {
  readonly content: Content;
  readonly sealed: readonly Sealed[];
  /** What harn.lock says, or what is wrong with it; null when there is none. */
  readonly locked: readonly LockedPackage[] | string | null;
  readonly stamps: Stamps;
  readonly rules: SupplyRules;
  /** Where packages were installed from; read only where a rule asks for it. */
  readonly origins: Origins;
  /** Files of the policy that are other ones by now than those it was read from. */
  readonly reread: readonly string[];
}

/** Where the lock of a manifest lies. */
export function lockPath(manifest: string): string {
  return join(dirname(manifest), LOCK);
}

/** Reads and hashes all of it, but for what the cache knows. Runs nothing. */
export async function survey(
  units: readonly Unit[],
  cwd: string,
  manifest: string | null,
  hashes = new HashCache(),
): Promise<Survey> {
  const stamps = new Stamps();
  const locked = manifest === null ? null : await readLock(lockPath(manifest));
  const own = await readOwnFiles(units, cwd, stamps, [LOCK]);
  const below = units.filter(({ layer }) => layer.kind !== "managed");
  const sealed = await sealPackages(below, own.imported, stamps, hashes);
  hashes.save();
  const content = contentOf(units, own, sealed, locked !== null);
  const rules = supplyRules(units);
  const origins = await originsOf(rules, locked, manifest);
  return { content, sealed, locked, stamps, rules, origins, reread: await findReread(units, cwd) };
}

/** What the lock says, and without one what the package manager wrote down. */
async function originsOf(
  { registries }: SupplyRules,
  locked: Survey["locked"],
  manifest: string | null,
): Promise<Origins> {
  if (registries.size === 0 || manifest === null || typeof locked === "string") return new Map();
  if (locked === null) return readOrigins(dirname(manifest));
  return new Map(
    locked.flatMap(({ name, version, resolved }) =>
      resolved === undefined ? [] : [[`${name}@${version}`, { resolved }] as const],
    ),
  );
}

/** What was read and what was hashed must be the same text. */
async function findReread(units: readonly Unit[], cwd: string): Promise<string[]> {
  const moved: string[] = [];
  for (const { path, document, files } of units) {
    const texts = [...files.texts].map(([file, text]) => [resolve(cwd, file), text] as const);
    // A project without a manifest has no text to compare.
    if (document.text !== "") texts.push([path, document.text]);
    for (const [file, text] of texts) {
      const now = await readText(file, file, "HARN_E_SOURCE_READ");
      if (!("text" in now) || now.text !== text) moved.push(file);
    }
  }
  return moved;
}

/** What is installed and is not what harn.lock says, or not from where it must come. */
export function checkLock({ locked, sealed, reread, rules, origins }: Survey, isFrozen: boolean): Problem[] {
  if (reread.length > 0) return reread.map((file) => lockProblem(`${file} changed while the policy was read`));
  if (typeof locked === "string") return [lockProblem(`${LOCK}: ${locked}`)];
  const supplied = [...originProblems(sealed, origins, rules), ...provenanceProblems(sealed, locked, rules)];
  if (locked === null) return [...(isFrozen ? [lockProblem(`there is no ${LOCK}`)] : []), ...supplied];
  return [...lockProblems(sealed, locked, isFrozen), ...supplied];
}

/** What became of it while modules were loaded: Node reads them by itself, after they were hashed. */
export async function resurvey(
  before: Survey,
  units: readonly Unit[],
  cwd: string,
  manifest: string | null,
): Promise<{ readonly problems: readonly Problem[]; readonly isChanged: boolean }> {
  const touched = before.stamps.findTouched();
  if (touched === undefined && !before.stamps.isRecent) return { problems: [], isChanged: false };
  const after = await survey(units, cwd, manifest);
  const problems = checkLock(after, false);
  const isChanged = after.content.digest !== before.content.digest;
  if (touched === undefined || problems.length > 0 || isChanged) return { problems, isChanged };
  if (after.locked === null) return { problems, isChanged: true };
  return { problems: [lockProblem(`${touched} was touched while the policy was loaded`)], isChanged };
}
