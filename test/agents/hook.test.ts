import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type AgentName, agentNames } from "@hooks/agents";
import { verifyTape } from "@hooks/tape";
import { afterAll, describe, expect, test } from "vitest";
import { inputsOf } from "./inputs.js";
import { bin, harn, harnLater, makeProject, type Ran } from "./run.js";

const project = makeProject();
afterAll(() => rmSync(dirname(project.root), { recursive: true }));

const SHELL: Readonly<Record<AgentName, string>> = {
  claude: "PreToolUse:Bash",
  codex: "PreToolUse:Bash",
  gemini: "BeforeTool:run_shell_command",
  copilot: "preToolUse:bash",
  opencode: "tool.execute.before:bash",
  cursor: "preToolUse:Shell",
};

/** What the agent sends before it runs this command. */
function payload(agent: AgentName, command: string): string {
  return JSON.stringify(inputsOf(agent)[SHELL[agent]]).replaceAll(
    /"command":"[^"]*"/g,
    `"command":${JSON.stringify(command)}`,
  );
}

const event = (agent: AgentName) => (agent === "copilot" ? ["--event", "preToolUse"] : []);

function expectVeto({ status, stdout, stderr }: Ran, why: string): void {
  expect(status).toBe(2);
  expect(stdout.trimEnd().split("\n")).toHaveLength(1);
  expect(JSON.stringify(JSON.parse(stdout))).toContain(why);
  expect(stderr).toContain(why);
}

describe.each(agentNames)("harn hook %s", (agent) => {
  test("refuses what the policy refuses, and lets the rest pass", () => {
    expectVeto(harn(project, ["hook", agent, ...event(agent)], payload(agent, "HARM")), "this is not done here");
    const { status, stdout } = harn(project, ["hook", agent, ...event(agent)], payload(agent, "ls"));
    expect(status).toBe(0);
    expect(["", "{}\n"]).toContain(stdout);
  });

  test("refuses everything while the policy does not load", () => {
    const broken = makeProject();
    writeFileSync(join(broken.root, "harn.toml"), "[[hooks]]\nevent = 'Nonsense'\n");
    expectVeto(harn(broken, ["hook", agent, ...event(agent)], payload(agent, "ls")), "the policy did not load");
    rmSync(dirname(broken.root), { recursive: true });
  });
});

describe("whatever happens to the process, the agent gets an answer", () => {
  test.each([
    ["loops", "SPIN", "a hook did not come back before the deadline"],
    ["exits", "EXIT", "a hook ended the process before it was answered"],
    ["never settles", "HANG", "the hooks did not answer within 1000 ms"],
    ["throws", "THROW", "broken"],
    ["throws where nobody catches", "LATER", "a hook failed outside of its call: broken later"],
  ])("a hook that %s", (_what, command, why) => {
    expectVeto(harn(project, ["hook", "codex", "--budget", "1000"], payload("codex", command)), why);
  });

  test("a hook that prints does not spoil the answer", () => {
    const { status, stdout, stderr } = harn(project, ["hook", "gemini"], payload("gemini", "NOISE"));
    expect([status, stdout]).toEqual([0, "{}\n"]);
    expect(stderr).toContain("noise on standard output");
  });

  test.each([
    ["not JSON", "{"],
    ["nothing", ""],
    ["17 MiB", Buffer.alloc(17 * 1024 * 1024, 0x20)],
    ["no event", "{}"],
  ])("a payload that is %s", (_what, bytes) => {
    expectVeto(harn(project, ["hook", "claude"], bytes), "Harn refuses");
  });

  test.each([
    [["hook"]],
    [["hook", "clade"]],
    [["hook", "claude", "--nonsense"]],
    [["hook", "claude", "--budget", "soon"]],
    [["hook", "claude", "--answer-fd", "7"]],
  ])("a command line that is wrong: %j", (args) => {
    const { status, stdout, stderr } = harn(project, args, payload("claude", "ls"));
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("Harn refuses");
  });

  test("there is no policy", () => {
    const { status, stderr } = harn(
      { ...project, root: dirname(project.root) },
      ["hook", "claude"],
      payload("claude", "ls"),
    );
    expect(status).toBe(2);
    expect(stderr).toContain("harn.toml");
  });

  test("the tape cannot be written", () => {
    expectVeto(harn(project, ["hook", "claude", "--tape", "/dev/null/tape"], payload("claude", "ls")), "tape");
  });

  test("an event that is no gate passes, and says what was wrong", () => {
    const { status, stdout, stderr } = harn(project, ["hook", "claude", "--event", "SessionEnd"], "{");
    expect([status, stdout]).toEqual([0, ""]);
    expect(stderr).toContain("not JSON");
  });
});

test("what a hook prints past Node, or has a program print, is kept from the answer by the command that is installed", () => {
  const own = makeProject();
  const module = join(own.root, "policy.mjs");
  const noise = 'execSync("echo noise", { stdio: "inherit" }); writeSync(1, "noise"); console.log("noise");';
  const text = readFileSync(module, "utf8").replace("export function guard({ tool }) {", `$&\n${noise}`);
  writeFileSync(module, `import { execSync } from "node:child_process"; import { writeSync } from "node:fs";\n${text}`);
  harn(own, ["trust", "--yes"]);
  harn(own, ["init", "--agent", "codex"]);
  const { PreToolUse: [group] = [] } = (
    JSON.parse(readFileSync(join(own.root, ".codex/hooks.json"), "utf8")) as {
      hooks: { PreToolUse: { hooks: { command: string }[] }[] };
    }
  ).hooks;
  const { stdout, stderr, status } = spawnSync("/bin/sh", ["-c", group?.hooks[0]?.command ?? ""], {
    cwd: own.root,
    env: own.env,
    input: payload("codex", "REWRITE"),
    encoding: "utf8",
  });
  expect(status, stderr).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ hookSpecificOutput: { updatedInput: { command: "rewritten" } } });
  expect(stderr.match(/noise/g)).toHaveLength(3);
  rmSync(dirname(own.root), { recursive: true });
});

test("the limit of processor time is the hook's process alone: a program that compiles may take longer", () => {
  const own = makeProject();
  const limits = 'case "$(ulimit -S -t)" in unlimited) ;; *) exit 2 ;; esac';
  writeFileSync(
    join(own.root, "harn.toml"),
    `[[hooks]]\nevent = "PreToolUse"\ncommand = ${JSON.stringify(["sh", "-c", limits])}\n`,
  );
  harn(own, ["trust", "--yes"]);
  harn(own, ["init", "--agent", "claude"]);
  const settings = readFileSync(join(own.root, ".claude/settings.json"), "utf8");
  const command = /"(\(ulimit[^"]*--event PreToolUse[^"]*)"/.exec(settings)?.[1] ?? "exit 1";
  const { status, stderr } = spawnSync("/bin/sh", ["-c", command], {
    cwd: own.root,
    env: own.env,
    input: payload("claude", "ls"),
    encoding: "utf8",
  });
  expect(status, stderr).toBe(0);
  rmSync(dirname(own.root), { recursive: true });
});

test.each(["2>&-", "2>/dev/full", ">/dev/full", ">&- 2>&-"])("a veto stands with %s", (redirection) => {
  const { status } = spawnSync(
    "/bin/sh",
    ["-c", `exec "$0" "$@" ${redirection}`, process.execPath, bin, "hook", "codex"],
    {
      cwd: project.root,
      env: project.env,
      input: payload("codex", "HARM"),
    },
  );
  expect(status).toBe(2);
});

test("a rewrite nobody can read is a veto", () => {
  const { status } = spawnSync("/bin/sh", ["-c", '"$0" "$@" >/dev/full', process.execPath, bin, "hook", "codex"], {
    cwd: project.root,
    env: project.env,
    input: payload("codex", "REWRITE"),
  });
  expect(status).toBe(2);
});

test.each([
  ["Visual Studio Code", { hookEventName: "PreToolUse", tool_name: "run_in_terminal" }],
  ["Cursor, in Claude Code's words", { hook_event_name: "PreToolUse", tool_name: "Shell" }],
  ["Cursor, in its own", { hook_event_name: "preToolUse", tool_name: "Shell" }],
])("%s runs the hooks of Claude Code, and is read", (_who, fields) => {
  const sent = JSON.stringify({ session_id: "s", tool_input: { command: "HARM" }, ...fields });
  expectVeto(harn(project, ["hook", "claude", "--event", "PreToolUse"], sent), "this is not done here");
});

test("the project is where the agent says, not where its shell has gone", () => {
  const elsewhere = {
    ...project,
    root: dirname(project.root),
    env: { ...project.env, CLAUDE_PROJECT_DIR: project.root },
  };
  expectVeto(harn(elsewhere, ["hook", "claude"], payload("claude", "HARM")), "this is not done here");
});

test("hooks that run at once share one tape, and it is intact", async () => {
  const own = makeProject();
  const calls = ["ls", "HARM", "pwd", "REWRITE", "id", "HARM"].map((command) =>
    harnLater(own, ["hook", "claude"], payload("claude", command)),
  );
  const codes = (await Promise.all(calls)).map(({ status }) => status);
  expect(codes).toEqual([0, 2, 0, 0, 0, 2]);
  const tapes = join(own.env.XDG_STATE_HOME ?? "", "harn/tapes");
  const [file = "", ...others] = readdirSync(tapes).filter((name) => name.endsWith(".jsonl"));
  expect(others).toEqual([]);
  const records = readFileSync(join(tapes, file), "utf8").trimEnd().split("\n");
  const outcomes = records.filter((line) => line.includes('"kind":"outcome"'));
  expect(outcomes.filter((line) => line.includes('"verdict":"block"'))).toHaveLength(2);
  expect(outcomes).toHaveLength(6);
  expect((await verifyTape(join(tapes, file))).intact).toBe(true);
  rmSync(dirname(own.root), { recursive: true });
});
