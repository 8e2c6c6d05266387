import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../house/repository.js";

export const bin = join(root, "packages/cli/dist/bin.js");

/** A project with the policy of these tests, and a home of its own. */
export interface Project {
  readonly root: string;
  readonly home: string;
  readonly env: Record<string, string>;
}

export function makeProject(): Project {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), "harn-agents-")));
  const project = join(scratch, "project");
  const home = join(scratch, "home");
  cpSync(join(root, "test/agents/project"), project, { recursive: true });
  mkdirSync(home);
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: home,
    XDG_STATE_HOME: join(home, "state"),
    XDG_CACHE_HOME: join(tmpdir(), "harn-agents-cache"),
  };
  const made = { root: project, home, env };
  const { status, stderr } = harn(made, ["trust", "--yes"]);
  if (status !== 0) throw new Error(`harn trust failed: ${stderr}`);
  return made;
}

export interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export function harn({ root: cwd, env }: Project, args: readonly string[], input: string | Uint8Array = ""): Ran {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...args], { cwd, env, input, encoding: "utf8" });
  return { status, stdout, stderr };
}

/** The same without waiting, for calls that run at once. */
export function harnLater({ root: cwd, env }: Project, args: readonly string[], input: string): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [bin, ...args], { cwd, env });
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (chunk) => {
      stdout += chunk;
    });
    child.stderr.on("data", (chunk) => {
      stderr += chunk;
    });
    child.on("error", reject).on("close", (status) => resolve({ status, stdout, stderr }));
    child.stdin.end(input);
  });
}
