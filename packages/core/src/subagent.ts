import { type AgentRun, runAgent } from "./agent-loop.js";
import type { Verify } from "./delegation.js";
import type { Message } from "./model.js";
import type { Schema, Tool } from "./tool.js";

/** A subagent the model can give work to. */
export interface Subagent extends Pick<AgentRun, "model" | "tools" | "system" | "maxTurns" | "retry" | "compaction"> {
  readonly name: string;
  readonly description?: string;
  /** Declares that its answers are verified, by hooks and by this function. */
  readonly verify?: true | Verify;
  readonly maxVerifyRetries?: number;
}

const PROMPT: Schema<{ readonly prompt: string }> = {
  "~standard": {
    validate(value) {
      const { prompt } = value as { prompt?: unknown };
      return typeof prompt === "string" ? { value: { prompt } } : { issues: [{ message: "prompt must be a text" }] };
    },
  },
};

/** Makes a tool of a subagent: its argument is the prompt, its result the subagent's last words. */
export function subagentTool(subagent: Subagent): Tool {
  const { name, description, verify, maxVerifyRetries, system, ...run } = subagent;
  return {
    name,
    ...(description === undefined ? {} : { description }),
    input: PROMPT,
    input_schema: { type: "object", properties: { prompt: { type: "string" } }, required: ["prompt"] },
    async run({ prompt }: { readonly prompt: string }, { session }) {
      // One conversation for all attempts: a model cannot mend an answer it does not remember.
      let history: readonly Message[] = system === undefined ? [] : [{ role: "system", content: system }];
      const done = await session.delegate({
        agent: name,
        prompt,
        ...(verify === undefined ? {} : { verify }),
        ...(maxVerifyRetries === undefined ? {} : { maxVerifyRetries }),
        async run(child, task) {
          const { text, reason, stop_reason, messages } = await runAgent({
            ...run,
            session: child,
            prompt: task,
            source: "subagent",
            history,
          });
          history = messages;
          const is_error = stop_reason !== "complete" && stop_reason !== "stopped";
          return is_error ? { text: `${stop_reason}: ${reason ?? text}`, is_error } : text;
        },
      });
      return done.ok ? done.result : { text: `Blocked by a hook: ${done.reason}`, is_error: true };
    },
  };
}
