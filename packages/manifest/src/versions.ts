// The one class that is needed: the whole of semver takes several milliseconds more to load.
import Range from "semver/classes/range.js";
import { API_VERSION } from "./description.js";
import type { Finding } from "./document.js";
import type { InstalledPackage } from "./packages.js";
import type { Manifest } from "./schema.js";
import { type Home, PACKAGE } from "./target.js";

/** The version of this runtime, which `[package] harn` is held against. */
export const RUNTIME_VERSION = "0.1.0";

/** Holds what is installed against what [dependencies] asks for, and this runtime against what the package asks for. */
export async function checkVersions(home: Home): Promise<Finding[]> {
  const { package: own, dependencies = {} } = home.manifest;
  const entries = Object.entries(dependencies);
  const found = await Promise.all(entries.map(([name, range]) => checkDependency(name, range, home)));
  return [...runtimeFindings(own), ...found.flat()];
}

async function checkDependency(name: string, range: string, { packages }: Home): Promise<Finding[]> {
  const path = ["dependencies", name];
  // A path in the place of a name would lead out of node_modules.
  if (PACKAGE.exec(name)?.[1] !== name) {
    const message = `"${name}" is not a package's name`;
    return [{ code: "HARN_E_KEY_TYPE", path, atKey: true, message, help: 'write "@acme/guards" = "^1.2.0"' }];
  }
  const finding = (message: string, help: string): Finding[] => [{ code: "HARN_E_VERSION", path, message, help }];
  if (!isRange(range)) {
    return finding(`"${range}" is not a semver range`, `write "${name}" = "^1.2.0", or another range such as ">=1 <3"`);
  }
  const install = `npm install ${name}@${quoted(range)}`;
  const found = await packages.find(name);
  if (found === undefined)
    return finding(`${name} ${range} is not installed here, and [dependencies] asks for it`, install);
  if ("broken" in found) {
    const help = `ask its authors, or reinstall ${name}`;
    return [{ code: "HARN_E_PACKAGE_INVALID", path, message: `package ${name}: ${found.broken}`, help }];
  }
  if (isWithin(found.version, range)) return [];
  const installed = found.version === undefined ? `${name} says no version` : `${name} ${found.version} is installed`;
  return finding(`${installed}, [dependencies] asks for ${range}`, install);
}

function runtimeFindings(own: Manifest["package"]): Finding[] {
  const range = own?.harn;
  if (range === undefined) return [];
  const path = ["package", "harn"];
  if (!isRange(range)) {
    return [{ code: "HARN_E_VERSION", path, message: `"${range}" is not a semver range`, help: 'write ">=0.1 <1"' }];
  }
  if (isWithin(RUNTIME_VERSION, range)) return [];
  return [
    {
      code: "HARN_E_VERSION",
      path,
      message: `this is Harn ${RUNTIME_VERSION}, ${own?.name ?? "[package]"} asks for ${range}`,
      help: `npm install harn@${quoted(range)}; a host that embeds it installs @hooks/manifest@${quoted(range)}`,
    },
  ];
}

/** What is wrong with the hook API a package was made for; nothing when it fits. */
export function checkApi({ name, version, description }: InstalledPackage): Omit<Finding, "path"> | undefined {
  const api = String(description?.api ?? API_VERSION);
  if (isWithin(API_VERSION, api)) return undefined;
  const made = !isRange(api) ? `"${api}", which is no version` : api;
  return {
    code: "HARN_E_API",
    message: `${name} ${version ?? ""} is made for hook API ${made}; this runtime has ${API_VERSION}`,
    help: `npm install ${name}@latest, or a version of it made for API ${API_VERSION}`,
  };
}

/**
 * Whether a version is within a range, as npm has it: versions are read loosely, a prerelease counts only where the range
 * names one of the same version, and anything will do for `*`.
 */
export function isWithin(version: string | undefined, range: string): boolean {
  return range.trim() === "*" || rangeOf(range)?.test(version ?? "") === true;
}

function isRange(text: string): boolean {
  return rangeOf(text) !== undefined;
}

function rangeOf(text: string): Range | undefined {
  try {
    return new Range(text, { loose: true });
  } catch {
    return undefined;
  }
}

function quoted(range: string): string {
  return /^[\w.^~-]+$/.test(range) ? range : `"${range}"`;
}
