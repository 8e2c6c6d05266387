import type { Json, JsonObject } from "@hooks/core";
import { type Agent, type Fields, isObject, type NativeEvent, type Ruling } from "./agent.js";
import { blockOrContext, orNothing, specific } from "./outputs.js";
import { type Result, rewrittenText, textOf } from "./reading.js";
import { readingsOf, unheard } from "./readings.js";
import type { McpTool } from "./tools.js";

const reads = readingsOf("copilot", ({ all: { toolName, tool_name } }) => mcpOf(toolName ?? tool_name));

// It joins server and tool by a hyphen. This server's own name has some, and comes with every Copilot.
const HYPHENATED = ["github-mcp-server"];

/** No tool of its own has a hyphen; where the name of a server has one, the border is taken to be the first. */
function mcpOf(name: Json | undefined): McpTool | undefined {
  if (typeof name !== "string" || name.startsWith("mcp__")) return undefined;
  const server = HYPHENATED.find((known) => name.startsWith(`${known}-`)) ?? /^[^-]+(?=-.)/.exec(name)?.[0];
  return server === undefined ? undefined : { server, tool: name.slice(server.length + 1) };
}

const silent = () => undefined;

/** The result under any of the names that the two spellings of Copilot CLI and VS Code have for it. */
function resultOf(input: Fields): Result {
  const found = input.get(["toolResult", "tool_result", "tool_response"]);
  if (!isObject(found)) return { text: textOf(found), is_error: false };
  const text = found.textResultForLlm ?? found.text_result_for_llm;
  const kind = found.resultType ?? found.result_type;
  return { text: textOf(text ?? found), value: found, is_error: kind === "failure" || kind === "error" };
}

function decisionOf({ verdict, reason }: Ruling): JsonObject {
  if (verdict === "allow") return {};
  return { permissionDecision: verdict === "block" ? "deny" : "ask", permissionDecisionReason: reason };
}

function contextOf({ context }: Ruling): JsonObject {
  return context === undefined ? {} : { additionalContext: context };
}

// Events in camelCase: answers are flat. `hookSpecificOutput` would be ignored, and the tool would run.
const camel: Record<string, NativeEvent> = {
  preToolUse: {
    event: "PreToolUse",
    can: ["block", "ask", "modify", "remind"],
    read: reads.preTool,
    write(ruling) {
      const rewrite = ruling.change === undefined ? {} : { modifiedArgs: ruling.change };
      return orNothing({ ...decisionOf(ruling), ...rewrite, ...contextOf(ruling) });
    },
  },
  postToolUse: {
    event: "PostToolUse",
    can: ["block", "modify", "remind"],
    // Only the JSON can put something in the place of the result.
    veto: 0,
    read: reads.postTool(resultOf),
    write(ruling, { all }) {
      const { verdict, reason, change } = ruling;
      const text = verdict === "block" ? reason : rewrittenText(change);
      const before = isObject(all.toolResult) ? all.toolResult : { resultType: "success" };
      const modified = text === undefined ? {} : { modifiedResult: { ...before, textResultForLlm: text } };
      return orNothing({ ...modified, ...contextOf(ruling) });
    },
  },
  postToolUseFailure: {
    event: "PostToolUseFailure",
    can: ["remind"],
    read: reads.postTool((input) => ({ ...resultOf(input), ...failure(input), is_error: true })),
    write: (ruling) => orNothing(contextOf(ruling)),
  },
  permissionRequest: {
    event: "PermissionAsked",
    can: ["block", "decide"],
    read: reads.permission,
    write({ verdict, decision, reason }) {
      if (verdict === "block") return { behavior: "deny", message: reason };
      return decision === "allow" ? { behavior: "allow" } : undefined;
    },
  },
  userPromptSubmitted: {
    event: "UserPromptSubmit",
    can: ["block"],
    read: reads.prompt,
    write: ({ verdict, reason }) => (verdict === "block" ? { decision: "block", reason } : undefined),
  },
  sessionStart: {
    event: "SessionStart",
    can: ["remind"],
    read: reads.sessionStart,
    write: (ruling) => orNothing(contextOf(ruling)),
  },
  sessionEnd: { event: "SessionEnd", can: [], read: reads.sessionEnd, write: silent },
  agentStop: { event: "Stop", can: ["block", "modify"], read: reads.stop, write: stopping },
  subagentStop: { event: "SubagentStop", can: ["block", "modify"], read: reads.subagentStop, write: stopping },
  preCompact: { event: "PreCompact", can: [], read: reads.preCompact, write: silent },
  errorOccurred: { event: "SessionError", can: [], read: reads.error, write: silent },
  // Asked with the task tool, where it can still be refused; the built-in subagent never sends it.
  subagentStart: unheard,
  userPromptTransformed: unheard,
  preMcpToolCall: unheard,
  notification: unheard,
};

function failure(input: Fields): { text?: string } {
  const error = input.get(["error"]);
  if (error === undefined) return {};
  return { text: isObject(error) && typeof error.message === "string" ? error.message : textOf(error) };
}

function stopping({ verdict, reason, change }: Ruling): JsonObject | undefined {
  if (verdict === "block") return { decision: "block", reason };
  if (change === undefined) return undefined;
  return { modifiedResponse: isObject(change) ? String(change.text) : change };
}

// Events in PascalCase, of Copilot CLI and of Visual Studio Code: answers in the shape of Claude Code.
const pascal: Record<string, NativeEvent> = {
  PreToolUse: {
    event: "PreToolUse",
    can: ["block", "ask", "modify", "remind"],
    read: reads.preTool,
    // With exit code 2 Copilot CLI tells the model nothing but the code in this spelling.
    veto: 0,
    write: (ruling, { event }) =>
      orNothing(specific(event, { ...decisionOf(ruling), updatedInput: ruling.change, ...contextOf(ruling) })),
  },
  PostToolUse: {
    event: "PostToolUse",
    can: ["block", "remind"],
    read: reads.postTool(resultOf),
    write: blockOrContext,
  },
  UserPromptSubmit: {
    event: "UserPromptSubmit",
    can: ["block"],
    read: reads.prompt,
    write: blockOrContext,
  },
  SessionStart: { event: "SessionStart", can: ["remind"], read: reads.sessionStart, write: blockOrContext },
  SessionEnd: { event: "SessionEnd", can: [], read: reads.sessionEnd, write: silent },
  Stop: { event: "Stop", can: ["block"], read: reads.stop, write: blockOrContext },
  SubagentStop: { event: "SubagentStop", can: ["block"], read: reads.subagentStop, write: blockOrContext },
  PreCompact: { event: "PreCompact", can: [], read: reads.preCompact, write: silent },
  SubagentStart: unheard,
};

/** PowerShell cannot limit, redirect and choose as a shell does: an exit code that is not 0 is a veto there anyway. */
function powershellFor(bash: string): string {
  const words = /exec (.*) --answer-fd 3/.exec(bash)?.[1] ?? bash;
  return `& ${words.replace(/^"\$\{(\w+):-\.\}/, '"$env:$1')}`;
}

const GATES = ["preToolUse", "permissionRequest", "userPromptSubmitted", "agentStop", "subagentStop"];

/** GitHub Copilot CLI 1.0 in both of its spellings, and the agent hooks of Visual Studio Code, which read its files. */
export const copilot: Agent = {
  name: "copilot",
  title: "GitHub Copilot",
  projectVariable: "COPILOT_PROJECT_DIR",
  gate: "preToolUse",
  silence: "",
  // In camelCase the payload does not say what it is: the command line does.
  nameOf({ hook_event_name, hookEventName, hookName }) {
    return [hook_event_name, hookEventName, hookName].find((name) => typeof name === "string") as string | undefined;
  },
  events: { ...camel, ...pascal },
  install: {
    project: ".github/hooks/harn.json",
    user: { directory: ".copilot", moved: [["COPILOT_HOME", ""]], file: "hooks/harn.json" },
    isOwn: true,
    events: {
      sessionStart: { seconds: 30 },
      userPromptSubmitted: { seconds: 30 },
      preToolUse: { seconds: 30 },
      permissionRequest: { seconds: 30 },
      postToolUse: { seconds: 30 },
      postToolUseFailure: { seconds: 30 },
      preCompact: { seconds: 30 },
      agentStop: { seconds: 30 },
      subagentStop: { seconds: 30 },
      errorOccurred: { seconds: 30 },
      sessionEnd: { seconds: 30 },
    },
    file(commands) {
      const hooks = Object.entries(commands).map(([event, bash]): [string, JsonObject[]] => {
        return [
          event,
          [{ type: "command", bash, powershell: powershellFor(bash), timeoutSec: GATES.includes(event) ? 30 : 15 }],
        ];
      });
      return `${JSON.stringify({ version: 1, hooks: Object.fromEntries(hooks) }, null, 2)}\n`;
    },
  },
  gaps: [
    "a hook that runs into Copilot's own timeout is passed over, always",
    "a repository's .github/copilot/settings.json with disableAllHooks switches your hooks off; only /etc/github-copilot/policy.d survives it",
    "hooks of a repository are skipped without a word until its folder is trusted (--trust-folder)",
    "hooks of .claude/settings.json are run as well: a policy installed for both is asked twice",
    "an MCP tool is called server-tool: of a server with a hyphen in its name only what stands before the first one is taken for the server",
  ],
};
