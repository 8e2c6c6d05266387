import type { JsonObject } from "@hooks/core";
import type { Fields, Ruling } from "./agent.js";
import { compact } from "./reading.js";

/** `hookSpecificOutput` of the agents that have one; nothing when it would be empty. */
export function specific(event: string, fields: object): JsonObject {
  const own = compact(fields);
  return Object.keys(own).length === 0 ? {} : { hookSpecificOutput: { hookEventName: event, ...own } };
}

/** The word for the end of the run; nothing when it goes on. */
export function stopping({ stop }: Ruling): JsonObject {
  return stop === undefined ? {} : { continue: false, stopReason: stop };
}

export function orNothing(output: JsonObject): JsonObject | undefined {
  return Object.keys(output).length === 0 ? undefined : output;
}

/** A veto as most events take it, or else what the model is to be told. */
export function blockOrContext(ruling: Ruling, { event }: Fields): JsonObject | undefined {
  if (ruling.verdict === "block") return { decision: "block", reason: ruling.reason };
  return orNothing({ ...stopping(ruling), ...specific(event, { additionalContext: ruling.context }) });
}

/** The answer to a permission question; silence leaves it to the agent. */
export function permission({ verdict, decision, reason }: Ruling, { event }: Fields): JsonObject | undefined {
  if (verdict === "block") return specific(event, { decision: { behavior: "deny", message: reason } });
  return decision === "allow" ? specific(event, { decision: { behavior: "allow" } }) : undefined;
}
