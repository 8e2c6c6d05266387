import type { JsonObject } from "@hooks/core";
import { type AgentName, type Fields, isObject, type NativeEvent, type Reading } from "./agent.js";
import { afterTool, ask, beforeTool, compact, originOf, type Result, textOf } from "./reading.js";
import { type McpTool, readTool } from "./tools.js";

const TOOL = [
  "tool_name",
  "tool_input",
  "tool_use_id",
  "tool_response",
  "tool_result",
  "duration_ms",
  "error",
  "toolName",
  "toolArgs",
  "toolInput",
  "toolResult",
];

/** An event that Harn has no word for: every answer is neutral. */
export const unheard: NativeEvent = { event: null, can: [], read: () => ({ questions: [] }), write: () => undefined };

/** How agents that send snake_case (or the same fields in camelCase) are read. Each is a `read` of a NativeEvent. */
export function readingsOf(agent: AgentName, mcpOf: (input: Fields) => McpTool | undefined = () => undefined) {
  const tool = (input: Fields) =>
    readTool(agent, input.text("tool_name", "toolName"), input.object("tool_input", "toolArgs", "toolInput"), {
      call_id: input.optionalText("tool_use_id"),
      mcp: mcpOf(input),
    });
  const origin = (input: Fields, ...known: string[]) => originOf(agent, input, known);
  return {
    preTool: (input: Fields): Reading => beforeTool(origin(input, ...TOOL), tool(input)),

    /** `resultOf` reads the result out of where the agent puts it. */
    postTool:
      (resultOf: (input: Fields) => Result) =>
      (input: Fields): Reading =>
        afterTool(origin(input, ...TOOL), tool(input), resultOf(input), duration(input)),

    permission(input: Fields): Reading {
      const from = origin(input, ...TOOL, "permission_mode");
      const mode = input.optionalText("permission_mode");
      const { tools } = tool(input);
      return { questions: tools.flatMap((shown) => ask("PermissionAsked", from, { tool: shown, mode }).questions) };
    },

    permissionDenied(input: Fields): Reading {
      const [shown] = tool(input).tools;
      const reason = input.optionalText("reason");
      return ask("PermissionDenied", origin(input, ...TOOL, "reason"), { tool: shown, reason });
    },

    prompt(input: Fields): Reading {
      const source = input.optionalText("source");
      return ask("UserPromptSubmit", origin(input, "prompt", "source"), { prompt: input.text("prompt"), source });
    },

    sessionStart(input: Fields): Reading {
      const source = input.optionalText("source");
      return ask("SessionStart", origin(input, "source", "model", "initial_prompt", "initialPrompt"), {
        source,
        is_resume: source === "resume",
        model: input.optionalText("model"),
        prompt: input.optionalText("initial_prompt", "initialPrompt"),
      });
    },

    sessionEnd: (input: Fields): Reading =>
      ask("SessionEnd", origin(input, "reason"), { reason: input.optionalText("reason") }),

    stop(input: Fields): Reading {
      const { stop_hook_active } = input.all;
      return ask("Stop", origin(input, "stop_hook_active", "last_assistant_message", "prompt_response", "stopReason"), {
        text: input.optionalText("last_assistant_message", "prompt_response"),
        finish_reason: input.optionalText("stop_reason", "stopReason", "status"),
        stop_hook_active: typeof stop_hook_active === "boolean" ? stop_hook_active : undefined,
      });
    },

    subagentStop(input: Fields): Reading {
      const text = input.optionalText("last_assistant_message", "summary", "response");
      const name = input.optionalText("agent_type", "agentName", "agent_name", "subagent_type") ?? "default";
      return ask("SubagentStop", origin(input, "last_assistant_message"), {
        subagent: compact({ name, id: input.optionalText("agent_id", "subagent_id", "agentId") }),
        result: text === undefined ? undefined : { text, is_error: false },
      });
    },

    preCompact: (input: Fields): Reading =>
      ask("PreCompact", origin(input, "trigger", "custom_instructions", "customInstructions"), {
        trigger: input.optionalText("trigger"),
        instructions: input.optionalText("custom_instructions", "customInstructions"),
      }),

    postCompact: (input: Fields): Reading =>
      ask("PostCompact", origin(input, "trigger", "compact_summary"), {
        trigger: input.optionalText("trigger"),
        summary: input.optionalText("compact_summary"),
      }),

    error(input: Fields): Reading {
      const error = input.get(["error_details", "error", "error_message"]);
      const own = isObject(error) ? error : {};
      return ask("SessionError", origin(input, "error", "error_details", "error_message"), {
        error: compact({
          message: typeof own.message === "string" ? own.message : textOf(error) || "the turn failed",
          name: typeof own.name === "string" ? own.name : undefined,
        }),
      });
    },
  };
}

function duration(input: Fields): JsonObject {
  const { duration_ms } = input.all;
  return typeof duration_ms === "number" ? { duration_ms } : {};
}
