import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadHarness, type ManifestHarness } from "@hooks/manifest";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

// Hooks that do everything a hook should not, run with isolation = "worker": each ends as a fault, and the host lives.
const GUARD = `
import cp from "node:child_process";
import dns, { lookup } from "node:dns";
import fs from "node:fs";
import net from "node:net";
import { setFlagsFromString } from "node:v8";
import { parentPort, Worker } from "node:worker_threads";

let calls = 0;

const acts = {
  count: () => ({ deny: String(++calls) }),
  options: (_, { options, hook }) => ({ deny: JSON.stringify([options, hook.id]) }),
  environment: () => ({ deny: JSON.stringify(process.env) }),
  mutate: ({ tool }) => { tool.name = "Other"; },
  throw: () => { throw new Error("broken"); },
  reject: async () => { throw new Error("broken"); },
  loop: () => { for (;;); },
  never: () => new Promise(() => {}),
  exit: () => process.exit(0),
  memory: () => { const all = []; for (;;) all.push(new Array(1e5).fill(Math.random())); },
  stack: () => { const down = () => down() + 1; return down(); },
  flood: () => { for (let i = 0; i < 20_000; i++) console.log("x".repeat(1_000)); },
  function: () => () => 1,
  readOutside: () => ({ deny: fs.readFileSync(process.execPath).length }),
  listOutside: () => ({ deny: String(fs.readdirSync("/etc")) }),
  write: () => fs.writeFileSync(new URL("written", import.meta.url), "1"),
  spawn: () => { cp.execFileSync(process.execPath, ["-e", "0"]); },
  worker: () => { new Worker("0", { eval: true }); },
  connect: () => { net.connect(80, "127.0.0.1"); },
  fetch: async () => { await fetch("http://127.0.0.1:9/"); },
  resolve: async () => { await dns.promises.lookup("localhost"); },
  kill: () => { process.kill(process.pid); },
  rawKill: () => { process._kill(process.pid, 9); },
  report: () => ({ deny: String(process.report) }),
  flags: () => { setFlagsFromString("--expose-gc"); },
  lookupByName: () => { lookup("localhost", () => {}); },
  forge: () => { parentPort.postMessage(null); return new Promise(() => {}); },
  slow: () => new Promise((resolve) => setTimeout(() => resolve({ deny: "slow" }), 200)),
  forgeAnswer: () => { parentPort.postMessage({ id: 1 }); return new Promise(() => {}); },
};

export const guard = (payload, context) => acts[payload.tool.args.act](payload, context);
`;

const MANIFEST = `
[exports]
policy = "policy.mjs"

[policy]
isolation = "worker"

[[hooks]]
id = "guard"
event = "PreToolUse"
handler = "policy::guard"
timeout_ms = 4000
options = { level = 3 }
`;

let root: string;
let harness: ManifestHarness;

beforeAll(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "harn-worker-")));
  mkdirSync(join(root, ".git"));
  writeFileSync(join(root, "policy.mjs"), GUARD);
  writeFileSync(join(root, "harn.toml"), MANIFEST);
  const loaded = await loadHarness({ cwd: root, harness: { ports: { warn: () => {} } } });
  if (!loaded.ok) throw new Error(loaded.message);
  harness = loaded.harness;
});

afterAll(() => {
  harness.close();
  rmSync(root, { recursive: true });
});

async function act(name: string) {
  const { verdict, reason, faults } = await harness.fire("PreToolUse", { tool: { name: "Bash", args: { act: name } } });
  return { verdict, reason, fault: faults[0]?.error.message };
}

describe("a hook in a worker", () => {
  test("answers like any other, stays warm, and knows its options", async () => {
    expect(await act("count")).toMatchObject({ verdict: "block", reason: "1" });
    expect(await act("count")).toMatchObject({ reason: "2" });
    expect(await act("options")).toMatchObject({ reason: '[{"level":3},"guard"]' });
  });

  test("sees no environment, and no report of it", async () => {
    expect(await act("report")).toMatchObject({ reason: "undefined" });
    expect(await act("environment")).toMatchObject({ reason: "{}" });
  });

  test.each([
    ["mutate", /read only|Cannot assign/],
    ["throw", /threw: broken/],
    ["reject", /threw: broken/],
    ["loop", /did not settle within 4000 ms/],
    ["never", /did not settle within 4000 ms/],
    ["exit", /its worker exited with code 0/],
    ["memory", /memory limit/],
    ["stack", /Maximum call stack/],
    ["function", /cannot leave its worker/],
    ["readOutside", /restricted/],
    ["listOutside", /restricted/],
    ["write", /restricted/],
    ["spawn", /restricted/],
    ["worker", /restricted/],
    ["connect", /the network is not among the capabilities/],
    ["fetch", /fetch failed/],
    ["resolve", /the network is not among the capabilities/],
    ["kill", /process.kill is not among the capabilities/],
    ["rawKill", /process.kill is not among the capabilities/],
    ["flags", /setFlagsFromString is not among the capabilities/],
    ["lookupByName", /the network is not among the capabilities/],
    ["forge", /something that is no answer/],
    ["forgeAnswer", /something that is no answer/],
  ])("that tries to %s ends as a fault, and the next call finds a clean worker", async (name, message) => {
    const { verdict, fault } = await act(name);
    expect(fault).toMatch(message);
    expect(verdict).toBe("block");
    expect(await act("count")).toMatchObject({ reason: "1" });
  });

  // Hooks of one package share a worker. What one does to it must be nobody else's fault.
  test.each(["loop", "exit", "forge"])("that has to %s takes no innocent call with it", async (name) => {
    await act("count");
    const [guilty, ...innocent] = await Promise.all([act(name), act("slow"), act("slow"), act("count")]);
    expect(guilty.fault).toBeDefined();
    expect(innocent).toMatchObject([{ reason: "slow" }, { reason: "slow" }, { reason: "1" }]);
    expect(innocent.map(({ fault }) => fault)).toEqual([undefined, undefined, undefined]);
  });

  test("blocks on a gate once its harness is closed", async () => {
    const loaded = await loadHarness({ cwd: root, harness: { ports: { warn: () => {} } } });
    if (!loaded.ok) throw new Error(loaded.message);
    loaded.harness.close();
    const outcome = await loaded.harness.fire("PreToolUse", { tool: { name: "Bash", args: { act: "count" } } });
    expect(outcome.faults[0]?.error.message).toContain("its harness is closed");
    expect(outcome.verdict).toBe("block");
  });

  test("that floods its output disturbs nobody", async () => {
    expect(await act("flood")).toMatchObject({ verdict: "allow", fault: undefined });
  });
});

test("a module that spins while it loads is reported, and its thread is ended", async () => {
  const project = join(root, "spins");
  mkdirSync(project);
  writeFileSync(join(project, "policy.mjs"), "for (;;); export const guard = () => {};");
  writeFileSync(join(project, "harn.toml"), MANIFEST);
  const loaded = await loadHarness({ cwd: project, load_timeout_ms: 1_000 });
  expect(loaded.ok ? "" : loaded.message).toContain("not loaded within 1000 ms");
  const before = process.cpuUsage();
  await new Promise((resolve) => setTimeout(resolve, 300));
  const { user } = process.cpuUsage(before);
  expect(user).toBeLessThan(150_000);
});

describe("capabilities", () => {
  test("open what a package declares, and nothing else", async () => {
    const server = createServer((socket) => socket.end("hello")).listen(0, "127.0.0.1");
    const project = join(root, "project");
    const home = join(project, "node_modules", "talker");
    try {
      await new Promise((resolve) => server.once("listening", resolve));
      mkdirSync(home, { recursive: true });
      writeFileSync(
        join(home, "package.json"),
        JSON.stringify({
          name: "talker",
          version: "1.0.0",
          main: "index.mjs",
          harn: {
            api: 1,
            hooks: {
              talk: { events: ["PreToolUse"], capabilities: ["net"] },
              mute: { events: ["PreToolUse"] },
            },
          },
        }),
      );
      writeFileSync(
        join(home, "index.mjs"),
        `import net from "node:net";
        export const talk = ({ tool }) => new Promise((resolve) => {
          net.connect(tool.args.port, "127.0.0.1").on("data", (data) => resolve({ deny: String(data) }));
        });
        export const mute = talk;`,
      );
      const hook = (name: string) =>
        `[[hooks]]\nevent = "PreToolUse"\npattern = "${name}"\nhandler = "talker::${name}"\nisolation = "worker"\n`;
      writeFileSync(join(project, "harn.toml"), hook("talk") + hook("mute"));
      const loaded = await loadHarness({ cwd: project, harness: { ports: { warn: () => {} } } });
      if (!loaded.ok) throw new Error(loaded.message);
      const { port } = server.address() as { port: number };
      const fire = (name: string) => loaded.harness.fire("PreToolUse", { tool: { name, args: { port } } });
      expect(await fire("talk")).toMatchObject({ reason: "hello", faults: [] });
      expect((await fire("mute")).faults[0]?.error.message).toContain("the network is not among the capabilities");
      loaded.harness.close();
    } finally {
      server.close();
    }
  });
});
