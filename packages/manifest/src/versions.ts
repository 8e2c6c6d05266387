// The two functions that are needed: the whole of semver takes several milliseconds more to load.
import satisfies from "semver/functions/satisfies.js";
import validRange from "semver/ranges/valid.js";
import { API_VERSION } from "./description.js";
import type { Finding } from "./document.js";
import type { InstalledPackage } from "./packages.js";
import type { Manifest } from "./schema.js";
import type { Home } from "./target.js";

/** The version of this runtime, which `[package] harn` is held against. */
export const RUNTIME_VERSION = "0.1.0";

/** Holds what is installed against what [dependencies] asks for, and this runtime against what the package asks for. */
export async function checkVersions(home: Home): Promise<Finding[]> {
  const { package: own, dependencies = {} } = home.manifest;
  const findings = runtimeFindings(own);
  for (const [name, range] of Object.entries(dependencies)) {
    const path = ["dependencies", name];
    if (validRange(range) === null) {
      findings.push({
        code: "HARN_E_VERSION",
        path,
        message: `"${range}" is not a semver range`,
        help: 'write "^1.2.0", ">=1 <3", ...',
      });
      continue;
    }
    const found = await home.packages.find(name);
    if (found === undefined) {
      findings.push({
        code: "HARN_E_VERSION",
        path,
        message: `${name} ${range} is asked for and not installed`,
        help: `npm install ${name}@${quoted(range)}`,
      });
    } else if ("broken" in found) {
      const help = `ask its authors, or reinstall ${name}`;
      findings.push({ code: "HARN_E_PACKAGE_INVALID", path, message: `package ${name}: ${found.broken}`, help });
    } else if (!satisfies(found.version ?? "", range)) {
      findings.push({
        code: "HARN_E_VERSION",
        path,
        message: `${name} ${found.version ?? "without a version"} is installed, ${range} is asked for by [dependencies]`,
        help: `npm install ${name}@${quoted(range)}`,
      });
    }
  }
  return findings;
}

function runtimeFindings(own: Manifest["package"]): Finding[] {
  const range = own?.harn;
  if (range === undefined) return [];
  const path = ["package", "harn"];
  if (validRange(range) === null) {
    return [{ code: "HARN_E_VERSION", path, message: `"${range}" is not a semver range`, help: 'write ">=0.1 <1"' }];
  }
  if (satisfies(RUNTIME_VERSION, range)) return [];
  return [
    {
      code: "HARN_E_VERSION",
      path,
      message: `this is Harn ${RUNTIME_VERSION}, ${own?.name} asks for ${range}`,
      help: `npm install @hooks/manifest@${quoted(range)}`,
    },
  ];
}

/** What is wrong with the hook API a package was made for; nothing when it fits. */
export function checkApi({ name, version, description }: InstalledPackage): Omit<Finding, "path"> | undefined {
  const api = String(description?.api ?? API_VERSION);
  if (satisfies(API_VERSION, api)) return undefined;
  return {
    code: "HARN_E_API",
    message: `${name} ${version ?? ""} is made for hook API ${api}, this runtime has ${API_VERSION}`,
    help: `npm install ${name}@latest, or a version made for API ${API_VERSION}`,
  };
}

function quoted(range: string): string {
  return /^[\w.^~-]+$/.test(range) ? range : `"${range}"`;
}
