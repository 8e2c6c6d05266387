import { type Harness, type Json, type JsonObject, messageOf, type SessionRef } from "@hooks/core";
import { isObject } from "../agent.js";
import { textOf } from "../reading.js";

export interface GuardOptions {
  /** The session the calls belong to; that of the harness when absent. */
  readonly session?: SessionRef;
  /** What a tool is called in the policy, where that is another name: `{ shell: "Bash" }`. */
  readonly names?: Readonly<Record<string, string>>;
  /** Asks a person; a question is refused when nobody can be asked. */
  readonly confirm?: (reason: string, call: GuardedCall) => boolean | Promise<boolean>;
  /** Told when a hook wants the agent to stop; the call is refused when nobody is told. */
  readonly onStop?: (reason: string) => void;
  /** Told what the model should be reminded of. */
  readonly onReminder?: (text: string) => void;
  /** Tools that run elsewhere and cannot be guarded, named on purpose. */
  readonly unguarded?: readonly string[];
}

/** A call of a tool, in the words of the policy. */
export interface GuardedCall {
  readonly name: string;
  readonly native_name: string;
  readonly args: JsonObject;
  readonly call_id?: string;
}

/** What a policy refused: its message is for the model. */
export class ToolRefusedError extends Error {
  override readonly name = "ToolRefusedError";
}

/** Stands between an agent's loop and its tools. */
export class ToolGuard {
  constructor(
    private readonly harness: Pick<Harness, "fire">,
    private readonly options: GuardOptions = {},
  ) {}

  /** Runs a tool if the policy lets it, with the arguments the policy leaves, and gives what the policy lets through. */
  async run<T>(
    native: string,
    given: unknown,
    call_id: string | undefined,
    execute: (args: JsonObject) => Promise<T>,
  ): Promise<T> {
    const call = await this.before(native, given, call_id);
    let output: T;
    try {
      output = await execute(call.args);
    } catch (error) {
      const { text, isChanged } = await this.after(call, { text: messageOf(error), is_error: true });
      throw isChanged ? new ToolRefusedError(text) : error;
    }
    const value = isJson(output) ? (output as Json) : undefined;
    const result = {
      text: textOf(value),
      ...(typeof output === "string" || value === undefined ? {} : { value }),
      is_error: false,
    };
    const after = await this.after(call, result);
    return after.isChanged ? (after.output as T) : output;
  }

  /** Names the tools that nothing here can stand in front of. */
  refuseUnguarded(names: readonly string[]): void {
    const open = names.filter((name) => !(this.options.unguarded ?? []).includes(name));
    if (open.length === 0) return;
    throw new Error(
      `no policy can guard ${open.join(", ")}: it does not run in this process. Take it out, or name it in \`unguarded\`.`,
    );
  }

  private async before(native: string, given: unknown, call_id: string | undefined): Promise<GuardedCall> {
    const { names = {}, confirm } = this.options;
    const name = Object.hasOwn(names, native) ? (names[native] as string) : native;
    const args = isObject(given) ? given : { input: (given ?? null) as Json };
    const call: GuardedCall = { name, native_name: native, args, ...(call_id === undefined ? {} : { call_id }) };
    const {
      verdict,
      reason = "refused by a hook",
      payload,
      reminders,
      stop,
    } = await this.harness.fire("PreToolUse", { tool: call, ...this.session() });
    for (const { body } of reminders) this.options.onReminder?.(body);
    if (verdict === "block") throw new ToolRefusedError(reason);
    if (stop !== undefined) this.stop(stop.reason);
    const settled = { ...call, args: payload.tool.args };
    if (verdict === "ask" && !(await confirm?.(reason, settled)))
      throw new ToolRefusedError(`nobody consented: ${reason}`);
    return settled;
  }

  private async after(call: GuardedCall, result: { text: string; value?: Json; is_error: boolean }) {
    const first = await this.harness.fire("PostToolUse", { tool: call, result, ...this.session() });
    const last = result.is_error
      ? await this.harness.fire("PostToolUseFailure", { tool: call, result: first.payload.result, ...this.session() })
      : first;
    for (const { body } of [...first.reminders, ...(last === first ? [] : last.reminders)])
      this.options.onReminder?.(body);
    if (first.verdict === "block") throw new ToolRefusedError(first.reason ?? "the result is withheld");
    const stop = first.stop ?? last.stop;
    if (stop !== undefined) this.stop(stop.reason);
    const { text, value } = last.payload.result;
    return { text, output: value ?? text, isChanged: first.modified || last.modified };
  }

  private stop(reason = "a hook asked the agent to stop"): void {
    if (this.options.onStop === undefined) throw new ToolRefusedError(reason);
    this.options.onStop(reason);
  }

  private session(): { session?: SessionRef } {
    return this.options.session === undefined ? {} : { session: this.options.session };
  }
}

function isJson(value: unknown): boolean {
  try {
    return JSON.stringify(value) !== undefined;
  } catch {
    return false;
  }
}
