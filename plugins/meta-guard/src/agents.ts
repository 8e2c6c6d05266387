import { type SimpleCommand, startOf } from "@hooks/shell";

const AGENTS: ReadonlySet<string> = new Set([
  "claude",
  "codex",
  "gemini",
  "copilot",
  "opencode",
  "cursor-agent",
  "cursor",
]);
/** Arguments with which an agent runs without the hooks it has. */
const WITHOUT: Readonly<Record<string, RegExp>> = {
  claude: /^--(?:bare|settings|setting-sources)(?:=|$)/,
  codex: /^--ignore-(?:user-config|rules)$|^(?:-c|--config)=?.*\bhooks\b|^(?:features\.)?\w*hooks\b.*=/,
  opencode: /^--pure$/,
};
const SWITCHES = /disableAllHooks|hooksConfig|allow_managed_hooks_only|^--(?:no|disable)-hooks$/;
/** Variables by which an agent takes its settings from another place. */
const PLACES =
  /^(?:CLAUDE_CONFIG_DIR|CLAUDE_CODE_MANAGED_SETTINGS_PATH|CODEX_HOME|GEMINI_CLI_(?:HOME|SYSTEM_SETTINGS_PATH|SYSTEM_DEFAULTS_PATH)|COPILOT_HOME|XDG_CONFIG_HOME|OPENCODE_(?:CONFIG|CONFIG_DIR|CONFIG_CONTENT|PURE)|CURSOR_CONFIG_DIR|HOME)$/;

/** Why an agent that is started by a command runs without the hooks it was given; undefined when it runs with them. */
export function agentUnhooked({ program, argv, assignments }: SimpleCommand): string | undefined {
  if (program === null || !AGENTS.has(program)) return undefined;
  const moved = assignments.find(({ name }) => PLACES.test(name));
  if (moved !== undefined) return `${moved.name} starts ${program} with other settings`;
  const starts = argv.slice(1).map(startOf);
  const switched = starts.find((word) => SWITCHES.test(word) || WITHOUT[program]?.test(word) === true);
  if (switched !== undefined) return `${switched} starts ${program} without its hooks`;
  const at = starts.findIndex((word) => /^--?disable$|^disable(?:-all)?$/.test(word));
  return at !== -1 && starts.some((word) => /^hooks?$/.test(word)) ? `${program} disables its hooks` : undefined;
}
