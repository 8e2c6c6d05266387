import {
  type AgentResult,
  createHarness,
  createSession,
  defineTool,
  type Model,
  type Outcome,
  runAgent,
} from "@hooks/core";
import * as z from "zod";

const FILES: Readonly<Record<string, string>> = {
  "package.json": '{"scripts":{"build":"tsc -b"}}',
  ".env": "TOKEN=not-for-models",
};

const readFile = defineTool({
  name: "read_file",
  description: "Reads a file of the project.",
  input: z.object({ path: z.string() }),
  run: ({ path }) => FILES[path] ?? { text: `there is no ${path}`, is_error: true },
});

/** Runs one prompt under two hooks: one keeps files to itself, the other reminds the model of the house's way to answer. */
export async function runPrompt(
  model: Model,
  prompt: string,
  observe: (outcome: Outcome) => void,
): Promise<AgentResult> {
  const harness = createHarness();
  harness.register({
    event: "PreToolUse",
    pattern: "read_file",
    id: "no-secrets",
    handler: ({ tool }) =>
      String(tool.args.path).startsWith(".env") ? { deny: ".env files are not for models" } : undefined,
  });
  harness.registerSessionHook("session_start", () => ({ body: "Answer in one sentence." }));
  const session = createSession(harness, { id: "ai-sdk", observe });
  return runAgent({ session, model, tools: [readFile], prompt, retry: { delay: () => 10 } });
}
