import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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
    const path = settingsPath(agents[agent], level, place.root, place.home);
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
