import {
  type AgentName,
  agentNames,
  agents,
  answerCall,
  type Call,
  MAX_PAYLOAD_BYTES,
  type Reply,
  readCall,
} from "@hooks/agents";
import { ask, block, createHarness, type Harness, type HookReturn, type JsonObject, modify } from "@hooks/core";
import { describe, expect, test } from "vitest";
import { eventOf, inputsOf } from "./inputs.js";

/** The same three calls as every agent makes them. */
const CALLS: Readonly<Record<AgentName, { shell: string; write: string; mcp: string; advisory: string }>> = {
  claude: {
    shell: "PreToolUse:Bash",
    write: "PreToolUse:Write",
    mcp: "PreToolUse:mcp__demo__touch",
    advisory: "SessionEnd",
  },
  codex: {
    shell: "PreToolUse:Bash",
    write: "PreToolUse:apply_patch",
    mcp: "PreToolUse:mcp__demo__touch",
    advisory: "SessionEnd",
  },
  gemini: {
    shell: "BeforeTool:run_shell_command",
    write: "BeforeTool:write_file",
    mcp: "BeforeTool:mcp_demo_touch",
    advisory: "SessionEnd",
  },
  copilot: {
    shell: "preToolUse:bash",
    write: "preToolUse:create",
    mcp: "preToolUse:demo-touch",
    advisory: "sessionEnd",
  },
  opencode: {
    shell: "tool.execute.before:bash",
    write: "tool.execute.before:write",
    mcp: "tool.execute.before:mcp-known",
    advisory: "event",
  },
  cursor: { shell: "preToolUse:Shell", write: "preToolUse:Write", mcp: "preToolUse:MCP", advisory: "sessionEnd" },
};

/** Where an agent does not do what the others do, and why. */
const DEVIATIONS: Readonly<Partial<Record<AgentName, Readonly<Record<string, string>>>>> = {
  codex: {
    ask: "it rejects an output that asks, and runs the tool",
    "rewrite of a file": "its only file tool is a patch, and another patch may touch files nobody was asked about",
  },
  opencode: { ask: "a plugin can refuse a tool, not ask" },
  cursor: {
    ask: "whether preToolUse asks a person is not established",
    mcp: "it does not say which server a tool belongs to",
  },
};

function deviates(agent: AgentName, what: string): boolean {
  return DEVIATIONS[agent]?.[what] !== undefined;
}

function callOf(agent: AgentName, title: string, change: (input: JsonObject) => unknown = (input) => input): Call {
  const input = inputsOf(agent)[title];
  if (input === undefined) throw new Error(`there is no input ${title} of ${agent}`);
  return readCall(agents[agent], Buffer.from(JSON.stringify(change(input))), eventOf(title));
}

function stack(
  handler: (payload: { tool: { name: string; args: JsonObject } }) => HookReturn<"PreToolUse">,
  pattern = "*",
): Harness {
  const harness = createHarness({ ports: { warn: () => {} } });
  harness.register({ event: "PreToolUse", pattern, handler });
  return harness;
}

function answer(call: Call, harness: Harness): Promise<Reply> {
  return answerCall(call, (event, payload) => harness.fire(event, payload as never));
}

function expectDenied({ stdout, stderr, exit }: Reply, reason: string): void {
  expect(exit).toBe(2);
  expect(stdout).not.toContain("\n");
  expect(JSON.stringify(JSON.parse(stdout))).toContain(JSON.stringify(reason).slice(1, -1));
  expect(stderr).toContain(reason);
}

describe.each(agentNames)("%s", (agent) => {
  const { shell, write, mcp, advisory } = CALLS[agent];

  test("a shell command is Bash with a command", async () => {
    let seen: unknown;
    await answer(
      callOf(agent, shell),
      stack(({ tool }) => {
        seen = [tool.name, typeof tool.args.command];
      }, "Bash"),
    );
    expect(seen).toEqual(["Bash", "string"]);
  });

  test("a new file is Write with a file_path and its content", async () => {
    let seen: JsonObject = {};
    await answer(
      callOf(agent, write),
      stack(({ tool }) => {
        seen = tool.args;
      }, "Write"),
    );
    expect(seen.file_path).toMatch(/(written\.txt|a\.ts)$/);
    expect(String(seen.content).trim()).toBe("x");
  });

  test("an MCP tool is mcp__server__tool", async () => {
    let seen = "";
    await answer(
      callOf(agent, mcp),
      stack(({ tool }) => {
        seen = tool.name;
      }),
    );
    expect(seen === "mcp__demo__touch").toBe(!deviates(agent, "mcp"));
  });

  test("the agent's own name of a tool matches too", async () => {
    const own = /:(.+)$/.exec(shell)?.[1] ?? "";
    expectDenied(
      await answer(
        callOf(agent, shell),
        stack(() => block("by its own name"), own),
      ),
      "by its own name",
    );
  });

  test("a block is one line of JSON, the reason on standard error, and exit code 2", async () => {
    const reason = 'no: "quotes",\nlines and \u{1f600}';
    expectDenied(
      await answer(
        callOf(agent, shell),
        stack(() => block(reason)),
      ),
      reason,
    );
  });

  test("a question is asked, or refused", async () => {
    const reply = await answer(
      callOf(agent, shell),
      stack(() => ask("are you sure")),
    );
    if (deviates(agent, "ask")) return expectDenied(reply, "are you sure");
    expect(reply.exit).toBe(0);
    expect(reply.stdout).toMatch(/"ask"/);
  });

  test("rewritten arguments come back in the agent's own shape", async () => {
    const harness = stack(({ tool }) => modify({ args: { ...tool.args, command: "ls" } }), "Bash");
    const { stdout, exit } = await answer(callOf(agent, shell), harness);
    expect(exit).toBe(0);
    expect(stdout).toContain('"command":"ls"');
  });

  test("a rewritten path comes back under the agent's own key", async () => {
    const harness = stack(({ tool }) => modify({ args: { ...tool.args, file_path: "/elsewhere" } }), "Write");
    const reply = await answer(callOf(agent, write), harness);
    if (deviates(agent, "rewrite of a file")) return expectDenied(reply, "refused");
    const own = {
      claude: "file_path",
      gemini: "file_path",
      cursor: "file_path",
      copilot: "path",
      opencode: "filePath",
      codex: "",
    };
    expect(reply.stdout).toContain(`"${own[agent]}":"/elsewhere"`);
    if (own[agent] !== "file_path") expect(reply.stdout).not.toContain("file_path");
  });

  test("an argument the tool does not read cannot pass for the one it does", async () => {
    const call = callOf(agent, write, (input) => JSON.parse(decoy(JSON.stringify(input))));
    const harness = stack(({ tool }) => (tool.args.file_path === "/decoy" ? undefined : block("seen")), "{Write,Edit}");
    expectDenied(await answer(call, harness), "seen");
  });

  const gate = { event: eventOf(shell) };
  test.each([
    ["nothing", ""],
    ["not JSON", "{"],
    ["not an object", "[1]"],
    ["null", "null"],
    ["bytes that are no text", Buffer.from([0xff, 0xfe])],
    ["too much", Buffer.alloc(MAX_PAYLOAD_BYTES + 1, " ")],
    ["an object without anything", "{}"],
    ["an event nobody knows", JSON.stringify({ hook_event_name: "Nonsense", hookEventName: "Nonsense" })],
    ["an event of every object", JSON.stringify({ hook_event_name: "constructor", hookEventName: "toString" })],
  ])("a gate that gets %s refuses", async (_what, bytes) => {
    const reply = await answer(
      readCall(agents[agent], Buffer.from(bytes), gate.event),
      stack(() => undefined),
    );
    expectDenied(reply, "Harn refuses");
  });

  test.each(["tool_input", "toolArgs", "tool_name", "toolName", "input", "output"])(
    "a tool call without %s is refused",
    async (key) => {
      const input = inputsOf(agent)[shell] ?? {};
      // The recorder of the observed inputs added a tool_input to those of OpenCode, which nobody reads.
      if (!(key in input) || (agent === "opencode" && key === "tool_input")) return;
      for (const value of [undefined, null, 7, "text"]) {
        if (typeof value === "string" && typeof input[key] === "string") continue;
        expectDenied(
          await answer(
            callOf(agent, shell, (all) => ({ ...all, [key]: value })),
            stack(() => undefined),
          ),
          "Harn refuses",
        );
      }
    },
  );

  test("a stack that cannot be asked refuses at a gate, and passes elsewhere", async () => {
    const fire = () => {
      throw new Error("out of order");
    };
    expectDenied(await answerCall(callOf(agent, shell), fire), "out of order");
    const { exit, stderr, stdout } = await answerCall(callOf(agent, advisory), fire);
    expect([exit, stdout]).toEqual([0, agents[agent].silence]);
    expect(stderr).toContain("out of order");
  });

  test("every event that is installed is one of its events", () => {
    expect(Object.keys(agents[agent].events)).toEqual(
      expect.arrayContaining(Object.keys(agents[agent].install.events)),
    );
  });
});

/** The same arguments with a harmless path under every other name a path can have. */
function decoy(input: string): string {
  const others = ["file_path", "filePath", "path", "file", "target_file"].filter((key) => !input.includes(`"${key}":`));
  const keys = others.map((key) => `"${key}":"/decoy",`).join("");
  return input.replace(/"(file_path|filePath|path|command)":/g, `${keys}"$1":`);
}
