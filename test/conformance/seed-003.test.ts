import { spawnSync } from "node:child_process";
import { join } from "node:path";
import type { EventName } from "@hooks/core";
import { loadHarness } from "@hooks/manifest";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { root } from "../house/repository.js";
import { hookText } from "./hook-text.js";
import { Project } from "./project.js";

// Every rule of the page that a file or a dispatch can show, through the loader everybody uses.

let project: Project;

beforeEach(() => {
  project = new Project();
});

afterEach(() => project.remove());

const hook = (name: string, text: string) => project.write(`.harness/hooks/${name}.md`, text);
const call = (name = "run_command", args: object = { command: "ls" }) => ({
  tool: { name, args, call_id: "call_abc123" },
});
const posted = (text: string, is_error = false) => ({ ...call(), result: { text, is_error } });

/** What a script that blocks with an expression says. */
async function says(expression: string, event = "tool.pre", fires: EventName = "PreToolUse", payload: object = call()) {
  hook("probe", hookText(`return block(${expression})`, { event }));
  await project.fire(fires, payload);
  const vetoed = project.records.findLast(({ kind }) => kind === "hook_vetoed");
  return vetoed?.kind === "hook_vetoed" ? vetoed.reason : undefined;
}

async function refusal(): Promise<string> {
  const loaded = await loadHarness({ cwd: project.root });
  return loaded.ok ? "it loads" : loaded.message;
}

describe("File shape", () => {
  it.each([
    [
      "The file must start with a --- delimiter line. Files without frontmatter are rejected",
      "event: tool.pre\n",
      "must start with a --- frontmatter delimiter",
    ],
    [
      "The frontmatter must be closed by a second --- on its own line",
      "---\nevent: tool.pre\n",
      "no closing --- delimiter found",
    ],
    [
      "event: is required. A missing event: field fails the parse",
      "---\npriority: 1\n---\n",
      'hook "guard": event field is required in frontmatter',
    ],
    [
      "event: is required. An empty event: field fails the parse",
      '---\nevent: ""\n---\n',
      'hook "guard": event field is required in frontmatter',
    ],
    [
      "The harness validates the event name at load time and rejects unknown values",
      "---\nevent: tool.prre\n---\n",
      'event "tool.prre" is invalid',
    ],
    [
      "Invalid frontmatter YAML surfaces as a parse error",
      "---\nevent: tool.pre\npriority: 10\nscript: [\n---\n",
      "parse hook .harness/hooks/guard.md: yaml: line",
    ],
    [
      "a non-string script: surfaces as a parse error",
      "---\nevent: tool.pre\nscript: 7\n---\n",
      '"script" must be a text',
    ],
  ])("%s", async (_sentence, text, message) => {
    hook("guard", text);
    expect(await refusal()).toContain(message);
  });

  it("The filename is the hook handler name", async () => {
    hook("command_guard", hookText('return block("no")'));
    expect((await project.fire("PreToolUse", call())).by).toBe("command_guard");
  });

  it.each(["name", "handler"])("There is no name: or handler: field in frontmatter: %s", async (key) => {
    hook("guard", hookText('return block("no")', { [key]: "other" }));
    expect((await project.load()).warnings).toMatchObject([
      { code: "HARN_W_KEY_UNKNOWN", message: `unknown key "${key}"` },
    ]);
    expect((await project.fire("PreToolUse", call())).by).toBe("guard");
  });

  it("Unknown top-level keys produce no error; validate confirms the schema you expect, and strict refuses them", async () => {
    hook("guard", hookText('return block("no")', { priorty: 10 }));
    expect((await project.load()).warnings).toMatchObject([{ hint: 'did you mean "priority"?' }]);
    project.write("harn.toml", "[policy]\nstrict = true\n");
    expect(await refusal()).toContain('unknown key "priorty"');
  });

  it("The body is documentation only: not surfaced to the model, and fenced code blocks are never extracted", async () => {
    const prose =
      '# guard\n\n```starlark\ndef handle(event, payload):\n  return block("from the body")\n```\n\nscript: nonsense {\n';
    hook("guard", hookText("return allow()", { prose }));
    expect(await project.fire("PreToolUse", call())).toMatchObject({ verdict: "allow", reminders: [], faults: [] });
    expect(JSON.stringify(project.records)).not.toContain("from the body");
  });

  it.each([
    ["harness.md", "harness.hooks[0]"],
    [".harness/plugins/pack.md", "pack.hooks[0]"],
    [".harness/builtins/pack.md", "pack.hooks[0]"],
    [".harness/overrides/pack.md", "pack.hooks[0]"],
  ])("The schema is identical in the hooks: list of %s", async (file, by) => {
    const item = `  - event: tool.pre\n    priority: 3\n    when: payload["name"] == "run_command"\n    script: |\n      def handle(event, payload):\n        return block("listed")\n`;
    project.write(file, `---\nname: pack\nhooks:\n${item}---\n`);
    expect(await project.fire("PreToolUse", call())).toMatchObject({ verdict: "block", by, reason: "listed" });
    expect((await project.fire("PreToolUse", call("other"))).verdict).toBe("allow");
  });

  it("A hook with no script parses and registers, but has no handler body to dispatch: it is a no-op", async () => {
    hook("later", "---\nevent: tool.pre\n---\n");
    const { harness, warnings } = await project.load();
    expect(warnings).toMatchObject([{ code: "HARN_W_NO_SCRIPT" }]);
    expect(harness.hooks).toHaveLength(1);
    expect(await harness.fire("PreToolUse", call() as never)).toMatchObject({ verdict: "allow", faults: [] });
  });
});

describe("Validation surface", () => {
  const validate = () => {
    const bin = join(root, "packages/cli/dist/bin.js");
    const env = { ...process.env, XDG_STATE_HOME: project.root, HARN_CODE_CACHE: "off" };
    return spawnSync(process.execPath, [bin, "validate"], { cwd: project.root, encoding: "utf8", env });
  };

  it.each([
    ["Invalid frontmatter YAML", "---\nevent: [\n---\n", "parse hook .harness/hooks/guard.md: yaml: line"],
    ["missing --- delimiters", "event: tool.pre\n", "delimiter"],
    ["a non-string script:", "---\nevent: tool.pre\nscript: [1]\n---\n", '"script" must be a text'],
    ["a missing event:", "---\npriority: 1\n---\n", "event field is required in frontmatter"],
    ["an event that is in no catalogue", "---\nevent: tool.during\n---\n", 'event "tool.during" is invalid'],
  ])("harness validate exits non-zero on any of the above: %s", (_sentence, text, message) => {
    hook("guard", text);
    const { status, stdout, stderr } = validate();
    expect([status, stdout + stderr]).toEqual([65, expect.stringContaining(message)]);
  });

  it("hooks[%d].event %q is invalid, where hooks are listed", async () => {
    project.write("harness.md", "---\nhooks:\n  - event: tool.pre\n    handler: a\n  - event: nope\n---\n");
    expect(await refusal()).toContain('hooks[1].event "nope" is invalid');
  });

  it("a name of meta.* that nobody fires is asked about", async () => {
    hook("guard", hookText("return allow()", { event: "meta.register_tool" }));
    expect((await project.load()).warnings).toMatchObject([
      { message: "meta.register_tool is never fired here", hint: 'did you mean "meta.tool_register"?' },
    ]);
  });

  it("a hook that returns 42 will load fine and warn at dispatch time", async () => {
    hook("guard", hookText("return 42"));
    expect(validate().status).toBe(0);
    expect((await project.fire("PreToolUse", call())).verdict).toBe("allow");
    expect(project.spoken).toHaveLength(1);
  });
});

const subagent = { name: "reviewer", depth: 1 };
const answer = { text: "looks good", is_error: false };

describe("Events", () => {
  it.each([
    ["session.start", "None — informational only", "SessionStart", {}, null],
    ["session.end", "None — informational only", "SessionEnd", {}, null],
    [
      "turn.start",
      "The user message as a string",
      "TurnStart",
      { prompt: "the user message text" },
      "the user message text",
    ],
    [
      "turn.end",
      "The turn result (text + tool calls)",
      "TurnEnd",
      {
        text: "final assistant message",
        tool_calls: [{ name: "t", args: {} }],
        usage: { input_tokens: 1234, output_tokens: 567 },
      },
      {
        text: "final assistant message",
        tool_calls: [{ name: "t", args: {} }],
        usage: { input_tokens: 1234, output_tokens: 567 },
      },
    ],
    [
      "tool.pre",
      '{id, name, arguments}. Use payload["args"] once decoded',
      "PreToolUse",
      call(),
      { id: "call_abc123", name: "run_command", arguments: '{"command":"ls"}', args: { command: "ls" } },
    ],
    [
      "tool.post",
      "{call_id, name, content, is_error, result}",
      "PostToolUse",
      posted('{"stdout": "...", "exit_code": 0}'),
      {
        call_id: "call_abc123",
        name: "run_command",
        content: '{"stdout": "...", "exit_code": 0}',
        is_error: false,
        result: { stdout: "...", exit_code: 0 },
      },
    ],
    [
      "completion.pre",
      "Provider request object (model, messages, tools)",
      "PreCompletion",
      { request: { model: "m", messages: [] } },
      { model: "m", messages: [] },
    ],
    [
      "completion.post",
      "Provider response (choices, usage, finish_reason)",
      "PostCompletion",
      { response: { finish_reason: "stop" } },
      { finish_reason: "stop" },
    ],
    [
      "delegation.pre",
      "{agent, prompt, depth, ...}",
      "SubagentStart",
      { subagent, prompt: "review" },
      { agent: "reviewer", prompt: "review", depth: 1 },
    ],
    [
      "delegation.post",
      "{agent, result, depth, ...}",
      "SubagentStop",
      { subagent, result: answer },
      { agent: "reviewer", result: "looks good", depth: 1 },
    ],
    [
      "delegation.post_verify",
      "Same shape as delegation.post plus attempt count",
      "SubagentVerify",
      { subagent, result: answer, attempt: 2 },
      { agent: "reviewer", result: "looks good", depth: 1, attempt: 2 },
    ],
    ["error", "Error envelope", "SessionError", { error: { message: "boom" } }, { message: "boom" }],
    ["agent.stop", "loop-exit decisions", "Stop", { text: "done" }, { text: "done" }],
    ["custom.my_event", "user-defined custom events", "custom.my_event", { data: { n: 1 } }, { n: 1 }],
    ["meta.tool_register", "meta built-in events", "meta.tool_register", { data: { name: "t" } }, { name: "t" }],
  ] as const)("%s: %s", async (name, _sentence, event, payload, expected) => {
    expect(JSON.parse((await says("json.encode(payload)", name, event, payload)) ?? "")).toEqual(expected);
    expect(await says("event", name, event, payload)).toBe(name);
  });

  it.each(["custom.my_event", "custom.a1_b2"])(
    "Anything matching ^custom\\.[a-z0-9_]+$ validates: %s",
    async (event) => {
      hook("guard", hookText("return allow()", { event }));
      expect(await refusal()).toBe("it loads");
    },
  );

  it.each(["custom.", "custom.My", "custom.a-b", "custom.a.b", "customs.a", "meta."])(
    "and nothing else: %s",
    async (event) => {
      hook("guard", hookText("return allow()", { event: JSON.stringify(event) }));
      expect(await refusal()).toContain("is invalid");
    },
  );

  it('can be dispatched from a tool via events.emit("custom.my_event", payload)', async () => {
    hook("guard", hookText('return block("n is %d" % payload["n"])', { event: "custom.my_event" }));
    const { harness } = await project.load();
    expect(await harness.emit("custom.my_event", { n: 3 })).toMatchObject({ verdict: "block", reason: "n is 3" });
  });

  it("meta.* — fired by self-augmenting agents", async () => {
    hook("guard", hookText('return block(payload["name"])', { event: "meta.tool_register" }));
    hook("hooks", hookText('return block("no hook at run time")', { event: "meta.hook_register" }));
    const { harness } = await project.load();
    expect(await harness.registerTool({ name: "exec" })).toEqual({ ok: false, reason: "exec" });
    expect(await harness.registerHook({ event: "Stop", handler: () => undefined })).toMatchObject({ ok: false });
  });

  it('Gotcha: payload["arguments"] is the raw JSON string; payload["args"] is the decoded dict', async () => {
    expect(await says('type(payload["arguments"]) + " " + type(payload["args"])')).toBe("string dict");
  });

  it("delegation.post_verify: hooks may block(reason) to trigger a retry", async () => {
    expect(
      await says('"not yet"', "delegation.post_verify", "SubagentVerify", { subagent, result: answer, attempt: 1 }),
    ).toBe("not yet");
  });
});

describe("script", () => {
  it.each(["run", "main"])(
    "A script that defines %s loads successfully but produces a runtime error on first dispatch",
    async (name) => {
      hook("guard", `---\nevent: tool.pre\nscript: |\n  def ${name}(event, payload):\n    return allow()\n---\n`);
      expect((await project.load()).warnings).toMatchObject([{ code: "HARN_W_NO_HANDLE" }]);
      expect(await project.fire("PreToolUse", call())).toMatchObject({
        faults: [{ error: { code: "HARN_E_HOOK_THREW" } }],
      });
    },
  );

  it.each([
    ["allow()", { verdict: "allow", modified: false, faults: [] }],
    ['{"action": "allow"}', { verdict: "allow", modified: false, faults: [] }],
    ['block("path traversal not allowed")', { verdict: "block", reason: "path traversal not allowed" }],
    [
      '{"action": "block", "reason": "path traversal not allowed"}',
      { verdict: "block", reason: "path traversal not allowed" },
    ],
    [
      'modify({"args": {"command": "pwd"}})',
      { modified: true, payload: { tool: { name: "run_command", args: { command: "pwd" } } } },
    ],
    [
      '{"action": "modify", "payload": {"args": {"command": "pwd"}}}',
      { modified: true, payload: { tool: { args: { command: "pwd" } } } },
    ],
    [
      'modify(dict(payload, args = {"command": "pwd"}))',
      { modified: true, payload: { tool: { args: { command: "pwd" }, call_id: "call_abc123" } } },
    ],
  ])("Decision: return %s", async (decision, expected) => {
    hook("guard", hookText(`return ${decision}`));
    expect(await project.fire("PreToolUse", call())).toMatchObject(expected);
    expect(project.spoken).toEqual([]);
  });

  it.each(["42", '"block"', "None", "[]", "True", "{}", '{"action": "blok"}'])(
    "Any other return is treated as allow() with a runtime warning: %s",
    async (returned) => {
      hook("guard", hookText(`return ${returned}`));
      expect((await project.load()).warnings).toEqual([]);
      expect((await project.fire("PreToolUse", call())).verdict).toBe("allow");
      expect(project.spoken).toMatchObject([{ hook: "guard" }]);
      project.write("harn.toml", "[policy]\nstrict = true\n");
      expect((await project.fire("PreToolUse", call())).verdict).toBe("block");
    },
  );

  it("Hooks that fall off the end of handle produce a runtime warning and pass through", async () => {
    hook("guard", hookText("pass"));
    expect((await project.fire("PreToolUse", call())).verdict).toBe("allow");
    expect(project.spoken).toHaveLength(1);
  });

  it("with a fresh Starlark module scope per call: nothing a call did is there for the next", async () => {
    hook("guard", hookText('seen.append(1)\nreturn block("kept %d" % len(seen))', { top: "seen = []" }));
    const { harness } = await project.load();
    for (let n = 0; n < 2; n++) {
      const outcome = await harness.fire("PreToolUse", call() as never);
      expect(outcome.faults[0]?.error.message).toContain("frozen");
    }
  });
});

describe("Composition rules", () => {
  const order = async (...hooks: [name: string, fields: Record<string, string | number>][]) => {
    for (const [name, fields] of hooks) hook(name, hookText(`log("${name}")\nreturn allow()`, fields));
    const { harness } = await project.load();
    await harness.fire("PreToolUse", call() as never);
    const { payload } = await harness.fire("TurnEnd", { text: "" });
    return (payload.logs ?? []).map(({ message }) => message);
  };

  it("Hooks for an event run in priority order (low to high)", async () => {
    expect(await order(["a", { priority: 40 }], ["b", { priority: -5 }], ["c", { priority: 10 }])).toEqual([
      "b",
      "c",
      "a",
    ]);
  });

  it("Hooks with equal priority run in registration order, sorted by source path", async () => {
    expect(await order(["zeta", { priority: 10 }], ["alpha", { priority: 10 }], ["Beta", { priority: 10 }])).toEqual([
      "Beta",
      "alpha",
      "zeta",
    ]);
  });

  it("If priority is omitted, it defaults to 0, which makes the hook the earliest in its event chain", async () => {
    expect(await order(["audit", { priority: 1 }], ["unset", {}])).toEqual(["unset", "audit"]);
  });

  it("The first block wins — the chain short-circuits and subsequent hooks are skipped", async () => {
    hook("one", hookText('return block("first")', { priority: 1 }));
    hook("two", hookText('metrics.incr("reached")\nreturn allow()', { priority: 2 }));
    const { harness } = await project.load();
    expect(await harness.fire("PreToolUse", call() as never)).toMatchObject({ verdict: "block", by: "one" });
    expect(harness.metrics.snapshot()).toEqual({});
  });

  it("modify rewrites the payload in place for downstream hooks and the underlying operation", async () => {
    hook("one", hookText('return modify({"args": {"command": "rm -rf /"}})', { priority: 1 }));
    hook(
      "two",
      hookText('return block(payload["args"]["command"] + payload["arguments"] + payload["name"])', { priority: 2 }),
    );
    expect((await project.fire("PreToolUse", call())).reason).toBe('rm -rf /{"command":"rm -rf /"}run_command');
  });

  it.each([
    ["content", 'modify({"content": "***"})', { text: "***" }],
    ["result", 'modify({"result": {"n": 1}})', { text: '{"n":1}', value: { n: 1 } }],
    ["is_error", 'modify({"is_error": True})', { text: "x", is_error: true }],
  ])("modify of tool.post: %s", async (_key, decision, result) => {
    hook("guard", hookText(`return ${decision}`, { event: "tool.post" }));
    expect((await project.fire("PostToolUse", posted("x"))).payload).toMatchObject({ result });
  });
});

describe("Built-ins available inside handle", () => {
  it.each([
    ['metrics.snapshot().get("n", 0)', 0],
    ["json.decode('[1, 2]')[1]", 2],
    ['json.encode({"a": 1})', '{"a":1}'],
    ['re.match("a+", "aab").group(0)', "aa"],
    ['re.match("b", "aab")', null],
    ['re.search("b", "aab").group(0)', "b"],
    ['re.findall("a", "aab")', ["a", "a"]],
    ['string.truncate("abcdef", 3)', "abc"],
    ['type("x")', "string"],
    ['cache.get("missing")', null],
  ])("%s", async (expression, expected) => {
    expect(JSON.parse((await says(`json.encode(${expression})`)) ?? "")).toEqual(expected);
  });

  it("metrics.incr(name) / metrics.set(name, value): counters and gauges visible to metrics.snapshot()", async () => {
    hook(
      "guard",
      hookText(
        'metrics.incr("n")\nmetrics.incr("n")\nmetrics.set("g", 7)\nreturn block(json.encode(metrics.snapshot()))',
      ),
    );
    const { harness } = await project.load();
    expect((await harness.fire("PreToolUse", call() as never)).reason).toBe('{"g":7,"n":2}');
    expect(harness.metrics.snapshot()).toEqual({ n: 2, g: 7 });
  });

  it("log.info(msg) / log.warn(msg): structured logs that flow into turn.end payloads", async () => {
    hook("guard", hookText('log.info("i")\nlog.warn("w")\nlog("l")\nreturn allow()'));
    const { harness } = await project.load();
    await harness.fire("PreToolUse", call() as never);
    expect((await harness.fire("TurnEnd", { text: "" })).payload.logs).toEqual([
      { level: "info", message: "i", hook: "guard" },
      { level: "warn", message: "w", hook: "guard" },
      { level: "info", message: "l", hook: "guard" },
    ]);
  });

  it("cache.get(key) / cache.set(key, value): per-run KV cache, shared with tools", async () => {
    hook("guard", hookText('n = cache.get("n") or 0\ncache.set("n", n + 1)\nreturn allow()'));
    const { harness } = await project.load();
    harness.store({ id: "s1" }).cache.set("n", 5);
    await harness.fire("PreToolUse", { ...call(), session: { id: "s1" } } as never);
    await harness.fire("PreToolUse", { ...call(), session: { id: "s2" } } as never);
    expect(harness.store({ id: "s1" }).cache.get("n")).toBe(6);
    expect(harness.store({ id: "s2" }).cache.get("n")).toBe(1);
  });

  it("http.get(url): outbound HTTP, gated by network.allowed_domains", async () => {
    hook("guard", hookText('http.get("http://example.com/")\nreturn allow()'));
    const outcome = await project.fire("PreToolUse", call());
    expect(outcome.faults[0]?.error.message).toContain("example.com is not in network.allowed_domains");
  });

  it.each([
    "exec.run('ls')",
    "fs.write('a', 'b')",
    "open('a')",
    "env('HOME')",
    "time.now()",
    "load('x.star', 'y')",
    "isinstance(1, 2)",
  ])("Hooks deliberately do not receive exec.run or fs.write: %s", async (expression) => {
    const text = expression.startsWith("load")
      ? hookText("return allow()", { top: expression })
      : hookText(`return ${expression}`);
    hook("guard", text);
    expect(await refusal()).toContain("HARN_E_STARLARK");
  });
});

describe("when", () => {
  const runs = async (when: string, event = "tool.pre", fires: EventName = "PreToolUse", payload: object = call()) => {
    hook("guard", hookText('return block("ran")', { event, when }));
    return (await project.fire(fires, payload)).verdict === "block";
  };

  it.each([
    ['payload["name"] == "run_command"', true],
    ['payload["name"] in ["read_file", "write_file", "edit_file"]', false],
    ["len(payload) == 4 and type(payload) == 'dict'", true],
    ["event == 'tool.pre'", true],
    ['"True"', true],
    ['"False"', false],
    ["None == None", true],
    ["''", true],
  ])("%s: %s", async (when, expected) => {
    expect(await runs(when)).toBe(expected);
  });

  it.each([
    ['payload["is_error"] == True', posted("x", true), true],
    ['payload["is_error"] == True', posted("x"), false],
    ['len(payload.get("content", "")) > 4000', posted("x".repeat(4001)), true],
    ['len(payload.get("content", "")) > 4000', posted("x"), false],
  ])("%s", async (when, payload, expected) => {
    expect(await runs(when, "tool.post", "PostToolUse", payload)).toBe(expected);
  });

  it.each([
    "metrics.snapshot()",
    "cache.get('x')",
    "http.get('x')",
    "fs.read('x')",
    "exec.run('x')",
    "log('x')",
    "block('x')",
  ])("when does not have access to metrics, cache, http, fs, or exec: %s", async (when) => {
    hook("guard", hookText("return allow()", { when: JSON.stringify(when) }));
    expect(await refusal()).toMatch(/when: .*undefined/);
  });

  it.each(['payload["missing"] == 1', 'payload.name == "run_command"', "1 // 0 == 1"])(
    "If when raises an exception, the hook is treated as non-matching for that dispatch and a warning is logged: %s",
    async (when) => {
      expect(await runs(when)).toBe(false);
      expect(project.spoken).toMatchObject([{ hook: "guard", error: { code: "HARN_E_WHEN" } }]);
    },
  );

  it("evaluated before handle is called, on the payload as modified so far", async () => {
    hook("one", hookText('return modify({"args": {"command": "rm"}})', { priority: 1 }));
    hook("two", hookText('return block("seen")', { priority: 2, when: `'payload["args"]["command"] == "rm"'` }));
    expect((await project.fire("PreToolUse", call())).by).toBe("two");
  });
});
