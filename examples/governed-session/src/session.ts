import { createReminders, type Harness, type JsonObject, type Outcome, type Payload, type Reminder } from "@hooks/core";
import type { ToolCall } from "./script.js";
import type { Tools } from "./tools.js";

/** Something a person watching the session sees. */
export type Moment =
  | { readonly kind: "call"; readonly index: number; readonly call: ToolCall; readonly reminders: readonly Reminder[] }
  | { readonly kind: "ruled"; readonly outcome: Outcome<"PreToolUse">; readonly asked: JsonObject }
  | { readonly kind: "answered"; readonly by: string; readonly decision: "allow" | "deny" }
  | { readonly kind: "result"; readonly outcome: Outcome<"PostToolUse">; readonly length: number }
  | { readonly kind: "refused"; readonly reason: string };

/** Lets a script of tool calls run under a harness, and tells what happens as it happens. */
export async function* runSession(
  harness: Harness,
  prompt: string,
  calls: readonly ToolCall[],
  tools: Tools,
): AsyncGenerator<Moment> {
  let ids = 0;
  const reminders = createReminders("example", () => `reminder-${++ids}`);

  reminders.inject((await harness.fire("SessionStart", { source: "startup", prompt })).reminders);
  const submitted = await harness.fire("UserPromptSubmit", { prompt });
  reminders.inject(submitted.reminders);
  if (submitted.verdict === "block") {
    yield { kind: "refused", reason: submitted.reason ?? "no reason given" };
  } else {
    for (const [index, call] of calls.entries()) {
      yield { kind: "call", index: index + 1, call, reminders: reminders.pending };
      reminders.turnEnded();
      yield* runCall(call);
    }
  }
  await harness.fire("SessionEnd", { reason: "completed" });

  async function* runCall(call: ToolCall): AsyncGenerator<Moment> {
    const before = await harness.fire("PreToolUse", { tool: { name: call.name, args: call.args } });
    reminders.inject(before.reminders);
    yield { kind: "ruled", outcome: before, asked: call.args };
    if (before.verdict === "block") return;
    const { tool } = before.payload;
    if (before.verdict === "ask") {
      const answer = await permission(tool, before.reason);
      yield { kind: "answered", ...answer };
      if (answer.decision === "deny") return;
    }

    const result = runTool(tool);
    const after = await harness.fire("PostToolUse", { tool, result });
    reminders.inject(after.reminders);
    yield { kind: "result", outcome: after, length: result.text.length };
    if (tool.name === "write_file" && !result.is_error) {
      reminders.inject((await harness.fire("FileEdited", { path: String(tool.args.path), tool })).reminders);
    }
  }

  /** A hook may answer a permission question. Where none does, nobody is there to ask, and that is a no. */
  async function permission(tool: Payload<"PreToolUse">["tool"], reason = "no reason given") {
    const asked = await harness.fire("PermissionAsked", { tool, reason });
    const decision = asked.decision === "allow" ? ("allow" as const) : ("deny" as const);
    const by = asked.by ?? "nobody is watching, and unattended means no";
    await harness.fire("PermissionReplied", { tool, decision, reason, by });
    if (decision === "deny") await harness.fire("PermissionDenied", { tool, reason });
    return { decision, by };
  }

  function runTool({ name, args }: Payload<"PreToolUse">["tool"]) {
    try {
      const run = tools[name];
      if (run === undefined) throw new Error(`there is no tool "${name}"`);
      return { text: run(args), is_error: false };
    } catch (error) {
      return { text: error instanceof Error ? error.message : String(error), is_error: true };
    }
  }
}
