import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { runPrompt } from "../../examples/ai-sdk-session/src/agent.js";
import { type Answer, startLoopback } from "../../examples/ai-sdk-session/src/loopback.js";
import { openProvider } from "../../examples/ai-sdk-session/src/provider.js";

/** Runs a prompt against a provider on the loopback interface; gives what was fired and what the provider was sent. */
async function run(answers: readonly Answer[]) {
  const loopback = await startLoopback(answers);
  const fired: string[] = [];
  try {
    const model = openProvider(loopback.url)("stand-in");
    const done = await runPrompt(model, "build?", ({ event, verdict }) => void fired.push(`${event} ${verdict}`)).then(
      (result) => ({ result, error: undefined }),
      (error: unknown) => ({ result: undefined, error }),
    );
    return { ...done, fired, sent: loopback.requests.map(({ messages }) => messages) };
  } finally {
    await loopback.close();
  }
}

test("a model of the AI SDK is asked over HTTP, its calls pass the hooks, and a refusal is what it is told", async () => {
  const { result, fired, sent } = await run([
    { tool: "read_file", args: { path: "package.json" } },
    { tool: "read_file", args: { path: ".env" } },
    "tsc -b",
  ]);
  expect(result).toMatchObject({ text: "tsc -b", usage: { input_tokens: 30, output_tokens: 15 } });
  expect(sent[0]).toMatchObject([
    { role: "user", content: "build?" },
    { role: "system", content: "Answer in one sentence." },
  ]);
  expect(sent[1]?.slice(1, 3)).toMatchObject([
    { role: "assistant", tool_calls: [{ id: "call-1", function: { name: "read_file" } }] },
    { role: "tool", tool_call_id: "call-1", content: '{"scripts":{"build":"tsc -b"}}' },
  ]);
  expect(sent[2]?.[4]).toMatchObject({ role: "tool", content: expect.stringMatching(".env files are not for models") });
  expect(JSON.stringify(sent)).not.toContain("not-for-models");
  expect(fired.filter((one) => one.includes("ToolUse"))).toEqual([
    ...["PreToolUse allow", "PostToolUse allow"],
    "PreToolUse block",
  ]);
});

test.each(["{oops", '"x"', "null", "[1]"])(
  "a call whose arguments are %s is refused, and the model hears it",
  async (args) => {
    const { result, fired, sent } = await run([{ tool: "read_file", args }, "I see"]);
    expect(result?.text).toBe("I see");
    expect(sent[1]?.find(({ role }) => role === "tool")?.content).toMatch(/could not be read: no JSON object/);
    expect(fired.filter((one) => one.includes("ToolUse"))).toEqual([]);
  },
);

test("a provider that is busy is asked again, and one that refuses is not", async () => {
  const busy = await run([{ status: 503 }, "done"]);
  expect(busy.fired.filter((one) => one.startsWith("RetryAttempt"))).toHaveLength(1);
  const refused = await run([{ status: 400 }]);
  expect(refused.error).toMatchObject({ statusCode: 400 });
  expect(refused.fired.slice(-2)).toEqual(["SessionError allow", "SessionEnd allow"]);
});

test("the example runs offline as it is", () => {
  const { status, stdout } = spawnSync(process.execPath, ["examples/ai-sdk-session/dist/main.js"], {
    encoding: "utf8",
  });
  expect(status).toBe(0);
  expect(stdout).toContain("blocked by no-secrets: .env files are not for models");
  expect(stdout).toContain("The model: The build is `tsc -b`; the token is not mine to read.");
});
