import { dirname, join, resolve, sep } from "node:path";
import type { JsonObject } from "@hooks/core";
import { type Agent, isObject } from "./agent.js";
import { type Level, type Place, userDirectory } from "./place.js";
import { parseSettings } from "./settings-file.js";

/**
 * Whether an agent was told to trust a project, where it runs no hooks of one it does not. Undefined: nobody has said,
 * or what was said cannot be read.
 */
export function isFolderTrusted(agent: Agent, level: Level, place: Place): boolean | undefined {
  const directory = userDirectory(agent, place);
  const settings = (file: string) => settingsIn(place.read(join(directory, file)));
  switch (agent.name) {
    // Gemini CLI runs no hook at all in a folder it does not trust, the user's own included.
    case "gemini":
      return isGeminiTrusted(place.project, settings("settings.json"), settings("trustedFolders.json"));
    case "codex":
      return level === "user" || isCodexTrusted(place, place.read(join(directory, "config.toml")) ?? "");
    case "copilot": {
      const listed = [settings("config.json"), settings("settings.json")].flatMap(
        ({ trustedFolders, trusted_folders }) => [trustedFolders, trusted_folders].flat(),
      );
      return level === "user" || listed.some((folder) => isWithin(place.project, folder)) || undefined;
    }
    default:
      return true;
  }
}

function isGeminiTrusted(project: string, { security }: JsonObject, rules: JsonObject): boolean | undefined {
  const folderTrust = isObject(security) ? security.folderTrust : undefined;
  if (isObject(folderTrust) && folderTrust.enabled === false) return true;
  const [nearest] = Object.entries(rules)
    .filter(([folder, level]) => isWithin(project, level === "TRUST_PARENT" ? dirname(folder) : folder))
    .sort(([a], [b]) => b.length - a.length);
  return nearest === undefined ? undefined : nearest[1] !== "DO_NOT_TRUST";
}

/** Codex goes by the root of the repository, which for a linked worktree is the main one. */
function isCodexTrusted({ project, read }: Place, config: string): boolean | undefined {
  const linked = /^gitdir: (.+)[/\\]\.git[/\\]worktrees[/\\]/.exec(read(join(project, ".git")) ?? "")?.[1];
  for (const start of [project, ...(linked === undefined ? [] : [resolve(project, linked)])]) {
    for (let folder = start; ; folder = dirname(folder)) {
      const table = config.split(`[projects.${JSON.stringify(folder)}]`)[1]?.split("\n[", 1)[0];
      const level = /^\s*trust_level\s*=\s*"(\w+)"/m.exec(table ?? "")?.[1];
      if (level !== undefined) return level === "trusted";
      if (folder === dirname(folder)) break;
    }
  }
  return undefined;
}

function isWithin(project: string, folder: unknown): boolean {
  if (typeof folder !== "string") return false;
  return `${resolve(project)}${sep}`.startsWith(`${resolve(folder)}${sep}`.replace(/[/\\]+$/, sep));
}

function settingsIn(text: string | null): JsonObject {
  try {
    return parseSettings(text ?? "{}");
  } catch {
    return {};
  }
}
