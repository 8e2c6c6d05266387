import { DEFAULT_TIMEOUT_MS, type HookContext, type Json, type ProcessResult, printable } from "@hooks/core";
import { environmentFor } from "./environment.js";
import { execute } from "./execution.js";
import { notStarted } from "./faults.js";
import { findCommand, type NotRunnable } from "./program.js";

/** A program a hook runs, and what it runs with. */
export interface Command {
  /** The program and its arguments; no shell reads them. */
  readonly argv: readonly string[];
  readonly cwd: string;
  /** Variables of this process it gets beside the usual ones. */
  readonly env: readonly string[];
  /** Variables that are set for it. */
  readonly variables: Readonly<Record<string, string>>;
  readonly timeout_ms: number | undefined;
}

/** Why a command could not be run as things stand. */
export function commandMistake(command: Command): NotRunnable | undefined {
  const { PATH } = environmentFor(command.env, command.variables);
  const found = findCommand(command.argv, { cwd: command.cwd, path: PATH });
  return typeof found === "string" ? undefined : found;
}

/** The function that runs a command for each call, with the JSON of what it sees on standard input. */
export function commandHandler(command: Command): (view: Json, context: HookContext) => Promise<ProcessResult> {
  const { argv, cwd, timeout_ms = DEFAULT_TIMEOUT_MS } = command;
  const args = argv.slice(1);
  return async (view, { hook, project, signal }) => {
    const own = { HARN_HOOK: hook.id, HARN_PROJECT_DIR: project ?? cwd };
    const env = environmentFor(command.env, { ...command.variables, ...own });
    const file = findCommand(argv, { cwd, path: env.PATH });
    if (typeof file !== "string") throw notStarted(file);
    // Ended by a line end: a shell's `read` waits for one.
    const input = `${JSON.stringify(view)}\n`;
    const result = await execute({ file, args, cwd, env, input, timeout_ms, signal });
    tell(hook.id, result);
    return result;
  };
}

/** Shows a person what a hook had to say. What it failed with is in its fault, and why it blocked in the reason. */
function tell(hook: string, { exit_code, stdout, stderr }: ProcessResult): void {
  const isTold = exit_code !== 0 && (exit_code !== 2 || stdout.trim() === "");
  if (!isTold && stderr.trim() !== "") process.stderr.write(printable(`harn: hook "${hook}": ${stderr.trimEnd()}\n`));
}
