import type { JsonObject, Outcome } from "@hooks/core";
import type { Moment } from "./session.js";

const COLOURS = { ALLOWED: 32, REWRITTEN: 36, ASKED: 33, DENIED: 31, BLOCKED: 31, CAPPED: 36, reminder: 35 } as const;

type Label = keyof typeof COLOURS | "ran" | "failed" | "hooks";

/** Writes what happens in a session as lines for a person. */
export function timeline(isColoured: boolean): (moment: Moment) => string[] {
  function paint(code: number, text: string): string {
    return isColoured ? `\u001b[${code}m${text}\u001b[0m` : text;
  }

  function line(label: Label, text: string): string {
    const padded = label.padEnd(10);
    return `   ${label in COLOURS ? paint(COLOURS[label as keyof typeof COLOURS], padded) : padded} ${text}`;
  }

  return (moment) => {
    switch (moment.kind) {
      case "refused":
        return [line("BLOCKED", `the prompt: ${moment.reason}`)];
      case "call":
        return [
          "",
          `${moment.index}. ${paint(1, `${moment.call.name}(${JSON.stringify(moment.call.args)})`)}`,
          ...moment.reminders.map(({ body }) => line("reminder", body)),
          `   The model: "${moment.call.why}"`,
        ];
      case "ruled":
        return [line(...ruling(moment.outcome, moment.asked)), line("hooks", traceOf(moment.outcome))];
      case "answered":
        return moment.decision === "deny"
          ? [line("DENIED", `${moment.by}; the tool did not run`)]
          : [line("ALLOWED", `by ${moment.by}`)];
      case "result":
        return result(moment).map((entry) => line(...entry));
    }
  };
}

function ruling(outcome: Outcome<"PreToolUse">, asked: JsonObject): [Label, string] {
  const { verdict, by, reason } = outcome;
  if (verdict === "block") return ["BLOCKED", `${reason} (${by}); the tool did not run`];
  if (verdict === "ask") return ["ASKED", `${reason} (${by})`];
  if (!outcome.modified) return ["ALLOWED", "as it was asked"];
  const changes = Object.entries(outcome.payload.tool.args)
    .filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(asked[key]))
    .map(([key, value]) => `${key} ${JSON.stringify(asked[key])} is now ${JSON.stringify(value)}`);
  const authors = outcome.trace.filter((entry) => entry.result === "modify").map((entry) => entry.hook);
  return ["REWRITTEN", `${changes.join(", ")} (${authors.join(", ")})`];
}

/** The hooks that ran, in order; what a pattern left out is not worth a line. */
function traceOf(outcome: Outcome<"PreToolUse">): string {
  return outcome.trace
    .filter((entry) => entry.result !== undefined)
    .map((entry) => `${entry.hook}: ${entry.result}`)
    .join(", ");
}

function result({ outcome, length }: Extract<Moment, { kind: "result" }>): [Label, string][] {
  const { text, is_error, dropped } = outcome.payload.result;
  if (dropped === undefined) return [[is_error ? "failed" : "ran", text]];
  return [
    ["ran", `${length} characters of output`],
    ["CAPPED", `the model gets ${text.length}, which say that ${dropped} were dropped (window_cap)`],
  ];
}
