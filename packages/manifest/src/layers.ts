import { relative, resolve, sep } from "node:path";
import { findManifest, findProject, MANIFEST } from "./find.js";
import { type Layer, managedLayer, PROJECT, packLayer, ranked } from "./layer.js";
import type { FindOptions } from "./load.js";
import { findManaged } from "./managed.js";
import { packReader } from "./packs.js";
import type { Problem } from "./problem.js";
import { hooksOf } from "./tighten.js";
import { type Loading, readBareUnit, readUnit, type Unit } from "./unit.js";

/** Every manifest a policy is made of, read and checked. */
export interface Layers {
  /** The project's manifest; null when it has none. */
  readonly manifest: string | null;
  /** Managed ones, packs, the project: from the highest to the lowest. */
  readonly units: readonly Unit[];
  /** Hooks that do not count because only managed ones do. */
  readonly ignored: readonly Problem[];
  /** What keeps a manifest from being read at all. */
  readonly unreadable: readonly Problem[];
  readonly texts: ReadonlyMap<string, string>;
}

/** Reads the managed manifests, the project's, and all packs either extends. */
export async function readLayers(cwd: string, options: FindOptions, loading: Loading): Promise<Layers> {
  const packs = packReader(loading);
  const { problems, texts } = packs;
  const read = async (path: string, file: string, layer: Layer): Promise<Unit[]> => {
    const unit = await readUnit(path, file, () => layer, loading);
    if (!("problem" in unit)) return [unit];
    problems.push(unit.problem);
    texts.set(file, unit.text);
    return [];
  };
  const managed: Unit[] = [];
  for (const file of options.managed ?? (await findManaged())) {
    const path = resolve(cwd, file);
    for (const unit of await read(path, path, managedLayer("managed"))) {
      managed.push(...(await packs.read(unit, managedLayer)), unit);
    }
  }
  const manifest = options.manifest === undefined ? await findManifest(cwd) : resolve(cwd, options.manifest);
  const projects =
    manifest === null
      ? await readBare(cwd, loading)
      : await read(manifest, relative(cwd, manifest) || MANIFEST, PROJECT);
  const extended: Unit[] = [];
  for (const unit of manifest === null ? [] : projects) extended.push(...(await packs.read(unit, packLayer)));
  const above = ranked(managed);
  const below = [...ranked(extended), ...projects];
  for (const {
    manifest: { policy },
    findings,
  } of below) {
    if (policy?.managed_only === undefined) continue;
    const message = "managed_only counts in a managed manifest only";
    const path = ["policy", "managed_only"];
    findings.push({ code: "HARN_W_NO_EFFECT", severity: "warning", path, message, help: "take it out" });
  }
  const isManagedOnly = above.some(({ manifest: { policy } }) => policy?.managed_only === true);
  return {
    manifest,
    units: isManagedOnly ? above : [...above, ...below],
    ignored: isManagedOnly ? below.flatMap(ignoredHooks) : [],
    unreadable: problems,
    texts,
  };
}

async function readBare(cwd: string, loading: Loading): Promise<Unit[]> {
  const root = await findProject(cwd);
  return root === null ? [] : [await readBareUnit(root, loading)];
}

function ignoredHooks(unit: Unit): Problem[] {
  return hooksOf(unit).map(({ id }) => ({
    code: "HARN_W_IGNORED",
    severity: "warning",
    message: `hook "${id}" is ignored: only managed hooks count on this machine`,
    place: { file: unit.document.file, line: 1, column: 1, length: 1 },
    help: "ask whoever manages this machine",
  }));
}

/** The name of a path in messages: from the working directory, with slashes on every platform. */
export function shownFrom(cwd: string, path: string): string {
  return relative(cwd, path).split(sep).join("/") || ".";
}
