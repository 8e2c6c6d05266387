import type { JsonObject } from "@hooks/core";
import { type Agent, BadInput, type Fields, isObject, type NativeEvent, type Ruling } from "./agent.js";
import { orNothing } from "./outputs.js";
import { afterTool, ask, beforeTool, compact, originOf, textOf } from "./reading.js";
import { readingsOf, unheard } from "./readings.js";
import { cursorMcp, mcpName, readTool, type ToolReading } from "./tools.js";

const reads = readingsOf("cursor", ({ all: { tool_name: name } }) => cursorMcp(name));
const silent = () => undefined;

function permit(abilities: NativeEvent["can"], read: NativeEvent["read"]): NativeEvent {
  return { event: "PreToolUse", can: abilities, read, write: permission };
}

function permission({ verdict, reason, change, context }: Ruling): JsonObject | undefined {
  const rewrite = change === undefined ? {} : { permission: "allow", updated_input: change };
  const decision =
    verdict === "allow"
      ? rewrite
      : { permission: verdict === "block" ? "deny" : "ask", user_message: reason, agent_message: reason };
  return orNothing({ ...decision, ...(context === undefined ? {} : { additional_context: context }) });
}

function shell(input: Fields): ToolReading {
  return readTool("cursor", "Shell", { command: input.text("command") });
}

function file(input: Fields): ToolReading {
  return readTool("cursor", "Read", { file_path: input.text("file_path") });
}

/** The arguments of an MCP call come as JSON in a text. */
function mcp(input: Fields): ToolReading {
  const name = input.text("tool_name");
  const tool = cursorMcp(name) ?? { server: "", tool: name };
  const given = input.get(["tool_input"]);
  const args: unknown = typeof given === "string" ? parse(given) : given;
  if (!isObject(args)) throw new BadInput('"tool_input" must be an object');
  return readTool("cursor", mcpName(tool), args);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new BadInput('"tool_input" is not JSON');
  }
}

const OWN = [
  "command",
  "tool_name",
  "tool_input",
  "tool_output",
  "result_json",
  "file_path",
  "content",
  "output",
  "duration",
];

function before(read: (input: Fields) => ToolReading): NativeEvent["read"] {
  return (input) => beforeTool(originOf("cursor", input, OWN), read(input), false);
}

/** What already happened: seen and recorded, with no way to take it back. */
function after(read: (input: Fields) => ToolReading, key: string): NativeEvent {
  return {
    event: "PostToolUse",
    can: [],
    read: (input) =>
      afterTool(originOf("cursor", input, OWN), read(input), { text: textOf(input.get([key])), is_error: false }),
    write: silent,
  };
}

const fileEdited: NativeEvent = {
  event: "FileEdited",
  can: [],
  read: (input) => ask("FileEdited", originOf("cursor", input, OWN), { path: input.text("file_path") }),
  write: silent,
};

function followUp({ verdict, reason }: Ruling): JsonObject | undefined {
  return verdict === "block" ? { followup_message: reason } : undefined;
}

/** Cursor, by its documentation and the package of its SDK: it has not been run with Harn. */
export const cursor: Agent = {
  name: "cursor",
  title: "Cursor",
  projectVariable: "CURSOR_PROJECT_DIR",
  gate: "preToolUse",
  // With failClosed silence is a veto.
  silence: "{}",
  nameOf: ({ hook_event_name }) => (typeof hook_event_name === "string" ? hook_event_name : undefined),
  events: {
    // Whether Cursor really asks on preToolUse is not established, so a question is refused there.
    preToolUse: permit(["block", "modify"], (input) => ({
      ...beforeTool(originOf("cursor", input, OWN), toolOf(input), false),
    })),
    postToolUse: {
      event: "PostToolUse",
      can: ["remind"],
      read: reads.postTool((input) => ({ text: textOf(input.get(["tool_output", "result_json"])), is_error: false })),
      write: ({ context }) => (context === undefined ? undefined : { additional_context: context }),
    },
    postToolUseFailure: {
      event: "PostToolUseFailure",
      can: [],
      read: reads.postTool((input) => ({ text: textOf(input.get(["error_message", "error"])), is_error: true })),
      write: silent,
    },
    beforeShellExecution: permit(["block", "ask"], before(shell)),
    beforeMCPExecution: permit(["block", "ask"], before(mcp)),
    beforeReadFile: permit(["block"], before(file)),
    beforeTabFileRead: permit(["block"], before(file)),
    afterShellExecution: after(shell, "output"),
    afterMCPExecution: after(mcp, "result_json"),
    afterFileEdit: fileEdited,
    afterTabFileEdit: fileEdited,
    beforeSubmitPrompt: {
      event: "UserPromptSubmit",
      can: ["block"],
      read: reads.prompt,
      write: ({ verdict, reason }) => (verdict === "block" ? { continue: false, user_message: reason } : undefined),
    },
    sessionStart: {
      event: "SessionStart",
      can: ["remind"],
      read: reads.sessionStart,
      write: ({ context }) => (context === undefined ? undefined : { additional_context: context }),
    },
    sessionEnd: { event: "SessionEnd", can: [], read: reads.sessionEnd, write: silent },
    subagentStart: {
      event: "SubagentStart",
      can: ["block"],
      read(input) {
        const name = input.optionalText("subagent_type") ?? "default";
        const subagent = compact({ name, id: input.optionalText("subagent_id") });
        const prompt = input.optionalText("task", "prompt");
        return ask("SubagentStart", originOf("cursor", input, ["subagent_type", "task"]), { subagent, prompt });
      },
      write: ({ verdict, reason }) => (verdict === "block" ? { permission: "deny", user_message: reason } : undefined),
    },
    // A follow-up message is what keeps it working; exit code 2 has no meaning here.
    subagentStop: { event: "SubagentStop", can: ["block"], veto: 0, read: reads.subagentStop, write: followUp },
    stop: { event: "Stop", can: ["block"], veto: 0, read: reads.stop, write: followUp },
    preCompact: { event: "PreCompact", can: [], read: reads.preCompact, write: silent },
    afterAgentResponse: unheard,
    afterAgentThought: unheard,
    workspaceOpen: unheard,
  },
  install: {
    project: ".cursor/hooks.json",
    user: { directory: ".cursor", moved: [], file: "hooks.json" },
    isOwn: false,
    head: { version: 1 },
    events: {
      sessionStart: { seconds: 60 },
      beforeSubmitPrompt: { seconds: 60 },
      preToolUse: { seconds: 60 },
      postToolUse: { seconds: 60 },
      postToolUseFailure: { seconds: 60 },
      subagentStart: { seconds: 60 },
      subagentStop: { seconds: 60 },
      preCompact: { seconds: 60 },
      stop: { seconds: 60 },
      sessionEnd: { seconds: 60 },
    },
    entry: (_event, command, timeout) => ({ command, timeout, failClosed: true }),
  },
  gaps: [
    "not run with Harn: what is known of Cursor comes from its documentation and its SDK",
    "an unknown event or a bad entry makes the whole hooks.json invalid",
    "a result cannot be withheld, and hooks of .claude/settings.json are run as well when that is switched on",
  ],
};

function toolOf(input: Fields): ToolReading {
  const name = input.text("tool_name");
  const call_id = input.optionalText("tool_use_id");
  return readTool("cursor", name, input.object("tool_input"), { call_id, mcp: cursorMcp(name) });
}
