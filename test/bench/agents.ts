import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { agents, answerCall, readCall } from "@hooks/agents";
import { loadHarness } from "@hooks/manifest";
import { root } from "../house/repository.js";
import { compare, report } from "./measure.js";

// What one event of an agent costs: a process for each, a warm server, or a call in this process; beside the hooks people
// write by hand, which are a shell script and a Node script that do nothing.

const bin = join(root, "packages/cli/dist/bin.js");
const scratch = mkdtempSync(join(tmpdir(), "harn-bench-agents-"));
cpSync(join(root, "test/agents/project"), scratch, { recursive: true });
writeFileSync(join(scratch, "empty.mjs"), "");
writeFileSync(join(scratch, "noop.sh"), "cat > /dev/null\n");
const env = { PATH: process.env.PATH ?? "", HOME: scratch };
const payload = JSON.stringify({
  hook_event_name: "PreToolUse",
  session_id: "bench",
  cwd: scratch,
  tool_name: "Bash",
  tool_input: { command: "ls" },
});

spawnSync(process.execPath, [bin, "trust", "--yes"], { cwd: scratch, env });

function start(program: string, ...args: string[]): () => void {
  return () => {
    const { status } = spawnSync(program, args, { cwd: scratch, env, input: payload });
    if (status !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${status}`);
  };
}

const server = spawn(process.execPath, [bin, "serve", "--json", "--no-tape"], {
  cwd: scratch,
  env,
  stdio: ["ignore", "pipe", "inherit"],
});
const [line] = (await once(server.stdout, "data")) as [Buffer];
const { port, token } = JSON.parse(line.toString()) as { port: number; token: string };
const keep = new Agent({ keepAlive: true, maxSockets: 1 });

function post(): Promise<void> {
  return new Promise((resolve, reject) => {
    const options = {
      port,
      host: "127.0.0.1",
      agent: keep,
      method: "POST",
      path: "/hook/claude",
      headers: { authorization: `Bearer ${token}` },
    };
    request(options, (response) => response.resume().on("end", resolve))
      .on("error", reject)
      .end(payload);
  });
}

const loaded = await loadHarness({ cwd: scratch });
const bytes = Buffer.from(payload);
const inProcess = () =>
  answerCall(readCall(agents.claude, bytes), (event, body) => loaded.harness.fire(event, body as never));

const processes = await compare({
  "node on an empty file": start(process.execPath, "empty.mjs"),
  "a shell hook that does nothing": start("/bin/sh", "noop.sh"),
  "harn hook claude, cold": start(process.execPath, bin, "hook", "claude", "--no-server", "--no-tape"),
  "harn hook claude, cold, on the tape": start(process.execPath, bin, "hook", "claude", "--no-server"),
  "harn hook claude, with harn serve": start(process.execPath, bin, "hook", "claude"),
});
report("one event, a process for each", processes, { "harn hook claude, cold": "2.5x" });
report("one event, warm", await compare({ "in this process": inProcess, "harn serve over HTTP": post }));
server.kill("SIGTERM");
await once(server, "exit");
keep.destroy();
rmSync(scratch, { recursive: true, force: true });
