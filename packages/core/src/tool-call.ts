import { isAbort } from "./abort.js";
import { HarnError } from "./errors.js";
import type { Payload } from "./events.js";
import { copyJson, type JsonObject } from "./json.js";
import type { ToolCall } from "./model.js";
import type { Outcome } from "./outcome.js";
import type { Permissions } from "./permissions.js";
import { NO_REASON, type Stage } from "./stage.js";
import { checkArgs, failure, resultOfTool, shownArgs, type Tool, type ToolContext, type ToolResult } from "./tool.js";

/** Why a tool did not run, or why nobody saw what it gave. */
export type ToolRefusal = "unknown_tool" | "invalid_args" | "blocked" | "denied" | "withheld";

/** What became of a tool call: the result is what the model gets, whatever happened. */
export interface ToolCallResult {
  readonly call_id: string;
  readonly name: string;
  readonly result: ToolResult;
  readonly refused?: { readonly as: ToolRefusal; readonly reason: string; readonly by?: string | undefined };
  /** Set when a hook wants the loop to stop after this call. */
  readonly stop?: { readonly reason?: string };
}

/**
 * Takes one tool call through its lifecycle: the tool's schema, PreToolUse, the schema again when a hook rewrote the
 * arguments, permission, the tool, PostToolUse, and PostToolUseFailure when the tool failed.
 */
export async function callTool(
  stage: Stage,
  permissions: Permissions,
  tool: Tool | undefined,
  call: ToolCall,
  contextOf: (tool: Payload<"PreToolUse">["tool"]) => ToolContext,
): Promise<ToolCallResult> {
  const answer = { call_id: call.id, name: call.name };
  const refuse = (as: ToolRefusal, text: string, reason: string, by?: string) => ({
    ...answer,
    result: failure(`${text}: ${reason}`),
    refused: { as, reason, by },
  });
  if (tool === undefined) return refuse("unknown_tool", "Not run", `there is no tool "${call.name}"`);
  if (call.unreadable !== undefined)
    return refuse("invalid_args", "Not run, the arguments could not be read", call.unreadable);

  const asked = copyJson(call.args) as JsonObject;
  const checked = await checkArgs(tool, asked);
  if ("problem" in checked) return refuse("invalid_args", "Not run, the arguments are not valid", checked.problem);

  const shown = { name: call.name, args: shownArgs(checked.args, asked), call_id: call.id };
  const before = await stage.fire("PreToolUse", { tool: shown });
  const stops = stopOf(before);
  const { tool: ruled } = before.payload;
  if (before.verdict === "block") {
    return { ...refuse("blocked", "Blocked by a hook", reasonOf(before), before.by), ...stops };
  }
  const final = before.modified ? await checkArgs(tool, ruled.args) : checked;
  if ("problem" in final) {
    const text = "Not run, a hook rewrote the arguments and they are no longer valid";
    return { ...refuse("invalid_args", text, final.problem), ...stops };
  }
  const permission = await permissions.decide(
    stage,
    ruled,
    before.verdict === "ask" ? (before.reason ?? "a hook asks") : undefined,
  );
  if (permission.decision === "deny") {
    return { ...refuse("denied", "Permission denied", permission.reason, permission.by), ...stops };
  }

  const { ran, after } = await tellResult(stage, ruled, await run(stage, tool, final.args, contextOf(ruled)));
  const isWithheld = after.verdict === "block";
  let result: ToolResult = isWithheld
    ? failure(`The tool ran, and a hook withholds its result: ${reasonOf(after)}`)
    : after.payload.result;
  let end = { ...stops, ...stopOf(after) };
  if (ran.is_error) {
    const failed = await stage.fire("PostToolUseFailure", { tool: ruled, result });
    result = failed.payload.result;
    end = { ...end, ...stopOf(failed) };
  }
  const refused = isWithheld ? { refused: { as: "withheld" as const, reason: reasonOf(after), by: after.by } } : {};
  return { ...answer, result, ...refused, ...end };
}

/** A tool that throws failed, and the model hears why. An error of Harn itself is no tool's failure. */
async function run(stage: Stage, tool: Tool, args: unknown, context: ToolContext): Promise<ToolResult> {
  const settle = stage.track("tool_call", tool.name);
  try {
    const returned = await stage.await("PreToolUse", `tool ${tool.name}`, () => tool.run(args as never, context));
    settle();
    return resultOfTool(returned);
  } catch (error) {
    // What was abandoned may still be at work, and stays on the list.
    if (isAbort(error, stage.signal)) throw error;
    settle();
    if (error instanceof HarnError && error.code !== "HARN_E_VERIFY_FAILED") throw error;
    return failure(error);
  }
}

/** Fires PostToolUse. What was done is done: a result no payload has room for is a failure of the tool, and no end. */
async function tellResult(stage: Stage, tool: Payload<"PreToolUse">["tool"], ran: ToolResult) {
  try {
    return { ran, after: await stage.fire("PostToolUse", { tool, result: ran }) };
  } catch (error) {
    if (!isPayloadError(error)) throw error;
    const failed = failure(`The tool ran, and its result cannot be used: ${error.message}`);
    return { ran: failed, after: await stage.fire("PostToolUse", { tool, result: failed }) };
  }
}

function isPayloadError(error: unknown): error is HarnError {
  return error instanceof HarnError && error.code.startsWith("HARN_E_PAYLOAD");
}

function stopOf({ stop }: Outcome<"PreToolUse" | "PostToolUse" | "PostToolUseFailure">) {
  return stop === undefined ? {} : { stop: stop.reason === undefined ? {} : { reason: stop.reason } };
}

function reasonOf({ reason }: Outcome<"PreToolUse" | "PostToolUse">): string {
  return reason ?? NO_REASON;
}
