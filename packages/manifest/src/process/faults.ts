import { HarnError } from "@hooks/core";
import type { NotRunnable } from "./program.js";

export function notStarted({ message, help }: NotRunnable, cause?: unknown): HarnError {
  return new HarnError("HARN_E_HOOK_START", `cannot be run: ${message}`, help, cause);
}

/** What Node says of a program the system would not start. */
export function refusedBySystem(error: NodeJS.ErrnoException, file: string): HarnError {
  const help =
    error.code === "E2BIG" ? "pass less by arguments: the payload comes on standard input" : `try to run ${file}`;
  return notStarted({ message: `the system refuses to start ${file}: ${error.message}`, help }, error);
}

export function printedTooMuch(stream: string, most: number): HarnError {
  return new HarnError(
    "HARN_E_HOOK_OUTPUT",
    `printed more than ${most} bytes on ${stream}; it was killed with everything it started`,
    "Print a decision or a few lines of context, and write the rest to a file.",
  );
}

export function printedNoText(): HarnError {
  return new HarnError(
    "HARN_E_HOOK_OUTPUT",
    "printed bytes on standard output that are not UTF-8",
    "Print text in UTF-8.",
  );
}

export function ranOutOfTime(timeout_ms: number, hasExited: boolean): HarnError {
  const state = hasExited ? "it had exited, but something it started held its output open" : "it was still running";
  return new HarnError(
    "HARN_E_HOOK_TIMEOUT",
    `did not settle within ${timeout_ms} ms: ${state}; it was killed with everything it started`,
    hasExited ? "Redirect the output of what runs on: command >/dev/null 2>&1 &" : "Do less, or give it more time.",
  );
}
