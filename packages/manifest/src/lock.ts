import { messageOf } from "@hooks/core";
import gt from "semver/functions/gt.js";
import validVersion from "semver/functions/valid.js";
import { readFile } from "./disk.js";
import type { Sealed } from "./integrity.js";
import type { Origins } from "./origins.js";
import type { Problem } from "./problem.js";
import { parseToml } from "./toml.js";

export const LOCK = "harn.lock";

/** One package of harn.lock. */
export interface LockedPackage extends Omit<Sealed, "isLinked"> {
  /** The highest version that was ever locked here. */
  readonly highest: string;
  /** Why it is lower than that now. */
  readonly downgraded?: string | undefined;
  /** Where it was installed from, and the hash of that archive; absent for what is linked, and where nobody wrote it down. */
  readonly resolved?: string | undefined;
  readonly integrity?: string | undefined;
  /** Whether its provenance was verified; absent where no policy asks for it. */
  readonly provenance?: boolean | undefined;
}

/** harn.lock as text: the same packages always make the same bytes, and a change of one is a change of its lines. */
export function formatLock(packages: readonly LockedPackage[]): string {
  const text = (value: string) => JSON.stringify(value);
  const list = (values: readonly string[]) => `[${values.map(text).join(", ")}]`;
  const optional = (key: string, value: string | undefined) => (value === undefined ? [] : [`${key} = ${text(value)}`]);
  const entries = packages.map((entry) => {
    const { name, version, kind, manifest, highest, hooks, capabilities, files } = entry;
    return [
      "[[packages]]",
      `name = ${text(name)}`,
      `version = ${text(version)}`,
      `kind = ${text(kind)}`,
      `manifest = ${text(manifest)}`,
      `highest = ${text(highest)}`,
      ...optional("downgraded", entry.downgraded),
      ...optional("resolved", entry.resolved),
      ...optional("integrity", entry.integrity),
      ...(entry.provenance === undefined ? [] : [`provenance = ${entry.provenance}`]),
      ...(hooks.length === 0 ? [] : [`hooks = ${list(hooks)}`]),
      ...(capabilities.length === 0 ? [] : [`capabilities = ${list(capabilities)}`]),
      "",
      "[packages.files]",
      ...[...files].map(([file, hash]) => `${text(file)} = ${text(hash)}`),
    ].join("\n");
  });
  return `${["# Written by `harn lock`. What is installed must be what is written here.\nversion = 1", ...entries].join("\n\n")}\n`;
}

const CONFLICT = /^(?:<{7}|\|{7}|={7}|>{7})/m;

/** What harn.lock says, or what is wrong with it; null when there is none. */
export async function readLock(path: string): Promise<readonly LockedPackage[] | string | null> {
  let text: string;
  try {
    text = (await readFile(path, "utf8")).replaceAll("\r\n", "\n");
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? null : `it cannot be read: ${messageOf(error)}`;
  }
  return CONFLICT.test(text) ? "it has a merge conflict" : parseLock(text);
}

async function parseLock(text: string): Promise<readonly LockedPackage[] | string> {
  try {
    const { version, packages = [] } = await parseToml(text);
    if (version !== 1 || !Array.isArray(packages)) return "it is of another version";
    return packages.map((entry: Record<string, unknown>): LockedPackage => {
      const {
        name,
        version: locked,
        kind,
        manifest,
        highest,
        downgraded,
        hooks = [],
        capabilities = [],
        files,
      } = entry;
      if (typeof name !== "string" || typeof locked !== "string" || typeof files !== "object" || files === null) {
        throw new Error("a package has no name, version or files");
      }
      return {
        name,
        version: locked,
        kind: kind as Sealed["kind"],
        manifest: String(manifest ?? ""),
        highest: String(highest ?? locked),
        downgraded: downgraded === undefined ? undefined : String(downgraded),
        resolved: typeof entry.resolved === "string" ? entry.resolved : undefined,
        integrity: typeof entry.integrity === "string" ? entry.integrity : undefined,
        provenance: typeof entry.provenance === "boolean" ? entry.provenance : undefined,
        hooks: hooks as string[],
        capabilities: capabilities as string[],
        files: new Map(Object.entries(files as Record<string, string>)),
      };
    });
  } catch (error) {
    return `it is not a lock: ${messageOf(error)}`;
  }
}

/**
 * The packages of a lock with a merge conflict: those of both sides, so that no highest version is forgotten. A text when
 * a side is no lock by itself.
 */
export async function readBothSides(path: string): Promise<readonly LockedPackage[] | string> {
  const lines = (await readFile(path, "utf8")).replaceAll("\r\n", "\n").split("\n");
  const ours = await parseLock(sideOf(lines, "ours"));
  const theirs = await parseLock(sideOf(lines, "theirs"));
  if (typeof ours === "string") return `${ours} (on our side of the conflict)`;
  return typeof theirs === "string" ? `${theirs} (on their side of the conflict)` : [...ours, ...theirs];
}

type Side = "both" | "ours" | "base" | "theirs";

function sideOf(lines: readonly string[], keep: Side): string {
  let now: Side = "both";
  const kept = lines.filter((line) => {
    if (/^<{7}/.test(line)) now = "ours";
    else if (/^\|{7}/.test(line) && now === "ours") now = "base";
    else if (/^={7}/.test(line) && (now === "ours" || now === "base")) now = "theirs";
    else if (/^>{7}/.test(line) && now === "theirs") now = "both";
    else return now === "both" || now === keep;
    return false;
  });
  return kept.join("\n");
}

/** What is installed that is not what was locked, each with what is different. */
export function lockProblems(
  sealed: readonly Sealed[],
  locked: readonly LockedPackage[],
  isFrozen: boolean,
): Problem[] {
  const found = sealed.flatMap((entry) => difference(entry, locked, isFrozen) ?? []);
  const below = locked.flatMap(({ name, version, highest, downgraded }) =>
    downgraded === undefined && higher(version, highest) !== version
      ? [`${name} ${version} is below ${highest}, which was locked before, and nobody wrote down why`]
      : [],
  );
  const unused = isFrozen ? locked.filter((entry) => !sealed.some((other) => isSame(entry, other))) : [];
  const idle = unused.map(({ name, version }) => `${name} ${version} is locked and not used`);
  return [...found, ...below, ...idle].map(lockProblem);
}

function isSame(a: Seen, b: Seen): boolean {
  return a.name === b.name && a.version === b.version;
}

export function lockProblem(message: string): Problem {
  return {
    code: "HARN_E_LOCK",
    severity: "error",
    message,
    place: { file: LOCK, line: 1, column: 1, length: 1 },
    help: "reinstall what was locked, or look at what changed and run harn lock",
  };
}

function difference(entry: Sealed, locked: readonly LockedPackage[], isFrozen: boolean): string | undefined {
  const { name, version } = entry;
  const [first, ...others] = locked.filter((other) => isSame(other, entry));
  if (first === undefined) {
    const other = locked.find((candidate) => candidate.name === name);
    return other === undefined
      ? `${name} ${version} is installed and not locked`
      : `${name} ${version} is installed, ${other.version} is locked`;
  }
  const changes = changesOf(entry, first, isFrozen);
  // One version may be installed in two places, and patched in one of them.
  if (changes.length === 0 || others.some((other) => changesOf(entry, other, isFrozen).length === 0)) return undefined;
  const shown = changes.slice(0, 5).join(", ");
  const rest = changes.length > 5 ? ` and ${changes.length - 5} more` : "";
  return `${name} ${version} is not what was locked: ${shown}${rest}`;
}

function changesOf(now: Sealed, before: LockedPackage, isFrozen: boolean): string[] {
  const lists = isFrozen ? (["hooks", "capabilities"] as const) : [];
  const files = [
    ...[...now.files].flatMap(([file, hash]) => {
      const was = before.files.get(file);
      return was === hash ? [] : [`${file} ${was === undefined ? "was added" : "changed"}`];
    }),
    ...[...before.files.keys()].filter((file) => !now.files.has(file)).map((file) => `${file} is gone`),
  ];
  return [
    ...files,
    // Where no file differs, it is the lock that was changed.
    ...(files.length > 0 || now.manifest === before.manifest ? [] : ["the digest of its manifest is another"]),
    ...lists.filter((list) => now[list].join() !== before[list].join()).map((list) => `its ${list} are others`),
  ];
}

/** A package that is about to be locked below the highest version that was locked before. */
export interface Downgrade {
  readonly name: string;
  readonly version: string;
  readonly highest: string;
}

/** A version of a package that was in use before. */
export interface Seen {
  readonly name: string;
  readonly version: string;
}

/** What the new lock holds, and which packages it takes back. */
export function relock(
  sealed: readonly Sealed[],
  origins: Origins,
  before: readonly LockedPackage[],
  seen: readonly Seen[],
  reason: string | undefined,
): { readonly packages: readonly LockedPackage[]; readonly downgrades: readonly Downgrade[] } {
  const downgrades: Downgrade[] = [];
  const packages = sealed.map(({ isLinked, ...rest }): LockedPackage => {
    const { name, version } = rest;
    const entry = { ...rest, ...(isLinked ? {} : origins.get(`${name}@${version}`)) };
    const mine = before.filter((other) => other.name === name);
    const highest = [
      ...mine.map((other) => other.highest),
      ...seen.flatMap((other) => (other.name === name ? other.version : [])),
    ].reduce(higher, version);
    // Of several versions side by side the highest counts.
    const newest = sealed.flatMap((other) => (other.name === name ? other.version : [])).reduce(higher, version);
    if (newest !== version || higher(version, highest) === version) return { ...entry, highest: version };
    const known = mine.find((other) => other.version === version)?.downgraded;
    if (known === undefined) downgrades.push({ name, version, highest });
    return { ...entry, highest, downgraded: reason ?? known };
  });
  return { packages, downgrades };
}

function higher(a: string, b: string): string {
  if (validVersion(b) === null) return a;
  return validVersion(a) === null || gt(b, a) ? b : a;
}
