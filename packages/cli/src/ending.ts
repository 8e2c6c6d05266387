import { messageOf, printable } from "@hooks/core";
import { EXIT, type Exit } from "./exit.js";
import type { Host } from "./terminal.js";

let isOver = false;

/** Ends the process because the work is done; with what was set already when no code is given. */
export function end(code?: Exit): never {
  isOver = true;
  process.exit(code);
}

/**
 * Keeps what hooks do to the process from looking like an answer. What they print is talk: one line of it on standard
 * output would be read as data. A process they end, whatever exit code they chose, has failed.
 */
export function guardProcess({ err, env }: Pick<Host, "err" | "env">): void {
  // The stream itself is not made until somebody prints: that takes longer than most hooks.
  Object.defineProperty(process, "stdout", { configurable: true, enumerable: true, get: () => process.stderr });
  const tell = (fact: string) => {
    err.write(`error[HARN_E_ENDED]: ${printable(fact)}\n`);
    err.write(
      'help: let the hook return or throw, and await what it starts; with isolation = "worker" it ends only itself\n',
    );
  };
  process.on("exit", () => {
    if (isOver) return;
    tell("a hook ended the process before the command was done");
    process.exitCode = EXIT.internal;
  });
  process.on("uncaughtException", (error: unknown) => {
    // A verb that goes on, or answers in its own way, listens too.
    if (process.listenerCount("uncaughtException") > 1) return;
    if (env.HARN_DEBUG && error instanceof Error) err.write(`${printable(error.stack ?? "")}\n`);
    tell(`a hook failed where nobody could catch it: ${messageOf(error)}`);
    end(EXIT.internal);
  });
}
