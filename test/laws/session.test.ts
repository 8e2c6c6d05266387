import { ask, block, remind, type ScriptedAnswer, scriptedModel, stop, subagentTool } from "@hooks/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { host } from "../conformance/session.js";

const verdict = fc.constantFrom("allow", "block", "ask", "throw", "modify", "stop", "remind");
const toolName = fc.constantFrom("echo", "fail", "write", "helper", "nothing");
const answer = fc.oneof(
  { weight: 1, arbitrary: fc.constant("done") },
  { weight: 1, arbitrary: fc.constant("error") },
  { weight: 4, arbitrary: fc.array(toolName, { minLength: 1, maxLength: 3 }) },
);

const script = fc.record({
  answers: fc.array(answer, { maxLength: 5 }),
  inside: fc.array(answer, { maxLength: 3 }),
  verdicts: fc.array(verdict, { minLength: 1, maxLength: 12 }),
  /** What a person says to each question; nobody is there when absent. */
  replies: fc.option(fc.array(fc.boolean(), { minLength: 1 }), { nil: undefined }),
  hookBlocks: fc.subarray(["UserPromptSubmit", "TurnStart", "SubagentStart", "SubagentStop", "Stop"] as const),
  abortAt: fc.option(fc.nat(40), { nil: undefined }),
});

function say(said: string | readonly string[]): ScriptedAnswer {
  if (said === "error") return new Error("the provider is down");
  if (typeof said === "string") return said;
  return { calls: said.map((name) => ({ name, args: { text: "t", path: "p", prompt: "q" } })) };
}

test("no tool runs that was blocked or asked about in vain, and what starts also ends", async () => {
  await fc.assert(
    fc.asyncProperty(script, async ({ answers, inside, verdicts, replies, hookBlocks, abortAt }) => {
      const abort = new AbortController();
      let seen = 0;
      let asked = 0;
      const ruled = new Map<string, string>();
      const questions = replies && { ask: () => replies[asked++ % replies.length] ?? false };
      const one = host(answers.map(say), {
        permissions: { otherwise: "allow", ...questions },
        observe(outcome) {
          if (outcome.event === "PreToolUse") ruled.set(keyOf(outcome.payload), outcome.verdict);
          if (outcome.event === "PermissionReplied") {
            const { decision, by } = outcome.payload as unknown as { decision: string; by: string };
            if (by !== "default") ruled.set(keyOf(outcome.payload), decision === "allow" ? "allow" : "block");
          }
          if (seen++ === abortAt) abort.abort();
        },
      });
      let turn = 0;
      one.harness.register({
        event: "PreToolUse",
        handler({ tool }) {
          switch (verdicts[turn++ % verdicts.length]) {
            case "block":
              return block("no");
            case "ask":
              return ask("sure?");
            case "throw":
              throw new Error("broken guard");
            case "modify":
              return { args: { ...tool.args, text: "rewritten" } };
            case "stop":
              return stop("enough");
            case "remind":
              return remind({ body: "mind", ttl_turns: 1 });
          }
        },
      });
      for (const event of hookBlocks) one.harness.register({ event, handler: () => block("no") });

      const started: string[] = [];
      const spied = one.tools.map((tool) => ({
        ...tool,
        run(args: never, context: Parameters<typeof tool.run>[1]) {
          started.push(`${context.session.id} ${context.call_id}`);
          return tool.run(args, context);
        },
      }));
      const helper = subagentTool({ name: "helper", model: scriptedModel(inside.map(say), "small"), tools: spied });
      await one.run({ tools: [...spied, helper], signal: abort.signal, maxStopBlocks: 1 }).catch(() => undefined);

      for (const key of started) expect(ruled.get(key), key).toBe("allow");
      const count = (name: string) => one.names().filter((event) => event === name).length;
      expect(count("SessionStart")).toBe(count("SessionEnd"));
      const refused = one.payloads("SubagentStart").length - count("SubagentStop");
      expect(refused).toBe(hookBlocks.includes("SubagentStart") ? count("SubagentStart") : 0);
      expect(one.names().at(-1)).toBe("SessionEnd");
    }),
    { seed: 20, numRuns: 300 },
  );
});

function keyOf(payload: object): string {
  const { session, tool } = payload as { session: { id: string }; tool: { call_id: string } };
  return `${session.id} ${tool.call_id}`;
}
