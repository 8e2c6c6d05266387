import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { agentNames, agents, settingsPath } from "@hooks/agents";
import { afterAll, describe, expect, test } from "vitest";
import { harn, makeProject, type Project } from "./run.js";

const projects: Project[] = [];
afterAll(() => {
  for (const { root } of projects) rmSync(dirname(root), { recursive: true });
});

function project(): Project {
  const made = makeProject();
  projects.push(made);
  return made;
}

function placeOf({ root, home, env }: Project) {
  return { project: root, home, env, read: () => null };
}

/** Every file and directory below a directory, but for the state of Harn itself. */
function filesIn(directory: string): string[] {
  const found = readdirSync(directory, { recursive: true, encoding: "utf8" });
  return found.filter((name) => !name.startsWith(join("home", "state"))).sort();
}

const MINE = '{\n\t// mine\n\t"theme": "dark", /* stays */\n\t"hooks": { "Notification": [ { "hooks": [] } ] }\n}\n';

// Each is a process or four: the levels and the doctor are tried with agents that differ, not with all of them.
const LEVELS = [
  ...agentNames.map((agent) => [agent, "project"] as const),
  ["claude", "user"],
  ["codex", "user"],
] as const;

describe("harn init --agent", () => {
  test.each(LEVELS)("%s at %s level: comes and goes without a trace", (agent, level) => {
    const place = project();
    const path = settingsPath(agents[agent], level, placeOf(place));
    const files = filesIn(dirname(place.root));
    const flags = level === "user" ? ["--user"] : [];
    const before = agents[agent].install.isOwn ? null : MINE;
    if (before !== null) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, before);
    }
    const { status, stderr } = harn(place, ["init", "--agent", agent, ...flags]);
    expect(status, stderr).toBe(0);
    const installed = readFileSync(path, "utf8");
    expect(installed).toContain(`hook ${agent}`);
    if (before !== null) expect(installed).toContain('"theme": "dark", /* stays */');
    expect(harn(place, ["init", "--agent", agent, ...flags]).stderr).toContain("nothing to change");
    expect(readFileSync(path, "utf8")).toBe(installed);
    expect(harn(place, ["init", "--agent", agent, ...flags, "--uninstall"]).status).toBe(0);
    expect(existsSync(path) ? readFileSync(path, "utf8") : null).toBe(before);
    if (before === null) expect(filesIn(dirname(place.root))).toEqual(files);
  });

  test.each([
    ["claude", "CLAUDE_CONFIG_DIR", "settings.json"],
    ["codex", "CODEX_HOME", "hooks.json"],
    ["gemini", "GEMINI_CLI_HOME", ".gemini/settings.json"],
    ["copilot", "COPILOT_HOME", "hooks/harn.json"],
    ["opencode", "XDG_CONFIG_HOME", "opencode/plugins/harn.js"],
  ])("%s: where %s is set, the user's settings are there", (agent, variable, file) => {
    const place = project();
    const moved = join(dirname(place.root), "moved");
    const { status } = harn({ ...place, env: { ...place.env, [variable]: moved } }, [
      "init",
      "--agent",
      agent,
      "--user",
    ]);
    expect(status).toBe(0);
    expect(readFileSync(join(moved, file), "utf8")).toContain(`hook ${agent}`);
    expect(filesIn(place.home).filter((name) => !name.startsWith("state"))).toEqual([]);
  });

  test("without a policy nothing is installed: every call would be blocked", () => {
    const place = project();
    const { status, stderr } = harn({ ...place, root: dirname(place.root) }, ["init", "--agent", "claude"]);
    expect([status, stderr]).toEqual([64, expect.stringContaining("harn init writes one")]);
  });

  test("a policy that will not answer yet is said", () => {
    const place = project();
    writeFileSync(join(place.root, "policy.mjs"), "export const guard = () => {}, prompt = guard, result = guard;");
    expect(harn(place, ["init", "--agent", "claude"]).stderr).toContain("nobody trusted this policy yet");
    writeFileSync(join(place.root, "harn.toml"), "nonsense");
    expect(harn(place, ["init", "--agent", "codex"]).stderr).toContain("the policy does not load");
  });

  test.each(["claude", "opencode"] as const)("%s: doctor sends a canary through what is installed", (agent) => {
    const place = project();
    expect(harn(place, ["doctor", "--agent", agent]).stdout).toContain("does not ask Harn");
    harn(place, ["init", "--agent", agent]);
    const { stdout } = harn(place, ["doctor", "--agent", agent]);
    expect(stdout).toContain("a canary was refused");
    expect(stdout).not.toContain("problem  ");
    harn(place, ["init", "--agent", agent, "--command", "/nowhere/harn"]);
    const broken = harn(place, ["doctor", "--agent", agent]);
    expect(broken.stdout).toContain("harn does not start");
    expect(broken.status).toBe(1);
  });
});

test("what was added to the file since is kept when Harn goes", () => {
  const place = project();
  const path = join(place.root, ".claude/settings.json");
  harn(place, ["init", "--agent", "claude"]);
  writeFileSync(path, readFileSync(path, "utf8").replace("{", '{\n  "model": "opus",'));
  harn(place, ["init", "--agent", "claude", "--uninstall"]);
  expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ model: "opus" });
});

test("a file that is no JSON is left alone, and said", () => {
  const place = project();
  const path = join(place.root, ".gemini/settings.json");
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, '{ "theme": ');
  const { status, stderr } = harn(place, ["init", "--agent", "gemini"]);
  expect(status).toBe(65);
  expect(stderr).toContain("HARN_E_AGENT_SETTINGS");
  expect(readFileSync(path, "utf8")).toBe('{ "theme": ');
});

test("copilot: the command for PowerShell is one it can read", () => {
  const place = project();
  harn(place, ["init", "--agent", "copilot", "--command", '"${COPILOT_PROJECT_DIR:-.}/node_modules/.bin/harn"']);
  const text = readFileSync(join(place.root, ".github/hooks/harn.json"), "utf8");
  const { hooks } = JSON.parse(text) as { hooks: { preToolUse: { powershell: string }[] } };
  expect(hooks.preToolUse[0]?.powershell).toBe(
    '& "$env:COPILOT_PROJECT_DIR/node_modules/.bin/harn" hook copilot --event preToolUse --budget 25000',
  );
});

test("a dry run shows the change, and makes none", () => {
  const place = project();
  const { stdout } = harn(place, ["init", "--agent", "claude", "--dry-run"]);
  expect(stdout).toContain("hook claude");
  expect(existsSync(join(place.root, ".claude"))).toBe(false);
});

describe("doctor finds what keeps hooks from running", () => {
  test.each([
    ["claude", ".claude/settings.local.json", '{ "disableAllHooks": true }', "switches hooks off"],
    ["gemini", ".gemini/settings.json", '{ "hooksConfig": { "enabled": false } }', "switches hooks off"],
    ["copilot", ".github/copilot/settings.json", '{ "disableAllHooks": true }', "switches hooks off"],
    ["codex", ".codex/hooks.json", '{ "strange": true }', "a key Codex does not know"],
  ])("%s: %s", (agent, file, text, fact) => {
    const place = project();
    const path = join(place.root, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    harn(place, ["init", "--agent", agent]);
    const { status, stdout } = harn(place, ["doctor"]);
    expect(stdout).toContain(fact);
    expect(status).toBe(1);
  });

  test("codex: an entry that changed after it was trusted", () => {
    const place = project();
    harn(place, ["init", "--agent", "codex"]);
    const path = join(place.root, ".codex/hooks.json");
    writeFileSync(path, readFileSync(path, "utf8").replace('"timeout": 60', '"timeout": 61'));
    expect(harn(place, ["doctor"]).stdout).toContain("1 of its hooks are not trusted");
  });

  test.each([
    ["codex", ".codex/config.toml", (root: string) => `[projects.${JSON.stringify(root)}]\ntrust_level = "trusted"\n`],
    ["gemini", ".gemini/trustedFolders.json", (root: string) => JSON.stringify({ [root]: "TRUST_FOLDER" })],
    ["copilot", ".copilot/config.json", (root: string) => JSON.stringify({ trusted_folders: [dirname(root)] })],
  ])("%s: a project nobody told it to trust, until %s does", (agent, file, text) => {
    const place = project();
    const path = join(place.home, file);
    mkdirSync(dirname(path), { recursive: true });
    harn(place, ["init", "--agent", agent]);
    expect(harn(place, ["doctor"]).stdout).toContain("has not been told to trust");
    const before = existsSync(path) ? readFileSync(path, "utf8") : "";
    writeFileSync(path, `${text(place.root)}${before}`);
    expect(harn(place, ["doctor"]).stdout).not.toContain("has not been told to trust");
  });

  test("an agent that asks for the project and for its user", () => {
    const place = project();
    harn(place, ["init", "--agent", "cursor"]);
    expect(harn(place, ["doctor"]).stdout).not.toContain("asks Harn twice");
    harn(place, ["init", "--agent", "cursor", "--user"]);
    expect(harn(place, ["doctor"]).stdout).toContain("Cursor asks Harn twice");
  });

  test("claude: GitHub Copilot would ask twice", () => {
    const place = project();
    harn(place, ["init", "--agent", "claude"]);
    harn(place, ["init", "--agent", "copilot"]);
    expect(harn(place, ["doctor"]).stdout).toContain("it asks twice");
  });

  test("a command that somebody else wrote is not run", () => {
    const place = project();
    harn(place, ["init", "--agent", "claude"]);
    const path = join(place.root, ".claude/settings.json");
    writeFileSync(path, readFileSync(path, "utf8").replaceAll("exec ", "touch ran; exec "));
    expect(harn(place, ["doctor"]).stdout).toContain("no canary was sent");
    expect(existsSync(join(place.root, "ran"))).toBe(false);
  });
});
