import type { Agent, NativeEvent } from "./agent.js";
import { blockOrContext, orNothing, permission, specific } from "./outputs.js";
import { rewrittenText, textOf } from "./reading.js";
import { readingsOf, unheard } from "./readings.js";

const reads = readingsOf("codex");
const silent = () => undefined;

// Codex rejects the whole output over one field it does not know for the event, and then runs the tool.
const preToolUse: NativeEvent = {
  event: "PreToolUse",
  can: ["block", "modify", "remind"],
  read: reads.preTool,
  write({ verdict, reason, change, context }, { event }) {
    if (verdict === "block") {
      return specific(event, { permissionDecision: "deny", permissionDecisionReason: reason });
    }
    const grant = change === undefined ? {} : { permissionDecision: "allow", updatedInput: change };
    return orNothing(specific(event, { ...grant, additionalContext: context }));
  },
};

const postToolUse: NativeEvent = {
  event: "PostToolUse",
  can: ["block", "modify", "remind"],
  read: reads.postTool((input) => {
    const response = input.get(["tool_response"]);
    const isStructured = typeof response === "object" && response !== null;
    return { text: textOf(response), ...(isStructured ? { value: response } : {}), is_error: false };
  }),
  // Its block puts the reason in the place of the result, which is a rewrite as well as a veto.
  write({ verdict, reason, change, context }, { event }) {
    const text = verdict === "block" ? reason : rewrittenText(change);
    return orNothing({
      ...(text === undefined ? {} : { decision: "block", reason: text }),
      ...specific(event, { additionalContext: context }),
    });
  },
};

/** Codex CLI 0.169. Hooks of a file run only after a person has trusted them. */
export const codex: Agent = {
  name: "codex",
  title: "Codex CLI",
  gate: "PreToolUse",
  silence: "",
  nameOf: ({ hook_event_name }) => (typeof hook_event_name === "string" ? hook_event_name : undefined),
  events: {
    PreToolUse: preToolUse,
    PostToolUse: postToolUse,
    PermissionRequest: {
      event: "PermissionAsked",
      can: ["block", "decide"],
      read: reads.permission,
      write: permission,
    },
    UserPromptSubmit: {
      event: "UserPromptSubmit",
      can: ["block", "remind"],
      read: reads.prompt,
      write: blockOrContext,
    },
    SessionStart: { event: "SessionStart", can: ["remind"], read: reads.sessionStart, write: blockOrContext },
    SessionEnd: { event: "SessionEnd", can: [], read: reads.sessionEnd, write: silent },
    Stop: { event: "Stop", can: ["block"], read: reads.stop, write: blockOrContext },
    SubagentStop: { event: "SubagentStop", can: ["block"], read: reads.subagentStop, write: blockOrContext },
    PreCompact: { event: "PreCompact", can: [], read: reads.preCompact, write: silent },
    PostCompact: { event: "PostCompact", can: [], read: reads.postCompact, write: silent },
    // Asked with spawn_agent, where it can still be refused.
    SubagentStart: unheard,
  },
  install: {
    project: ".codex/hooks.json",
    user: { directory: ".codex", moved: [["CODEX_HOME", ""]], file: "hooks.json" },
    isOwn: false,
    events: {
      SessionStart: { seconds: 60 },
      UserPromptSubmit: { seconds: 60 },
      PreToolUse: { seconds: 60 },
      PermissionRequest: { seconds: 60 },
      PostToolUse: { seconds: 60 },
      PreCompact: { seconds: 60 },
      PostCompact: { seconds: 60 },
      SubagentStop: { seconds: 60 },
      Stop: { seconds: 60 },
      SessionEnd: { seconds: 3 },
    },
    entry: (_event, command, timeout) => ({ hooks: [{ type: "command", command, timeout }] }),
  },
  gaps: [
    "what is typed into a running shell (write_stdin) is not shown to hooks: refuse interactive shells such as a bare `bash` or `python`",
    "a hook nobody trusted is skipped without a word, and any change of its command, place or timeout takes its trust away; a project's hooks also need the project to be trusted",
    "an unknown key in hooks.json removes every hook of the file without a word; [features] hooks = false switches all of them off",
    "a compaction cannot be refused, and nothing can stop the run after a tool",
  ],
};
