import type { ChildProcess } from "node:child_process";

/** The programs that run now. A hook outlives nobody: those that still run when this process ends go with it. */
const alive = new Set<ChildProcess>();
process.on("exit", killAll);

/** What ends a process that does not listen to it, without its "exit". */
const SIGNALS: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/** Has a program killed with this process, until it is let go. */
export function hold(child: ChildProcess): void {
  if (alive.size === 0) for (const signal of SIGNALS) process.on(signal, end);
  alive.add(child);
}

export function letGo(child: ChildProcess): void {
  if (!alive.delete(child) || alive.size > 0) return;
  for (const signal of SIGNALS) process.off(signal, end);
}

/** Ends as this process would have without programs. A host that listens itself says how it ends. */
function end(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return;
  killAll();
  process.off(signal, end);
  process.kill(process.pid, signal);
}

function killAll(): void {
  for (const child of alive) killGroup(child);
}

/** Ends a program and everything it started that did not leave its group. */
export function killGroup(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  } catch {
    // No group of this number: all of it is gone, or the system knows no groups.
    child.kill("SIGKILL");
  }
}
