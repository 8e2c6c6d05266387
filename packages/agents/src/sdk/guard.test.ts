import { ask, block, createHarness, type Harness, modify, remind, stop } from "@hooks/core";
import { describe, expect, test } from "vitest";
import { guardTools } from "./ai-sdk.js";
import { claudeHooks } from "./claude-agent-sdk.js";
import type { GuardOptions } from "./guard.js";
import { guardAgentTools } from "./openai-agents.js";

function policy(): Harness {
  const harness = createHarness({ ports: { warn: () => {} } });
  harness.register({
    event: "PreToolUse",
    pattern: "Bash",
    handler({ tool }) {
      const command = String(tool.args.command);
      if (command.includes("HARM")) return block("not done here");
      if (command.includes("CONFIRM")) return ask("sure?");
      if (command.includes("STOP")) return stop("enough");
      if (command.includes("REMIND")) return remind({ body: "remember" });
      return command.includes("REWRITE") ? modify({ args: { command: "rewritten" } }) : undefined;
    },
  });
  harness.register({
    event: "PostToolUse",
    handler({ result }) {
      if (result.text.includes("WITHHELD")) return block("you need not know");
      return result.text.includes("SECRET") ? modify({ result: "masked" }) : undefined;
    },
  });
  return harness;
}

/** The same tool for both SDKs: it answers with what it was asked. */
type Call = (command: string, options?: GuardOptions) => Promise<unknown>;

const SDKS: Readonly<Record<string, Call>> = {
  async "AI SDK"(command, options) {
    const execute = async ({ command: given }: { command: string }, _call: { toolCallId: string }) => {
      if (given === "FAIL") throw new Error("SECRET failure");
      return given;
    };
    const { shell } = guardTools(
      policy(),
      { shell: { description: "runs", execute } },
      { names: { shell: "Bash" }, ...options },
    );
    return shell.execute({ command }, { toolCallId: "c1" }).catch((error: Error) => `error: ${error.message}`);
  },
  async "OpenAI Agents SDK"(command, options) {
    const invoke = async (_context: unknown, input: string) => {
      const { command: given } = JSON.parse(input) as { command: string };
      if (given === "FAIL") throw new Error("SECRET failure");
      return given;
    };
    const [shell] = guardAgentTools(policy(), [{ type: "function", name: "shell", invoke }], {
      names: { shell: "Bash" },
      ...options,
    });
    const answer = shell?.invoke({}, JSON.stringify({ command })) as Promise<unknown>;
    return answer.then(
      (text) => (text === command || text === "rewritten" || text === "masked" ? text : `error: ${text}`),
      (error: Error) => `error: ${error.message}`,
    );
  },
};

describe.each(Object.entries(SDKS))("%s", (_name, call) => {
  test.each([
    ["ls", "ls"],
    ["HARM", "error: not done here"],
    ["REWRITE", "rewritten"],
    ["SECRET", "masked"],
    ["WITHHELD", "error: you need not know"],
    ["CONFIRM", "error: nobody consented: sure?"],
    ["STOP", "error: enough"],
    ["REMIND", "REMIND"],
  ])("%s comes to %s", async (command, expected) => {
    expect(await call(command)).toBe(expected);
  });

  test("what a failing tool says is judged as well", async () => {
    expect(await call("FAIL")).toMatch(/^(error: )?masked$/);
  });

  test("a person may consent, a loop may be stopped, and reminders are heard", async () => {
    const heard: string[] = [];
    const options = {
      confirm: () => true,
      onStop: (reason: string) => void heard.push(reason),
      onReminder: (text: string) => void heard.push(text),
    };
    expect(await call("CONFIRM", options)).toBe("CONFIRM");
    expect(await call("STOP", options)).toBe("STOP");
    expect(await call("REMIND", options)).toBe("REMIND");
    expect(heard).toEqual(["enough", "remember"]);
  });
});

test("a tool that runs elsewhere is refused, unless it is named", () => {
  expect(() => guardTools(policy(), { search: { type: "provider" } })).toThrow("no policy can guard search");
  expect(guardTools(policy(), { search: {} }, { unguarded: ["search"] })).toEqual({ search: {} });
  expect(() => guardAgentTools(policy(), [{ type: "hosted_tool", name: "web_search" }])).toThrow("web_search");
});

test("a tool that streams gives its last result, judged", async () => {
  const execute = async function* () {
    yield "first SECRET";
    yield "last SECRET";
  };
  const { shell } = guardTools(policy(), { shell: { execute } });
  expect(await shell.execute()).toBe("masked");
});

describe("Claude Agent SDK", () => {
  const base = { session_id: "s", transcript_path: "/t", cwd: "/w" };
  const call = (event: "PreToolUse" | "Stop", input: object) =>
    claudeHooks(policy())[event][0]?.hooks[0]?.({ ...base, hook_event_name: event, ...input });

  test("answers in its own words", async () => {
    const denied = await call("PreToolUse", { tool_name: "Bash", tool_input: { command: "HARM" }, tool_use_id: "t" });
    expect(denied).toEqual({
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "deny",
        permissionDecisionReason: "not done here",
      },
    });
    expect(await call("PreToolUse", { tool_name: "Bash", tool_input: { command: "ls" } })).toEqual({});
    expect(await call("Stop", { stop_hook_active: false })).toEqual({});
  });

  test("blocks when a callback fails", () => {
    expect(claudeHooks(policy()).PreToolUse[0]?.onFailure).toBe("block");
    expect(claudeHooks(policy()).SessionEnd[0]?.onFailure).toBeUndefined();
  });

  test("refuses what it cannot read", async () => {
    expect(JSON.stringify(await call("PreToolUse", { tool_name: "Bash" }))).toContain('"deny"');
  });
});
