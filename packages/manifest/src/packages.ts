import { readFile, realpath } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { type Description, readDescription } from "./description.js";

/** An installed package, read and not run. */
export interface InstalledPackage {
  readonly name: string;
  readonly version: string | undefined;
  /** Its directory, links resolved. */
  readonly root: string;
  /** What it says of its hooks; undefined when it says nothing. */
  readonly description: Description | undefined;
}

/** A package that is there and cannot be understood. */
export interface BrokenPackage {
  readonly name: string;
  readonly broken: string;
}

/** Finds packages the way Node does: node_modules of this directory, then of every directory above it. */
export class Packages {
  private readonly found = new Map<string, Promise<InstalledPackage | BrokenPackage | undefined>>();

  constructor(private readonly from: string) {}

  find(name: string): Promise<InstalledPackage | BrokenPackage | undefined> {
    const known = this.found.get(name) ?? this.search(name);
    this.found.set(name, known);
    return known;
  }

  private async search(name: string): Promise<InstalledPackage | BrokenPackage | undefined> {
    for (let directory = this.from; ; directory = dirname(directory)) {
      const text = await read(join(directory, "node_modules", name, "package.json"));
      if (text !== undefined) return readPackage(name, text, await realpath(join(directory, "node_modules", name)));
      if (directory === dirname(directory)) return undefined;
    }
  }
}

/** The package a directory itself is, for a manifest that names its own package. */
export async function readOwnPackage(root: string): Promise<{ name?: unknown } | undefined> {
  const text = await read(join(root, "package.json"));
  try {
    return text === undefined ? undefined : (JSON.parse(text) as { name?: unknown });
  } catch {
    return undefined;
  }
}

function readPackage(name: string, text: string, root: string): InstalledPackage | BrokenPackage {
  let json: { version?: unknown; harn?: unknown };
  try {
    json = JSON.parse(text) as typeof json;
  } catch {
    return { name, broken: "its package.json is not JSON" };
  }
  if (typeof json !== "object" || json === null) return { name, broken: "its package.json is not an object" };
  const description = readDescription(json.harn);
  if (typeof description === "string") return { name, broken: `package.json: ${description}` };
  return { name, version: typeof json.version === "string" ? json.version : undefined, root, description };
}

async function read(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

/** Whether a file lies inside a directory once every link on the way is resolved. */
export async function isInside(file: string, root: string): Promise<boolean> {
  const [real, realRoot] = await Promise.all([realpath(file), realpath(root)]);
  return real.startsWith(realRoot.endsWith(sep) ? realRoot : realRoot + sep);
}
