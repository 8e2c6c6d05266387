import { basename, join, relative, sep } from "node:path";
import { nearest } from "@hooks/core";
import { lstat, readdir } from "../disk.js";
import { isInside } from "../packages.js";
import type { Problem } from "../problem.js";

const HOME = ".harness";
export const HOOKS = `${HOME}/hooks`;
const BUNDLES = [`${HOME}/builtins`, `${HOME}/overrides`, `${HOME}/plugins`];
export const HARNESS = "harness.md";

/** A Markdown file with hooks in it. */
export interface Source {
  readonly path: string;
  /** From the project's root, with slashes on every platform: what files are ordered by. */
  readonly place: string;
  /** `hook`: the file is one hook; `bundle` and `harness`: it lists them. */
  readonly kind: "hook" | "bundle" | "harness";
}

export interface Sources {
  readonly sources: readonly Source[];
  readonly problems: readonly Problem[];
}

/** A source the manifest names, and how to complain about it. */
export interface Named {
  readonly directory: string;
  readonly refuse: (message: string, help: string) => void;
}

/**
 * Finds the Markdown files of a project, ordered by path: the directories the manifest names or the one that is read by
 * default, the bundles, and harness.md. What looks like a hook and is not read is said.
 */
export async function findSources(
  root: string,
  named: readonly Named[] | undefined,
  show: (path: string) => string,
): Promise<Sources> {
  const problems: Problem[] = [];
  const sources = new Map<string, Source>();
  const add = (path: string, kind: Source["kind"]) => {
    const place = relative(root, path).split(sep).join("/").normalize("NFC");
    sources.set(place, { path, place, kind });
  };
  const readFolder = async (folder: string, kind: Source["kind"], entry?: Named): Promise<void> => {
    const directory = join(root, folder);
    const refuse = entry?.refuse ?? ((message, help) => void problems.push(unread(show(directory), message, help)));
    const files = await list(directory);
    if (typeof files === "string") {
      if (files !== "" || entry !== undefined) {
        refuse(`${folder} ${files || "does not exist"}`, "name a directory of Markdown hooks");
      }
      return;
    }
    if (!(await isWithin(directory, root))) {
      refuse(`${folder} lies outside of the project`, "keep hooks inside of the project");
      return;
    }
    for (const { name, isDirectory } of files) {
      const path = join(directory, name);
      const why = isDirectory ? await folderMistake(path) : fileMistake(name);
      if (why !== undefined) problems.push(notLoaded(show(path), why));
      else if (!isDirectory && name.endsWith(".md")) {
        if (await isWithin(path, root)) add(path, kind);
        else problems.push(outside(show(path)));
      }
    }
  };
  if (named === undefined) await readFolder(HOOKS, "hook");
  for (const entry of named ?? []) await readFolder(entry.directory, "hook", entry);
  if (named !== undefined && !(await isCovered(root, named))) {
    const files = await list(join(root, HOOKS));
    if (typeof files !== "string" && files.some(({ name }) => name.endsWith(".md"))) {
      problems.push(notLoaded(show(join(root, HOOKS)), `it is not in the manifest's list of sources`));
    }
  }
  for (const folder of BUNDLES) await readFolder(folder, "bundle");
  for (const [path, why] of await misspelt(root)) problems.push(notLoaded(show(path), why));
  const harness = join(root, HARNESS);
  if (await isThere(harness)) {
    if (await isWithin(harness, root)) add(harness, "harness");
    else problems.push(outside(show(harness)));
  }
  // By code unit, so that the order is the same on every machine and in every language.
  return { sources: [...sources.values()].sort((a, b) => (a.place < b.place ? -1 : 1)), problems };
}

/** Names that are nearly those hooks are read from: whoever chose them thinks that they are. */
async function misspelt(root: string): Promise<[path: string, why: string][]> {
  const home = join(root, HOME);
  const [around, inside] = await Promise.all([list(root), list(home)]);
  if (typeof around === "string" || typeof inside === "string") return [];
  const folders = [HOOKS, ...BUNDLES].map((folder) => basename(folder));
  const wrong = inside.flatMap(({ name, isDirectory }): [string, string][] => {
    const near = isDirectory && !folders.includes(name) ? nearest(name, folders) : undefined;
    return near === undefined ? [] : [[join(home, name), `hooks are in ${HOME}/${near}`]];
  });
  // On a disk that tells large letters from small ones.
  const shouted = around.find(({ name }) => name !== HARNESS && name.toLowerCase() === HARNESS);
  return shouted === undefined ? wrong : [...wrong, [join(root, shouted.name), `its name must be "${HARNESS}"`]];
}

interface Entry {
  readonly name: string;
  readonly isDirectory: boolean;
}

/** What is in a directory; a text says why that cannot be told, the empty one that it is not there. */
async function list(directory: string): Promise<readonly Entry[] | string> {
  try {
    const entries = await readdir(directory, { withFileTypes: true });
    return entries.map((entry) => ({ name: entry.name, isDirectory: entry.isDirectory() }));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return "";
    return code === "ENOTDIR" ? "is not a directory" : `cannot be read: ${message}`;
  }
}

async function folderMistake(path: string): Promise<string | undefined> {
  const files = await list(path);
  if (typeof files === "string") return files;
  return files.some(({ name }) => name.endsWith(".md")) ? "hooks are files, and not files of directories" : undefined;
}

function fileMistake(name: string): string | undefined {
  if (!/\.(?:md|markdown|mdx)$/i.test(name)) return undefined;
  if (name.startsWith(".")) return "a file whose name starts with a dot is hidden";
  return name.endsWith(".md") ? undefined : 'its name must end with ".md"';
}

async function isCovered(root: string, named: readonly Named[]): Promise<boolean> {
  return named.some(({ directory }) => relative(join(root, HOOKS), join(root, directory)) === "");
}

/** Whether a path lies inside the project; what leads nowhere does, and fails when it is read. */
export async function isWithin(path: string, root: string): Promise<boolean> {
  try {
    return await isInside(path, root);
  } catch {
    return true;
  }
}

/** Whether there is anything at a path. */
export async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code !== "ENOENT" && code !== "ENOTDIR";
  }
}

const top = (file: string) => ({ file, line: 1, column: 1, length: 1 });

function unread(file: string, message: string, help: string): Problem {
  return { code: "HARN_E_SOURCE_READ", severity: "error", message, place: top(file), help };
}

function outside(file: string): Problem {
  return unread(file, `${file} lies outside of the project`, "put the file itself here, and not a link to it");
}

function notLoaded(file: string, why: string): Problem {
  return {
    code: "HARN_W_NOT_LOADED",
    severity: "warning",
    message: `${file} is not loaded: ${why}`,
    place: top(file),
    help: "move it to where hooks are loaded from, or away",
  };
}
