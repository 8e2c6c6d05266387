import { Script } from "node:vm";
import { now } from "./clock.js";

const WORK = Symbol.for("harn.interruptible");
const holder = globalThis as unknown as Record<symbol, (() => unknown) | undefined>;
let script: Script | undefined;

/**
 * Does something that may never come back by itself: a hook that loops in this process cannot be stopped by a timer, but
 * V8 can be told to. What is done after a promise is not covered.
 */
export function interruptible<T>(work: () => T, deadline: number): T {
  const timeout = Math.max(1, Math.ceil(deadline - now()));
  script ??= new Script(`globalThis[Symbol.for("harn.interruptible")]()`);
  const outer = holder[WORK];
  holder[WORK] = work;
  try {
    return script.runInThisContext({ timeout }) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException | null)?.code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
    throw new Error("a hook did not come back before the deadline");
  } finally {
    holder[WORK] = outer;
  }
}
