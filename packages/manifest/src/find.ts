import { dirname, join, resolve } from "node:path";
import { lstat } from "./disk.js";

export const MANIFEST = "harn.toml";

/** The nearest harn.toml from a directory upwards, not past the root of its repository; null when there is none. */
export function findManifest(from: string): Promise<string | null> {
  return findUpwards(from, [MANIFEST]);
}

/** The nearest directory upwards that holds Markdown hooks of its own, for projects without a manifest. */
export async function findProject(from: string): Promise<string | null> {
  const found = await findUpwards(from, [".harness", "harness.md"]);
  return found === null ? null : dirname(found);
}

async function findUpwards(from: string, names: readonly string[]): Promise<string | null> {
  for (let directory = resolve(from); ; directory = dirname(directory)) {
    for (const name of names) {
      const candidate = join(directory, name);
      if (await exists(candidate)) return candidate;
    }
    if (directory === dirname(directory) || (await exists(join(directory, ".git")))) return null;
  }
}

/** Whether there is anything at a path, also what cannot be read and a link to nothing: errors, and not an absence. */
async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code !== "ENOENT" && code !== "ENOTDIR";
  }
}
