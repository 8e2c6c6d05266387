import {
  type CatalogueName,
  catalogueNames,
  type Dialect,
  type EventName,
  inject,
  type Json,
  type Payload,
  parseResult,
  settings,
} from "@hooks/core";
import { parseOutput } from "./output.js";

/** An event as coding agents know it. */
interface AgentEvent<E extends EventName> {
  readonly name: string;
  /** What its payload has beside the fields every payload has. */
  readonly fields: readonly string[];
  /** The field a matcher that is a text selects by. */
  readonly subject?: string;
  readonly view: (payload: Payload<E>) => Readonly<Record<string, Json | undefined>>;
}

const COMMON: readonly string[] = ["session_id", "transcript_path", "cwd", "hook_event_name"];

const called = ({ tool }: Payload<"PreToolUse" | "PermissionAsked" | "PermissionDenied">) => ({
  tool_name: tool.name,
  tool_input: tool.args,
  tool_use_id: tool.call_id,
});
const TOOL = ["tool_name", "tool_input", "tool_use_id"];

const EVENTS: { readonly [E in EventName & CatalogueName]?: AgentEvent<E> } = {
  SessionStart: {
    name: "SessionStart",
    fields: ["source", "model"],
    subject: "source",
    view: ({ source, is_resume, model }) => ({ source: source ?? (is_resume === true ? "resume" : "startup"), model }),
  },
  SessionEnd: {
    name: "SessionEnd",
    fields: ["reason"],
    subject: "reason",
    view: ({ reason = "other" }) => ({ reason }),
  },
  UserPromptSubmit: { name: "UserPromptSubmit", fields: ["prompt"], view: ({ prompt }) => ({ prompt }) },
  PreToolUse: { name: "PreToolUse", fields: TOOL, subject: "tool_name", view: called },
  PostToolUse: {
    name: "PostToolUse",
    fields: [...TOOL, "tool_response", "duration_ms"],
    subject: "tool_name",
    view: ({ tool, result, duration_ms }) => ({
      ...called({ tool } as Payload<"PreToolUse">),
      tool_response: result.value ?? result.text,
      duration_ms,
    }),
  },
  PostToolUseFailure: {
    name: "PostToolUseFailure",
    fields: [...TOOL, "error"],
    subject: "tool_name",
    view: ({ tool, result }) => ({ ...called({ tool } as Payload<"PreToolUse">), error: result.text }),
  },
  PermissionAsked: { name: "PermissionRequest", fields: TOOL, subject: "tool_name", view: called },
  PermissionDenied: {
    name: "PermissionDenied",
    fields: [...TOOL, "reason"],
    subject: "tool_name",
    view: (payload) => ({ ...called(payload), reason: payload.reason }),
  },
  PreCompact: {
    name: "PreCompact",
    fields: ["trigger", "custom_instructions"],
    subject: "trigger",
    view: ({ trigger = "auto", instructions = "" }) => ({ trigger, custom_instructions: instructions }),
  },
  PostCompact: {
    name: "PostCompact",
    fields: ["trigger", "compact_summary"],
    subject: "trigger",
    view: ({ trigger = "auto", summary }) => ({ trigger, compact_summary: summary }),
  },
  SubagentStart: {
    name: "SubagentStart",
    fields: ["agent_type", "agent_id"],
    subject: "agent_type",
    view: ({ subagent }) => ({ agent_type: subagent.name, agent_id: subagent.id }),
  },
  SubagentStop: {
    name: "SubagentStop",
    fields: ["agent_type", "agent_id", "stop_hook_active", "last_assistant_message"],
    subject: "agent_type",
    view: ({ subagent, result }) => ({
      agent_type: subagent.name,
      agent_id: subagent.id,
      stop_hook_active: false,
      last_assistant_message: result?.text,
    }),
  },
  Stop: {
    name: "Stop",
    fields: ["stop_hook_active", "last_assistant_message"],
    view: ({ stop_hook_active = false, text }) => ({ stop_hook_active, last_assistant_message: text }),
  },
};

const byName = new Map(Object.entries(EVENTS).map(([event, { name }]) => [name, event as EventName]));

/** Events coding agents fire and this runtime has none for: hooks on them are not loaded, and that is said. */
export const ELSEWHERE: readonly string[] = [
  "Notification",
  "Setup",
  "PostToolBatch",
  "UserPromptExpansion",
  "StopFailure",
  "PreModelSwitch",
  "PostModelSwitch",
  "TeammateIdle",
  "TaskCreated",
  "TaskCompleted",
  "Elicitation",
  "ElicitationResult",
  "ConfigChange",
  "WorktreeCreate",
  "WorktreeRemove",
  "InstructionsLoaded",
  "CwdChanged",
  "FileChanged",
  "DirectoryAdded",
  "MessageDisplay",
];

/** The names coding agents have for events, in the order of the catalogue. */
export const agentEvents: readonly string[] = [...byName.keys()];

/** The fields of an event's payload, and the one a matcher that is a text is held against. */
export function fieldsOf(event: EventName): { readonly fields: readonly string[]; readonly subject?: string } {
  const { fields = [], subject } = EVENTS[event as CatalogueName & EventName] ?? {};
  return { fields: [...COMMON, ...fields], ...(subject === undefined ? {} : { subject }) };
}

/** How hooks of coding agents speak: what they get on standard input, and what they may print. */
export function agentDialect(root: string): Dialect {
  return {
    name: "settings",
    names: Object.fromEntries(
      catalogueNames.map((row) => [row, row in EVENTS ? [EVENTS[row as keyof typeof EVENTS]?.name] : []]),
    ) as unknown as Dialect["names"],
    resolve(name) {
      const event = byName.get(name);
      return event && { event };
    },
    view(payload) {
      const { session, event } = payload;
      const own = EVENTS[event as CatalogueName & EventName] as AgentEvent<EventName> | undefined;
      const view = {
        session_id: session.id,
        transcript_path: session.transcript_path ?? "",
        cwd: session.cwd ?? root,
        hook_event_name: own?.name ?? event,
        ...own?.view(payload),
      };
      return Object.freeze(Object.fromEntries(Object.entries(view).filter(([, value]) => value !== undefined))) as Json;
    },
    parse: (returned, call) =>
      parseResult(returned, call, (text, object) => (object === undefined ? inject(text) : parseOutput(object, call))),
    tolerates: settings.tolerates,
  };
}
