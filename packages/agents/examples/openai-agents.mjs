// A policy in front of the tools of the OpenAI Agents SDK. The model is a script, so that this runs without a key.
import { guardAgentTools } from "@hooks/agents/openai-agents";
import { block, createHarness } from "@hooks/core";
import { Agent, Runner, setTracingDisabled, tool, Usage } from "@openai/agents";
import { z } from "zod";

setTracingDisabled(true);
const harness = createHarness();
harness.register({
  event: "PreToolUse",
  pattern: "Bash",
  handler: ({ tool }) => (String(tool.args.command).includes("rm -rf") ? block("nothing is deleted here") : undefined),
});

const ran = [];
const shell = tool({
  name: "shell",
  description: "Runs a command.",
  parameters: z.object({ command: z.string() }),
  execute: async ({ command }) => {
    ran.push(command);
    return "done";
  },
});

const call = (callId, command) => ({
  type: "function_call",
  callId,
  name: "shell",
  status: "completed",
  arguments: JSON.stringify({ command }),
});
const last = {
  type: "message",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: "ok" }],
};
const steps = [[call("1", "ls")], [call("2", "rm -rf /")], [last]];
let told = "";
const model = {
  getResponse: async ({ input }) => {
    const result = Array.isArray(input) ? input.at(-1) : undefined;
    if (result?.type === "function_call_result") told = result.output.text ?? String(result.output);
    return { usage: new Usage(), output: steps.shift() };
  },
};

const agent = new Agent({
  name: "cleaner",
  model,
  tools: guardAgentTools(harness, [shell], { names: { shell: "Bash" } }),
});
await new Runner().run(agent, "clean up");
console.log(`ran: ${ran.join(", ")}`);
console.log(`the model was told: ${told}`);
