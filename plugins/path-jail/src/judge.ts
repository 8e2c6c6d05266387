import { lstatSync, readdirSync } from "node:fs";
import { isInside, type Located, type PathUse, resolveReal } from "@hooks/paths";
import type { Settings } from "./settings.js";

export interface Ruling {
  readonly verdict: "allow" | "ask" | "block";
  readonly reason: string;
}

const FINE: Ruling = { verdict: "allow", reason: "" };

/** What a use of a path comes to, for one of the places it may lead to. */
export function judge(use: PathUse, located: Located, settings: Settings): Ruling {
  const { path, problem, isDevice, exists } = located;
  const { access, by, isTree } = use;
  if (isDevice) return FINE;
  if (problem !== null) return block(`${by} cannot use ${shown(use.path)}: ${problem}`);
  const does = `${by} would ${access} ${shown(path)}`;
  if (settings.isDenied(path) === true) return block(`${does}, which is denied here`);
  const allowed = access === "write" ? settings.isWritable : settings.isReadable;
  if (allowed(path) !== true) return block(outside(does, path, access, settings));
  if (settings.isAsked(path) === true) return { verdict: "ask", reason: `${does}, which a person decides` };
  if (!exists) return FINE;
  if (use.followsLinks) {
    const away = linkAway(use, path, settings);
    if (away !== null) return away;
  }
  if (settings.deniedPlaces.length === 0) return FINE;
  const twin = protectedTwin(path, settings);
  if (twin !== null) return block(`${does}, which is the same file as ${shown(twin)}, and that is denied here`);
  if (!isTree) return FINE;
  const below = protectedBelow(path, settings);
  if (below === undefined) return FINE;
  const reason = `${does} with everything below it, and ${shown(below)} is denied here: name what you need instead`;
  return { verdict: access === "write" ? "block" : "ask", reason };
}

function block(reason: string): Ruling {
  return { verdict: "block", reason };
}

function outside(does: string, path: string, access: string, { roots }: Settings): string {
  const isIn = roots.some((root) => isInside(path, root));
  if (isIn) return `${does}, which may not be ${access === "write" ? "written" : "read"} here`;
  return `${does}, which is outside of ${roots.map(shown).join(" and ")}: use a path inside`;
}

function shown(path: string): string {
  return JSON.stringify(path.length > 200 ? `${path.slice(0, 200)}...` : path).slice(1, -1);
}

const MAX_ENTRIES = 5_000;
const SKIPPED: ReadonlySet<string> = new Set(["node_modules", ".git"]);

/** Files below a directory, as many as are worth looking at. */
function* filesBelow(directory: string, budget: { left: number }): Generator<string> {
  let entries: ReturnType<typeof readNames>;
  try {
    entries = readNames(directory);
  } catch {
    return;
  }
  for (const entry of entries) {
    if (budget.left-- <= 0) return;
    const path = `${directory === "/" ? "" : directory}/${entry.name}`;
    yield path;
    if (entry.isDirectory() && !SKIPPED.has(entry.name)) yield* filesBelow(path, budget);
  }
}

function readNames(directory: string) {
  return readdirSync(directory, { withFileTypes: true });
}

/** What comes of the first link below a directory that leads somewhere it may not. */
function linkAway(use: PathUse, directory: string, settings: Settings): Ruling | null {
  for (const path of filesBelow(directory, { left: MAX_ENTRIES })) {
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) continue;
    const ruling = judge({ ...use, isTree: false, followsLinks: false }, resolveReal(path), settings);
    if (ruling.verdict !== "allow") return ruling;
  }
  return null;
}

function protectedBelow(directory: string, { isDenied, deniedPlaces }: Settings): string | undefined {
  const budget = { left: MAX_ENTRIES };
  for (const place of deniedPlaces) {
    const start = isInside(directory, place) ? directory : isInside(place, directory) ? place : null;
    if (start === null) continue;
    if (start !== directory && isDenied(start) === true && lstatSync(start, { throwIfNoEntry: false })) return start;
    for (const path of filesBelow(start, budget)) if (isDenied(path) === true) return path;
  }
  return undefined;
}

/** A protected file that is this one under another name: a hard link has no target that could be resolved. */
function protectedTwin(path: string, { deniedPlaces, isDenied }: Settings): string | null {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isFile() !== true || found.nlink < 2) return null;
  const budget = { left: MAX_ENTRIES };
  for (const place of deniedPlaces) {
    for (const other of [place, ...filesBelow(place, budget)]) {
      if (isDenied(other) !== true) continue;
      const same = lstatSync(other, { throwIfNoEntry: false });
      if (same?.ino === found.ino && same.dev === found.dev) return other;
    }
  }
  return null;
}
