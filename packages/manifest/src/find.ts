import { lstat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

export const MANIFEST = "harn.toml";

/** The nearest harn.toml from a directory upwards, not past the root of its repository; null when there is none. */
export async function findManifest(from: string): Promise<string | null> {
  for (let directory = resolve(from); ; directory = dirname(directory)) {
    const candidate = join(directory, MANIFEST);
    if (await exists(candidate)) return candidate;
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
