// A policy in front of the tools of the AI SDK. The model is a script, so that this runs without a key.
import { guardTools } from "@hooks/agents/ai-sdk";
import { block, createHarness } from "@hooks/core";
import { generateText, stepCountIs, tool } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { z } from "zod";

const harness = createHarness();
harness.register({
  event: "PreToolUse",
  pattern: "Bash",
  handler: ({ tool }) => (String(tool.args.command).includes("rm -rf") ? block("nothing is deleted here") : undefined),
});

const ran = [];
const tools = {
  shell: tool({
    description: "Runs a command.",
    inputSchema: z.object({ command: z.string() }),
    execute: async ({ command }) => {
      ran.push(command);
      return "done";
    },
  }),
};

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const call = (id, command) => ({
  type: "tool-call",
  toolCallId: id,
  toolName: "shell",
  input: JSON.stringify({ command }),
});
const steps = [[call("1", "ls")], [call("2", "rm -rf /")], [{ type: "text", text: "ok" }]];
const model = new MockLanguageModelV3({
  doGenerate: async () => {
    const content = steps.shift();
    return {
      content,
      finishReason: { unified: content[0].type === "text" ? "stop" : "tool-calls" },
      usage,
      warnings: [],
    };
  },
});

const { steps: done } = await generateText({
  model,
  prompt: "clean up",
  tools: guardTools(harness, tools, { names: { shell: "Bash" } }),
  stopWhen: stepCountIs(5),
});
const error = done.flatMap(({ content }) => content).find(({ type }) => type === "tool-error");
console.log(`ran: ${ran.join(", ")}`);
console.log(`the model was told: ${error.error.message}`);
