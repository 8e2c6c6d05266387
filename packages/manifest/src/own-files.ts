import { dirname, join, relative, resolve, sep } from "node:path";
import { readFile, realpath } from "./disk.js";
import { Packages } from "./packages.js";
import { readImports, readPackageNames } from "./source-text.js";
import type { Stamps } from "./stamps.js";
import { isFile } from "./target.js";
import type { Unit } from "./unit.js";

/** What a project brings itself: everything of it that can run or decide. */
export interface OwnFiles {
  /** By the name of each from the project's root, with its bytes. */
  readonly files: ReadonlyMap<string, Buffer>;
  /** Directories of installed packages its modules import by their names. */
  readonly imported: ReadonlySet<string>;
  /** Names its modules import that stand for no installed package. */
  readonly missing: ReadonlySet<string>;
}

/** Collects manifests, files of hooks, modules and what they import, scripts of commands; `more` are files beside them. */
export async function readOwnFiles(
  units: readonly Unit[],
  cwd: string,
  stamps: Stamps,
  more: readonly string[] = [],
): Promise<OwnFiles> {
  const own = units.filter(({ layer, isInstalled }) => layer.kind !== "managed" && !isInstalled);
  const root = own.at(-1)?.root ?? cwd;
  const files = new Map<string, Buffer>();
  const imported = new Set<string>();
  const missing = new Set<string>();
  const add = async (path: string): Promise<void> => {
    const name = relative(root, path).split(sep).join("/");
    if (files.has(name) || !(await isFile(path))) return;
    stamps.note(path);
    const bytes = await readFile(path);
    files.set(name, bytes);
    const text = bytes.toString("utf8");
    for (const other of await readImports(path, text)) await add(other);
    const packages = new Packages(dirname(path));
    for (const wanted of readPackageNames(path, text)) {
      const found = await packages.find(wanted);
      if (found === undefined || "broken" in found) missing.add(wanted);
      else imported.add(found.root);
    }
  };
  const roots = new Set(await Promise.all(own.map((unit) => realpath(unit.root))));
  for (const unit of own) {
    await add(unit.path);
    for (const file of unit.files.texts.keys()) await add(resolve(cwd, file));
    for (const { target } of unit.checked.bindings) {
      const { package: found, exportName, file } = target;
      if (found !== undefined && !roots.has(found.root)) continue;
      await add(file);
      if (found === undefined) continue;
      // The project is a package itself, and bound by its name: what that package.json says decides too.
      await add(join(found.root, "package.json"));
      const options = found.description?.hooks[exportName]?.options;
      if (options !== undefined) await add(join(found.root, options));
    }
    for (const { command } of unit.checked.commands) {
      for (const word of command.argv) await add(resolve(unit.root, word));
    }
  }
  for (const name of more) await add(resolve(root, name));
  return { files, imported, missing };
}
