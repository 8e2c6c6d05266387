import { lstatSync, readlinkSync, realpathSync, type Stats } from "node:fs";
import { componentsOf } from "./globs.js";

/** Where a path really leads. */
export interface Located {
  /** Absolute, links resolved, `.` and `..` taken out; what does not exist stands below its deepest ancestor that does. */
  readonly path: string;
  readonly exists: boolean;
  /** Why nobody can say where it leads; null where it is known. */
  readonly problem: string | null;
  /** Whether it is a device that holds nothing: /dev/null, a standard stream. */
  readonly isDevice: boolean;
}

export interface Surroundings {
  readonly home: string;
  /** Variables that a tool may put into a path. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** How to look at the disk; `lookOnce` for many paths at one moment. */
  readonly look?: Look;
}

/** What stands under a path, links not followed; undefined for nothing. */
export type Look = (path: string) => Stats | undefined;

/** Looks at each path once, however often it is asked for. */
export function lookOnce(): Look {
  const seen = new Map<string, Stats | undefined>();
  return (path) => {
    if (seen.has(path)) return seen.get(path);
    const found = statOf(path);
    seen.set(path, found);
    return found;
  };
}

const DEVICE = /^\/dev\/(?:null|zero|full|u?random|tty|std(?:in|out|err)|fd\/[012])$|^\/proc\/self\/fd\/[012]$/;
// Ways to any file of the machine, whatever their names say. They lead elsewhere for whoever uses them than for a hook.
const MAGIC = /^\/proc\/(?:self|thread-self|\d+)(?:\/task\/\d+)?\/(?:root|cwd|exe|fd|map_files)$/;
const MAX_LINKS = 40;
const MAX_LENGTH = 8_192;

/**
 * Everything a path may mean, each resolved: as it is written, with `..` taken out by its text as many programs do
 * before the system sees it, with `~`, variables and file URLs put in, and as Windows would read it.
 */
export function locate(path: string, base: string, around: Surroundings): Located[] {
  if (path.length > MAX_LENGTH) return [unclear(path.slice(0, 100), "its path is too long")];
  if (path.includes("\0")) return [unclear(path, "its path has a NUL character in it")];
  if (/^(?:\\\\|\/\/[?.]\/|\/\/[^/]+\/[^/]+$)/.test(path) && path.includes("\\")) {
    return [unclear(path, "it is a network or device path of Windows")];
  }
  const found = new Map<string, Located>();
  for (const reading of readingsOf(path, around)) {
    if (reading.includes("\0")) return [unclear(path, "its path has a NUL character in it")];
    const written = reading.startsWith("/") ? reading : `${base}/${reading}`;
    const meanings = written.includes("..") ? [written, `/${lexical(written).join("/")}`] : [written];
    for (const one of meanings) {
      const located = resolveReal(one, around.look);
      found.set(`${located.problem}${located.path}`, located);
    }
  }
  return [...found.values()];
}

function unclear(path: string, problem: string): Located {
  return { path, exists: false, problem, isDevice: false };
}

function readingsOf(path: string, { home, variables }: Surroundings): Set<string> {
  const readings = new Set([expandHome(path, home)]);
  if (/^file:/i.test(path)) readings.add(decoded(path.replace(/^file:(?:\/\/[^/]*)?/i, "")));
  // vscode-remote:///etc, and whatever else names no host.
  if (/^[a-z][\w+.-]*:\/\/\//i.test(path)) readings.add(decoded(path.replace(/^[a-z][\w+.-]*:\/\//i, "")));
  // Some tools trim what they are given, some decode it.
  if (/^\s|\s$/.test(path)) readings.add(expandHome(path.trim(), home));
  if (/%[0-9a-f]{2}/i.test(path)) readings.add(expandHome(decoded(path), home));
  if (path.includes("$")) readings.add(expandHome(expandVariables(path, { HOME: home, ...variables }), home));
  for (const reading of [...readings]) {
    const plain = reading
      .replace(/^[A-Za-z]:(?=[\\/])/, "")
      .replaceAll("\\", "/")
      .replace(/(?<=[^./])[. ]+(?=\/|$)/g, "");
    readings.add(plain);
  }
  return readings;
}

/** What cannot be decoded may be anything. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return "/";
  }
}

function expandHome(path: string, home: string): string {
  const [, user] = /^~([^/]*)/.exec(path) ?? [];
  if (user === undefined) return path;
  const directory = user === "" ? home : user === "root" ? "/root" : `${home.slice(0, home.lastIndexOf("/"))}/${user}`;
  return directory + path.slice(user.length + 1);
}

function expandVariables(path: string, variables: Readonly<Record<string, string | undefined>>): string {
  return path.replace(
    /\$(?:\{(\w+)[^}]*\}|(\w+))/g,
    (_, long: string, short: string) => variables[long ?? short] ?? "",
  );
}

/** Components with `..` taken out by the text alone. */
function lexical(path: string): string[] {
  const kept: string[] = [];
  for (const name of componentsOf(path)) {
    if (name === "..") kept.pop();
    else kept.push(name);
  }
  return kept;
}

/** Follows every link of an absolute path, as the system does when it is used. */
export function resolveReal(absolute: string, look: Look = statOf): Located {
  const device = `/${lexical(absolute).join("/")}`;
  if (DEVICE.test(device)) return { path: device, exists: true, problem: null, isDevice: true };
  const ahead = componentsOf(absolute).reverse();
  let at = "";
  let exists = true;
  let links = 0;
  for (let name = ahead.pop(); name !== undefined; name = ahead.pop()) {
    if (name === "..") {
      at = at.slice(0, Math.max(0, at.lastIndexOf("/")));
      exists ||= look(at) !== undefined;
      continue;
    }
    const next = `${at}/${name}`;
    if (MAGIC.test(next)) return unclear(next, `${next} is a way to any file`);
    const found = exists ? look(next) : undefined;
    if (found === undefined) exists = false;
    if (found?.isSymbolicLink() !== true) {
      at = next;
      continue;
    }
    if (++links > MAX_LINKS) return unclear(absolute, "its links lead in circles");
    const target = readlinkSync(next);
    if (DEVICE.test(target) && ahead.length === 0) return { path: target, exists: true, problem: null, isDevice: true };
    if (target.startsWith("/")) at = "";
    ahead.push(...componentsOf(target).reverse());
  }
  return { path: exists ? asNamed(at) : at || "/", exists, problem: null, isDevice: false };
}

/** The name as the disk spells it, where file systems take several spellings for one. */
function asNamed(path: string): string {
  if (path === "") return "/";
  return process.platform === "darwin" || process.platform === "win32" ? realpathSync.native(path) : path;
}

function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path === "" ? "/" : path, { throwIfNoEntry: false });
  } catch (error) {
    const { code } = error as { code?: string };
    // Below a file there is nothing, and what may not be looked at is not there for whoever asks.
    if (code === "ENOTDIR" || code === "EACCES" || code === "ENAMETOOLONG") return undefined;
    throw error;
  }
}
