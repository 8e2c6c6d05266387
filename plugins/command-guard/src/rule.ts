import type { SimpleCommand } from "@hooks/shell";
import type { Scene } from "./scene.js";

/** What belongs together, and is switched on and off together. */
export const GROUPS = {
  deletion: true,
  git: true,
  disks: true,
  permissions: true,
  system: true,
  network: true,
  credentials: true,
  windows: true,
  workspace: false,
  packages: false,
  containers: false,
  cloud: false,
  databases: false,
  infrastructure: false,
} as const;

/** The name of a group; the table says which are on when nobody says anything. */
export type Group = keyof typeof GROUPS;

/**
 * - `catastrophic`: a machine or everything a person owns; blocked whatever the options say
 * - `high`: cannot be brought back; blocked
 * - `medium`: somebody should look at it; asked
 */
export type Severity = "catastrophic" | "high" | "medium";

/** What happens when a rule hits; `warn` lets it pass and tells the model. */
export type Mode = "block" | "ask" | "warn";

/** One rule. All of it is data but the test itself. */
export interface Rule {
  readonly id: string;
  readonly group: Group;
  readonly severity: Severity;
  /** Why it is dangerous, in one sentence. */
  readonly explanation: string;
  /** What to do instead, in one sentence to the agent. */
  readonly instead: string;
  /** Commands that are such a thing; the guard lets each of them pass. */
  readonly alternatives: readonly string[];
  readonly references: readonly string[];
  /** Commands it must hit, and commands that look like it and must pass. */
  readonly hits: readonly string[];
  readonly misses: readonly string[];
  /** The programs it is about; every command where absent. */
  readonly programs?: readonly string[];
  /** Whether it may have something to say at all; asked once for all rules that share it. */
  readonly when?: (command: SimpleCommand) => boolean;
  /** What it found, as the object of a sentence: "/etc, a system directory"; null where it found nothing. */
  readonly test: (command: SimpleCommand, scene: Scene) => string | null;
  /** What it found in the whole rather than in one command: what cannot be followed, functions that call themselves. */
  readonly whole?: (scene: Scene) => string | null;
}
