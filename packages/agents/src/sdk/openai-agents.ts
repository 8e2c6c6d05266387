import type { Harness } from "@hooks/core";
import { type GuardOptions, ToolGuard, ToolRefusedError } from "./guard.js";

// The shape of a tool of the OpenAI Agents SDK, as far as it matters here.
interface InvokableTool {
  readonly type: string;
  readonly name: string;
  readonly invoke?: (context: unknown, input: string, details?: unknown) => Promise<unknown>;
}

/**
 * Puts a policy in front of the function tools of the OpenAI Agents SDK: `new Agent({ tools: guardAgentTools(harness, tools) })`.
 * A refused call answers with the reason, which the model reads; an input guardrail could not rewrite arguments, this can.
 */
export function guardAgentTools<T extends object>(
  harness: Pick<Harness, "fire">,
  tools: readonly T[],
  options: GuardOptions = {},
): T[] {
  const guard = new ToolGuard(harness, options);
  const all = tools as unknown as readonly InvokableTool[];
  // Hosted tools, shells and computers run where no function of theirs is called.
  guard.refuseUnguarded(
    all.filter(({ type, invoke }) => type !== "function" || invoke === undefined).map(({ name, type }) => name ?? type),
  );
  return all.map((tool) => {
    const { invoke } = tool;
    if (invoke === undefined) return tool;
    return {
      ...tool,
      async invoke(context: unknown, input: string, details?: { readonly toolCall?: { readonly callId?: string } }) {
        try {
          const id = details?.toolCall?.callId;
          return await guard.run(tool.name, parse(input), id, (args) =>
            invoke.call(tool, context, JSON.stringify(args), details),
          );
        } catch (error) {
          if (error instanceof ToolRefusedError) return error.message;
          throw error;
        }
      },
    };
  }) as unknown as T[];
}

/** What the model wrote; what is not JSON is for the tool itself to complain about, and for hooks to see as it is. */
function parse(input: string): unknown {
  try {
    return JSON.parse(input);
  } catch {
    return { input };
  }
}

export { type GuardedCall, type GuardOptions, ToolRefusedError } from "./guard.js";
