import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Project } from "../conformance/project.js";
import { root } from "../house/repository.js";

let project: Project;

beforeEach(() => {
  project = new Project();
});

afterEach(() => project.remove());

/** Whether a process runs; one that ended and that nobody has asked about does not. */
function isAlive(pid: number): boolean {
  const state = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" }).stdout.trim();
  return state !== "" && !state.startsWith("Z");
}

it.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
  "%s takes the hooks along that are running",
  async (signal) => {
    project.script("hook.sh", "sleep 60 &\necho $$ $! > pids.tmp\nmv pids.tmp pids\nwait");
    project.write("harn.toml", '[[hooks]]\nevent = "PreToolUse"\ncommand = ["./hook.sh"]\ntimeout_ms = 50000\n');
    const env = { ...process.env, XDG_STATE_HOME: join(project.root, "state"), HARN_CODE_CACHE: "off" };
    const start = (...args: string[]) =>
      spawn(process.execPath, [join(root, "packages/cli/dist/bin.js"), ...args], {
        cwd: project.root,
        env,
        stdio: ["pipe", "ignore", "ignore"],
      });
    await once(start("trust", "--yes"), "close");
    const run = start("run");
    run.stdin.write('{"event": "PreToolUse", "payload": {"tool": {"name": "Bash", "args": {}}}}\n');
    await expect.poll(() => existsSync(join(project.root, "pids")), { timeout: 20_000 }).toBe(true);
    const pids = readFileSync(join(project.root, "pids"), "utf8").trim().split(" ").map(Number);
    expect(pids.map(isAlive)).toEqual([true, true]);
    run.kill(signal);
    expect(await once(run, "close")).toEqual([null, signal]);
    await expect.poll(() => pids.map(isAlive), { timeout: 10_000 }).toEqual([false, false]);
  },
  60_000,
);
