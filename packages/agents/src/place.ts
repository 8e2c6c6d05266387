import { join } from "node:path";
import type { Agent } from "./agent.js";

/** Where an agent's settings are looked for. */
export interface Place {
  readonly project: string;
  readonly home: string;
  /** Variables that move what an agent keeps of a user elsewhere. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The text of a file; null when there is none. */
  read(path: string): string | null;
}

export type Level = "project" | "user";

/** Where an agent keeps what is a user's. */
export function userDirectory({ install: { user } }: Agent, { home, env }: Place): string {
  for (const [variable, below] of user.moved) {
    const moved = env[variable];
    if (moved !== undefined && moved !== "") return join(moved, below);
  }
  return join(home, user.directory);
}

/** The file Harn is in, or would be. */
export function settingsPath(agent: Agent, level: Level, place: Place): string {
  const { project, user } = agent.install;
  return level === "project" ? join(place.project, project) : join(userDirectory(agent, place), user.file);
}
