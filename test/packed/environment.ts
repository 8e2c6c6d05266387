import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Registry } from "./registry.js";

/** The environment of a person who has nothing but Node, npm and a registry on the loopback interface. */
export function environment(home: string, { url }: Registry): NodeJS.ProcessEnv {
  mkdirSync(home, { recursive: true });
  return {
    PATH: process.env.PATH,
    HOME: home,
    npm_config_registry: `${url}/`,
    // The registry alone counts, whatever the machine's own settings say.
    npm_config_userconfig: join(home, ".npmrc"),
    npm_config_globalconfig: join(home, "global-npmrc"),
    npm_config_cache: join(home, "npm-cache"),
    npm_config_update_notifier: "false",
    npm_config_audit: "false",
    npm_config_fund: "false",
    NO_COLOR: "1",
    CI: "true",
  };
}

/** What a script of commands ended with. The registry is in this process, so nobody may wait for it here. */
export interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a script the way a person would type it, up to its first failure. */
export function runShell(script: string, cwd: string, env: NodeJS.ProcessEnv): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn("bash", ["-euo", "pipefail", "-c", script], {
      cwd,
      env,
      stdio: ["ignore", "pipe", "pipe"],
      timeout: 90_000,
    });
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (chunk) => {
      stdout += chunk;
    });
    child.stderr.on("data", (chunk) => {
      stderr += chunk;
    });
    child.on("error", reject);
    child.on("close", (status) => resolve({ status, stdout, stderr }));
  });
}
