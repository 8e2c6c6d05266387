import { type Agent, isObject, type NativeEvent } from "./agent.js";
import { blockOrContext, orNothing, permission, specific, stopping } from "./outputs.js";
import { rewrittenText, textOf } from "./reading.js";
import { readingsOf, unheard } from "./readings.js";
import { cursorMcp } from "./tools.js";

const reads = readingsOf("claude", ({ all: { tool_name: name } }) => cursorMcp(name));

const preToolUse: NativeEvent = {
  event: "PreToolUse",
  can: ["block", "ask", "modify", "remind", "stop"],
  read: reads.preTool,
  write(ruling, { event }) {
    const { verdict, reason, change, context } = ruling;
    const decision = verdict === "block" ? "deny" : verdict === "ask" ? "ask" : undefined;
    const own = specific(event, {
      permissionDecision: decision,
      permissionDecisionReason: decision === undefined ? undefined : reason,
      updatedInput: change,
      additionalContext: context,
    });
    return orNothing({ ...stopping(ruling), ...own });
  },
};

/** What the model sees of a result that was rewritten or withheld: in the shape its tool has, or it is not taken. */
function replaced(text: string, response: unknown): unknown {
  if (!isObject(response)) return text;
  if (typeof response.stdout === "string") return { ...response, stdout: text, stderr: "" };
  if (isObject(response.file)) return { ...response, file: { ...response.file, content: text } };
  return Array.isArray(response.content) ? { ...response, content: [{ type: "text", text }] } : text;
}

/** Whether a rewritten result has all that the tool's own has: then it is taken as it is. */
function hasShapeOf(value: unknown, response: unknown): boolean {
  if (!isObject(value) || !isObject(response)) return false;
  return Object.entries(response).every(([key, item]) => typeof value[key] === typeof item);
}

const postToolUse: NativeEvent = {
  event: "PostToolUse",
  can: ["block", "modify", "remind", "stop"],
  // Exit code 2 would tell the model the reason and show it the result all the same.
  veto: 0,
  read: reads.postTool((input) => {
    const response = input.get(["tool_response"]);
    const is_error = isObject(response) && response.interrupted === true;
    return { text: textOf(response), ...(response === undefined ? {} : { value: response }), is_error };
  }),
  write(ruling, { event, all }) {
    const { verdict, reason, change, context } = ruling;
    const text = verdict === "block" ? reason : rewrittenText(change);
    const value =
      verdict !== "block" && isObject(change) && hasShapeOf(change.value, all.tool_response) ? change.value : null;
    const output = value ?? (text === undefined ? undefined : replaced(text, all.tool_response));
    return orNothing({
      ...stopping(ruling),
      ...(verdict === "block" ? { decision: "block", reason } : {}),
      ...specific(event, { updatedToolOutput: output, additionalContext: context }),
    });
  },
};

const silent = () => undefined;

/** Claude Code 2.1. Its hooks are command hooks with JSON on standard input. */
export const claude: Agent = {
  name: "claude",
  title: "Claude Code",
  projectVariable: "CLAUDE_PROJECT_DIR",
  gate: "PreToolUse",
  silence: "",
  // Visual Studio Code runs these hooks too, and writes its keys in another way.
  nameOf({ hook_event_name, hookEventName }) {
    return [hook_event_name, hookEventName].find((name) => typeof name === "string") as string | undefined;
  },
  events: {
    PreToolUse: preToolUse,
    PostToolUse: postToolUse,
    PostToolUseFailure: {
      event: "PostToolUseFailure",
      can: ["remind", "stop"],
      read: reads.postTool((input) => ({ text: input.text("error"), is_error: true })),
      write: blockOrContext,
    },
    PermissionRequest: {
      event: "PermissionAsked",
      can: ["block", "decide"],
      read: reads.permission,
      write: permission,
    },
    PermissionDenied: { event: "PermissionDenied", can: [], read: reads.permissionDenied, write: silent },
    UserPromptSubmit: {
      event: "UserPromptSubmit",
      can: ["block", "remind", "stop"],
      read: reads.prompt,
      write: blockOrContext,
    },
    SessionStart: { event: "SessionStart", can: ["remind"], read: reads.sessionStart, write: blockOrContext },
    SessionEnd: { event: "SessionEnd", can: [], read: reads.sessionEnd, write: silent },
    Stop: { event: "Stop", can: ["block"], read: reads.stop, write: blockOrContext },
    StopFailure: { event: "SessionError", can: [], read: reads.error, write: silent },
    SubagentStop: { event: "SubagentStop", can: ["block"], read: reads.subagentStop, write: blockOrContext },
    PreCompact: { event: "PreCompact", can: ["block"], read: reads.preCompact, write: blockOrContext },
    PostCompact: { event: "PostCompact", can: [], read: reads.postCompact, write: silent },
    // Asked with the Agent tool, where it can still be refused.
    SubagentStart: unheard,
    PostToolBatch: unheard,
    Notification: unheard,
    UserPromptExpansion: unheard,
    PreModelSwitch: unheard,
    PostModelSwitch: unheard,
    Setup: unheard,
    TeammateIdle: unheard,
    TaskCreated: unheard,
    TaskCompleted: unheard,
    Elicitation: unheard,
    ElicitationResult: unheard,
    ConfigChange: unheard,
    WorktreeCreate: unheard,
    WorktreeRemove: unheard,
    InstructionsLoaded: unheard,
    CwdChanged: unheard,
    FileChanged: unheard,
    DirectoryAdded: unheard,
    MessageDisplay: unheard,
  },
  install: {
    project: ".claude/settings.json",
    user: { directory: ".claude", moved: [["CLAUDE_CONFIG_DIR", ""]], file: "settings.json" },
    isOwn: false,
    events: {
      SessionStart: { seconds: 60 },
      UserPromptSubmit: { seconds: 60 },
      PreToolUse: { seconds: 60 },
      PermissionRequest: { seconds: 60 },
      PermissionDenied: { seconds: 60 },
      PostToolUse: { seconds: 60 },
      PostToolUseFailure: { seconds: 60 },
      PreCompact: { seconds: 60 },
      PostCompact: { seconds: 60 },
      SubagentStop: { seconds: 60 },
      Stop: { seconds: 60 },
      StopFailure: { seconds: 60 },
      SessionEnd: { seconds: 2 },
    },
    entry: (_event, command, timeout) => ({ hooks: [{ type: "command", command, timeout, onFailure: "block" }] }),
  },
  gaps: [
    "a project's .claude/settings.json with disableAllHooks switches off your own hooks too; only managed settings survive it",
    "a mistake in a settings file silently removes its hooks; versions that do not know onFailure let a hook that cannot start pass",
    "GitHub Copilot CLI, VS Code and Cursor also read .claude/settings.json: a policy installed for both is asked twice",
  ],
};
