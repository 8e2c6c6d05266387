import { lstatSync, readdirSync, readFileSync, type Stats, statSync } from "node:fs";

/** Whether there is anything under a path, a link that leads nowhere included. */
export function isThere(path: string | undefined): boolean {
  return path !== undefined && found(lstatSync, path) !== undefined;
}

export function isDirectory(path: string | undefined): boolean {
  return path !== undefined && found(statSync, path)?.isDirectory() === true;
}

/** What is too long for a name, or may not be looked at, is not there for whoever asks. */
function found(look: typeof statSync, path: string): Stats | undefined {
  try {
    return look(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

const LARGEST_TEXT = 2_000_000;

/** What a file says now; null where it cannot be read. */
export function readText(path: string | undefined): string | null {
  if (path === undefined) return null;
  try {
    const file = found(statSync, path);
    return file?.isFile() === true && file.size <= LARGEST_TEXT ? readFileSync(path, "utf8") : null;
  } catch {
    return null;
  }
}

const MOST_NAMES = 300;

/** Files and directories below a directory, relative to it; as many as are worth looking at. */
export function namesBelow(directory: string): readonly string[] {
  const names: string[] = [];
  const open = [""];
  for (let next = open.shift(); next !== undefined && names.length < MOST_NAMES; next = open.shift()) {
    for (const entry of entriesOf(`${directory}/${next}`)) {
      const name = `${next}${entry.name}`;
      names.push(name);
      if (entry.isDirectory() && entry.name !== ".git") open.push(`${name}/`);
    }
  }
  return names.slice(0, MOST_NAMES);
}

function entriesOf(directory: string) {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}
