/** How a command's text is read. */
export type Dialect = "posix" | "powershell" | "cmd";

/** A tool that runs commands. */
export interface Tool {
  readonly dialect: Dialect;
  /** The argument that holds the command: a text, or a list of words. */
  readonly argument?: string;
}

const posix: Tool = { dialect: "posix" };
const powershell: Tool = { dialect: "powershell" };

/** Shell tools of the agents we know, by the last part of their names in small letters. */
const TOOLS: Readonly<Record<string, Tool | false>> = {
  bash: posix,
  sh: posix,
  zsh: posix,
  shell: posix,
  command: posix,
  run_command: posix,
  run_shell_command: posix,
  run_terminal_cmd: posix,
  run_terminal_command: posix,
  run_in_terminal: posix,
  runinterminal: posix,
  execute_command: posix,
  exec_command: posix,
  exec: posix,
  execute: posix,
  local_shell: posix,
  local_shell_call: posix,
  "container.exec": posix,
  terminal: posix,
  shell_command: posix,
  execute_bash: posix,
  execute_shell: posix,
  execute_shell_command: posix,
  developer__shell: posix,
  shell_exec: posix,
  write_stdin: { dialect: "posix", argument: "chars" },
  write_bash: { dialect: "posix", argument: "input" },
  write_powershell: { dialect: "powershell", argument: "input" },
  powershell,
  pwsh: powershell,
  run_powershell: powershell,
  execute_powershell: powershell,
  cmd: { dialect: "cmd" },
  cmd_exec: { dialect: "cmd" },
  // Their `command` is a patch or the name of an edit.
  apply_patch: false,
  str_replace_based_edit_tool: false,
  str_replace_editor: false,
};

const ARGUMENTS = ["command", "cmd", "script", "commands", "argv", "command_line", "commandLine"];
const FURTHER_ARGUMENTS = [...ARGUMENTS, "args", "input", "code", "line", "text"];
const SOUNDS_LIKE_A_SHELL = /(^|[^a-z])(bash|sh|shell|zsh|terminal|exec|execute|command|cmd|powershell|pwsh)([^a-z]|$)/;

export function toolsOf(own: Readonly<Record<string, Tool | false>>): ReadonlyMap<string, Tool | false> {
  const entries = [
    ...Object.entries(TOOLS),
    ...Object.entries(own).map(([name, tool]) => [name.toLowerCase(), tool] as const),
  ];
  return new Map(entries);
}

/** The command a tool call would run. */
export interface Requested {
  readonly dialect: Dialect;
  /** Null where a shell tool holds no command that can be read. */
  readonly text: string | null;
  readonly cwd: string | undefined;
}

interface Call {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Reads the command out of a tool call; null where the tool runs none. */
export function requestOf({ name, args }: Call, tools: ReadonlyMap<string, Tool | false>): Requested | null {
  const lower = name.toLowerCase();
  const known = tools.get(lower) ?? tools.get(lower.split(/__|[.:/]/).pop() ?? "");
  if (known === false) return null;
  const tool = known ?? (SOUNDS_LIKE_A_SHELL.test(lower.replaceAll("_", " ")) ? posix : null);
  if (tool === null) return null;
  const usual = known === undefined ? ARGUMENTS : FURTHER_ARGUMENTS;
  const names = tool.argument === undefined ? usual : [tool.argument, ...usual];
  const value = names.map((key) => args[key]).find((one) => one !== undefined && one !== null);
  const nested = value ?? commandIn(args.action);
  const text = textOf(nested, tool.dialect);
  const cwd = ["cwd", "workdir", "working_directory", "workingDirectory", "directory", "dir_path"]
    .map((key) => args[key])
    .find((one): one is string => typeof one === "string" && one !== "");
  if (text !== null) return { dialect: tool.dialect, text, cwd };
  // A shell that is restarted gets no text at all; one that gets text we cannot find may run it.
  const hasText = Object.values(args).some((one) => typeof one === "string" || typeof one === "object");
  return known === undefined || !hasText ? null : { dialect: tool.dialect, text: null, cwd };
}

/** `{ action: { command: [...] } }`, as a local shell call has it. */
function commandIn(action: unknown): unknown {
  return typeof action === "object" && action !== null ? (action as { command?: unknown }).command : undefined;
}

function textOf(value: unknown, dialect: Dialect): string | null {
  if (typeof value === "string") return value;
  if (!Array.isArray(value) || !value.every((word): word is string => typeof word === "string")) return null;
  if (dialect !== "posix") return value.join(" ");
  // `["git status", "make"]` are lines; a program's name has no spaces.
  return /\s/.test(value[0] ?? "") ? value.join("\n") : value.map(quote).join(" ");
}

/** A word of a list is a word: nothing in it is for the shell. */
function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
