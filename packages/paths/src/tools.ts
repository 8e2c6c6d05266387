import { pathsInCode } from "./code.js";
import { filesOfPatch } from "./patch.js";
import { usesOfShell } from "./shell.js";
import type { PathUse, Unclear, Uses } from "./use.js";
import { expandBraces } from "./wildcard.js";

/** A tool call, as every agent makes them. */
export interface ToolCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

export interface CallOptions {
  /** The directory relative paths are relative to; absolute. */
  readonly cwd: string;
  readonly home: string;
  /** Arguments of one's own tools that hold paths, by the tool's name. */
  readonly fields?: Readonly<Record<string, readonly string[]>>;
}

// Separators and case differ from agent to agent: file_path, filePath, FilePath, file-path.
const spelling = (name: string) => name.replace(/[_\-. ]/g, "").toLowerCase();
const names = (list: string) => new Set(list.split(" ").map(spelling));

const PATHS = names(
  "file_path path file filename file_name notebook_path directory dir dir_path directory_path folder cwd workdir working_directory target_file source destination src dst dest from_path to_path old_path new_path target_directory target_path source_path relative_workspace_path absolute_path uri root output_path output_file input_path input_file files paths file_paths filepaths root_path project_path save_path location",
);
const PATTERNS = names("pattern glob include glob_pattern file_pattern include_pattern exclude file_glob");
const TEXTS = names(
  "content contents file_text new_string old_string new_str old_str new_source text body prompt description query message instructions replacement insert_text thought explanation title summary regex search data value diff edits_text code_edit subject",
);
const COMMANDS = names("command cmd script shell_command command_line bash commands chars");
const PATCHES = names("patch patch_text input diff patch_content command unified_diff");
const WHERE = names("cwd workdir working_directory directory dir_path working_dir");

const SHELL =
  /^(?:bash|sh|zsh|shell|terminal|exec|execute|run|cmd|powershell|pwsh|local_?shell|(?:run|exec|execute|start|bash)_?(?:shell|bash|command|cmd|terminal|script|in_terminal|shell_command|terminal_cmd|terminal_command|process|code)+(?:_command)?|shell_?(?:exec|command|run)?|unified_?exec|container\.?exec|beforeShellExecution|write_?stdin|bash_?output|exec_command|repl|process)$/i;
// Listing shows names, searching shows what is in the files.
const SEARCHES = /grep|search|^rg$/i;
const CODE = names("code source script cell");
const INTERPRETERS = /python|jupyter|code|notebook|repl|javascript|node|ruby/i;
const GLOBS = /glob|find|search|list|many|grep|rg/i;
const READS =
  /^(?:.*[_\-.:])?(?:read|view|list|ls|glob|grep|search|find|cat|get|stat|tree|open|head|show|fetch|load|inspect|describe|info|watch|lookup|query)|read|view$/i;
const WRITES =
  /write|edit|create|delete|remove|move|rename|replace|patch|append|insert|copy|mkdir|save|update|touch|put|set|upload|generate|download|export/i;
const EDITORS = /^str_replace(?:_based)?_edit(?:or)?(?:_tool)?$|^text_?editor/i;

/** The shell text of a call, for tools that run one; undefined for all others. */
export function shellTextOf({ name, args }: ToolCall): string | undefined {
  if (EDITORS.test(own(name)) || isPatch(name, args)) return undefined;
  for (const [key, value] of Object.entries(args)) {
    if (!COMMANDS.has(spelling(key))) continue;
    const text = commandText(value);
    if (text !== undefined) return text;
  }
  const { input, code } = args;
  const given = input ?? code;
  return SHELL.test(own(name)) && typeof given === "string" ? given : undefined;
}

/** A command as a text: lists are programs with arguments, and quoted so that they stay so. */
function commandText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (!Array.isArray(value) || !value.every((item) => typeof item === "string")) return undefined;
  return value
    .map((word: string) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
    .join(" ");
}

/** A tool's own name, without the server it comes from. */
function own(name: string): string {
  return /^(?:mcp_+.*?_+|MCP:)(.+)$/.exec(name)?.[1] ?? name;
}

function isPatch(name: string, args: ToolCall["args"]): boolean {
  if (/patch/i.test(own(name))) return true;
  return Object.values(args).some(
    (value) => typeof value === "string" && value.trimStart().startsWith("*** Begin Patch"),
  );
}

/** Every path a tool call reads or writes, in its arguments, its patch and its command. */
export function usesOfCall(call: ToolCall, options: CallOptions): Uses {
  const uses: PathUse[] = [];
  const unclear: Unclear[] = [];
  const cwd = whereOf(call, options);
  const shell = shellTextOf(call);
  if (shell !== undefined) {
    const found = usesOfShell(shell, { cwd, home: options.home });
    uses.push(...found.uses);
    unclear.push(...found.unclear);
  }
  const access = accessOf(call);
  const fields = options.fields?.[call.name] ?? [];
  if (isPatch(call.name, call.args)) {
    for (const [key, value] of Object.entries(call.args)) {
      if (!PATCHES.has(spelling(key)) || typeof value !== "string") continue;
      for (const path of filesOfPatch(value))
        uses.push({ path, base: cwd, access: "write", by: key, isTree: false, followsLinks: false, field: null });
    }
  }
  const visit = (value: unknown, key: string, field: readonly (string | number)[], depth: number): void => {
    if (depth > 20) return void unclear.push({ by: call.name, access, detail: "its arguments are nested too deeply" });
    if (Array.isArray(value)) {
      for (const [place, item] of value.entries()) visit(item, key, [...field, place], depth + 1);
    } else if (typeof value === "object" && value !== null) {
      for (const [name, item] of Object.entries(value)) visit(item, name, [...field, name], depth + 1);
    } else if (typeof value === "string") {
      const base = WHERE.has(spelling(key)) ? options.cwd : cwd;
      for (const { path, isTree, isExact } of fieldUses(call, key, value, fields)) {
        uses.push({ path, base, access, by: key, isTree, followsLinks: false, field: isExact ? field : null });
      }
    }
  };
  for (const [key, value] of Object.entries(call.args)) {
    if (shell !== undefined && (COMMANDS.has(spelling(key)) || key === "input" || key === "code")) continue;
    visit(value, key, [key], 0);
  }
  return { uses, unclear };
}

interface FieldUse {
  readonly path: string;
  readonly isTree: boolean;
  /** Whether the argument is the path and nothing else, so that another spelling can take its place. */
  readonly isExact: boolean;
}

function fieldUses({ name }: ToolCall, key: string, value: string, declared: readonly string[]): FieldUse[] {
  const spelt = spelling(key);
  const tool = own(name);
  const isUrl = /^(?!file:)[a-z][a-z0-9+.-]+:\/\//i.test(value);
  if (declared.includes(key)) return [{ path: value, isTree: false, isExact: true }];
  if (value === "" || isUrl) return [];
  if (PATHS.has(spelt)) {
    const isTree = SEARCHES.test(tool);
    // Names may have brackets and braces in them; a star is a pattern.
    if (value.includes("*")) return [value, startOfPattern(value)].map((path) => ({ path, isTree, isExact: false }));
    return [{ path: value, isTree, isExact: spelt !== "relativeworkspacepath" }];
  }
  if (PATTERNS.has(spelt)) return GLOBS.test(tool) && spelt !== "exclude" ? patternUses(tool, spelt, value) : [];
  if (TEXTS.has(spelt)) return [];
  if (CODE.has(spelt) && INTERPRETERS.test(tool)) {
    return pathsInCode(value, "python").map(({ path }) => ({ path, isTree: false, isExact: false }));
  }
  // A key nobody knows whose value is a path is one.
  const isPath =
    /^(?:\/|~\/|\.\.\/|file:|[A-Za-z]:[\\/]|\\\\)[^\n]{0,4096}$/.test(value) && !/\s{2}|[<>|;]/.test(value);
  return isPath ? [{ path: value, isTree: false, isExact: true }] : [];
}

/** Of a pattern what counts is where it begins to look. */
function patternUses(tool: string, key: string, value: string): FieldUse[] {
  // The pattern of a search is an expression, and not where it searches.
  if (key === "pattern" && /grep|search|rg$/i.test(tool) && !/file/i.test(tool)) return [];
  return expandBraces(value).map((pattern) => ({
    path: startOfPattern(pattern),
    isTree: SEARCHES.test(tool),
    isExact: false,
  }));
}

/** What stands before the first wildcard; a pattern that goes upwards behind it is taken as it is written. */
function startOfPattern(pattern: string): string {
  const [start = ""] = /^[^*?[{]*/.exec(pattern) ?? [];
  const rest = pattern.slice(start.length);
  if (rest === "" || rest.includes("..")) return pattern;
  return start.slice(0, start.lastIndexOf("/") + 1) || ".";
}

function accessOf({ name, args }: ToolCall): "read" | "write" {
  const tool = own(name);
  if (EDITORS.test(tool)) return args.command === "view" ? "read" : "write";
  if (WRITES.test(tool)) return "write";
  return READS.test(tool) || SHELL.test(tool) ? "read" : "write";
}

/** Where a command starts: in the directory the call names, or in the session's. */
function whereOf({ args }: ToolCall, { cwd }: CallOptions): string {
  for (const [key, value] of Object.entries(args)) {
    if (WHERE.has(spelling(key)) && typeof value === "string" && shellTextOf({ name: "", args }) !== undefined) {
      return value.startsWith("/") ? value : `${cwd}/${value}`;
    }
  }
  return cwd;
}
