// A result with a structure, as each agent's own shell hands it over: what comes back has the shape the agent takes, and
// in it is what a person would keep of the text.
import { agents, answerCall, readCall } from "@hooks/agents";
import { createHarness, type JsonObject } from "@hooks/core";
import { cap } from "@hooks/output-cap";
import { expect, test } from "vitest";

const TOKEN = `ghp_${"a1B2c3D4".repeat(5)}`;
const LINES = Array.from({ length: 3_000 }, (_, place) => `line ${place} is fine`);
LINES[1_500] = "src/a.ts(3,1): error TS2345: this is it";
const LONG = [`TOKEN=${TOKEN}`, ...LINES].join("\n");

const base = { session_id: "s", cwd: "/work", transcript_path: "/t", tool_use_id: "t", permission_mode: "default" };
const asked = { ...base, hook_event_name: "PostToolUse", tool_name: "Bash", tool_input: { command: "make" } };

const CASES: readonly (readonly [keyof typeof agents, string, JsonObject, (output: JsonObject) => unknown])[] = [
  [
    "claude",
    "PostToolUse",
    { ...asked, tool_response: { stdout: LONG, stderr: "", interrupted: false, isImage: false } },
    ({ hookSpecificOutput }) => {
      const { updatedToolOutput } = hookSpecificOutput as { updatedToolOutput: JsonObject };
      expect(updatedToolOutput).toMatchObject({ stderr: "", interrupted: false, isImage: false });
      return updatedToolOutput.stdout;
    },
  ],
  [
    "gemini",
    "AfterTool",
    {
      ...base,
      hook_event_name: "AfterTool",
      timestamp: "2026-01-01T00:00:00Z",
      tool_name: "run_shell_command",
      tool_input: { command: "make" },
      tool_response: { llmContent: LONG, returnDisplay: "done" },
    },
    ({ reason }) => reason,
  ],
  [
    "copilot",
    "postToolUse",
    {
      sessionId: "s",
      timestamp: 1,
      cwd: "/work",
      toolName: "bash",
      toolArgs: { command: "make" },
      toolResult: { resultType: "success", textResultForLlm: LONG },
    },
    ({ modifiedResult }) => (modifiedResult as JsonObject).textResultForLlm,
  ],
];

test.each(CASES)("%s", async (name, event, input, textOf) => {
  const harness = createHarness();
  harness.register({ event: "PostToolUse", handler: cap, options: { max_chars: 4_000, spill: false } });
  const call = readCall(agents[name], new TextEncoder().encode(JSON.stringify(input)), event);
  const { stdout } = await answerCall(call, (asks, payload) => harness.fire(asks, payload as never));
  const text = textOf(JSON.parse(stdout) as JsonObject);
  expect(typeof text).toBe("string");
  expect((text as string).length).toBeLessThanOrEqual(4_000);
  expect(text).toMatch(/^TOKEN=\[REDACTED/);
  expect(text).toContain("error TS2345: this is it");
  expect(text).toMatch(/line 2999 is fine$/);
});
