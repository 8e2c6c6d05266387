import type { JsonObject } from "@hooks/core";
import { type Agent, BadInput, Fields, isObject, type NativeEvent, type Reading } from "./agent.js";
import { pluginSource } from "./opencode-plugin.js";
import { orNothing } from "./outputs.js";
import { afterTool, ask, beforeTool, type Origin, rewrittenText, textOf } from "./reading.js";
import { unheard } from "./readings.js";
import { readTool } from "./tools.js";

/** `input` and `output` of the plugin hook, as the plugin sends them. */
function parts(fields: Fields): { input: Fields; output: Fields } {
  const output = fields.get(["output"]);
  return {
    input: new Fields(fields.object("input"), fields.event),
    output: new Fields(isObject(output) ? output : {}, fields.event),
  };
}

function originOf(fields: Fields, session: string | undefined): Origin {
  const cwd = fields.optionalText("cwd");
  return {
    session: { id: session ?? "unknown", ...(cwd === undefined ? {} : { cwd }) },
    extra: { agent: "opencode", agent_event: fields.event },
  };
}

/** OpenCode joins server and tool by one underscore; the plugin says which servers there are. */
function toolOf(fields: Fields, input: Fields, args: JsonObject) {
  const name = input.text("tool");
  const servers = Array.isArray(fields.all.mcp_servers) ? fields.all.mcp_servers.map(String) : [];
  const prefixes = servers.map((server) => ({ server, prefix: `${server.replace(/[^A-Za-z0-9_-]/g, "_")}_` }));
  const found = prefixes
    .sort((a, b) => b.prefix.length - a.prefix.length)
    .find(({ prefix }) => name.startsWith(prefix));
  const mcp = found && { server: found.server, tool: name.slice(found.prefix.length) };
  return readTool("opencode", name, args, { call_id: input.optionalText("callID"), mcp });
}

const before: NativeEvent = {
  event: "PreToolUse",
  can: ["block", "modify"],
  read(fields) {
    const { input, output } = parts(fields);
    const origin = originOf(fields, input.optionalText("sessionID"));
    return beforeTool(origin, toolOf(fields, input, output.object("args")));
  },
  write: ({ verdict, reason, change }) =>
    verdict === "block" ? { deny: reason } : orNothing(change === undefined ? {} : { args: change }),
};

const after: NativeEvent = {
  event: "PostToolUse",
  can: ["block", "modify"],
  read(fields) {
    const { input, output } = parts(fields);
    const args = input.get(["args"]);
    const result = { text: textOf(output.get(["output"])), value: output.all, is_error: false };
    const tool = toolOf(fields, input, isObject(args) ? args : {});
    return afterTool(originOf(fields, input.optionalText("sessionID")), tool, result);
  },
  write({ verdict, reason, change }) {
    if (verdict === "block") return { output: reason };
    const output = rewrittenText(change);
    return output === undefined ? undefined : { output };
  },
};

const message: NativeEvent = {
  event: "UserPromptSubmit",
  can: ["block", "modify"],
  read(fields) {
    const { input, output } = parts(fields);
    const texts = Array.isArray(output.all.parts) ? output.all.parts : [];
    const prompt = texts
      .map((part) => (isObject(part) && part.type === "text" ? textOf(part.text) : ""))
      .filter(Boolean);
    return ask("UserPromptSubmit", originOf(fields, input.optionalText("sessionID")), { prompt: prompt.join("\n") });
  },
  write: ({ verdict, reason, change }) =>
    verdict === "block" ? { deny: reason } : orNothing(change === undefined ? {} : { prompt: change }),
};

/** The events of OpenCode's bus that are also events of Harn. */
function readBusEvent(fields: Fields): Reading {
  const { event } = parts(fields).input.all;
  if (!isObject(event) || typeof event.type !== "string") throw new BadInput('"input.event.type" is missing');
  const own = isObject(event.properties) ? event.properties : {};
  const info = isObject(own.info) ? own.info : {};
  const id = [own.sessionID, info.id].find((value) => typeof value === "string") as string | undefined;
  const origin = originOf(fields, id);
  switch (event.type) {
    case "session.created":
      return ask("SessionStart", origin, { source: "startup", is_resume: false });
    case "session.deleted":
      return ask("SessionEnd", origin, { reason: "deleted" });
    case "session.idle":
      return ask("SessionIdle", origin);
    case "session.compacted":
      return ask("PostCompact", origin);
    case "session.error": {
      const error = isObject(own.error) ? own.error : {};
      const data = isObject(error.data) ? error.data : {};
      const name = typeof error.name === "string" ? { name: error.name } : {};
      return ask("SessionError", origin, { error: { message: textOf(data.message) || "the turn failed", ...name } });
    }
    case "file.edited":
      return typeof own.file === "string" ? ask("FileEdited", origin, { path: own.file }) : { questions: [] };
    default:
      return { questions: [] };
  }
}

/** OpenCode 1.18. It has no command hooks; the plugin that is installed asks, and acts on the answer. */
export const opencode: Agent = {
  name: "opencode",
  title: "OpenCode",
  gate: "tool.execute.before",
  silence: "{}",
  nameOf: ({ hook_event_name }) => (typeof hook_event_name === "string" ? hook_event_name : undefined),
  events: {
    "tool.execute.before": before,
    "tool.execute.after": after,
    "chat.message": message,
    event: { event: "SessionStart", can: [], read: readBusEvent, write: () => undefined },
    "experimental.session.compacting": {
      event: "PreCompact",
      can: ["remind"],
      read: (fields) => ask("PreCompact", originOf(fields, parts(fields).input.optionalText("sessionID"))),
      write: ({ context }) => (context === undefined ? undefined : { context }),
    },
    "chat.params": unheard,
    "shell.env": unheard,
    "permission.ask": unheard,
  },
  install: {
    project: ".opencode/plugins/harn.js",
    user: {
      directory: ".config/opencode",
      moved: [
        ["OPENCODE_CONFIG_DIR", ""],
        ["XDG_CONFIG_HOME", "opencode"],
      ],
      file: "plugins/harn.js",
    },
    isOwn: true,
    events: {
      event: { seconds: 60 },
      "chat.message": { seconds: 60 },
      "tool.execute.before": { seconds: 60 },
      "tool.execute.after": { seconds: 60 },
      "experimental.session.compacting": { seconds: 60 },
    },
    file: pluginSource,
  },
  gaps: [
    "opencode --pure loads no plugin, and a plugin that does not load is skipped without a word",
    "permissions are never shown to plugins, reminders have no place before or after a tool, and a turn that ends cannot be held",
  ],
};
