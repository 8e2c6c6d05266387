import { spawn } from "node:child_process";
import { watch as watchFiles } from "node:fs";
import { EXIT, type Exit } from "./exit.js";
import type { Terminal } from "./terminal.js";

// Editors write a file in several steps.
const QUIET_MS = 120;
const IGNORED = /(^|[\\/])(node_modules|\.git)([\\/]|$)|\.tmp$/;

/** Runs a command now and after every change below a directory, one at a time, until the person has had enough. */
export async function watch(
  directory: string,
  command: readonly string[],
  terminal: Terminal,
  prepare: () => Promise<unknown>,
): Promise<Exit> {
  const [program = "", ...args] = command;
  let timer: NodeJS.Timeout | undefined;
  let isRunning = false;
  let isStale = false;

  const round = () => {
    if (isRunning) {
      isStale = true;
      return;
    }
    isRunning = true;
    const run = () => {
      const child = spawn(program, args, { cwd: directory, stdio: ["ignore", "inherit", "inherit"] });
      child.on("close", () => {
        isRunning = false;
        terminal.talk(terminal.paintTalk("dim", "waiting for a change; ctrl-C ends it"));
        if (isStale) {
          isStale = false;
          round();
        }
      });
    };
    void prepare().then(run, run);
  };

  return new Promise((resolve, reject) => {
    const watcher = watchFiles(directory, { recursive: true }, (_, file) => {
      if (file !== null && IGNORED.test(file)) return;
      clearTimeout(timer);
      timer = setTimeout(round, QUIET_MS);
    });
    watcher.on("error", reject);
    process.once("SIGINT", () => {
      watcher.close();
      resolve(EXIT.fine);
    });
    round();
  });
}
