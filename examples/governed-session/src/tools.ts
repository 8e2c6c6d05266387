import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import type { JsonObject } from "@hooks/core";

/** The tools of the session, by name. Each really does what it says, inside the workspace. */
export type Tools = Readonly<Record<string, (args: JsonObject) => string>>;

/** Fills an empty directory, and makes the tools that work in it. */
export function openWorkspace(root: string): Tools {
  const log = Array.from({ length: 120 }, (_, index) => `step ${index + 1}: ok\n`).join("");
  writeFileSync(resolve(root, "build.log"), log);

  // The tools keep to the workspace themselves: an example must be harmless also when somebody edits its policy.
  function inside(path: unknown): string {
    const absolute = resolve(root, String(path));
    if (relative(root, absolute).startsWith("..")) throw new Error(`${String(path)} is outside of the workspace`);
    return absolute;
  }

  const commands: Tools = {
    ls: ({ path }) => readdirSync(inside(path ?? ".")).join("\n"),
    "rm -rf": ({ path }) => {
      rmSync(inside(path), { recursive: true });
      return `removed ${String(path)}`;
    },
  };

  return {
    write_file({ path, content }) {
      mkdirSync(dirname(inside(path)), { recursive: true });
      writeFileSync(inside(path), String(content));
      return `wrote ${String(content).length} characters to ${String(path)}`;
    },
    read_file: ({ path }) => readFileSync(inside(path), "utf8"),
    run_command({ command }) {
      const [, name = "", path] = /^(ls|rm -rf)(?: (\S+))?$/.exec(String(command)) ?? [];
      const run = commands[name];
      if (run === undefined) throw new Error(`${String(command)}: command not found`);
      return run(path === undefined ? {} : { path });
    },
    send_report({ to, path }) {
      appendFileSync(inside("outbox.txt"), `to ${String(to)}\n${readFileSync(inside(path), "utf8")}`);
      return `sent to ${String(to)}`;
    },
  };
}

/** Every file of the workspace, so that a person can see which tools ran. */
export function listFiles(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((path) => statSync(resolve(root, path)).isFile())
    .map((path) => path.replaceAll("\\", "/"))
    .sort();
}
