import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadHarness } from "@hooks/manifest";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const plugin = fileURLToPath(new URL("..", import.meta.url));
const root = join(plugin, "../..");
const scratch = realpathSync(mkdtempSync(join(tmpdir(), "harn-audit-")));
const TOKEN = `ghp_${"a1B2c3D4".repeat(5)}`;
let projects = 0;

beforeAll(() => {
  // The processes that are killed run what is published.
  execFileSync(
    process.execPath,
    [join(root, "node_modules/typescript/bin/tsc"), "-b", "plugins/audit", "packages/manifest"],
    { cwd: root },
  );
});
afterAll(() => rmSync(scratch, { recursive: true }));

interface Line {
  readonly kind: string;
  readonly id: string;
  readonly [key: string]: unknown;
}

function project(options: string, more = "", policy = ""): { cwd: string; log: string } {
  const cwd = join(scratch, `project-${projects++}`);
  const log = join(cwd, "log/audit.jsonl");
  mkdirSync(join(cwd, "node_modules/@hooks"), { recursive: true });
  symlinkSync(plugin, join(cwd, "node_modules/@hooks/audit"));
  const where = /endpoint/.test(options) ? [] : [`path = "${log}"`];
  const given = [...where, ...(options === "" ? [] : [options])].join(", ");
  writeFileSync(
    join(cwd, "harn.toml"),
    `[exports]\npolicy = "policy.mjs"\n\n[[hooks]]\nevent = "*"\nhandler = "@hooks/audit::audit"\noptions = { ${given} }\n${more}\n[[hooks]]\nevent = "PreToolUse"\nhandler = "policy::guard"\npriority = 0\n`,
  );
  writeFileSync(
    join(cwd, "policy.mjs"),
    policy ||
      `export function guard({ tool }) {
      const command = String(tool.args.command);
      if (command === "rm") return { block: true, reason: "no rm" };
      if (command === "npm i") return { args: { command: "npm ci" } };
      if (command === "throw") throw new Error("broken");
    }\n`,
  );
  return { cwd, log };
}

async function load(options = "", more = "") {
  const { cwd, log } = project(options, more);
  const loaded = await loadHarness({ cwd, harness: { ports: { warn: () => {} } } });
  if (!loaded.ok) throw new Error(loaded.message);
  const { harness } = loaded;
  const run = async (command: string) => {
    const outcome = await harness.fire("PreToolUse", {
      tool: { name: "Bash", args: { command } },
      session: { id: "s1", agent: "main" },
    });
    return outcome;
  };
  return { harness, run, log, lines: () => linesOf(log) };
}

function linesOf(file: string): Line[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
}

describe.each(["inline", "worker"])("%s", (isolation) => {
  test("one line for every event, decision and fault, with who, what, policy and duration", async () => {
    const { run, lines, harness, log } = await load("", `isolation = "${isolation}"`);
    for (const command of ["ls", "rm", "npm i", "throw"])
      expect((await run(command)).faults).toHaveLength(command === "throw" ? 1 : 0);
    await harness.fire("SessionEnd", { session: { id: "s1" } });
    const written = lines();
    expect(written.map(({ kind, event, verdict }) => [kind, event, verdict])).toEqual([
      ["event", "PreToolUse", "allow"],
      ["decision", "PreToolUse", "block"],
      ["decision", "PreToolUse", "allow"],
      ["decision", "PreToolUse", "block"],
      ["fault", "PreToolUse", "block"],
      ["event", "SessionEnd", "allow"],
    ]);
    expect(written[1]).toMatchObject({
      session: { id: "s1", agent: "main" },
      pid: process.pid,
      user: expect.any(String),
      host: expect.any(String),
      payload: { tool: { name: "Bash", args: { command: "rm" } } },
      reason: "no rm",
      by: "policy::guard",
      policy: harness.digest,
      duration_ms: expect.any(Number),
      hooks: [{ hook: "policy::guard", result: "block", reason: "no rm" }],
    });
    expect(written[2]).toMatchObject({ modified: true, rewritten: { tool: { args: { command: "npm ci" } } } });
    expect(written[4]).toMatchObject({
      hook: "policy::guard",
      code: "HARN_E_HOOK_THREW",
      message: "threw: broken",
      of: written[3]?.id,
    });
    expect(new Set(written.map(({ id }) => id)).size).toBe(6);
    expect(statSync(log).mode & 0o777).toBe(0o600);
    harness.close();
  });
});

test("it stands at priority 1 without being told", async () => {
  const { harness } = await load();
  expect(harness.hooks.find(({ observes }) => observes)?.priority).toBe(1);
});

describe("what is written", () => {
  test("no secret, nothing that is masked or left out, and of a long text the beginning", async () => {
    const { run, lines } = await load(
      'exclude = ["host", "hooks.*.priority"], mask = ["payload.tool.args.command"], max_text = 100, events = "decisions"',
    );
    await run("ls");
    await run("rm");
    const [line, ...none] = lines();
    expect(none).toEqual([]);
    expect(line).toMatchObject({ payload: { tool: { args: { command: "[MASKED]" } } } });
    expect(line).not.toHaveProperty("host");
    expect(line?.hooks).toEqual([expect.not.objectContaining({ priority: expect.anything() })]);
    const open = await load("max_text = 40");
    await open.run(`curl -H "Authorization: Bearer ${TOKEN}" ${"x".repeat(100)}`);
    const text = JSON.stringify(open.lines());
    expect(text).not.toContain("a1B2c3D4");
    expect(text).toContain(" more]");
  });

  test("only the fields that are asked for, and those a line cannot do without", async () => {
    const { run, lines } = await load('include = ["payload.tool.*.command", "session.id"]');
    await run("rm");
    expect(lines()).toEqual([
      {
        time: expect.any(String),
        id: expect.any(String),
        kind: "decision",
        event: "PreToolUse",
        verdict: "block",
        session: { id: "s1" },
        payload: { tool: { args: { command: "rm" } } },
      },
    ]);
  });

  test("CloudEvents 1.0", async () => {
    const { run, lines } = await load('format = "cloudevents"');
    await run("rm");
    const [line] = lines();
    expect(line).toMatchObject({
      specversion: "1.0",
      type: "harn.decision",
      subject: "PreToolUse",
      datacontenttype: "application/json",
      data: { kind: "decision", verdict: "block" },
    });
    expect(line?.source).toMatch(/^\/harn\/[^/]+\/s1$/);
    expect(new Date(String(line?.time)).toISOString()).toBe(line?.time);
  });

  test("OpenTelemetry log records", async () => {
    const { run, lines } = await load('format = "otlp"');
    await run("rm");
    await run("throw");
    const records = lines().map(
      (line) =>
        (line as unknown as { resourceLogs: [{ scopeLogs: [{ logRecords: [Record<string, unknown>] }] }] })
          .resourceLogs[0].scopeLogs[0].logRecords[0],
    );
    expect(records.map(({ eventName, severityText }) => [eventName, severityText])).toEqual([
      ["harn.decision", "WARN"],
      ["harn.decision", "WARN"],
      ["harn.fault", "ERROR"],
    ]);
    expect(records[0]?.timeUnixNano).toMatch(/^\d{19}$/);
    expect(records[0]?.attributes).toContainEqual({ key: "gen_ai.tool.name", value: { stringValue: "Bash" } });
    expect(records[2]?.attributes).toContainEqual({ key: "error.type", value: { stringValue: "HARN_E_HOOK_THREW" } });
  });
});

describe("the file", () => {
  test("is begun anew when it is full; as many as asked for are kept, and no line is lost before", async () => {
    const { run, log } = await load("max_bytes = 4096, max_files = 100");
    await Promise.all(Array.from({ length: 60 }, () => run("ls")));
    for (let i = 0; i < 60; i++) await run("ls");
    const directory = join(log, "..");
    const files = readdirSync(directory);
    expect(files.length).toBeGreaterThan(5);
    const all = files.flatMap((file) => linesOf(join(directory, file)));
    expect(new Set(all.map(({ dispatch }) => dispatch)).size).toBe(120);
    const few = await load("max_bytes = 1024, max_files = 2");
    for (let i = 0; i < 20; i++) await few.run("ls");
    expect(readdirSync(join(few.log, ".."))).toHaveLength(3);
  });

  test("half a line that a killed process left stays alone", async () => {
    const { run, log } = await load();
    mkdirSync(join(log, ".."), { recursive: true });
    writeFileSync(log, '{"kind":"eve');
    await run("ls");
    const [torn, line] = readFileSync(log, "utf8").split("\n");
    expect(torn).toBe('{"kind":"eve');
    expect(JSON.parse(line ?? "")).toMatchObject({ kind: "event" });
  });

  test.each(["a link", "a pipe", "a directory"])(
    "%s in its place is a visible fault, and changes no verdict",
    async (what) => {
      const { run, log } = await load();
      mkdirSync(join(log, ".."), { recursive: true });
      if (what === "a link") symlinkSync(join(scratch, "elsewhere"), log);
      if (what === "a directory") mkdirSync(log);
      if (what === "a pipe") execFileSync("mkfifo", [log]);
      const outcome = await run("ls");
      expect(outcome).toMatchObject({ verdict: "allow", faults: [{ hook: "@hooks/audit::audit" }] });
      expect(existsSync(join(scratch, "elsewhere"))).toBe(false);
    },
  );
});

async function serve(answer: (body: string, type: string) => number | null) {
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += String(chunk);
    });
    request.on("end", () => {
      const status = answer(body, String(request.headers["content-type"]));
      if (status !== null) response.writeHead(status).end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}/v1/logs`, stop };
}

describe("an endpoint", () => {
  test.each([
    ["jsonl", "application/x-ndjson"],
    ["cloudevents", "application/cloudevents-batch+json"],
    ["otlp", "application/json"],
  ])("gets %s", async (format, type) => {
    const got: [string, string][] = [];
    const { url, stop } = await serve((body, sent) => {
      got.push([body, sent]);
      return 200;
    });
    const { run } = await load(`endpoint = "${url}", format = "${format}"`);
    expect((await run("rm")).faults).toEqual([]);
    expect(got).toHaveLength(1);
    expect(got[0]?.[1]).toBe(type);
    expect(() => JSON.parse(got[0]?.[0] ?? "")).not.toThrow();
    stop();
  });

  test("that refuses is a fault; one that never answers costs the deadline and no more", async () => {
    const { url, stop } = await serve(() => 503);
    const refused = await load(`endpoint = "${url}"`);
    expect((await refused.run("ls")).faults[0]?.error.message).toContain("answered 503");
    stop();
    const silent = await serve(() => null);
    const { run } = await load(`endpoint = "${silent.url}"`, "timeout_ms = 100");
    const outcomes = await Promise.all([run("ls"), run("rm")]);
    expect(outcomes.map(({ verdict, faults }) => [verdict, faults[0]?.error.code])).toEqual([
      ["allow", "HARN_E_HOOK_TIMEOUT"],
      ["block", "HARN_E_HOOK_TIMEOUT"],
    ]);
    silent.stop();
  });
});

describe("options", () => {
  test.each([
    ['format = "xml"', 'must be one of "jsonl"'],
    ['paths = "x"', 'has no option "paths"'],
    ["max_files = 1", "must be >= 2"],
  ])("%s is refused at load", async (options, message) => {
    const loaded = await loadHarness({ cwd: project(options).cwd });
    expect(loaded.ok ? "" : loaded.message).toContain(message);
  });
});

const WRITER = `
import { loadHarness } from ${JSON.stringify(join(root, "packages/manifest/dist/index.js"))};
const { harness } = await loadHarness({ cwd: process.argv[2] });
for (let n = 0; n < Number(process.argv[3]); ) {
  await Promise.all([0, 1, 2].map(async () => {
    const tag = \`\${process.pid}:\${n++}\`;
    const { faults } = await harness.fire("PreToolUse", { tool: { name: "Bash", args: { command: tag } } });
    if (faults.length === 0) process.stdout.write(tag + "\\n");
  }));
}
`;

function writer(cwd: string, events: number): { child: ChildProcess; acknowledged: () => string[] } {
  const file = join(cwd, "writer.mjs");
  writeFileSync(file, WRITER);
  const child = spawn(process.execPath, [file, cwd, String(events)], { stdio: ["ignore", "pipe", "inherit"] });
  let out = "";
  child.stdout?.on("data", (chunk) => {
    out += String(chunk);
  });
  return { child, acknowledged: () => out.split("\n").slice(0, -1) };
}

function tagsIn(directory: string): Map<string, number> {
  const tags = new Map<string, number>();
  for (const file of readdirSync(directory)) {
    for (const line of readFileSync(join(directory, file), "utf8").split("\n")) {
      const [, tag] = /"command":"(\d+:\d+)"/.exec(line) ?? [];
      // What was torn when its writer was killed was never acknowledged.
      if (tag !== undefined && line.endsWith("}")) tags.set(tag, (tags.get(tag) ?? 0) + 1);
    }
  }
  return tags;
}

test("no acknowledged line is lost when its writer is killed, with the file rotating under it", async () => {
  const { cwd, log } = project("max_bytes = 20000, max_files = 10000");
  const acknowledged: string[] = [];
  for (let round = 0; round < 6; round++) {
    const { child, acknowledged: lines } = writer(cwd, 1_000_000);
    await once(child.stdout ?? child, "data");
    await new Promise((resolve) => setTimeout(resolve, 20 + round * 37));
    child.kill("SIGKILL");
    await once(child, "close");
    acknowledged.push(...lines());
  }
  const written = tagsIn(join(log, ".."));
  expect(acknowledged.length).toBeGreaterThan(20);
  expect(acknowledged.filter((tag) => !written.has(tag))).toEqual([]);
}, 30_000);

test("several processes write to one file, and every line is there once", async () => {
  const { cwd, log } = project('max_bytes = 30000, max_files = 10000, sync = "never"');
  const writers = [1, 2, 3].map(() => writer(cwd, 150));
  await Promise.all(writers.map(({ child }) => once(child, "close")));
  const written = tagsIn(join(log, ".."));
  for (const { acknowledged } of writers) expect(acknowledged()).toHaveLength(150);
  expect([...written.values()].filter((count) => count !== 1)).toEqual([]);
  expect(written.size).toBe(450);
}, 30_000);
