import { spawn } from "node:child_process";
import type { Host } from "./terminal.js";

/** The files a package would be published with, or why nobody can tell. */
export type Published = { readonly files: readonly string[] } | { readonly mistake: string };

/** Asks npm, whose rules all package managers follow. Nothing is written, and no script of the package runs. */
export async function readPublished(root: string, env: Host["env"]): Promise<Published> {
  const { status, out } = await capture(["npm", "pack", "--dry-run", "--json", "--ignore-scripts"], root, env);
  if (status !== 0) return { mistake: `npm cannot tell which files would be published: ${status}` };
  try {
    const answer = JSON.parse(out) as unknown;
    // A list, or an object by the name of the package, as the version of npm has it.
    const [packed] = Object.values(answer as object) as { readonly files: readonly { readonly path: string }[] }[];
    return { files: (packed?.files ?? []).map(({ path }) => path) };
  } catch {
    return { mistake: "npm answered something else than the files that would be published" };
  }
}

/** Runs a command for what it prints. Anything but 0 is the reason it did not work. */
export async function capture(
  [program = "", ...args]: readonly string[],
  cwd: string,
  env: Host["env"],
): Promise<{ readonly status: number | string; readonly out: string }> {
  return new Promise((resolve) => {
    let out = "";
    // On Windows these are batch files, which only a shell can start.
    const child = spawn(program, args, {
      cwd,
      env: env as NodeJS.ProcessEnv,
      stdio: ["ignore", "pipe", "ignore"],
      shell: process.platform === "win32",
    });
    child.stdout.on("data", (chunk) => {
      out += chunk;
    });
    child.on("error", (error) => resolve({ status: error.message, out }));
    child.on("close", (code, signal) => resolve({ status: code ?? `ended by ${signal}`, out }));
  });
}
