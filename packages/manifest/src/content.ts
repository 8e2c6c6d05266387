import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join, relative, resolve, sep } from "node:path";
import { canonicalJson } from "@hooks/core";
import { readImports } from "./source-text.js";
import { isFile } from "./target.js";
import type { Unit } from "./unit.js";

/** What a project brings that can run or decide, and what it is known by. */
export interface Content {
  /** The SHA-256 of all of it. */
  readonly digest: string;
  /** Its files from the project's root, each with its bytes. */
  readonly files: ReadonlyMap<string, Buffer>;
  /** The packages its hooks come from, each as name@version. Their bytes are what harn.lock is for. */
  readonly packages: readonly string[];
}

export const LOCK = "harn.lock";

/** Collects the content of a project: manifests, files of hooks, modules and what they import, scripts of commands. */
export async function contentOf(units: readonly Unit[], cwd: string): Promise<Content> {
  const own = units.filter(({ layer, isInstalled }) => layer.kind !== "managed" && !isInstalled);
  const root = own.at(-1)?.root ?? cwd;
  const files = new Map<string, Buffer>();
  const add = async (path: string): Promise<void> => {
    const name = relative(root, path).split(sep).join("/");
    if (files.has(name) || !(await isFile(path))) return;
    const bytes = await readFile(path);
    files.set(name, bytes);
    for (const imported of await readImports(path, bytes.toString("utf8"))) await add(imported);
  };
  const packages = new Set<string>();
  for (const unit of own) {
    await add(unit.path);
    for (const file of unit.files.texts.keys()) await add(resolve(cwd, file));
    for (const { target } of unit.checked.bindings) if (target.package === undefined) await add(target.file);
    for (const { command } of unit.checked.commands) {
      for (const word of command.argv) await add(resolve(unit.root, word));
    }
  }
  for (const { layer, isInstalled, checked } of units.filter(({ layer }) => layer.kind !== "managed")) {
    if (isInstalled) packages.add(`${layer.name}@${layer.version}`);
    for (const { target } of checked.bindings) {
      if (target.package !== undefined) packages.add(`${target.package.name}@${target.package.version}`);
    }
  }
  await add(join(root, LOCK));
  const listed = [...files].map(([name, bytes]) => [name, sha256(bytes)]).sort();
  const text = canonicalJson({ files: listed, packages: [...packages].sort() } as never);
  return { digest: sha256(Buffer.from(text)), files, packages: [...packages].sort() };
}

export function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
