import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type AgentName, agentNames } from "@hooks/agents";
import { verifyTape } from "@hooks/tape";
import { afterAll, describe, expect, test } from "vitest";
import { inputsOf } from "./inputs.js";
import { harn, harnLater, makeProject, type Ran } from "./run.js";

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
