import { rmSync } from "node:fs";
import { join } from "node:path";
import { createSession, defineTool, runAgent, scriptedModel, subagentTool } from "@hooks/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { hookText } from "./hook-text.js";
import { Project } from "./project.js";

// What the page says of hooks as files, through the loader; the seven hooks of its policy stack are in governed-agent.test.ts.

let project: Project;

beforeEach(() => {
  project = new Project();
});

afterEach(() => project.remove());

const hook = (name: string, text: string) => project.write(`.harness/hooks/${name}.md`, text);
const call = (name = "run_command", args: object = { command: "ls" }) => ({ tool: { name, args, call_id: "c1" } });

describe("Anatomy of a hook: the command_guard of the page, letter by letter", () => {
  const page = `---
event: tool.pre
priority: 10
when: payload["name"] == "run_command"
script: |
  def handle(event, payload):
      cmd = payload.get("args", {}).get("command", "")
      dangerous = [
          "rm -rf /",
          ":(){ :|:& };:",
          "mkfs",
          "dd if=",
          "shutdown",
      ]
      for d in dangerous:
          if d in cmd:
              metrics.incr("audit.policy.deny")
              return block("dangerous command pattern blocked: '" + d + "'")
      return allow()
---
# command_guard

Hard-blocks well-known destructive shell patterns. Pair with the systemd
unit (\`deploy/systemd/harness.service\`) for real isolation.
`;

  it.each(["rm -rf /", ":(){ :|:& };:", "mkfs", "dd if=", "shutdown"])("blocks %s", async (pattern) => {
    hook("command_guard", page);
    const { harness, warnings } = await project.load();
    expect(warnings).toEqual([]);
    const outcome = await harness.fire("PreToolUse", call("run_command", { command: `sudo ${pattern} x` }) as never);
    expect(outcome).toMatchObject({
      verdict: "block",
      reason: `dangerous command pattern blocked: '${pattern}'`,
      by: "command_guard",
      faults: [],
    });
    expect(harness.metrics.snapshot()).toEqual({ "audit.policy.deny": 1 });
  });

  it.each([
    ["run_command", { command: "ls" }],
    ["run_command", {}],
    ["write_file", { command: "rm -rf /" }],
  ])("lets %s %j pass", async (name, args) => {
    hook("command_guard", page);
    expect(await project.fire("PreToolUse", call(name, args))).toMatchObject({ verdict: "allow", faults: [] });
  });
});

describe("The four lifecycle events", () => {
  it.each([
    [
      "turn.start",
      "inject context, stamp a trace ID",
      'modify("[trace-1] " + payload)',
      "TurnStart",
      { prompt: "hi" },
      { prompt: "[trace-1] hi" },
    ],
    [
      "tool.pre",
      "scrub args",
      'modify({"args": {"command": "true"}})',
      "PreToolUse",
      call(),
      { tool: { args: { command: "true" } } },
    ],
    [
      "tool.post",
      "redact results, truncate",
      'modify({"content": string.truncate(payload["content"].replace("hunter2", "***"), 8)})',
      "PostToolUse",
      { ...call(), result: { text: "key hunter2 and more", is_error: false } },
      { result: { text: "key *** " } },
    ],
    ["turn.end", "rewrite", 'modify({"text": "short"})', "TurnEnd", { text: "long" }, { text: "short" }],
  ] as const)("%s: %s", async (event, _use, decision, fires, payload, expected) => {
    hook("rewriter", hookText(`return ${decision}`, { event }));
    const outcome = await project.fire(fires, payload);
    expect(outcome).toMatchObject({ verdict: "allow", modified: true, faults: [], payload: expected });
  });

  it.each([
    ["turn.start", "TurnStart", { prompt: "" }],
    ["tool.pre", "PreToolUse", call()],
    ["tool.post", "PostToolUse", { ...call(), result: { text: "", is_error: false } }],
    ["turn.end", "TurnEnd", { text: "" }],
  ] as const)(
    "every event surface is a place where the harness needs a yes/no answer: %s",
    async (event, fires, payload) => {
      hook("guard", hookText('return block("reason for the agent")', { event }));
      expect(await project.fire(fires, payload)).toMatchObject({ verdict: "block", reason: "reason for the agent" });
    },
  );

  it("a single hook enforces a policy across every tool, including ones added later", async () => {
    hook("guard", hookText('return block("no " + payload["name"])'));
    const { harness } = await project.load();
    await harness.registerTool({ name: "generated_yesterday" });
    expect((await harness.fire("PreToolUse", call("generated_yesterday") as never)).reason).toBe(
      "no generated_yesterday",
    );
  });
});

describe("In an agent", () => {
  it("The model never sees a hook by name; it only ever sees the consequences", async () => {
    hook("secret_policy", hookText('return block("dangerous") if "rm" in payload["args"]["command"] else allow()'));
    const { harness } = await project.load();
    const ran: unknown[] = [];
    const shell = defineTool({ name: "run_command", run: (args) => `ran ${ran.push(args)}` });
    const command = (text: string) => ({ calls: [{ name: "run_command", args: { command: text } }] });
    const model = scriptedModel([command("rm -rf /"), command("ls"), "done"]);
    await runAgent({ session: createSession(harness, { id: "s1", model }), prompt: "go", tools: [shell] });
    const seen = JSON.stringify(model.requests);
    expect(seen).toContain("dangerous");
    expect(seen).not.toContain("secret_policy");
    expect(ran).toEqual([{ command: "ls" }]);
  });
});

describe("This pipeline is identical for every event", () => {
  it("no way for a tool or sub-agent to bypass it", async () => {
    hook("guard", hookText('return block("never " + payload["args"]["command"])', { pattern: "run_command" }));
    hook("count", hookText('metrics.incr(payload["name"])\nreturn allow()', { priority: -1 }));
    const { harness } = await project.load();
    const ran: unknown[] = [];
    const shell = defineTool({ name: "run_command", run: (args) => `ran ${ran.push(args)}` });
    const rm = { calls: [{ name: "run_command", args: { command: "rm" } }] };
    const inner = scriptedModel([rm, "gave up"], "inner");
    const helper = subagentTool({ name: "helper", model: inner, tools: [shell] });
    const model = scriptedModel([{ calls: [{ name: "helper", args: { prompt: "remove it" } }] }, "done"]);
    const session = createSession(harness, { id: "s1", model });
    await runAgent({ session, prompt: "go", tools: [helper] });
    expect(ran).toEqual([]);
    expect(JSON.stringify(inner.requests[1])).toContain("never rm");
    expect(harness.metrics.snapshot()).toEqual({ helper: 1, run_command: 1 });
  });

  it("each event is dispatched unconditionally: a session without a hook for a tool asks all the same", async () => {
    hook("audit", hookText("metrics.incr(event)\nreturn allow()", { event: "tool.post" }));
    const { harness } = await project.load();
    const echo = defineTool({ name: "echo", run: () => "x" });
    const model = scriptedModel([{ calls: [{ name: "echo", args: {} }] }, "done"]);
    await runAgent({ session: createSession(harness, { id: "s1", model }), prompt: "go", tools: [echo] });
    expect(harness.metrics.snapshot()).toEqual({ "tool.post": 1 });
  });
});

describe("The Starlark sandbox", () => {
  it.each([
    ["no imports", 'load("x.star", "y")\n'],
    ["no I/O at the language level", 'print(open("/etc/passwd"))\n'],
    ["no exec.run", 'exec.run("ls")\n'],
    ["no fs.write", 'fs.write("a", "b")\n'],
  ])("%s", async (_rule, top) => {
    hook("guard", hookText("return allow()", { top }));
    await expect(project.load()).rejects.toThrow("HARN_E_STARLARK");
  });

  it("no mutable globals", async () => {
    hook("guard", hookText('state["n"] = 1\nreturn allow()', { top: "state = {}" }));
    const outcome = await project.fire("PreToolUse", call());
    expect(outcome).toMatchObject({ verdict: "block", faults: [{ error: { code: "HARN_E_HOOK_THREW" } }] });
  });
});

describe("Why hooks are files", () => {
  it("Composable: layer policies by adding files; remove them with git rm", async () => {
    hook("one", hookText('return block("one")', { priority: 2 }));
    hook("two", hookText('return block("two")', { priority: 1 }));
    const { harness } = await project.load();
    const by = async () => (await harness.fire("PreToolUse", call() as never)).by;
    expect(await by()).toBe("two");
    rmSync(join(project.root, ".harness/hooks/two.md"));
    await harness.reload();
    expect(await by()).toBe("one");
  });

  it("Governed: every new tool ships with a matching audit hook", async () => {
    hook(
      "every_tool_is_audited",
      hookText(
        'if not [h for h in payload["hooks"] if h["name"].startswith("audit_")]:\n  return block("no audit hook sees " + payload["name"])\nreturn allow()',
        { event: "meta.tool_register" },
      ),
    );
    const { harness } = await project.load();
    expect(await harness.registerTool({ name: "deploy" })).toEqual({ ok: false, reason: "no audit hook sees deploy" });
    hook("audit_deploy", hookText("return allow()", { pattern: "deploy", priority: 1 }));
    await harness.reload();
    expect(await harness.registerTool({ name: "deploy" })).toMatchObject({ ok: true });
  });

  it("Governed: no hook lacks a priority", async () => {
    hook(
      "priorities",
      hookText('return block("say a priority") if payload["priority"] == None else allow()', {
        event: "meta.hook_register",
      }),
    );
    const { harness } = await project.load();
    const handler = () => undefined;
    expect(await harness.registerHook({ event: "Stop", handler })).toEqual({ ok: false, reason: "say a priority" });
    expect(await harness.registerHook({ event: "Stop", priority: 5, handler })).toMatchObject({ ok: true });
  });
});

describe("Hook execution lifecycle", () => {
  it("Filter, sort, dispatch, compose, return: one after the other", async () => {
    hook("audit", hookText('metrics.incr("seen")\nreturn allow()', { priority: 1 }));
    hook(
      "other_tool",
      hookText('return block("not for this tool")', { priority: 2, when: `'payload["name"] == "other"'` }),
    );
    hook("rewrite", hookText('return modify({"args": {"command": "ls -a"}})', { priority: 10 }));
    hook("cap", hookText('return block("too long") if len(payload["arguments"]) > 100 else allow()', { priority: 40 }));
    const { harness } = await project.load();
    const outcome = await harness.fire("PreToolUse", call() as never);
    expect(outcome).toMatchObject({
      verdict: "allow",
      modified: true,
      payload: { tool: { args: { command: "ls -a" } } },
    });
    expect(
      outcome.trace.map(({ hook: name, skipped, result }) => [name, skipped === undefined ? result : "skipped"]),
    ).toEqual([
      ["audit", "allow"],
      ["other_tool", "skipped"],
      ["rewrite", "modify"],
      ["cap", "allow"],
    ]);
    expect(harness.metrics.snapshot()).toEqual({ seen: 1 });
  });
});
