import { dirname, join, sep } from "node:path";
import { messageOf } from "@hooks/core";
import { type Description, readDescription } from "./description.js";
import { readFile, realpath } from "./disk.js";

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

/** Finds packages the way Node does: the one this directory is, then node_modules here and in every directory above. */
export class Packages {
  private own: Promise<{ readonly name?: unknown } | undefined> | undefined;
  private readonly found = new Map<string, Promise<InstalledPackage | BrokenPackage | undefined>>();

  constructor(private readonly from: string) {}

  find(name: string): Promise<InstalledPackage | BrokenPackage | undefined> {
    const known = this.found.get(name) ?? this.search(name);
    this.found.set(name, known);
    return known;
  }

  private async search(name: string): Promise<InstalledPackage | BrokenPackage | undefined> {
    try {
      this.own ??= readOwnPackage(this.from);
      const isOwn = (await this.own)?.name === name;
      const found = await (isOwn ? readAt(this.from) : locate(name, this.from));
      return found && readPackage(name, found.text, await realpath(found.directory));
    } catch (error) {
      return { name, broken: `its package.json cannot be read: ${messageOf(error)}` };
    }
  }
}

interface Found {
  readonly directory: string;
  /** Its package.json. */
  readonly text: string;
}

/** The directory of a package as seen from another one. */
async function locate(name: string, from: string): Promise<Found | undefined> {
  for (let directory = from; ; directory = dirname(directory)) {
    const found = await readAt(join(directory, "node_modules", name));
    if (found !== undefined) return found;
    if (directory === dirname(directory)) return undefined;
  }
}

async function readAt(directory: string): Promise<Found | undefined> {
  const text = await read(join(directory, "package.json"));
  return text === undefined ? undefined : { directory, text };
}

/** The package a directory itself is. */
export async function readOwnPackage(root: string): Promise<{ readonly name?: unknown } | undefined> {
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
  if (typeof json !== "object" || json === null || Array.isArray(json))
    return { name, broken: "its package.json is not an object" };
  const description = readDescription(json.harn);
  if (typeof description === "string") return { name, broken: `package.json: ${description}` };
  return { name, version: typeof json.version === "string" ? json.version : undefined, root, description };
}

async function read(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (["ENOENT", "ENOTDIR", "ENAMETOOLONG"].includes(code ?? "")) return undefined;
    throw error;
  }
}

/** Whether a file lies inside a directory once every link on the way is resolved. */
export async function isInside(file: string, root: string): Promise<boolean> {
  const [real, realRoot] = await Promise.all([realpath(file), realpath(root)]);
  return real.startsWith(realRoot.endsWith(sep) ? realRoot : realRoot + sep);
}

/** The directories of everything a package depends on, links and what they lead to: what its code must be able to read. */
export async function readDependencies(root: string): Promise<Set<string>> {
  const found = new Set<string>();
  const visited = new Set<string>();
  const visit = async (directory: string): Promise<void> => {
    if (visited.has(directory)) return;
    visited.add(directory);
    for (const name of await dependenciesOf(directory)) {
      const link = (await locate(name, directory))?.directory;
      if (link === undefined) continue;
      const real = await realpath(link);
      found.add(link).add(real);
      await visit(real);
    }
  };
  await visit(await realpath(root));
  return found;
}

async function dependenciesOf(directory: string): Promise<string[]> {
  try {
    const text = (await read(join(directory, "package.json"))) ?? "{}";
    const { dependencies, optionalDependencies, peerDependencies } = JSON.parse(text) as Record<string, object>;
    const names = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });
    // A name that climbs out of node_modules would grant a package the project it is installed in.
    return names.filter((name) => /^(?:@[\w.~-]+\/)?[\w~-][\w.~-]*$/.test(name));
  } catch {
    return [];
  }
}
