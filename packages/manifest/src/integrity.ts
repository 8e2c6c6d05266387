import { readdir, readFile, readlink, realpath } from "node:fs/promises";
import { join } from "node:path";
import { sha256 } from "./content.js";
import { readDependencies } from "./packages.js";
import type { Unit } from "./unit.js";

/** An installed package as it is on the disk. */
export interface Sealed {
  readonly name: string;
  readonly version: string;
  /** A pack, a package that hooks are bound from, or what one of these depends on. */
  readonly kind: "pack" | "hooks" | "dependency";
  /** The hash of every file that can be loaded or run, by its path in the package. */
  readonly files: ReadonlyMap<string, string>;
  /** The events its bound hooks answer, each with the hook. */
  readonly hooks: readonly string[];
  readonly capabilities: readonly string[];
}

interface Wanted {
  kind: Sealed["kind"];
  readonly hooks: Set<string>;
  readonly capabilities: Set<string>;
}

/** Every installed package whose code or rules a policy may use, in the order of their names. */
export async function sealPackages(units: readonly Unit[]): Promise<Sealed[]> {
  const wanted = new Map<string, Wanted>();
  const want = (root: string, kind: Sealed["kind"]): Wanted => {
    const known = wanted.get(root) ?? { kind, hooks: new Set<string>(), capabilities: new Set<string>() };
    if (kind === "pack" || known.kind === "dependency") known.kind = kind;
    wanted.set(root, known);
    return known;
  };
  const projects = new Set(units.filter(({ isInstalled }) => !isInstalled).map(({ root }) => root));
  for (const { isInstalled, root, checked } of units) {
    if (isInstalled) want(await realpath(root), "pack");
    for (const { target, event } of checked.bindings) {
      if (target.package === undefined || projects.has(target.package.root)) continue;
      const entry = want(target.package.root, "hooks");
      entry.hooks.add(`${event} ${target.exportName}`);
      for (const capability of target.package.description?.hooks[target.exportName]?.capabilities ?? []) {
        entry.capabilities.add(capability);
      }
    }
  }
  for (const root of [...wanted.keys()]) {
    for (const dependency of await readDependencies(root)) want(await realpath(dependency), "dependency");
  }
  const sealed: Sealed[] = [];
  for (const [root, { kind, hooks, capabilities }] of wanted) {
    const { name = "", version = "" } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as {
      name?: string;
      version?: string;
    };
    const files = await hashFiles(root, kind === "dependency" ? LOADABLE : ANYTHING);
    sealed.push({ name, version, kind, files, hooks: [...hooks].sort(), capabilities: [...capabilities].sort() });
  }
  return sealed.sort((a, b) => (`${a.name}@${a.version}` < `${b.name}@${b.version}` ? -1 : 1));
}

// What a dependency only documents cannot be loaded.
const LOADABLE = /(?<!\.d)\.(?:[cm]?[jt]s|json|node|wasm)$/;
const ANYTHING = /^/;

async function hashFiles(root: string, relevant: RegExp): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  const visit = async (directory: string, place: string): Promise<void> => {
    for (const entry of await readdir(directory, { withFileTypes: true })) {
      const path = join(directory, entry.name);
      const name = place === "" ? entry.name : `${place}/${entry.name}`;
      if (entry.name === "node_modules") continue;
      if (entry.isDirectory()) await visit(path, name);
      else if (entry.isSymbolicLink()) files.set(name, `link:${await readlink(path)}`);
      else if (entry.isFile() && relevant.test(entry.name)) files.set(name, `sha256:${sha256(await readFile(path))}`);
    }
  };
  await visit(root, "");
  return new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1)));
}
