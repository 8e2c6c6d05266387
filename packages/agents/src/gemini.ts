import type { JsonObject } from "@hooks/core";
import { type Agent, type Fields, isObject, type NativeEvent, type Ruling } from "./agent.js";
import { orNothing, stopping } from "./outputs.js";
import { ask, originOf, rewrittenText, textOf } from "./reading.js";
import { readingsOf, unheard } from "./readings.js";

const reads = readingsOf("gemini", ({ all: { mcp_context: mcp } }) =>
  isObject(mcp) && typeof mcp.server_name === "string" && typeof mcp.tool_name === "string"
    ? { server: mcp.server_name, tool: mcp.tool_name }
    : undefined,
);

function own(event: string, fields: JsonObject): JsonObject {
  return Object.keys(fields).length === 0 ? {} : { hookSpecificOutput: { hookEventName: event, ...fields } };
}

function context({ context: text }: Ruling): JsonObject {
  return text === undefined ? {} : { additionalContext: text };
}

function denyOrContext(ruling: Ruling, { event }: Fields): JsonObject | undefined {
  const deny = ruling.verdict === "block" ? { decision: "deny", reason: ruling.reason } : {};
  return orNothing({ ...deny, ...stopping(ruling), ...own(event, context(ruling)) });
}

const beforeTool: NativeEvent = {
  event: "PreToolUse",
  can: ["block", "ask", "modify", "stop"],
  read(input) {
    const reading = reads.preTool(input);
    const given = input.object("tool_input");
    return {
      ...reading,
      // The new arguments are laid over the old ones, so an argument cannot be taken away.
      restore(args) {
        const restored = reading.restore?.(args) ?? null;
        return restored === null || Object.keys(given).some((key) => !Object.hasOwn(restored, key)) ? null : restored;
      },
    };
  },
  write(ruling, { event }) {
    const { verdict, reason, change } = ruling;
    const decision = verdict === "allow" ? {} : { decision: verdict === "block" ? "deny" : "ask", reason };
    return orNothing({
      ...decision,
      ...stopping(ruling),
      ...own(event, change === undefined ? {} : { tool_input: change }),
    });
  },
};

const afterTool: NativeEvent = {
  event: "PostToolUse",
  can: ["block", "modify", "remind", "stop"],
  read: reads.postTool((input) => {
    const response = input.get(["tool_response"]);
    const shown = isObject(response) ? response.llmContent : response;
    const is_error = isObject(response) && response.error !== undefined && response.error !== null;
    return { text: textOf(shown), ...(response === undefined ? {} : { value: response }), is_error };
  }),
  // Its deny puts the reason in the place of the result, which is a rewrite as well as a veto.
  write(ruling, { event }) {
    const { verdict, reason, change } = ruling;
    const text = verdict === "block" ? reason : rewrittenText(change);
    const deny = text === undefined ? {} : { decision: "deny", reason: text };
    return orNothing({ ...deny, ...stopping(ruling), ...own(event, context(ruling)) });
  },
};

/** A question about what goes to the model or comes from it; a rewrite stands under the same name. */
function completion(event: "PreCompletion" | "PostCompletion", key: "llm_request" | "llm_response"): NativeEvent {
  return {
    event,
    can: ["block", "modify", "stop"],
    read: (input) =>
      ask(event, originOf("gemini", input, [key]), {
        [event === "PreCompletion" ? "request" : "response"]: input.object(key),
      }),
    write(ruling, { event: name }) {
      const { verdict, reason, change } = ruling;
      const deny = verdict === "block" ? { decision: "deny", reason } : {};
      return orNothing({ ...deny, ...stopping(ruling), ...own(name, change === undefined ? {} : { [key]: change }) });
    },
  };
}

/** Gemini CLI 0.61. It reads standard error when standard output is empty, so it always gets an object. */
export const gemini: Agent = {
  name: "gemini",
  title: "Gemini CLI",
  projectVariable: "GEMINI_PROJECT_DIR",
  gate: "BeforeTool",
  silence: "{}",
  nameOf: ({ hook_event_name }) => (typeof hook_event_name === "string" ? hook_event_name : undefined),
  events: {
    BeforeTool: beforeTool,
    AfterTool: afterTool,
    BeforeAgent: {
      event: "UserPromptSubmit",
      can: ["block", "remind", "stop"],
      read: reads.prompt,
      write: denyOrContext,
    },
    AfterAgent: { event: "Stop", can: ["block", "stop"], read: reads.stop, write: denyOrContext },
    BeforeModel: completion("PreCompletion", "llm_request"),
    AfterModel: completion("PostCompletion", "llm_response"),
    SessionStart: { event: "SessionStart", can: ["remind"], read: reads.sessionStart, write: denyOrContext },
    SessionEnd: { event: "SessionEnd", can: [], read: reads.sessionEnd, write: () => undefined },
    // Fires before every call of the model, whether or not anything is compressed, and cannot be refused.
    PreCompress: { event: "PreCompact", can: [], read: reads.preCompact, write: () => undefined },
    BeforeToolSelection: unheard,
    Notification: unheard,
  },
  install: {
    project: ".gemini/settings.json",
    user: { directory: ".gemini", moved: [["GEMINI_CLI_HOME", ".gemini"]], file: "settings.json" },
    isOwn: false,
    events: {
      SessionStart: { seconds: 60 },
      BeforeAgent: { seconds: 60 },
      BeforeModel: { seconds: 60, isCostly: true },
      AfterModel: { seconds: 60, isCostly: true },
      BeforeTool: { seconds: 60 },
      AfterTool: { seconds: 60 },
      AfterAgent: { seconds: 60 },
      PreCompress: { seconds: 60, isCostly: true },
      SessionEnd: { seconds: 5 },
    },
    entry(event, command, seconds) {
      const matcher = event.endsWith("Tool") ? { matcher: ".*" } : {};
      return { ...matcher, hooks: [{ type: "command", name: "harn", command, timeout: seconds * 1_000 }] };
    },
  },
  gaps: [
    "a project's .gemini/settings.json can switch your hooks off (hooksConfig.enabled, hooksConfig.disabled); only the system settings survive it",
    "in a folder that is not trusted no hook runs at all",
    "tool calls are not shown before the model makes them, and a compaction cannot be refused",
  ],
};
