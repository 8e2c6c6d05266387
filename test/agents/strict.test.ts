import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type AgentName, agentNames } from "@hooks/agents";
import { describe, expect, test } from "vitest";
import { root } from "../house/repository.js";
import { eventOf } from "./inputs.js";

/**
 * Every field each agent takes, by event, as it was observed or documented. An output with any other field is a defect:
 * one of these agents rejects it whole and runs the tool.
 */
const PRE = [
  "hookSpecificOutput.hookEventName",
  "hookSpecificOutput.permissionDecision",
  "hookSpecificOutput.permissionDecisionReason",
  "hookSpecificOutput.updatedInput",
  "hookSpecificOutput.additionalContext",
];
const VETO = ["decision", "reason"];
const CONTEXT = ["hookSpecificOutput.hookEventName", "hookSpecificOutput.additionalContext"];
const END = ["continue", "stopReason"];
const PERMISSION = [
  "hookSpecificOutput.hookEventName",
  "hookSpecificOutput.decision.behavior",
  "hookSpecificOutput.decision.message",
];
const GEMINI = ["hookSpecificOutput.hookEventName"];

const FIELDS: Readonly<Record<AgentName, Readonly<Record<string, readonly string[]>>>> = {
  claude: {
    PreToolUse: [...PRE, ...END],
    PostToolUse: [...VETO, ...CONTEXT, ...END, "hookSpecificOutput.updatedToolOutput"],
    PostToolUseFailure: [...CONTEXT, ...END],
    UserPromptSubmit: [...VETO, ...CONTEXT, ...END],
    SessionStart: CONTEXT,
    Stop: VETO,
    SubagentStop: VETO,
    PreCompact: VETO,
    PermissionRequest: PERMISSION,
  },
  codex: {
    PreToolUse: PRE,
    PostToolUse: [...VETO, ...CONTEXT],
    UserPromptSubmit: [...VETO, ...CONTEXT],
    SessionStart: CONTEXT,
    Stop: VETO,
    SubagentStop: VETO,
    PermissionRequest: PERMISSION,
  },
  gemini: {
    BeforeTool: [...VETO, ...END, ...GEMINI, "hookSpecificOutput.tool_input"],
    AfterTool: [...VETO, ...END, ...CONTEXT],
    BeforeAgent: [...VETO, ...END, ...CONTEXT],
    AfterAgent: [...VETO, ...END],
    BeforeModel: [...VETO, ...END, ...GEMINI, "hookSpecificOutput.llm_request"],
    AfterModel: [...VETO, ...END, ...GEMINI, "hookSpecificOutput.llm_response"],
    SessionStart: CONTEXT,
  },
  copilot: {
    preToolUse: ["permissionDecision", "permissionDecisionReason", "modifiedArgs", "additionalContext"],
    postToolUse: ["modifiedResult", "additionalContext"],
    postToolUseFailure: ["additionalContext"],
    permissionRequest: ["behavior", "message"],
    userPromptSubmitted: VETO,
    sessionStart: ["additionalContext"],
    agentStop: [...VETO, "modifiedResponse"],
    subagentStop: [...VETO, "modifiedResponse"],
    PreToolUse: PRE,
    PostToolUse: [...VETO, ...CONTEXT],
    UserPromptSubmit: VETO,
    SessionStart: CONTEXT,
    Stop: VETO,
    SubagentStop: VETO,
  },
  opencode: {
    "tool.execute.before": ["deny", "args"],
    "tool.execute.after": ["output"],
    "chat.message": ["deny", "prompt"],
    "experimental.session.compacting": ["context"],
  },
  cursor: {
    preToolUse: ["permission", "user_message", "agent_message", "updated_input"],
    postToolUse: ["additional_context"],
    beforeShellExecution: ["permission", "user_message", "agent_message"],
    beforeMCPExecution: ["permission", "user_message", "agent_message"],
    beforeReadFile: ["permission", "user_message", "agent_message"],
    beforeTabFileRead: ["permission", "user_message", "agent_message"],
    beforeSubmitPrompt: ["continue", "user_message"],
    sessionStart: ["additional_context"],
    subagentStart: ["permission", "user_message"],
    subagentStop: ["followup_message"],
    stop: ["followup_message"],
  },
};

// What stands below these belongs to the tool, not to the protocol.
const OPAQUE =
  /^(hookSpecificOutput\.(updatedInput|updatedToolOutput|tool_input|llm_request|llm_response)|modifiedArgs|modifiedResult|args|updated_input)$/;

function pathsOf(value: unknown, path = ""): string[] {
  if (typeof value !== "object" || value === null || OPAQUE.test(path)) return [path];
  return Object.entries(value).flatMap(([key, item]) => pathsOf(item, path === "" ? key : `${path}.${key}`));
}

describe.each(agentNames)("%s", (agent) => {
  test("is sent no field it does not take", () => {
    const golden = readFileSync(join(root, "test/agents/golden", `${agent}.txt`), "utf8");
    let outputs = 0;
    for (const page of golden.split("## ").slice(1)) {
      const event = eventOf(page.slice(0, page.indexOf("\n")));
      for (const [, output = ""] of page.matchAll(/^ {4}out (\{.+)$/gm)) {
        const paths = pathsOf(JSON.parse(output)).filter((path) => path !== "");
        expect(FIELDS[agent][event] ?? [], `${event}: ${output}`).toEqual(expect.arrayContaining(paths));
        outputs++;
      }
    }
    expect(outputs).toBeGreaterThan(10);
  });
});
