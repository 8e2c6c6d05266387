import { type Dirent, readdirSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { findManaged, Packages, readContent } from "@hooks/manifest";

const DATA = /\.(toml|lock|[cm]?[jt]s|json|ya?ml|md|star|sh|py)$/;
const MOST_SIBLINGS = 200;
const MOST_OF_A_PACKAGE = 1_000;

/**
 * What a policy is made of, as files and directories to look at: manifests and everything they name, what lies beside
 * it, the directories in which more could appear, and the packages. How large the project around them is does not matter.
 */
export async function pathsOf(manifest: string, cwd: string): Promise<readonly string[]> {
  const home = dirname(manifest);
  // The directory itself is left out: an agent's files come and go there.
  const own = ["harn.lock", "package.json", "harness.md"].map((name) => join(home, name));
  const paths = new Set([manifest, ...own, ...harnessOf(home)]);
  for (const path of await findManaged()) paths.add(resolve(cwd, path));
  // What cannot be read yet is looked at where it will be.
  const found = await readContent({ cwd, manifest }).catch(() => undefined);
  const root = found?.root ?? home;
  for (const name of found?.content.files.keys() ?? []) {
    const path = resolve(root, name);
    paths.add(path);
    const directory = dirname(path);
    if (directory !== home) paths.add(directory);
    for (const beside of siblingsOf(directory)) paths.add(beside);
  }
  for (const path of await packagePaths(root, found?.content.packages ?? [])) paths.add(path);
  return [...paths];
}

/** What they look like from outside. */
export function fingerprint(paths: readonly string[]): string {
  return paths
    .map((path) => {
      const found = statSync(path, { throwIfNoEntry: false });
      return `${found?.mtimeMs} ${found?.size} ${found?.ino}`;
    })
    .join("\n");
}

/** Where Markdown hooks are, or may appear. */
function harnessOf(home: string): string[] {
  const top = join(home, ".harness");
  const below = entriesOf(top).filter((entry) => entry.isDirectory());
  return [top, ...["hooks", ...below.map(({ name }) => name)].map((name) => join(top, name))];
}

function siblingsOf(directory: string): string[] {
  const files = entriesOf(directory).filter((entry) => entry.isFile() && DATA.test(entry.name));
  return files.slice(0, MOST_SIBLINGS).map(({ name }) => join(directory, name));
}

/** A package that was installed changes with its package.json; one that is linked is a project of its own. */
async function packagePaths(root: string, packages: readonly string[]): Promise<string[]> {
  const installed = new Packages(root);
  const lists = packages.map(async (known) => {
    const found = await installed.find(known.slice(0, known.lastIndexOf("@")));
    if (found === undefined || "broken" in found) return [];
    const isLinked = !/[\\/]node_modules[\\/]/.test(found.root);
    return [join(found.root, "package.json"), ...(isLinked ? filesBelow(found.root) : [])];
  });
  return (await Promise.all(lists)).flat();
}

function filesBelow(root: string): string[] {
  const files: string[] = [];
  const pending = [root];
  for (let directory = pending.pop(); directory !== undefined; directory = pending.pop()) {
    files.push(directory);
    for (const entry of entriesOf(directory)) {
      if (entry.isDirectory() && entry.name !== "node_modules" && !entry.name.startsWith("."))
        pending.push(join(directory, entry.name));
      else if (DATA.test(entry.name)) files.push(join(directory, entry.name));
    }
    if (files.length > MOST_OF_A_PACKAGE) break;
  }
  return files;
}

function entriesOf(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}
