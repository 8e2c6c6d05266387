/** A tool call, as every agent makes them. */
export interface ToolCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Separators and case differ from agent to agent: file_path, filePath, FilePath, file-path. */
export const spelling = (name: string) => name.replace(/[_\-. ]/g, "").toLowerCase();
const names = (list: string): ReadonlySet<string> => new Set(list.split(" ").map(spelling));

export const PATHS = names(
  "file_path path file filename file_name notebook_path directory dir dir_path directory_path folder cwd workdir working_directory target_file source destination src dst dest from_path to_path old_path new_path target_directory target_path source_path relative_workspace_path absolute_path uri root output_path output_file input_path input_file files paths file_paths filepaths root_path project_path save_path location target_directories directories dirs folders file_names repo_path repository_path db_path database_path dest_file source_file src_path dst_path dest_path script_path config_path image_path local_path",
);
export const PATTERNS = names(
  "pattern glob include globs includes glob_pattern file_pattern include_pattern exclude file_glob",
);
export const TEXTS = names(
  "content contents file_text new_string old_string new_str old_str new_source text body prompt description query message instructions replacement insert_text thought explanation title summary regex search data value diff edits_text code_edit subject old_text new_text",
);
export const COMMANDS = names(
  "command cmd script shell_command command_line cmdline cmd_line bash shell_cmd commands chars",
);
export const PATCHES = names("patch patch_text input diff patch_content command unified_diff");
export const WHERE = names("cwd workdir working_directory directory dir_path working_dir");
export const CODE = names("code source script cell");

export const SHELL =
  /^(?:bash|sh|zsh|shell|terminal|exec|execute|run|cmd|powershell|pwsh|local_?shell|(?:run|exec|execute|start|bash)_?(?:shell|bash|command|cmd|terminal|script|in_terminal|shell_command|terminal_cmd|terminal_command|process|code)+(?:_command)?|shell_?(?:exec|command|run)?|unified_?exec|container\.?exec|beforeShellExecution|write_?stdin|bash_?output|exec_command|repl|process)$/i;
/** Listing shows names, searching shows what is in the files. */
export const SEARCHES = /grep|search|^rg$/i;
export const INTERPRETERS = /python|jupyter|code|notebook|repl|javascript|node|ruby/i;
export const GLOBS = /glob|find|search|list|many|grep|rg/i;
export const FETCHES = /fetch|brows|navigate|open|download|url|curl|http/i;
const READS =
  /^(?:.*[_\-.:])?(?:read|view|list|ls|glob|grep|search|find|cat|get|stat|tree|open|head|show|fetch|load|inspect|describe|info|watch|lookup|query)|read|view$/i;
const WRITES =
  /write|edit|create|delete|remove|move|rename|replace|patch|append|insert|copy|mkdir|save|update|touch|put|set|upload|generate|download|export/i;
/** What happens to a directory happens to all that is in it. */
export const TAKES_AWAY = /delete|remove|move|rename|trash|rmdir|unlink/i;
const EDITORS = /^str_replace(?:_based)?_edit(?:or)?(?:_tool)?$|^text_?editor/i;

/** A tool's own name, without the server it comes from. */
export function ownName(name: string): string {
  return /^(?:mcp_+.*?_+|MCP:)(.+)$/.exec(name)?.[1] ?? name;
}

/** Whether it is the tool whose `command` says what it does to a file: view, create, str_replace. */
export function isEditor({ name, args }: ToolCall): boolean {
  return EDITORS.test(ownName(name)) && typeof args.command === "string" && /^\w*$/.test(args.command);
}

export function accessOf(call: ToolCall): "read" | "write" {
  const tool = ownName(call.name);
  if (EDITORS.test(tool)) return call.args.command === "view" ? "read" : "write";
  if (WRITES.test(tool)) return "write";
  return READS.test(tool) || SHELL.test(tool) ? "read" : "write";
}

/** Whether an argument is a patch, and nothing that a shell would run. */
export function isPatch(name: string, value: string): boolean {
  const start = value.trimStart();
  if (/patch/i.test(ownName(name))) return /^(?:\*\*\* |--- |diff |Index: |From [0-9a-f])/.test(start);
  return start.startsWith("*** Begin Patch") && !SHELL.test(ownName(name));
}
