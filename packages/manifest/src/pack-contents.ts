import { readFile } from "node:fs/promises";
import { join, posix, resolve } from "node:path";
import { MANIFEST } from "./find.js";
import { PROJECT } from "./layer.js";
import { shownFrom } from "./layers.js";
import { createRun } from "./markdown/run.js";
import { schemaMistakes } from "./options.js";
import { readOwnFiles } from "./own-files.js";
import { type InstalledPackage, Packages, readOwnPackage } from "./packages.js";
import type { Problem } from "./problem.js";
import type { Manifest } from "./schema.js";
import { mayExport } from "./source-text.js";
import { Stamps } from "./stamps.js";
import { resolveTarget } from "./target.js";
import { hooksOf } from "./tighten.js";
import { problemsOf, readUnit, type Unit } from "./unit.js";
import { checkApi } from "./versions.js";

/** What a pack is made of, for whoever is about to publish it. */
export interface PackContents {
  readonly manifest: Manifest;
  /** Every file of its own it needs to work, by its path in the pack. */
  readonly files: readonly string[];
  /** The packages its hooks, its modules and `extends` name. */
  readonly needs: readonly string[];
  /** The hook API its own hooks are made for; absent when it brings none. */
  readonly api?: { readonly range: string } | { readonly mistake: string };
  /** The ids of its hooks, as they are without the name of the pack. */
  readonly hooks: readonly string[];
  /** Hooks its package.json offers that lead nowhere, each with the reason. */
  readonly unresolved: readonly string[];
  /** What is wrong with its options schemas. */
  readonly schemas: readonly string[];
}

/** Reads a pack from its own directory, or says what keeps it from being read. Runs nothing. */
export async function readPack(directory: string): Promise<PackContents | { readonly problems: readonly Problem[] }> {
  const root = resolve(directory);
  const loading = { show: (path: string) => shownFrom(root, path), run: createRun() };
  const unit = await readUnit(join(root, MANIFEST), MANIFEST, () => PROJECT, loading);
  if ("problem" in unit) return { problems: [unit.problem] };
  const problems = (await problemsOf(unit)).filter(({ severity }) => severity === "error");
  if (problems.length > 0) return { problems };
  const own = await readOwnFiles([unit], root, new Stamps());
  const self = await findSelf(root);
  const offered = self === undefined ? NOTHING : await readOffered(self, unit);
  const named = unit.checked.bindings.flatMap(({ target }) => target.package ?? []);
  const extended = (unit.manifest.extends ?? []).filter((name) => !name.startsWith("."));
  const imported = await Promise.all([...own.imported].map(readOwnPackage));
  const needs = new Set([
    ...named.map(({ name }) => name),
    ...extended,
    ...imported.map((found) => String(found?.name)),
    ...own.missing,
  ]);
  needs.delete(self?.name ?? "");
  const api = self?.description === undefined ? undefined : apiOf(self);
  return {
    manifest: unit.manifest,
    ...(api === undefined ? {} : { api }),
    files: [...new Set([...own.files.keys(), ...offered.files].map((file) => posix.normalize(file)))].sort(),
    needs: [...needs].sort(),
    hooks: hooksOf(unit).map(({ id }) => id),
    unresolved: offered.unresolved,
    schemas: offered.schemas,
  };
}

function apiOf(self: InstalledPackage): NonNullable<PackContents["api"]> {
  const mistake = checkApi(self)?.message;
  return mistake === undefined ? { range: String(self.description?.api) } : { mistake };
}

interface Offered {
  readonly files: string[];
  readonly unresolved: string[];
  readonly schemas: string[];
}

const NOTHING: Offered = { files: [], unresolved: [], schemas: [] };

async function findSelf(root: string): Promise<InstalledPackage | undefined> {
  const { name } = (await readOwnPackage(root)) ?? {};
  const found = typeof name === "string" ? await new Packages(root).find(name) : undefined;
  return found === undefined || "broken" in found ? undefined : found;
}

/** What its package.json says of hooks others may bind one by one. */
async function readOffered(self: InstalledPackage, { root, manifest, checked }: Unit): Promise<Offered> {
  const offered: Offered = { files: [], unresolved: [], schemas: [] };
  const home = { root, manifest, packages: new Packages(root), resolved: new Map(), isSpoilt: () => false };
  for (const [name, { options }] of Object.entries(self.description?.hooks ?? {})) {
    const target = await resolveTarget(`${self.name}::${name}`, home);
    if ("code" in target) offered.unresolved.push(`${name}: ${target.message}`);
    else if (!mayExport(await readFile(target.file, "utf8"), name)) {
      offered.unresolved.push(`${name}: ${shownFrom(root, target.file)} exports no "${name}"`);
    } else offered.files.push(shownFrom(root, target.file));
    if (options === undefined) continue;
    offered.files.push(options);
    const set = checked.bindings.filter(({ target: { exportName } }) => exportName === name).map((each) => each.entry);
    offered.schemas.push(
      ...(await schemaMistakes(self, name, set.flatMap((entry) => entry.options ?? []) as object[])),
    );
  }
  return offered;
}
