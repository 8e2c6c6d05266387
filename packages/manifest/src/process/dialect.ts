import { type Dialect, type HookContext, hookExited, type Json, type Payload, settings } from "@hooks/core";
import type { HandlerFunction } from "../modules.js";
import { type Command, commandHandler } from "./command.js";

/**
 * How a command of harn.toml speaks: as executables do, on every event there is. What the manifest says beside it, its
 * `when` above all, is over the canonical payload as for any other hook of the file. A program that ran and failed
 * passes as its page says; one that never ran or answered in no known way has let nothing pass.
 */
export const commands: Dialect = {
  ...settings,
  view: (payload) => payload as unknown as Json,
  tolerates: (fault, _event, isStrict) =>
    !isStrict && (fault === "HARN_E_HOOK_EXIT" || fault === "HARN_E_HOOK_TIMEOUT"),
};

/** Runs a command of harn.toml. */
export function manifestHandler(command: Command): HandlerFunction {
  const run = commandHandler(command);
  return (payload: Json, context: HookContext) => run(settings.view(payload as unknown as Payload), context);
}

/** Runs a command that observes: it gets the whole observation, and all it can answer is that it is done. */
export function observerHandler(command: Command): HandlerFunction {
  const run = commandHandler(command);
  return async (observation: Json, context: HookContext) => {
    const { exit_code, stderr, signal } = await run(observation, context);
    if (exit_code !== 0) throw hookExited(exit_code, stderr, signal);
  };
}
