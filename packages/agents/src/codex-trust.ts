import { createHash } from "node:crypto";
import { canonicalJson, type Json, type JsonObject } from "@hooks/core";
import { isObject } from "./agent.js";
import { isOwn, parseSettings } from "./settings-file.js";

/** One hook of a file as Codex names it, and the hash of what it was when it was trusted. */
export interface TrustedHook {
  readonly key: string;
  readonly hash: string;
}

const DEFAULT_SECONDS = 600;

/** Harn's own hooks in a hooks.json. Codex runs a hook only when this hash of it stands in the user's config.toml. */
export function trustedHooks(file: string, text: string): TrustedHook[] {
  const { hooks } = parseSettings(text);
  if (!isObject(hooks)) return [];
  return Object.entries(hooks).flatMap(([event, groups]) => {
    const name = event.replace(/(?!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
    if (!Array.isArray(groups)) return [];
    return groups.flatMap((group: Json, place): TrustedHook[] => {
      if (!isOwn(group) || !isObject(group) || !Array.isArray(group.hooks)) return [];
      return group.hooks.map((handler: Json, index) => ({
        key: `${file}:${name}:${place}:${index}`,
        hash: hashOf(name, group, isObject(handler) ? handler : {}),
      }));
    });
  });
}

function hashOf(event_name: string, group: JsonObject, handler: JsonObject): string {
  const { matcher } = group;
  const hook = { async: false, timeout: DEFAULT_SECONDS, ...handler };
  const described = { event_name, ...(matcher === undefined ? {} : { matcher }), hooks: [hook] };
  return `sha256:${createHash("sha256").update(canonicalJson(described)).digest("hex")}`;
}

/** Writes the hashes into the text of a config.toml, at its end; everything else stays as it is. */
export function addTrust(config: string, hooks: readonly TrustedHook[]): string {
  const without = removeTrust(
    config,
    hooks.map(({ key }) => key),
  );
  const tables = hooks.map(({ key, hash }) => `${headerOf(key)}\ntrusted_hash = "${hash}"\n`);
  const gap = without === "" || without.endsWith("\n\n") ? "" : without.endsWith("\n") ? "\n" : "\n\n";
  return tables.length === 0 ? without : `${without}${gap}${tables.join("\n")}`;
}

/** Takes the tables of these hooks out of the text of a config.toml. */
export function removeTrust(config: string, keys: readonly string[]): string {
  const headers = new Set(keys.map(headerOf));
  const kept: string[] = [];
  let isInside = false;
  for (const line of config.split("\n")) {
    if (line.startsWith("[")) isInside = headers.has(line.trim());
    if (!isInside) kept.push(line);
  }
  return kept.join("\n");
}

function headerOf(key: string): string {
  return `[hooks.state.${JSON.stringify(key)}]`;
}
