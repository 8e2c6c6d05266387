import dns from "node:dns";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { loadHarness, type ManifestHarness } from "../harness.js";
import { createRun } from "./run.js";

let root: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "harn-markdown-")));
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}

/** A hook whose handle has this body. */
function hook(name: string, body: string, { event = "tool.pre", fields = "", top = "" } = {}): void {
  const script = [
    ...top.split("\n").filter(Boolean),
    "def handle(event, payload):",
    ...body.split("\n").map((line) => `  ${line}`),
  ];
  write(
    `.harness/hooks/${name}.md`,
    `---\nevent: ${event}\n${fields}script: |\n${script.map((line) => `  ${line}`).join("\n")}\n---\n`,
  );
}

async function load(): Promise<ManifestHarness> {
  const loaded = await loadHarness({ cwd: root, harness: { ports: { warn() {} } } });
  if (!loaded.ok) throw new Error(loaded.message);
  return loaded.harness;
}

const call = (args: object = {}, name = "run_command") => ({ tool: { name, args: args as never, call_id: "c1" } });

async function reason(body: string, extra = {}): Promise<string | undefined> {
  hook("guard", body, extra);
  return (await (await load()).fire("PreToolUse", call({ command: "ls -la" }))).reason;
}

describe("built-ins", () => {
  it.each([
    [`block(json.encode({"a": [1, 2.5, None, True]}))`, '{"a":[1,2.5,null,true]}'],
    [`block(json.decode("[1, {\\"b\\": 2}]")[1].keys()[0])`, "b"],
    [`block(str(re.match("ls", payload["args"]["command"]) != None))`, "True"],
    [`block(str(re.match("la", payload["args"]["command"])))`, "None"],
    [`block(re.search("-(l)a", payload["args"]["command"]).group(1))`, "l"],
    [`block(",".join(re.findall("[a-z]+", payload["args"]["command"])))`, "ls,la"],
    [`block(string.truncate("abcdef", 4, "..."))`, "a..."],
    [`block(type(payload["args"]) + type(payload["arguments"]) + event)`, "dictstringtool.pre"],
    [`{"action": "block", "reason": "path traversal not allowed"}`, "path traversal not allowed"],
  ])("%s", async (expression, expected) => {
    expect(await reason(`return ${expression}`)).toBe(expected);
  });

  it("metrics, log and cache are shared with the host", async () => {
    hook(
      "guard",
      'metrics.incr("n")\nmetrics.incr("n", 2)\nmetrics.set("g", 0.5)\nlog("a")\nlog.info("b")\nlog.warn("c")\ncache.set("k", cache.get("seed") + [1])\nreturn block(str(metrics.snapshot()["n"]))',
    );
    const harness = await load();
    harness.cache.set("seed", [0]);
    expect((await harness.fire("PreToolUse", call())).reason).toBe("3");
    expect(harness.metrics.snapshot()).toEqual({ n: 3, g: 0.5 });
    expect(harness.cache.get("k")).toEqual([0, 1]);
    const { payload } = await harness.fire("TurnEnd", { text: "x" });
    expect(payload.logs).toMatchObject([
      { level: "info", message: "a" },
      { message: "b" },
      { level: "warn", message: "c" },
    ]);
  });

  it("log and print take any value, in its own words", async () => {
    hook("guard", 'log({"a": [None]})\nlog.warn(None)\nprint(True, 1)\nreturn allow()');
    const harness = await load();
    await harness.fire("PreToolUse", call());
    const { payload } = await harness.fire("TurnEnd", { text: "" });
    expect(payload.logs?.map(({ message }) => message)).toEqual(['{"a": [None]}', "None", "True 1"]);
  });

  it("metrics of any name and amount", async () => {
    hook("guard", 'metrics.incr("__proto__", 1.5)\nreturn block(json.encode(metrics.snapshot()))');
    expect((await (await load()).fire("PreToolUse", call())).reason).toBe('{"__proto__":1.5}');
  });

  it("modify with part of the payload changes the operation and keeps the rest", async () => {
    hook("a", 'return modify({"args": {"command": "ls"}})', { fields: "priority: 1\n" });
    hook("b", 'return block(payload["name"] + " " + payload["args"]["command"])', { fields: "priority: 2\n" });
    expect((await (await load()).fire("PreToolUse", call({ command: "x" }))).reason).toBe("run_command ls");
  });

  it.each(["return 42", 'return "block"', "pass"])(
    "%s is allowed with a warning, and not under strict",
    async (body) => {
      hook("guard", body);
      const harness = await load();
      expect(await harness.fire("PreToolUse", call())).toMatchObject({
        verdict: "allow",
        faults: [{ error: { code: "HARN_E_CONTRACT" } }],
      });
      harness.strict = true;
      expect(await harness.fire("PreToolUse", call())).toMatchObject({ verdict: "block" });
    },
  );

  it("a modify that is no JSON does not pass", async () => {
    expect(await reason('return modify({"args": {1: 2}})')).toContain("is not JSON");
  });
});

describe("a sandbox", () => {
  it.each([
    "exec",
    "fs",
    "open",
    "env",
    "os",
    "sys",
    "process",
    "require",
    "eval",
    "globalThis",
    "time",
    "random",
    "meta",
    "events",
  ])("%s is no name in a script", async (name) => {
    hook("guard", `return block(str(${name}))`);
    const loaded = await loadHarness({ cwd: root });
    expect(loaded.ok ? "loaded" : loaded.message).toContain(`undefined: ${name}`);
  });

  it.each([
    "metrics.constructor",
    "payload.constructor",
    "allow.call",
    "log.__proto__",
    '"".constructor',
    "json.encode.bind",
  ])("%s leads nowhere", async (way) => {
    const harness = await (async () => {
      hook("guard", `x = ${way}\nreturn allow()`);
      return load();
    })();
    expect(await harness.fire("PreToolUse", call())).toMatchObject({
      verdict: "block",
      faults: [{ error: { code: "HARN_E_HOOK_THREW" } }],
    });
  });

  it("a loop ends with its budget, and the gate blocks", async () => {
    hook("guard", "for i in range(1000000000):\n  pass\nreturn allow()", { fields: "timeout_ms: 20\n" });
    const { verdict, faults } = await (await load()).fire("PreToolUse", call());
    expect(verdict).toBe("block");
    expect(faults[0]?.error.code).toMatch(/HARN_E_HOOK_(BUDGET|TIMEOUT)/);
  });

  it("a condition that a payload exhausts does not switch its hook off", async () => {
    hook("guard", "return allow()", { fields: "when: len([x for x in range(100000000)]) > 0\n" });
    expect(await (await load()).fire("PreToolUse", call())).toMatchObject({
      verdict: "block",
      faults: [{ error: { code: "HARN_E_HOOK_BUDGET" } }],
    });
  });

  it.each([
    ["a reason that doubles with every line", "a = []\nfor i in range(60):\n  a = [a, a]\nreturn block(a)"],
    [
      "a payload that doubles with every line",
      'a = []\nfor i in range(60):\n  a = [a, a]\nreturn modify({"args": {"x": a}})',
    ],
    ["JSON that doubles with every line", "a = []\nfor i in range(60):\n  a = [a, a]\nreturn block(json.encode(a))"],
    ["a pattern with a thousand instructions", 'return block(str(re.search(".{999}x", "a" * 500000)))'],
  ])("%s blocks, and the host goes on", async (_, body) => {
    hook("guard", body, { fields: "timeout_ms: 500\n" });
    expect((await (await load()).fire("PreToolUse", call())).verdict).toBe("block");
  });

  it("every call has a fresh module: what it would change is frozen", async () => {
    hook("guard", "seen.append(1)\nreturn allow()", { top: "seen = []" });
    expect((await (await load()).fire("PreToolUse", call())).reason).toContain("frozen");
  });

  it("a module that uses its host at the top does so in each call", async () => {
    hook("guard", "return allow()", { top: 'metrics.incr("top")' });
    const harness = await load();
    for (let n = 0; n < 3; n++) await harness.fire("PreToolUse", call());
    expect(harness.metrics.snapshot()).toEqual({ top: 3 });
  });
});

describe("http", () => {
  let server: Server;
  let asked: string[];
  let port: number;

  beforeEach(async () => {
    asked = [];
    server = createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      if (request.url === "/away") response.writeHead(302, { location: "http://169.254.169.254/" }).end();
      else if (request.url === "/large") response.end("x".repeat(2 * 1024 * 1024));
      else response.end(JSON.stringify({ path: request.url }));
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    port = (server.address() as AddressInfo).port;
  });

  afterEach(() => {
    vi.restoreAllMocks();
    server.close();
  });

  const allow = (hosts: string) => write("harn.toml", `[network]\nallowed_domains = ${hosts}\n`);

  it("answers, and what ran before it counts once", async () => {
    allow('["127.0.0.1"]');
    hook(
      "guard",
      `metrics.incr("n")\na = http.get("http://127.0.0.1:${port}/a")\nb = http.post("http://127.0.0.1:${port}/b", {"x": 1})\nreturn block(json.decode(a["body"])["path"] + json.decode(b["body"])["path"] + str(a["status"]))`,
    );
    const harness = await load();
    expect((await harness.fire("PreToolUse", call())).reason).toBe("/a/b200");
    expect(asked).toEqual(["GET /a", "POST /b"]);
    expect(harness.metrics.snapshot()).toEqual({ n: 1 });
  });

  it.each([
    ["[]", "/", "is not in network.allowed_domains"],
    ['["example.com"]', "/", "is not in network.allowed_domains"],
    ['["127.0.0.1"]', "/away", "redirected: 169.254.169.254 is not in network.allowed_domains"],
    ['["127.0.0.1"]', "/large", "more than 1048576 bytes"],
  ])("with %s, %s is refused", async (hosts, path, expected) => {
    allow(hosts);
    hook("guard", `http.get("http://127.0.0.1:${port}${path}")\nreturn allow()`);
    const outcome = await (await load()).fire("PreToolUse", call());
    expect(outcome.verdict).toBe("block");
    expect(outcome.reason).toContain(expected);
  });

  it.each(["Host", "content-length", "Transfer-Encoding"])("a script cannot set the header %s", async (name) => {
    allow('["127.0.0.1"]');
    hook("guard", `http.get("http://127.0.0.1:${port}/", headers = {"${name}": "x"})\nreturn allow()`);
    const outcome = await (await load()).fire("PreToolUse", call());
    expect(outcome.reason).toContain(`cannot set the header ${name.toLowerCase()}`);
    expect(asked).toEqual([]);
  });

  it("a name that leads to a private address is refused, and connected to nowhere", async () => {
    vi.spyOn(dns, "lookup").mockImplementation(((_name: string, _options: object, done: unknown) =>
      (done as (error: null, found: object[]) => void)(null, [{ address: "127.0.0.1", family: 4 }])) as never);
    allow('["api.example.com", "localhost"]');
    hook("guard", `http.get("http://api.example.com:${port}/")\nreturn allow()`);
    const outcome = await (await load()).fire("PreToolUse", call());
    expect(outcome.reason).toContain("api.example.com leads to 127.0.0.1, a private address that is not listed");
    hook("guard", `return block(str(http.get("http://localhost:${port}/")["status"]))`);
    expect((await (await load()).fire("PreToolUse", call())).reason).toBe("200");
    expect(asked).toEqual(["GET /"]);
  });
});

describe("sessions of one harness", () => {
  const of = (id: string, parent_id?: string) => ({
    session: parent_id === undefined ? { id } : { id, parent_id },
    ...call(),
  });

  beforeEach(() => {
    hook(
      "count",
      'n = cache.get("n", 0) + 1\ncache.set("n", n)\nmetrics.incr("calls")\nlog("call %d" % n)\nreturn block("%d %d" % (n, metrics.snapshot()["calls"]))',
    );
  });

  it("see nothing of each other's cache, logs and counters", async () => {
    const harness = await load();
    const reasons: unknown[] = [];
    for (const id of ["a", "b", "a", "a"]) reasons.push((await harness.fire("PreToolUse", of(id))).reason);
    expect(reasons).toEqual(["1 1", "1 1", "2 2", "3 3"]);
    const turn = async (id: string) => (await harness.fire("TurnEnd", { session: { id }, text: "" })).payload.logs;
    expect(await turn("b")).toMatchObject([{ message: "call 1" }]);
    expect(await turn("a")).toMatchObject([{ message: "call 1" }, { message: "call 2" }, { message: "call 3" }]);
    expect(await turn("a")).toBeUndefined();
  });

  it("add up in the metrics of the harness, and tools reach their session's cache", async () => {
    const harness = await load();
    harness.store({ id: "a" }).cache.set("n", 41);
    expect((await harness.fire("PreToolUse", of("a"))).reason).toBe("42 1");
    await harness.fire("PreToolUse", of("b"));
    await harness.fire("PreToolUse", call());
    expect(harness.metrics.snapshot()).toEqual({ calls: 3 });
    expect(harness.store({ id: "b" }).cache.get("n")).toBe(1);
    expect(harness.cache.get("n")).toBe(1);
  });

  it("share a cache with the subagents they start, and with nobody else", async () => {
    const harness = await load();
    await harness.fire("PreToolUse", of("parent"));
    expect((await harness.fire("PreToolUse", of("child", "parent"))).reason).toBe("2 1");
    expect((await harness.fire("PreToolUse", of("parent"))).reason).toBe("3 2");
    expect((await harness.fire("PreToolUse", of("another", "stranger"))).reason).toBe("1 1");
  });

  it("leave nothing behind when they end", async () => {
    const harness = await load();
    await harness.fire("PreToolUse", of("a"));
    await harness.fire("SessionEnd", { session: { id: "a" } });
    expect((await harness.fire("PreToolUse", of("a"))).reason).toBe("1 1");
    expect(harness.metrics.snapshot()).toEqual({ calls: 2 });
  });

  it("keep what they have over a reload", async () => {
    const harness = await load();
    await harness.fire("PreToolUse", of("a"));
    expect(await harness.reload()).toMatchObject({ ok: true });
    expect((await harness.fire("PreToolUse", of("a"))).reason).toBe("2 2");
  });

  it("that never end do not fill the memory: the quietest is let go of", async () => {
    const run = createRun();
    run.store({ id: "first" }).cache.set("k", 1);
    for (let n = 0; n < 2_000; n++) {
      run.store({ id: `s${n}` }).cache.set("k", n);
      run.store({ id: "busy" }).cache.set("k", "kept");
    }
    expect(run.store({ id: "busy" }).cache.get("k")).toBe("kept");
    expect(run.store({ id: "first" }).cache.get("k")).toBeUndefined();
  });
});

describe("custom and meta events", () => {
  it("custom.deploy can be emitted, blocked and modified", async () => {
    hook(
      "deploy",
      'if payload["env"] == "prod":\n  return block("not on a Friday")\nreturn modify({"env": "staging"})',
      { event: "custom.deploy" },
    );
    const harness = await load();
    expect((await harness.emit("custom.deploy", { env: "prod" })).reason).toBe("not on a Friday");
    expect((await harness.emit("custom.deploy", { env: "x" })).payload).toMatchObject({ data: { env: "staging" } });
  });

  it("every tool has an audit hook, or is refused", async () => {
    hook(
      "every_tool",
      'if not [h for h in payload["hooks"] if h["name"].startswith("audit")]:\n  return block("no audit hook for " + payload["name"])\nreturn allow()',
      { event: "meta.tool_register" },
    );
    hook("audit_runs", "return allow()", { fields: "pattern: run_*\n" });
    const harness = await load();
    expect(await harness.registerTool({ name: "write_file" })).toEqual({
      ok: false,
      reason: "no audit hook for write_file",
    });
    expect(await harness.registerTool({ name: "run_command" })).toMatchObject({ ok: true });
    expect([...harness.tools.keys()]).toEqual(["run_command"]);
  });

  it("no hook without a priority", async () => {
    hook("priorities", 'return block("a priority is missing") if payload["priority"] == None else allow()', {
      event: "meta.hook_register",
    });
    const harness = await load();
    const definition = { event: "PreToolUse", handler: () => undefined } as const;
    expect(await harness.registerHook(definition)).toEqual({ ok: false, reason: "a priority is missing" });
    expect(() => harness.register(definition)).toThrow("a priority is missing");
    expect(await harness.registerHook({ ...definition, priority: 5 })).toMatchObject({ ok: true });
    expect(harness.hooks).toHaveLength(2);
  });
});
