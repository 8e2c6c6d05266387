import type { Agent } from "./agent.js";

/** How the command of one hook is put together. */
export interface Launch {
  readonly agent: Agent;
  readonly event: string;
  /** What runs harn, as a shell writes it. */
  readonly harn: string;
  /** Flags of `harn hook` beside those that are always there, as a shell writes them. */
  readonly flags: readonly string[];
}

/** What Harn takes of the time an agent gives it: the rest is for starting, and for saying no. */
export function budgetOf(seconds: number): number {
  return seconds <= 5 ? Math.floor(seconds * 600) : (seconds - 5) * 1_000;
}

/**
 * The command of a hook. The time of the processor is limited, because a hook that loops cannot be interrupted
 * everywhere; and whatever ends without an answer is a veto, because most agents take it for a yes.
 */
export function commandFor({ agent, event, harn, flags }: Launch): string {
  const { seconds } = agent.install.events[event] ?? { seconds: 30 };
  const words = [harn, "hook", agent.name, "--event", event, "--budget", String(budgetOf(seconds)), ...flags];
  const command = `(ulimit -t ${Math.ceil(seconds)}; exec ${words.join(" ")})`;
  if (!agent.events[event]?.can.includes("block")) return command;
  return `${command} || { [ $? -eq 2 ] || echo 'Harn refuses: harn hook ended without an answer' >&2; exit 2; }`;
}

/** A word as a POSIX shell reads it. */
export function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
