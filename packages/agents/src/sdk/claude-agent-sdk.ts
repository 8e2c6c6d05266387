import type { Harness, JsonObject } from "@hooks/core";
import { BadInput, isObject } from "../agent.js";
import { answerCall, type Call } from "../answer.js";
import { claude } from "../claude.js";

/** A callback as the SDK calls it: every input fits, and so does every output. */
export type ClaudeHookCallback = (input: unknown) => Promise<Record<never, never>>;

export interface ClaudeHookMatcher {
  hooks: ClaudeHookCallback[];
  timeout?: number;
  onFailure?: "continue" | "block";
}

/** The events that get a callback: those of the command line that Harn has a word for. */
export type ClaudeHookEvent =
  | "PreToolUse"
  | "PostToolUse"
  | "PostToolUseFailure"
  | "PermissionRequest"
  | "PermissionDenied"
  | "UserPromptSubmit"
  | "SessionStart"
  | "SessionEnd"
  | "Stop"
  | "StopFailure"
  | "SubagentStop"
  | "PreCompact"
  | "PostCompact";

/**
 * The hooks of the Claude Agent SDK that ask a policy: `query({ prompt, options: { hooks: claudeHooks(harness) } })`. One
 * callback for each event; a callback that fails blocks.
 */
export function claudeHooks(harness: Pick<Harness, "fire">): Record<ClaudeHookEvent, ClaudeHookMatcher[]> {
  const callback: ClaudeHookCallback = async (input: unknown) => {
    const { stdout } = await answerCall(readInput(input), (event, payload) => harness.fire(event, payload as never));
    return stdout === "" ? {} : (JSON.parse(stdout) as JsonObject);
  };
  const entries = Object.entries(claude.install.events).map(([event, { seconds }]) => {
    const isGate = claude.events[event]?.can.includes("block") === true;
    return [event, [{ hooks: [callback], timeout: seconds, ...(isGate ? { onFailure: "block" } : {}) }]];
  });
  return Object.fromEntries(entries);
}

function readInput(input: unknown): Call {
  if (!isObject(input)) throw new BadInput("the input of a hook is not an object");
  const event = claude.nameOf(input);
  const row = event === undefined ? undefined : claude.events[event];
  const problem = row === undefined ? `"${event}" is not an event of Claude Code` : undefined;
  return { agent: claude, event, row, input, problem };
}
