import { canonicalJson, type HookInit, type Json } from "@hooks/core";
import { sha256 } from "./sha256.js";

/**
 * What a policy is known by: one hash over the manifest as it was written and over the hooks it was resolved to, so
 * that another version of a package is another policy.
 */
export function digestOf(manifest: string, hooks: readonly HookInit[]): string {
  const resolved = hooks.map(({ handler: _, dialect, matches, when, options, ...hook }) => ({
    ...hook,
    dialect: dialect?.name,
    pattern: hook.pattern ?? matches?.source,
    when: typeof when === "function" ? "a function" : when,
    options: options === undefined ? undefined : plain(options),
  }));
  return sha256(canonicalJson({ manifest, hooks: resolved } as unknown as Json));
}

// Options come from TOML, which has dates and numbers that JSON does not know.
function plain(options: unknown): Json {
  return JSON.parse(JSON.stringify(options, (_, value) => (typeof value === "bigint" ? String(value) : value))) as Json;
}
