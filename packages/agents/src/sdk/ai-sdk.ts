import type { Harness } from "@hooks/core";
import { type GuardOptions, ToolGuard } from "./guard.js";

// The shape of a tool of the AI SDK, as far as it matters here: what goes in comes out with the very type it had.
interface ExecutableTool {
  readonly execute?: ((input: unknown, options: unknown) => unknown) | undefined;
}

/**
 * Puts a policy in front of the tools of the AI SDK: `generateText({ tools: guardTools(harness, tools) })`. A refused call
 * is a tool error with the reason, which the model reads; arguments and results are those the policy leaves.
 *
 * A tool that streams preliminary results gives its last one alone, because only that can be judged.
 */
export function guardTools<const T extends Readonly<Record<string, object>>>(
  harness: Pick<Harness, "fire">,
  tools: T,
  options: GuardOptions = {},
): T {
  const guard = new ToolGuard(harness, options);
  const all = Object.entries(tools as Readonly<Record<string, ExecutableTool>>);
  guard.refuseUnguarded(all.filter(([, { execute }]) => execute === undefined).map(([name]) => name));
  const guarded = all.map(([name, tool]) => {
    const { execute } = tool;
    if (execute === undefined) return [name, tool];
    const run = (input: unknown, call: { readonly toolCallId?: string }) =>
      guard.run(name, input, call?.toolCallId, async (args) => lastOf(await execute.call(tool, args, call)));
    return [name, { ...tool, execute: run }];
  });
  return Object.fromEntries(guarded) as T;
}

async function lastOf(output: unknown): Promise<unknown> {
  if (typeof output !== "object" || output === null || !(Symbol.asyncIterator in output)) return output;
  let last: unknown;
  for await (const part of output as AsyncIterable<unknown>) last = part;
  return last;
}

export { type GuardedCall, type GuardOptions, ToolRefusedError } from "./guard.js";
