// The types of the SDKs and of what guards their tools fit each other: compiled where both are installed, and never run.
import { type Options, query } from "@anthropic-ai/claude-agent-sdk";
import { guardTools } from "@hooks/agents/ai-sdk";
import { claudeHooks } from "@hooks/agents/claude-agent-sdk";
import { guardAgentTools } from "@hooks/agents/openai-agents";
import { createHarness } from "@hooks/core";
import { Agent, tool as agentTool } from "@openai/agents";
import { generateText, type InferUITools, type LanguageModel, tool } from "ai";
import { z } from "zod";

const harness = createHarness();

const shell = tool({
  description: "Runs a command.",
  inputSchema: z.object({ command: z.string() }),
  execute: async ({ command }) => ({ ran: command }),
});
const tools = guardTools(harness, { shell }, { names: { shell: "Bash" }, confirm: async (reason) => reason === "" });

/** What a tool takes and gives is known as before. */
type Shell = InferUITools<typeof tools>["shell"];
export const input: Shell["input"] = { command: "ls" };
export const output: Shell["output"] = { ran: "ls" };
// @ts-expect-error: the input is no number
export const wrong: Shell["input"] = { command: 1 };

export async function ask(model: LanguageModel): Promise<string> {
  const { toolResults, text } = await generateText({ model, tools, prompt: "clean up" });
  for (const result of toolResults) if (!result.dynamic) console.log(result.output.ran);
  return text;
}

const hooks: Options["hooks"] = claudeHooks(harness);
export const run = query({ prompt: "clean up", options: { hooks } });

const run_command = agentTool({
  name: "run_command",
  description: "Runs a command.",
  parameters: z.object({ command: z.string() }),
  execute: async ({ command }) => command,
});
export const agent = new Agent({ name: "cleaner", tools: guardAgentTools(harness, [run_command]) });
