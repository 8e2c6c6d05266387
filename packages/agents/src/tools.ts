import type { Json, JsonObject } from "@hooks/core";
import type { AgentName } from "./agent.js";
import { filesOfPatch } from "./patch.js";

/** A canonical tool, and the agent's own keys for those of its arguments that are called otherwise. */
type Row = readonly [name: string, keys?: Readonly<Record<string, string | readonly string[]>>];

const CAMEL_FILE = {
  file_path: "filePath",
  old_string: "oldString",
  new_string: "newString",
  replace_all: "replaceAll",
};
const PATCH = { patch: ["command", "input", "patchText", "patch"] };

const ANY_PATH = ["file_path", "path", "target_file"];

const CURSOR: Readonly<Record<string, Row>> = {
  Shell: ["Bash"],
  Read: ["Read", { file_path: ANY_PATH }],
  Write: ["Write", { file_path: ANY_PATH, content: ["content", "contents"] }],
  StrReplace: ["Edit", { file_path: ANY_PATH }],
  Edit: ["Edit", { file_path: ANY_PATH }],
  Delete: ["Edit", { file_path: ANY_PATH }],
  Task: ["Agent"],
};

// The tools of its own agent; it runs the hook files of Copilot CLI.
const VSCODE: Readonly<Record<string, Row>> = {
  run_in_terminal: ["Bash"],
  read_file: ["Read", CAMEL_FILE],
  create_file: ["Write", CAMEL_FILE],
  replace_string_in_file: ["Edit", CAMEL_FILE],
  insert_edit_into_file: ["Edit", { ...CAMEL_FILE, new_string: "code" }],
  multi_replace_string_in_file: ["MultiEdit"],
  fetch_webpage: ["WebFetch"],
  grep_search: ["Grep", { pattern: "query" }],
  file_search: ["Glob", { pattern: "query" }],
  list_dir: ["LS"],
  runSubagent: ["Agent", { subagent_type: "agentName" }],
};

/**
 * What each agent calls its tools, and what it calls their arguments. The names and arguments on the left side of
 * Harn are those of Claude Code, because most policies are written for them. A tool that is not here keeps its name.
 */
const TOOLS: Readonly<Record<AgentName, Readonly<Record<string, Row>>>> = {
  // Cursor and Visual Studio Code run the hooks of its settings as well, with tools of their own.
  claude: { ...VSCODE, ...CURSOR, Task: ["Agent"], KillBash: ["KillShell"] },
  codex: {
    shell: ["Bash"],
    local_shell: ["Bash"],
    exec_command: ["Bash", { command: ["cmd", "command"] }],
    apply_patch: ["Patch", PATCH],
    spawn_agent: ["Agent", { prompt: "message", subagent_type: "agent_type" }],
    view_image: ["Read", { file_path: "path" }],
    web_search: ["WebSearch"],
    update_plan: ["TodoWrite", { todos: "plan" }],
  },
  gemini: {
    run_shell_command: ["Bash"],
    read_file: ["Read", { file_path: ["file_path", "absolute_path"] }],
    write_file: ["Write"],
    replace: ["Edit", { replace_all: "allow_multiple" }],
    glob: ["Glob", { path: "dir_path" }],
    grep_search: ["Grep", { path: "dir_path" }],
    search_file_content: ["Grep", { path: "dir_path" }],
    list_directory: ["LS", { path: "dir_path" }],
    web_fetch: ["WebFetch"],
    google_web_search: ["WebSearch"],
    invoke_agent: ["Agent", { subagent_type: "agent_name" }],
    write_todos: ["TodoWrite"],
  },
  copilot: {
    bash: ["Bash"],
    powershell: ["Bash"],
    // What is typed into a shell that runs already.
    write_bash: ["Bash", { command: "input" }],
    write_powershell: ["Bash", { command: "input" }],
    view: ["Read", { file_path: "path" }],
    create: ["Write", { file_path: "path", content: "file_text" }],
    edit: ["Edit", { file_path: "path", old_string: "old_str", new_string: "new_str" }],
    str_replace: ["Edit", { file_path: "path", old_string: "old_str", new_string: "new_str" }],
    insert: ["Edit", { file_path: "path", new_string: "insert_text" }],
    apply_patch: ["Patch", PATCH],
    grep: ["Grep"],
    rg: ["Grep"],
    glob: ["Glob"],
    web_fetch: ["WebFetch"],
    web_search: ["WebSearch"],
    task: ["Agent", { subagent_type: "agent_type" }],
    ...VSCODE,
  },
  opencode: {
    bash: ["Bash"],
    read: ["Read", CAMEL_FILE],
    write: ["Write", CAMEL_FILE],
    edit: ["Edit", CAMEL_FILE],
    multiedit: ["MultiEdit", CAMEL_FILE],
    patch: ["Patch", PATCH],
    apply_patch: ["Patch", PATCH],
    glob: ["Glob"],
    grep: ["Grep"],
    list: ["LS"],
    webfetch: ["WebFetch"],
    websearch: ["WebSearch"],
    task: ["Agent"],
    todowrite: ["TodoWrite"],
  },
  cursor: CURSOR,
};

/** A tool call as hooks see it: `tool` of the canonical payload. */
export interface CanonicalTool {
  readonly name: string;
  readonly native_name: string;
  readonly args: JsonObject;
  readonly call_id?: string;
}

/** One call of an agent's tool: what hooks are asked about, and the way back for what they rewrite. */
export interface ToolReading {
  /** One for each file, when the tool changes several at once; otherwise one. */
  readonly tools: readonly CanonicalTool[];
  /** The rewritten arguments in the agent's own shape; null when the agent's shape cannot hold them. */
  restore(args: JsonObject): JsonObject | null;
}

const STRAY = "native_";

/** Reads a tool call of an agent. `mcp` names the server and tool where the agent says them apart. */
export function readTool(
  agent: AgentName,
  native: string,
  given: JsonObject,
  { call_id, mcp }: { readonly call_id?: string | undefined; readonly mcp?: McpTool | undefined } = {},
): ToolReading {
  const known = Object.hasOwn(TOOLS[agent], native) ? TOOLS[agent][native] : undefined;
  const [name, keys = {}] = known ?? [mcp === undefined ? native : mcpName(mcp)];
  const base = { native_name: native, ...(call_id === undefined ? {} : { call_id }) };
  const toNative = nativeKeys(keys, given);
  const args = rename(given, toNative);
  if (name === "Patch") {
    const reading = readPatch(base, args);
    if (reading !== null) return reading;
  }
  const command = name === "Bash" ? commandText(args.command) : undefined;
  const shown = command === undefined ? args : { ...args, command };
  return {
    tools: [{ ...base, name: name === "Patch" ? native : name, args: shown }],
    restore(changed) {
      const back = command === undefined ? changed : withCommand(args.command as Json, command, changed);
      return back === null ? null : unname(back, toNative);
    },
  };
}

export interface McpTool {
  readonly server: string;
  readonly tool: string;
}

const CURSOR_MCP = "MCP:";

/** Cursor never says which server an MCP tool belongs to: the server's name stays empty, and mcp__* still means it. */
export function cursorMcp(name: unknown): McpTool | undefined {
  if (typeof name !== "string" || !name.startsWith(CURSOR_MCP)) return undefined;
  return { server: "", tool: name.slice(CURSOR_MCP.length) };
}

/** Every MCP tool has the same name with every agent that says which server it belongs to. */
export function mcpName({ server, tool }: McpTool): string {
  return `mcp__${server}__${tool}`;
}

/** Which key of these arguments stands for each canonical one: the agent's own key, never one it would not read. */
function nativeKeys(keys: NonNullable<Row[1]>, args: JsonObject): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(keys).map(([canonical, native]) => {
      const own = typeof native === "string" ? [native] : native;
      return [canonical, own.find((key) => Object.hasOwn(args, key)) ?? (own[0] as string)];
    }),
  );
}

/** A key the agent's tool does not read, but with a canonical name, must not pass for the one it does. */
function rename(args: JsonObject, toNative: ReadonlyMap<string, string>): JsonObject {
  const toCanonical = new Map([...toNative].map(([canonical, native]) => [native, canonical]));
  return Object.fromEntries(
    Object.entries(args).map(([key, value]) => {
      const canonical = toCanonical.get(key);
      if (canonical !== undefined) return [canonical, value];
      return [toNative.has(key) ? `${STRAY}${key}` : key, value];
    }),
  );
}

function unname(args: JsonObject, toNative: ReadonlyMap<string, string>): JsonObject {
  return Object.fromEntries(
    Object.entries(args).map(([key, value]) => {
      const isStray = key.startsWith(STRAY) && toNative.has(key.slice(STRAY.length));
      return [isStray ? key.slice(STRAY.length) : (toNative.get(key) ?? key), value];
    }),
  );
}

/** A command given as argv is shown as the text a shell would run; undefined when it is a text, or nothing, already. */
function commandText(command: Json | undefined): string | undefined {
  if (!Array.isArray(command) || !command.every((word) => typeof word === "string")) return undefined;
  const [, flag, script] = command as string[];
  if (command.length === 3 && script !== undefined && /^-\w*c$/.test(flag ?? "")) return script;
  return command.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(" ");
}

function withCommand(given: Json, shown: string, args: JsonObject): JsonObject | null {
  if (args.command === shown) return { ...args, command: given };
  const words = given as readonly string[];
  return words[2] === shown && typeof args.command === "string"
    ? { ...args, command: [...words.slice(0, 2), args.command] }
    : null;
}

/** A patch is one question for each file it touches, so that a rule about a path sees every path. */
function readPatch(
  base: { readonly native_name: string; readonly call_id?: string },
  args: JsonObject,
): ToolReading | null {
  const files = typeof args.patch === "string" ? filesOfPatch(args.patch) : [];
  if (files.length === 0) return null;
  const tools = files.map(({ path, content }): CanonicalTool => {
    const patch = { file_path: path, patch: args.patch as Json };
    return {
      ...base,
      name: content === null ? "Edit" : "Write",
      args: content === null ? patch : { ...patch, content },
    };
  });
  // Another patch may touch files that nobody was asked about.
  return { tools, restore: () => null };
}
