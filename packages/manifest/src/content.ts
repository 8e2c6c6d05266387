import { canonicalJson } from "@hooks/core";
import type { Sealed } from "./integrity.js";
import type { OwnFiles } from "./own-files.js";
import { sha256 } from "./sha256.js";
import type { Unit } from "./unit.js";

/** What a project brings that can run or decide, and what it is known by. */
export interface Content {
  /** The SHA-256 of all of it. */
  readonly digest: string;
  /** Its files from the project's root, each with its bytes. */
  readonly files: ReadonlyMap<string, Buffer>;
  /** The packages its hooks come from, each as name@version. */
  readonly packages: readonly string[];
}

/**
 * What a project's content is known by. The bytes of its packages belong to it: harn.lock, which is one of its files,
 * says what they are, and without one they are part of the digest themselves. A name and a version are anybody's to
 * write into a package.json.
 */
export function contentOf(
  units: readonly Unit[],
  { files }: OwnFiles,
  sealed: readonly Sealed[],
  isLocked: boolean,
): Content {
  const packages = new Set<string>();
  for (const { layer, isInstalled, checked } of units.filter(({ layer }) => layer.kind !== "managed")) {
    if (isInstalled) packages.add(`${layer.name}@${layer.version}`);
    for (const { target } of checked.bindings) {
      if (target.package !== undefined) packages.add(`${target.package.name}@${target.package.version}`);
    }
  }
  const listed = [...files].map(([name, bytes]) => [name, sha256(bytes)]).sort();
  const bytes = isLocked ? [] : sealed.map(({ name, version, files }) => [name, version, ...files].flat());
  const parts = { files: listed, packages: [...packages].sort(), ...(bytes.length === 0 ? {} : { bytes }) };
  const text = canonicalJson(parts as never);
  return { digest: sha256(text), files, packages: [...packages].sort() };
}
