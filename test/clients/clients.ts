import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { AgentName } from "@hooks/agents";
import type { CommandTool } from "./model.js";

/** Where one run of a client happens. */
export interface Place {
  readonly home: string;
  readonly project: string;
  readonly cache: string;
  /** The address of the model. */
  readonly url: string;
}

/** A client as it is started without a person. */
export interface Client {
  readonly agent: Exclude<AgentName, "cursor">;
  readonly packages: readonly string[];
  readonly shell: CommandTool;
  /** What it calls the tool "run" of an MCP server "demo". */
  readonly mcp: CommandTool;
  /** Whether a reminder before a tool reaches the model. */
  readonly reminds: boolean;
  /** The program, from the directory the packages are in. */
  readonly program: readonly string[];
  args(prompt: string, place: Place): readonly string[];
  env(place: Place): Record<string, string>;
  /** Settings of its own that a run needs, beside those `harn init` writes. */
  prepare?(place: Place): void;
  /** Settings that have it start the MCP server "demo"; further arguments, where it takes them there. */
  addServer(place: Place, command: readonly string[]): readonly string[];
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

export const clients: readonly Client[] = [
  {
    agent: "claude",
    packages: ["@anthropic-ai/claude-code@2.1.326"],
    shell: { name: "Bash", argument: "command" },
    mcp: { name: "mcp__demo__run", argument: "command" },
    reminds: true,
    program: ["node_modules/@anthropic-ai/claude-code-linux-x64/claude"],
    addServer({ home }, [command = "", ...args]) {
      const file = join(home, "mcp.json");
      write(file, JSON.stringify({ mcpServers: { demo: { command, args } } }));
      return ["--mcp-config", file, "--allowedTools", "mcp__demo__run"];
    },
    args: (prompt) => ["-p", prompt, "--allowedTools", "Bash,Write", "--output-format", "stream-json", "--verbose"],
    env: ({ url }) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: "dummy",
      DISABLE_AUTOUPDATER: "1",
      DISABLE_TELEMETRY: "1",
      DISABLE_ERROR_REPORTING: "1",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      // The model is a script, which does not look for tools.
      ENABLE_TOOL_SEARCH: "false",
    }),
  },
  {
    agent: "codex",
    packages: ["@openai/codex@0.169.0"],
    shell: { name: "exec_command", argument: "cmd" },
    mcp: { name: "run", argument: "command", namespace: "mcp__demo" },
    reminds: true,
    program: ["node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex"],
    addServer({ home }, [command = "", ...args]) {
      const table = `\n[mcp_servers.demo]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\n`;
      appendFileSync(join(home, ".codex/config.toml"), table);
      return [];
    },
    args: (prompt) => ["exec", "--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", prompt],
    env: () => ({ DEMO_API_KEY: "dummy" }),
    prepare({ home, project, url }) {
      write(
        join(home, ".codex/config.toml"),
        `model = "fake-model"
model_provider = "demo"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.demo]
name = "demo"
base_url = "${url}/v1"
env_key = "DEMO_API_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
supports_websockets = false

[projects.${JSON.stringify(project)}]
trust_level = "trusted"
`,
      );
    },
  },
  {
    agent: "gemini",
    packages: ["@google/gemini-cli@0.61.0"],
    shell: { name: "run_shell_command", argument: "command" },
    mcp: { name: "mcp_demo_run", argument: "command" },
    reminds: false,
    program: [process.execPath, "node_modules/@google/gemini-cli/bundle/gemini.js"],
    addServer({ home }, [command = "", ...args]) {
      const file = join(home, ".gemini/settings.json");
      const settings = JSON.parse(readFileSync(file, "utf8")) as object;
      write(file, JSON.stringify({ ...settings, mcpServers: { demo: { command, args, trust: true } } }, null, 2));
      return [];
    },
    args: (prompt) => ["-p", prompt, "--approval-mode", "yolo", "-o", "json", "-m", "gemini-2.5-flash"],
    env: ({ url }) => ({
      GEMINI_API_KEY: "dummy",
      GOOGLE_GEMINI_BASE_URL: url,
      GEMINI_CLI_TRUST_WORKSPACE: "true",
      GEMINI_CLI_NO_RELAUNCH: "1",
    }),
    prepare({ home }) {
      const settings = {
        security: { auth: { selectedType: "gemini-api-key" } },
        general: { enableAutoUpdate: false },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
      };
      write(join(home, ".gemini/settings.json"), JSON.stringify(settings, null, 2));
    },
  },
  {
    agent: "opencode",
    packages: ["opencode-ai@1.18.33"],
    shell: { name: "bash", argument: "command" },
    mcp: { name: "demo_run", argument: "command" },
    reminds: false,
    program: ["node_modules/opencode-linux-x64/bin/opencode"],
    addServer({ project }, command) {
      const file = join(project, "opencode.json");
      const settings = JSON.parse(readFileSync(file, "utf8")) as object;
      write(file, JSON.stringify({ ...settings, mcp: { demo: { type: "local", command, enabled: true } } }, null, 2));
      return [];
    },
    args: (prompt) => ["run", "--format", "json", prompt],
    env: ({ url }) => ({
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
      OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
      OPENCODE_DISABLE_SHARE: "1",
      npm_config_registry: `${url}/npm/`,
    }),
    prepare({ project, url }) {
      const model = { name: "fake", limit: { context: 100_000, output: 4_000 }, tool_call: true };
      const demo = {
        npm: "@ai-sdk/openai-compatible",
        name: "demo",
        options: { baseURL: `${url}/v1`, apiKey: "dummy" },
        models: { "fake-model": model },
      };
      const config = {
        provider: { demo },
        model: "demo/fake-model",
        small_model: "demo/fake-model",
        permission: { bash: "allow" },
        autoupdate: false,
        share: "disabled",
      };
      write(join(project, "opencode.json"), JSON.stringify(config, null, 2));
    },
  },
  {
    agent: "copilot",
    packages: ["@github/copilot@1.0.102"],
    shell: { name: "bash", argument: "command" },
    mcp: { name: "demo-run", argument: "command" },
    reminds: true,
    program: ["node_modules/@github/copilot-linux-x64/copilot"],
    addServer(_place, [command = "", ...args]) {
      const demo = { type: "local", command, args, tools: ["*"] };
      return ["--additional-mcp-config", JSON.stringify({ mcpServers: { demo } })];
    },
    args: (prompt) => [
      "-p",
      prompt,
      "--allow-all-tools",
      "--trust-folder",
      "--no-auto-update",
      "--disable-builtin-mcps",
      "--output-format",
      "json",
    ],
    env: ({ url, cache }) => ({
      COPILOT_OFFLINE: "true",
      COPILOT_AUTO_UPDATE: "false",
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_PROVIDER_API_KEY: "dummy",
      COPILOT_MODEL: "fake-model",
      COPILOT_PROVIDER_WIRE_API: "completions",
      COPILOT_CACHE_HOME: join(cache, "copilot-cache"),
    }),
  },
];
