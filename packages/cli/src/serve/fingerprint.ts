import { type Dirent, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

const RELEVANT = /\.(toml|lock|[cm]?[jt]s|json|md|star|sh|py)$/;
const MOST_FILES = 2_000;

/**
 * What the files of a policy look like from outside: the manifest, and everything below its directory that a hook could
 * be made of. Installed packages are known by the lockfiles beside them. Above a bound only the directory itself counts.
 */
export function fingerprint(root: string): string {
  const seen: string[] = [];
  const pending = [root];
  for (let directory = pending.pop(); directory !== undefined; directory = pending.pop()) {
    for (const entry of entriesOf(directory)) {
      const path = join(directory, entry.name);
      if (entry.isDirectory()) {
        if (entry.name === ".harness" || !(entry.name.startsWith(".") || entry.name === "node_modules"))
          pending.push(path);
      } else if (RELEVANT.test(entry.name)) seen.push(look(path));
      if (seen.length > MOST_FILES) return flat(root);
    }
  }
  return seen.sort().join("\n");
}

function flat(root: string): string {
  const files = entriesOf(root).filter((entry) => entry.isFile() && RELEVANT.test(entry.name));
  return files.map(({ name }) => look(join(root, name))).join("\n");
}

function look(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return `${path} ${found?.mtimeMs} ${found?.size} ${found?.ino}`;
}

function entriesOf(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}
