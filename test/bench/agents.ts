import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
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
const HOOKS = 7;
const each = Array.from({ length: HOOKS }, (_, place) => `hook${place}`);
const hook = (name: string) => `[[hooks]]\nevent = "PreToolUse"\npattern = "Bash"\nhandler = "policy::${name}"\n`;
const handler = (name: string) =>
  `export const ${name} = ({ tool }) => (/shutdown|${name}/.test(tool.args.command) ? { deny: "no" } : undefined);\n`;
writeFileSync(join(scratch, "harn.toml"), `[exports]\npolicy = "policy.mjs"\n\n${each.map(hook).join("\n")}`);
writeFileSync(join(scratch, "policy.mjs"), each.map(handler).join(""));
writeFileSync(join(scratch, "empty.js"), "");
writeFileSync(join(scratch, "noop.sh"), "cat > /dev/null\n");
writeFileSync(
  join(scratch, "noop.mjs"),
  'import { readFileSync } from "node:fs";\nJSON.parse(readFileSync(0, "utf8"));\nconsole.log("{}");\n',
);
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

/** A program in C that sends a byte to another one and has it back: what no server can be faster than. */
function echoOverSocket(): number | undefined {
  const program = join(scratch, "echo");
  const source = `#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
static int order(const void *a, const void *b) { return *(double *)a > *(double *)b ? 1 : -1; }
int main(void) {
  int ends[2], rounds = 5000;
  char byte = 1;
  double taken[5000];
  socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
  if (fork() == 0) {
    close(ends[0]);
    while (read(ends[1], &byte, 1) == 1) write(ends[1], &byte, 1);
    exit(0);
  }
  for (int at = 0; at < rounds; at++) {
    struct timeval from, to;
    gettimeofday(&from, 0);
    write(ends[0], &byte, 1);
    read(ends[0], &byte, 1);
    gettimeofday(&to, 0);
    taken[at] = (to.tv_sec - from.tv_sec) * 1e3 + (to.tv_usec - from.tv_usec) / 1e3;
  }
  qsort(taken, rounds, sizeof(double), order);
  printf("%f\\n", taken[rounds / 10]);
}`;
  writeFileSync(`${program}.c`, source);
  if (spawnSync(process.env.CC ?? "cc", ["-O2", "-w", "-o", program, `${program}.c`]).status !== 0) return undefined;
  const { stdout } = spawnSync(program, { encoding: "utf8" });
  return Number(stdout) * 1e6;
}

const loaded = await loadHarness({ cwd: scratch });
const bytes = Buffer.from(payload);
const inProcess = () =>
  answerCall(readCall(agents.claude, bytes), (event, body) => loaded.harness.fire(event, body as never));

const processes = await compare({
  "node on an empty file": start(process.execPath, "empty.js"),
  "a shell hook that does nothing": start("/bin/sh", "noop.sh"),
  "a Node hook that does nothing": start(process.execPath, "noop.mjs"),
  "harn hook claude, cold": start(process.execPath, bin, "hook", "claude", "--no-server", "--no-tape"),
  "harn hook claude, cold, on the tape": start(process.execPath, bin, "hook", "claude", "--no-server"),
  "harn hook claude, with harn serve": start(process.execPath, bin, "hook", "claude"),
});
report(`one event, ${HOOKS} hooks, a process for each`, processes, { "harn hook claude, cold": "2.5x" });
const before = echoOverSocket();
const warm = await compare({ "in this process": inProcess, "harn serve over HTTP": post });
const after = echoOverSocket();
if (before === undefined || after === undefined) report("one event, warm (no C compiler, so no echo beside it)", warm);
else {
  const nanoseconds = Math.min(before, after);
  const beside = warm.map((row) => ({ ...row, ratio: row.nanoseconds / nanoseconds }));
  const echo = { name: "C echo over a socket", nanoseconds, ratio: 1 };
  report(`one event, ${HOOKS} hooks, warm`, [echo, ...beside], { "harn serve over HTTP": "25x" });
}
server.kill("SIGTERM");
await once(server, "exit");
keep.destroy();
rmSync(scratch, { recursive: true, force: true });
