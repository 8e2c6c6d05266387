import { join } from "node:path";
import { ANY_EVENT, type Hook, printable } from "@hooks/core";
import { loadHarness, Packages } from "@hooks/manifest";
import { CliError, EXIT } from "./exit.js";

/** A hook that a policy pack brings, as it will stand in the stack. */
export interface PackHook {
  readonly id: string;
  readonly event: string;
  readonly observes: boolean;
  readonly priority: number;
  readonly pattern: string;
  readonly handler: string;
  readonly version: string | null;
  /** Null where nobody described the function. */
  readonly capabilities: readonly string[] | null;
}

/** The hooks of an installed pack, those of the packs it extends included, in the order of dispatch. Runs nothing. */
export async function readPackHooks(name: string, root: string): Promise<PackHook[]> {
  // What a machine adds to every policy is not of the pack.
  const loaded = await loadHarness({ cwd: root, manifest: join(root, "harn.toml"), managed: [], inspect: true });
  if (!loaded.ok) {
    const fact = `the policy of ${name} does not load: ${loaded.problems[0]?.message ?? "its harn.toml is broken"}`;
    throw new CliError("HARN_E_NOT_A_HOOK", EXIT.data, fact, `harn validate --manifest ${join(root, "harn.toml")}`);
  }
  loaded.harness.close();
  const packages = new Packages(root);
  return Promise.all(loaded.harness.hooks.map((hook) => packHook(hook, packages)));
}

async function packHook({ ref, event, observes, priority, pattern }: Hook, packages: Packages): Promise<PackHook> {
  const found = ref.package === undefined ? undefined : await packages.find(ref.package);
  const description = found === undefined || "broken" in found ? undefined : found.description;
  const exported = ref.handler.slice(ref.handler.lastIndexOf("::") + 2);
  return {
    id: ref.id,
    event,
    observes,
    priority,
    pattern: pattern.source,
    handler: ref.handler,
    version: ref.version ?? null,
    capabilities: description?.hooks[exported]?.capabilities ?? null,
  };
}

/** The hooks of a pack for a person to read before anything of it runs. */
export function packLines(hooks: readonly PackHook[]): string[] {
  const rows = hooks.map(({ event, priority, id, handler, version, capabilities }) => [
    event === ANY_EVENT ? "every event" : event,
    String(priority).padStart(3),
    id,
    version === null ? handler : `${handler} ${version}`,
    capabilities === null ? "undescribed" : capabilities.length === 0 ? "only computes" : capabilities.join(", "),
  ]);
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows.map((row) =>
    printable(`  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")}`).trimEnd(),
  );
}
