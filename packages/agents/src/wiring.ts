import { join } from "node:path";
import type { JsonObject } from "@hooks/core";
import { type Agent, type AgentName, isObject } from "./agent.js";
import { trustedHooks } from "./codex-trust.js";
import { isFolderTrusted } from "./folder-trust.js";
import { type Level, type Place, settingsPath, userDirectory } from "./place.js";
import { ownCommands, parseSettings } from "./settings-file.js";

/** What keeps hooks that are installed from running. */
export interface Obstacle {
  readonly fact: string;
  /** Whether it certainly does; otherwise it does unless a person says so to the agent. */
  readonly isCertain: boolean;
}

/** The commands of Harn that an agent would run, by its event, from one of its files. */
export function installedCommands(agent: Agent, path: string, text: string): ReadonlyMap<string, readonly string[]> {
  if (agent.name !== "opencode") return ownCommands(text);
  const table: unknown = JSON.parse(/const COMMANDS = (\{[\s\S]*?\n\});/.exec(text)?.[1] ?? "{}");
  if (!isObject(table)) throw new Error(`${path} is not the plugin that harn init writes`);
  return new Map(Object.entries(table).map(([event, command]) => [event, [String(command)]]));
}

type Switch = readonly [where: Level | "machine", file: string, isOff: (settings: JsonObject) => string | false];

const disabled = (key: string) => (settings: JsonObject) => settings[key] === true && key;

/** The files in which an agent's hooks can be switched off: of the project, of the user, and of the machine. */
const SWITCHES: Readonly<Partial<Record<AgentName, readonly Switch[]>>> = {
  claude: [
    ["project", ".claude/settings.json", disabled("disableAllHooks")],
    ["project", ".claude/settings.local.json", disabled("disableAllHooks")],
    ["user", "settings.json", disabled("disableAllHooks")],
    ...["/etc/claude-code", "/Library/Application Support/ClaudeCode"].flatMap((directory): Switch[] => [
      ["machine", `${directory}/managed-settings.json`, disabled("disableAllHooks")],
      ["machine", `${directory}/managed-settings.json`, disabled("allowManagedHooksOnly")],
    ]),
  ],
  gemini: [
    ["project", ".gemini/settings.json", isGeminiOff],
    ["user", "settings.json", isGeminiOff],
    ["machine", "/etc/gemini-cli/settings.json", isGeminiOff],
  ],
  copilot: [
    ["project", ".github/copilot/settings.json", disabled("disableAllHooks")],
    ["project", ".github/copilot/settings.local.json", disabled("disableAllHooks")],
    ["project", ".github/hooks/harn.json", disabled("disableAllHooks")],
    ["user", "settings.json", disabled("disableAllHooks")],
    ["machine", "/etc/github-copilot/managed-settings.json", disabled("allowManagedHooksOnly")],
  ],
};

function isGeminiOff({ hooksConfig }: JsonObject): string | false {
  if (!isObject(hooksConfig)) return false;
  const { enabled, disabled: names } = hooksConfig;
  return (enabled === false || (Array.isArray(names) && names.includes("harn"))) && "hooksConfig";
}

/** What keeps the hooks that are installed at a level from running, or may; nothing when they run. */
export function obstacles(agent: Agent, level: Level, text: string, place: Place): Obstacle[] {
  const certain = [...switchesThrown(agent, place), ...(agent.name === "codex" ? codexSwitches(agent, place) : [])];
  if (agent.name === "codex") certain.push(...codexFile(agent, level, text, place));
  const trust = isFolderTrusted(agent, level, place);
  const asks = `${agent.title} has not been told to trust ${place.project}, and skips these hooks without a word until it is`;
  return [
    ...certain.map((fact) => ({ fact, isCertain: true })),
    ...(trust === true ? [] : [{ fact: asks, isCertain: trust === false }]),
  ];
}

function switchesThrown(agent: Agent, place: Place): string[] {
  const bases = { project: place.project, user: userDirectory(agent, place), machine: "" };
  return (SWITCHES[agent.name] ?? []).flatMap(([where, file, isOff]) => {
    const path = join(bases[where], file);
    const found = place.read(path);
    if (found === null) return [];
    try {
      const key = isOff(parseSettings(found));
      return key === false ? [] : [`${path} switches hooks off (${key})`];
    } catch (error) {
      return [`${path} cannot be read, which removes its hooks: ${String((error as Error).message)}`];
    }
  });
}

function codexSwitches(agent: Agent, place: Place): string[] {
  const config = join(userDirectory(agent, place), "config.toml");
  const required = "/etc/codex/requirements.toml";
  const text = place.read(config) ?? "";
  return [
    ...(/^\s*\[features\][^[]*^\s*hooks\s*=\s*false/ms.test(text) ? [`${config} switches hooks off`] : []),
    ...(/^\s*allow_managed_hooks_only\s*=\s*true/m.test(place.read(required) ?? "")
      ? [`${required} switches hooks off (allow_managed_hooks_only)`]
      : []),
  ];
}

/** What Codex would not run of a file of hooks. */
function codexFile(agent: Agent, level: Level, text: string, place: Place): string[] {
  const path = settingsPath(agent, level, place);
  const config = place.read(join(userDirectory(agent, place), "config.toml")) ?? "";
  const untrusted = trustedHooks(path, text).filter(({ key, hash }) => {
    const table = config.indexOf(`[hooks.state.${JSON.stringify(key)}]`);
    return table === -1 || !config.slice(table).split("\n", 2)[1]?.includes(hash);
  });
  const stray = Object.keys(parseSettings(text)).filter((key) => key !== "hooks" && key !== "description");
  return [
    ...(stray.length === 0
      ? []
      : [`${path} has "${stray[0]}", a key Codex does not know, which removes every hook of the file`]),
    ...(untrusted.length === 0
      ? []
      : [`${untrusted.length} of its hooks are not trusted, and are skipped without a word`]),
  ];
}

/** The other agents whose hooks Harn is also in, and that run these too: each asks twice. */
export function doubles(agent: Agent, { project, read }: Place): string[] {
  if (agent.name !== "claude") return [];
  const claude = read(join(project, ".claude/settings.json")) ?? "";
  if (claude.trim() === "" || ownCommands(claude).size === 0) return [];
  const others = { "GitHub Copilot": ".github/hooks/harn.json", Cursor: ".cursor/hooks.json" };
  return Object.entries(others)
    .filter(([, file]) => (read(join(project, file)) ?? "").includes(" hook "))
    .map(([name]) => name);
}
