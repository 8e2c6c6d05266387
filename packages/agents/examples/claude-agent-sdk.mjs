// A policy behind the hooks of the Claude Agent SDK. It needs ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL of another model.
import { query } from "@anthropic-ai/claude-agent-sdk";
import { claudeHooks } from "@hooks/agents/claude-agent-sdk";
import { block, createHarness } from "@hooks/core";

const harness = createHarness();
harness.register({
  event: "PreToolUse",
  pattern: "Bash",
  handler: ({ tool }) => (String(tool.args.command).includes("HARM") ? block("this is not done here") : undefined),
});

const options = { hooks: claudeHooks(harness), allowedTools: ["Bash"], settingSources: [] };
for await (const message of query({ prompt: "clean up", options })) {
  if (message.type !== "user" || !Array.isArray(message.message.content)) continue;
  for (const part of message.message.content) if (part.is_error) console.log(`the model was told: ${part.content}`);
}
