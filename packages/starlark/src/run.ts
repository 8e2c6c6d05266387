import { type Source, StarlarkSyntaxError } from "./errors.js";
import type { Activation } from "./evaluator/activation.js";
import type { Thread } from "./evaluator/thread.js";

/** Runs what stands at the top: a module, or an expression. */
export function runWithin<T>(thread: Thread, frame: Activation, weight: number, run: (frame: Activation) => T): T {
  return guard(thread, () => {
    thread.enter(frame, weight);
    thread.step();
    const result = run(frame);
    thread.leave(frame, weight);
    return result;
  });
}

/**
 * Calls are counted so that they never fill JavaScript's own stack; but the host may have filled most of it before. What
 * then happens is a budget that is used up, like any other, and not an error of JavaScript.
 */
export function guard<T>(thread: Thread, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (isOverflow(error)) return thread.overflow();
    throw error;
  }
}

/** The same for what reads a source: it is not nested too deeply for us, but for the stack that the host has left. */
export function guardSource<T>({ file, text }: Source, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (isOverflow(error)) throw new StarlarkSyntaxError("nested too deeply", { file, line: 1, column: 1 }, text);
    throw error;
  }
}

function isOverflow(error: unknown): boolean {
  return error instanceof RangeError && /call stack/i.test(error.message);
}
