import { messageOf } from "./errors.js";

/** Whether an error is how work that was aborted ends. */
export function isAbort(error: unknown, signal: AbortSignal): boolean {
  return signal.aborted && (error === signal.reason || (error instanceof Error && error.name === "AbortError"));
}

/** What becomes of work that was abandoned. */
export interface Abandoned {
  /** What has to be over before anybody goes on, such as the end of a subagent's session. */
  readonly linger?: () => Promise<unknown>;
  /** Hears of an error that came when nobody waited any more. */
  readonly late: (error: unknown) => void;
}

/**
 * Waits for work, but no longer than until the signal is aborted: work that does not listen to its signal must not keep
 * a session from ending.
 */
export async function untilAborted<T>(
  signal: AbortSignal,
  start: () => T | Promise<T>,
  { linger, late }: Abandoned,
): Promise<T> {
  signal.throwIfAborted();
  let hear: () => void = () => {};
  const aborted = new Promise<never>((_, reject) => {
    hear = () => reject(signal.reason);
    signal.addEventListener("abort", hear, { once: true });
  });
  let isWaiting = true;
  const work = (async () => start())();
  work.catch((error) => {
    if (!isWaiting && !isAbort(error, signal)) late(error);
  });
  try {
    return await Promise.race([work, aborted]);
  } catch (error) {
    isWaiting = false;
    if (signal.aborted) await linger?.();
    throw error;
  } finally {
    signal.removeEventListener("abort", hear);
  }
}

/** Cleans up after an error. Where that fails too, both are thrown: neither hides the other. */
export async function afterError(error: unknown, cleanUp: () => Promise<unknown>): Promise<void> {
  try {
    await cleanUp();
  } catch (second) {
    throw new AggregateError([error, second], `${messageOf(error)}; and then: ${messageOf(second)}`);
  }
}
