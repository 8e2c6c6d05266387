import type { Sealed } from "./integrity.js";
import type { LockedPackage } from "./lock.js";
import type { Origins } from "./origins.js";
import type { Problem } from "./problem.js";
import type { Unit } from "./unit.js";

/** Which registry each scope must come from, and which packages must prove where they were built. */
export interface SupplyRules {
  readonly registries: ReadonlyMap<string, string>;
  readonly provenance: readonly string[];
}

/** The rules of all layers, the highest first: a lower one can add to them. `more` holds where no policy says anything. */
export function supplyRules(units: readonly Unit[], more: Readonly<Record<string, string>> = {}): SupplyRules {
  const registries = new Map<string, string>();
  const said = units.map(({ manifest }) => manifest.policy?.registries ?? {});
  for (const table of [...said, more]) {
    for (const [scope, url] of Object.entries(table)) if (!registries.has(scope)) registries.set(scope, slashed(url));
  }
  return { registries, provenance: units.flatMap(({ manifest }) => manifest.policy?.require_provenance ?? []) };
}

/** Adds to each unit's findings what is wrong with its rules: another registry for a scope is a mistake of the lower layer. */
export function checkSupplyRules(units: readonly Unit[]): void {
  const { registries } = supplyRules(units);
  for (const { manifest, findings } of units) {
    for (const [scope, url] of Object.entries(manifest.policy?.registries ?? {})) {
      const path = ["policy", "registries", scope];
      const mistake = ruleMistake(scope, url);
      const above = registries.get(scope);
      if (mistake !== undefined) {
        findings.push({
          code: "HARN_E_REGISTRY",
          path,
          message: mistake,
          help: 'write "@acme" = "https://npm.acme.com/"',
        });
      } else if (above !== slashed(url)) {
        const message = `${scope} comes from ${above} already, as somebody above says`;
        findings.push({ code: "HARN_E_LAYER", path, message, help: "take it out" });
      }
    }
  }
}

function ruleMistake(scope: string, url: string): string | undefined {
  if (!/^@[a-z0-9~-][a-z0-9._~-]*$/.test(scope)) return `"${scope}" is no scope of packages`;
  return /^https?:\/\/[^\s/]+/.test(url) && URL.canParse(url) ? undefined : `"${url}" is no address of a registry`;
}

function slashed(url: string): string {
  return url.endsWith("/") ? url : `${url}/`;
}

/** Whether a package must prove where it was built. */
export function needsProvenance({ name }: Pick<Sealed, "name">, { provenance }: SupplyRules): boolean {
  return provenance.some((pattern) => matches(name, pattern));
}

/** A name, or one with `*` for any letters but a slash. */
function matches(name: string, pattern: string): boolean {
  const parts = pattern.split(/\*+/).map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, "\\$&"));
  return new RegExp(`^${parts.join("[^/]*")}$`).test(name);
}

/** Packages that came from elsewhere than they must, or from nobody knows where. */
export function originProblems(sealed: readonly Sealed[], origins: Origins, rules: SupplyRules): Problem[] {
  return sealed.flatMap(({ name, version, isLinked }) => {
    const registry = rules.registries.get(name.split("/")[0] ?? "");
    // What is linked into the project lies in it, or was put there by whoever works on it.
    if (registry === undefined || isLinked) return [];
    const { resolved } = origins.get(`${name}@${version}`) ?? {};
    if (resolved?.startsWith(registry) === true) return [];
    const from = resolved === undefined ? "nobody wrote down where it came from" : `it came from ${resolved}`;
    return [supplyProblem("HARN_E_REGISTRY", `${name} ${version} must come from ${registry}; ${from}`)];
  });
}

/** Packages of which the lock does not say that their provenance was verified. */
export function provenanceProblems(
  sealed: readonly Sealed[],
  locked: readonly LockedPackage[] | null,
  rules: SupplyRules,
): Problem[] {
  return sealed.flatMap((entry) => {
    if (!needsProvenance(entry, rules)) return [];
    const { name, version } = entry;
    const found = locked?.find((other) => other.name === name && other.version === version);
    if (found?.provenance === true) return [];
    const why = found === undefined ? "it is not locked" : "harn.lock does not say that it was verified";
    return [supplyProblem("HARN_E_PROVENANCE", `${name} ${version} must prove where it was built: ${why}`)];
  });
}

const HELP = {
  HARN_E_REGISTRY: "set the scope's registry in .npmrc, and install it anew from there",
  HARN_E_PROVENANCE: "run harn lock, which asks its registry and verifies what that has",
} as const;

export function supplyProblem(code: keyof typeof HELP, message: string): Problem {
  const place = { file: "harn.lock", line: 1, column: 1, length: 1 };
  return { code, severity: "error", message, place, help: HELP[code] };
}
