import { dirname, join } from "node:path";
import type { Agent } from "./agent.js";
import { addTrust, removeTrust, trustedHooks } from "./codex-trust.js";
import { commandFor } from "./launcher.js";
import { type Level, type Place, settingsPath } from "./place.js";
import { addEntries, removeEntries } from "./settings-file.js";

export interface InstallOptions extends Place {
  readonly level: Level;
  /** What runs harn, as a shell writes it. */
  readonly harn: string;
  /** Further flags of `harn hook`, as a shell writes them. */
  readonly flags: readonly string[];
  /** The events of Harn that the policy has hooks on; costly ones are installed only when they are among them. */
  readonly wanted: ReadonlySet<string>;
}

/** A file as it is to be; null: it is to be removed. */
export interface FileChange {
  readonly path: string;
  readonly text: string | null;
}

/** The agent's events that get an entry: exactly one each, because what several entries say is not composed by agents. */
export function installedEvents(agent: Agent, wanted: ReadonlySet<string>): string[] {
  return Object.entries(agent.install.events)
    .filter(([event, { isCostly }]) => isCostly !== true || wanted.has(agent.events[event]?.event ?? ""))
    .map(([event]) => event);
}

/** What the files of an agent become when Harn is installed in them. */
export function planInstall(agent: Agent, options: InstallOptions): FileChange[] {
  const { level, harn, flags, read, wanted } = options;
  const path = settingsPath(agent, level, options);
  const commands = installedEvents(agent, wanted).map((event): [string, [string, number]] => [
    event,
    [commandFor({ agent, event, harn, flags }), agent.install.events[event]?.seconds ?? 30],
  ]);
  const { file } = agent.install;
  if (file !== undefined) {
    return [{ path, text: file(Object.fromEntries(commands.map(([event, [command]]) => [event, command]))) }];
  }
  const text = addEntries(read(path) ?? "", agent.install, new Map(commands));
  if (agent.name !== "codex") return [{ path, text }];
  const config = trustFile(agent, options);
  return [
    { path, text },
    { path: config, text: addTrust(read(config) ?? "", trustedHooks(path, text)) },
  ];
}

/** What they become when it is taken out again, for files that were changed since it was installed. */
export function planUninstall(agent: Agent, options: InstallOptions): FileChange[] {
  const { level, read } = options;
  const path = settingsPath(agent, level, options);
  const text = read(path);
  if (text === null) return [];
  if (agent.install.isOwn) return [{ path, text: null }];
  const without = { path, text: removeEntries(text) };
  if (agent.name !== "codex") return [without];
  const config = trustFile(agent, options);
  const trusted = read(config);
  const keys = trustedHooks(path, text).map(({ key }) => key);
  return trusted === null ? [without] : [without, { path: config, text: removeTrust(trusted, keys) }];
}

/** Where Codex keeps which hooks a person trusted: beside the user's hooks, whatever level they are installed at. */
function trustFile(agent: Agent, place: Place): string {
  return join(dirname(settingsPath(agent, "user", place)), "config.toml");
}
