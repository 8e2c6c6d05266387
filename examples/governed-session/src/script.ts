import type { JsonObject } from "@hooks/core";

/** One tool call, as a model asks for it. */
export interface ToolCall {
  /** What the model says it is doing. */
  readonly why: string;
  readonly name: string;
  readonly args: JsonObject;
}

export const PROMPT = "Write down the plan, look at the build log, and send the team a report.";

/** Stands in for a model: always the same five calls, whatever it is told. */
export const script: readonly ToolCall[] = [
  {
    why: "I note the plan first.",
    name: "write_file",
    args: { path: "notes/plan.md", content: "1. read the log\n2. report\n" },
  },
  {
    why: "I keep the report in the home directory.",
    name: "write_file",
    args: { path: "~/report.md", content: "All steps passed.\n" },
  },
  { why: "Now I tidy up.", name: "run_command", args: { command: "rm -rf notes" } },
  { why: "I read the build log.", name: "read_file", args: { path: "build.log" } },
  { why: "I send the report.", name: "send_report", args: { to: "team@example.com", path: "report.md" } },
];
