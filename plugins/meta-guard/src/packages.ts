import { readdirSync, realpathSync } from "node:fs";
import { join } from "node:path";

/** Packages of a directory of packages, of one scope of it, or of the project it belongs to. */
export function packagesIn(directory: string): string[] {
  const home = /\/node_modules(?:\/@[^/]+)?$/.test(directory) ? directory : join(directory, "node_modules");
  return namesIn(home).flatMap((name) =>
    name.startsWith("@") ? namesIn(join(home, name)).map((own) => join(home, name, own)) : join(home, name),
  );
}

/** Where a package really lies. */
export function placeOf(directory: string): string {
  try {
    return realpathSync(directory);
  } catch {
    return directory;
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
