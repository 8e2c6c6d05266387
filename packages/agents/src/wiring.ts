import { join } from "node:path";
import type { Json, JsonObject } from "@hooks/core";
import type { Agent, AgentName } from "./agent.js";
import { isObject } from "./agent.js";
import { trustedHooks } from "./codex-trust.js";
import { ownCommands, parseSettings } from "./settings-file.js";

/** Where to look, and how. */
export interface Surroundings {
  readonly project: string;
  readonly home: string;
  read(path: string): string | null;
}

/** The commands of Harn that an agent would run, by its event, from one of its files. */
export function installedCommands(agent: Agent, path: string, text: string): ReadonlyMap<string, readonly string[]> {
  if (agent.name !== "opencode") return ownCommands(text);
  const table: unknown = JSON.parse(/const COMMANDS = (\{[\s\S]*?\n\});/.exec(text)?.[1] ?? "{}");
  if (!isObject(table)) throw new Error(`${path} is not the plugin that harn init writes`);
  return new Map(Object.entries(table).map(([event, command]) => [event, [String(command)]]));
}

type Switch = readonly [file: string, isOff: (settings: JsonObject) => boolean, what: string];

/** The files in which an agent's hooks can be switched off, from the project and from the home directory. */
const SWITCHES: Readonly<Partial<Record<AgentName, { project: readonly Switch[]; home: readonly Switch[] }>>> = {
  claude: {
    project: [
      [".claude/settings.json", ({ disableAllHooks }) => disableAllHooks === true, "disableAllHooks"],
      [".claude/settings.local.json", ({ disableAllHooks }) => disableAllHooks === true, "disableAllHooks"],
    ],
    home: [[".claude/settings.json", ({ disableAllHooks }) => disableAllHooks === true, "disableAllHooks"]],
  },
  gemini: {
    project: [[".gemini/settings.json", isGeminiOff, "hooksConfig"]],
    home: [[".gemini/settings.json", isGeminiOff, "hooksConfig"]],
  },
  copilot: {
    project: [
      [".github/copilot/settings.json", ({ disableAllHooks }) => disableAllHooks === true, "disableAllHooks"],
      [".github/copilot/settings.local.json", ({ disableAllHooks }) => disableAllHooks === true, "disableAllHooks"],
    ],
    home: [[".copilot/settings.json", ({ disableAllHooks }) => disableAllHooks === true, "disableAllHooks"]],
  },
};

function isGeminiOff({ hooksConfig }: JsonObject): boolean {
  if (!isObject(hooksConfig)) return false;
  const disabled: Json = hooksConfig.disabled ?? [];
  return hooksConfig.enabled === false || (Array.isArray(disabled) && disabled.includes("harn"));
}

/** What keeps the hooks that are installed from running, in words; nothing when they run. */
export function obstacles(agent: Agent, path: string, text: string, { project, home, read }: Surroundings): string[] {
  const { project: ours = [], home: users = [] } = SWITCHES[agent.name] ?? {};
  const placed = [...ours.map((row) => [project, row] as const), ...users.map((row) => [home, row] as const)];
  const off = placed.flatMap(([base, [file, isOff, what]]) => {
    const found = read(join(base, file));
    if (found === null) return [];
    try {
      return isOff(parseSettings(found)) ? [`${join(base, file)} switches hooks off (${what})`] : [];
    } catch (error) {
      return [`${join(base, file)} cannot be read, which removes its hooks: ${String((error as Error).message)}`];
    }
  });
  return agent.name === "codex" ? [...off, ...codexObstacles(path, text, home, read)] : off;
}

function codexObstacles(path: string, text: string, home: string, read: Surroundings["read"]): string[] {
  const config = read(join(home, ".codex/config.toml")) ?? "";
  const untrusted = trustedHooks(path, text).filter(({ key, hash }) => {
    const table = config.indexOf(`[hooks.state.${JSON.stringify(key)}]`);
    return table === -1 || !config.slice(table).split("\n", 2)[1]?.includes(hash);
  });
  const stray = Object.keys(parseSettings(text)).filter((key) => key !== "hooks" && key !== "description");
  return [
    ...(/^\s*\[features\][^[]*^\s*hooks\s*=\s*false/ms.test(config) ? ["~/.codex/config.toml switches hooks off"] : []),
    ...(stray.length === 0
      ? []
      : [`${path} has "${stray[0]}", a key Codex does not know, which removes every hook of the file`]),
    ...(untrusted.length === 0
      ? []
      : [`${untrusted.length} of its hooks are not trusted, and are skipped without a word`]),
  ];
}

/** The other agents whose hooks Harn is also in, and that run these too: each asks twice. */
export function doubles(agent: Agent, { project, read }: Surroundings): string[] {
  if (agent.name !== "claude") return [];
  const claude = read(join(project, ".claude/settings.json")) ?? "";
  if (claude.trim() === "" || ownCommands(claude).size === 0) return [];
  const others = { "GitHub Copilot": ".github/hooks/harn.json", Cursor: ".cursor/hooks.json" };
  return Object.entries(others)
    .filter(([, file]) => (read(join(project, file)) ?? "").includes(" hook "))
    .map(([name]) => name);
}
