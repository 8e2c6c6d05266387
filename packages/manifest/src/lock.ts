import { readFile } from "node:fs/promises";
import { messageOf } from "@hooks/core";
import gt from "semver/functions/gt.js";
import validVersion from "semver/functions/valid.js";
import { LOCK } from "./content.js";
import type { Sealed } from "./integrity.js";
import type { Problem } from "./problem.js";
import { parseToml } from "./toml.js";

/** One package of harn.lock. */
export interface LockedPackage extends Sealed {
  /** The highest version that was ever locked here. */
  readonly highest: string;
  /** Why it is lower than that now. */
  readonly downgraded?: string | undefined;
}

/** harn.lock as text: the same packages always make the same bytes, and a change of one is a change of its lines. */
export function formatLock(packages: readonly LockedPackage[]): string {
  const text = (value: string) => JSON.stringify(value);
  const list = (values: readonly string[]) => `[${values.map(text).join(", ")}]`;
  const entries = packages.map(({ name, version, kind, highest, downgraded, hooks, capabilities, files }) =>
    [
      "[[packages]]",
      `name = ${text(name)}`,
      `version = ${text(version)}`,
      `kind = ${text(kind)}`,
      `highest = ${text(highest)}`,
      ...(downgraded === undefined ? [] : [`downgraded = ${text(downgraded)}`]),
      ...(hooks.length === 0 ? [] : [`hooks = ${list(hooks)}`]),
      ...(capabilities.length === 0 ? [] : [`capabilities = ${list(capabilities)}`]),
      "",
      "[packages.files]",
      ...[...files].map(([file, hash]) => `${text(file)} = ${text(hash)}`),
    ].join("\n"),
  );
  return `${["# Written by `harn lock`. What is installed must be what is written here.\nversion = 1", ...entries].join("\n\n")}\n`;
}

const CONFLICT = /^(?:<{7}|={7}|>{7})/m;

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
      const { name, version: locked, kind, highest, downgraded, hooks = [], capabilities = [], files } = entry;
      if (typeof name !== "string" || typeof locked !== "string" || typeof files !== "object" || files === null) {
        throw new Error("a package has no name, version or files");
      }
      return {
        name,
        version: locked,
        kind: kind as Sealed["kind"],
        highest: String(highest ?? locked),
        downgraded: downgraded === undefined ? undefined : String(downgraded),
        hooks: hooks as string[],
        capabilities: capabilities as string[],
        files: new Map(Object.entries(files as Record<string, string>)),
      };
    });
  } catch (error) {
    return `it is not a lock: ${messageOf(error)}`;
  }
}

/** The packages of a lock with a merge conflict: those of both sides, so that no highest version is forgotten. */
export async function readBothSides(path: string): Promise<readonly LockedPackage[]> {
  const text = (await readFile(path, "utf8")).replaceAll("\r\n", "\n");
  const side = (keep: "ours" | "theirs") => {
    let now: "both" | "ours" | "theirs" = "both";
    return text
      .split("\n")
      .filter((line) => {
        if (/^<{7}/.test(line)) now = "ours";
        else if (/^={7}/.test(line) && now === "ours") now = "theirs";
        else if (/^>{7}/.test(line)) now = "both";
        else return now === "both" || now === keep;
        return false;
      })
      .join("\n");
  };
  const sides = await Promise.all([parseLock(side("ours")), parseLock(side("theirs"))]);
  return sides.flatMap((packages) => (typeof packages === "string" ? [] : packages));
}

/** What is installed that is not what was locked, each with what is different. */
export function lockProblems(
  sealed: readonly Sealed[],
  locked: readonly LockedPackage[],
  isFrozen: boolean,
): Problem[] {
  const found = sealed.flatMap((entry) => difference(entry, locked) ?? []);
  const unused = isFrozen
    ? locked.filter(({ name, version }) => !sealed.some((entry) => entry.name === name && entry.version === version))
    : [];
  return [...found, ...unused.map(({ name, version }) => `${name} ${version} is locked and not used`)].map(lockProblem);
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

function difference({ name, version, files }: Sealed, locked: readonly LockedPackage[]): string | undefined {
  const entry = locked.find((other) => other.name === name && other.version === version);
  if (entry === undefined) {
    const other = locked.find((candidate) => candidate.name === name);
    return other === undefined
      ? `${name} ${version} is installed and not locked`
      : `${name} ${version} is installed, ${other.version} is locked`;
  }
  const changes = [
    ...[...files].flatMap(([file, hash]) => {
      const before = entry.files.get(file);
      return before === hash ? [] : [`${file} ${before === undefined ? "was added" : "changed"}`];
    }),
    ...[...entry.files.keys()].filter((file) => !files.has(file)).map((file) => `${file} is gone`),
  ];
  if (changes.length === 0) return undefined;
  const shown = changes.slice(0, 5).join(", ");
  const rest = changes.length > 5 ? ` and ${changes.length - 5} more` : "";
  return `${name} ${version} is not what was locked: ${shown}${rest}`;
}

/** A package that is about to be locked below the highest version that was locked before. */
export interface Downgrade {
  readonly name: string;
  readonly version: string;
  readonly highest: string;
}

/** What the new lock holds, and which packages it takes back. */
export function relock(
  sealed: readonly Sealed[],
  before: readonly LockedPackage[],
  reason: string | undefined,
): { readonly packages: readonly LockedPackage[]; readonly downgrades: readonly Downgrade[] } {
  const downgrades: Downgrade[] = [];
  const packages = sealed.map((entry): LockedPackage => {
    const seen = before.filter(({ name }) => name === entry.name);
    const highest = seen.map((other) => other.highest).reduce(higher, entry.version);
    if (highest === entry.version) return { ...entry, highest };
    const known = seen.find((other) => other.version === entry.version)?.downgraded;
    if (known === undefined) downgrades.push({ name: entry.name, version: entry.version, highest });
    return { ...entry, highest, downgraded: reason ?? known };
  });
  return { packages, downgrades };
}

function higher(a: string, b: string): string {
  if (validVersion(b) === null) return a;
  return validVersion(a) === null || gt(b, a) ? b : a;
}
