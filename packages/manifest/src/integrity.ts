import { readdirSync, readFileSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import { realpath } from "./disk.js";
import { MANIFEST } from "./find.js";
import type { HashCache } from "./hash-cache.js";
import { readDependencies } from "./packages.js";
import type { Stamps } from "./stamps.js";
import type { Unit } from "./unit.js";

/** An installed package as it is on the disk. */
export interface Sealed {
  readonly name: string;
  readonly version: string;
  /** Whether it lies outside of every node_modules: a part of the workspace, or what somebody links into it. */
  readonly isLinked: boolean;
  /** A pack, a package that hooks are bound from, or what one of these depends on. */
  readonly kind: "pack" | "hooks" | "dependency";
  /** The hash of what says what it is: a pack's harn.toml, the package.json of any other. */
  readonly manifest: string;
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
export async function sealPackages(
  units: readonly Unit[],
  imported: ReadonlySet<string>,
  stamps: Stamps,
  hashes: HashCache,
): Promise<Sealed[]> {
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
  for (const root of imported) if (!projects.has(root)) want(root, "dependency");
  for (const root of [...wanted.keys()]) {
    for (const dependency of await readDependencies(root)) want(await realpath(dependency), "dependency");
  }
  const sealed: Sealed[] = [];
  for (const [root, { kind, hooks, capabilities }] of wanted) {
    const { name = "", version = "" } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
      name?: string;
      version?: string;
    };
    const files = hashFiles(root, kind === "dependency" ? LOADABLE : ANYTHING, stamps, hashes);
    const manifest = files.get(kind === "pack" ? MANIFEST : "package.json") ?? "";
    const lists = { hooks: [...hooks].sort(), capabilities: [...capabilities].sort() };
    const isLinked = !root.split(sep).includes("node_modules");
    sealed.push({ name, version, isLinked, kind, manifest, files, ...lists });
  }
  return once(sealed).sort((a, b) => (`${a.name}@${a.version}` < `${b.name}@${b.version}` ? -1 : 1));
}

/** One version that is installed in several places, and the same in each, is one package. */
function once(sealed: readonly Sealed[]): Sealed[] {
  const known = new Map<string, Sealed>();
  for (const entry of sealed) {
    const key = JSON.stringify([entry.name, entry.version, ...entry.files]);
    const other = known.get(key);
    if (other === undefined || other.kind === "dependency") known.set(key, entry);
  }
  return [...known.values()];
}

// What a dependency only documents cannot be loaded.
const LOADABLE = /(?<!\.d)\.(?:[cm]?[jt]s|json|node|wasm)$/;
const ANYTHING = /^/;

// Read without going through the thread pool: that takes longer than the hashing.
function hashFiles(root: string, relevant: RegExp, stamps: Stamps, hashes: HashCache): Map<string, string> {
  const files = new Map<string, string>();
  const visit = (directory: string, place: string): void => {
    stamps.note(directory);
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      if (entry.name === "node_modules") continue;
      const path = join(directory, entry.name);
      const name = place === "" ? entry.name : `${place}/${entry.name}`;
      if (entry.isDirectory()) visit(path, name);
      else if (entry.isSymbolicLink()) {
        stamps.note(path);
        files.set(name, `link:${readlinkSync(path)}`);
        follow(path, name);
      } else if (entry.isFile() && relevant.test(entry.name)) {
        files.set(name, `sha256:${hashes.hash(path, stamps)}`);
      }
    }
  };
  const followed = new Set<string>();
  // What a link leads to is loaded through it, wherever it lies.
  const follow = (path: string, name: string): void => {
    const target = statSync(path, { throwIfNoEntry: false });
    const real = target === undefined ? path : realpathSync(path);
    if (target === undefined || followed.has(real)) return;
    followed.add(real);
    if (target.isDirectory()) visit(real, name);
    else if (target.isFile()) files.set(name, `${files.get(name)} sha256:${hashes.hash(real, stamps)}`);
  };
  visit(root, "");
  return new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1)));
}
