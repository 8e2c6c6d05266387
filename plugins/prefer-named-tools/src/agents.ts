/** What a tool is for. */
export type Purpose = "read" | "write" | "edit" | "search" | "find";

export type Tools = Readonly<Partial<Record<Purpose, string>>>;

const CLAUDE: Tools = { read: "Read", write: "Write", edit: "Edit", search: "Grep", find: "Glob" };
const GEMINI: Tools = {
  read: "read_file",
  write: "write_file",
  edit: "replace",
  search: "search_file_content",
  find: "glob",
};
const OPENCODE: Tools = { read: "read", write: "write", edit: "edit", search: "grep", find: "glob" };
const COPILOT: Tools = { read: "view", write: "create", edit: "edit", search: "grep", find: "glob" };
// Codex reads and searches by shell on purpose; only its edits have a tool.
const CODEX: Tools = { write: "apply_patch", edit: "apply_patch" };
const CURSOR: Tools = { read: "Read", write: "Write", search: "Grep" };

/** The named tools an agent has, by its name, or by what it calls its shell. */
export function toolsOf(agent: string | undefined, shell: string): Tools {
  const name = (agent ?? "").toLowerCase();
  if (name.includes("claude")) return CLAUDE;
  if (name.includes("codex")) return CODEX;
  if (name.includes("gemini")) return GEMINI;
  if (name.includes("opencode")) return OPENCODE;
  if (name.includes("copilot")) return COPILOT;
  if (name.includes("cursor")) return CURSOR;
  if (shell === "Bash") return CLAUDE;
  if (shell === "run_shell_command") return GEMINI;
  if (shell === "Shell") return CURSOR;
  return {};
}
