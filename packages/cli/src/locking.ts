import { dirname, resolve } from "node:path";
import { findManifest, formatLock, makeLock, type NewLock, readContent, type Seen } from "@hooks/manifest";
import { packageHome } from "./package-manager.js";
import { verifyProvenance } from "./provenance.js";
import { readScopeMap } from "./registry.js";
import type { Host } from "./terminal.js";
import { trustStore } from "./trust.js";

type Asked = Pick<Host, "cwd" | "env">;

/** The lock of a project as it is installed, with all that only a registry knows. Writes nothing. */
export async function readyLock(
  { cwd, env }: Asked,
  manifest: string | undefined,
  reason: string | undefined,
  before: readonly Seen[] = [],
): Promise<NewLock> {
  const named = manifest === undefined ? {} : { manifest };
  const found = manifest === undefined ? await findManifest(cwd) : resolve(cwd, manifest);
  const home = packageHome(found === null ? cwd : dirname(found));
  const seen = [...before, ...(await seenHere({ cwd, env }, named))];
  const lock = await makeLock({ cwd, ...named }, { reason, seen, registries: readScopeMap(home, env) });
  const { packages, problems } = await verifyProvenance(lock.packages, { cwd: home, env });
  return { ...lock, packages, text: formatLock(packages), problems: [...lock.problems, ...problems] };
}

/** The versions that were last trusted here: removing the lock must not forget them. */
async function seenHere({ cwd, env }: Asked, named: { readonly manifest?: string }): Promise<Seen[]> {
  const { root } = await readContent({ cwd, ...named });
  const { packages = [] } = trustStore(env).last(root ?? cwd) ?? {};
  return packages.map((text) => {
    const at = text.lastIndexOf("@");
    return { name: text.slice(0, at), version: text.slice(at + 1) };
  });
}
