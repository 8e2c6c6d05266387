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
 * The command of a hook. What it prints goes to standard error, and its answer alone to standard output, through a
 * descriptor that no program a hook starts knows of. Its processor time is limited, because a hook that loops cannot be
 * interrupted everywhere; and whatever ends without an answer is a veto, because most agents take it for a yes.
 */
export function commandFor({ agent, event, harn, flags }: Launch): string {
  const { seconds } = agent.install.events[event] ?? { seconds: 30 };
  const words = [harn, "hook", agent.name, "--event", event, "--budget", String(budgetOf(seconds)), ...flags];
  const limit = `ulimit -S -t ${processorSeconds(seconds)}; export HARN_CPU_LIMITED=1`;
  const command = `(${limit}; exec ${words.join(" ")} --answer-fd 3 3>&1 >&2)`;
  if (!agent.events[event]?.can.includes("block")) return command;
  return `${command} || { [ $? -eq 2 ] || echo 'Harn refuses: harn hook ended without an answer' >&2; exit 2; }`;
}

/** A third of what the agent waits: on a busy machine a loop must still run out of it before the agent runs out of patience. */
function processorSeconds(seconds: number): number {
  return Math.max(1, Math.floor(seconds / 3));
}

/** A word as a POSIX shell reads it. */
export function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
