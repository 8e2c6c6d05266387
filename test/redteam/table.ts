import { readFileSync } from "node:fs";
import type { Dialect } from "@hooks/command-guard";

export interface Attempt {
  readonly command: string;
  readonly dialect: Dialect;
  /** Whether a question is enough. */
  readonly isOpen: boolean;
}

/** The commands of a table; the other lines are remarks, and titles that name a dialect. */
export function readTable(
  name: "attempts.txt" | "attempts-windows.txt" | "harmless.txt" | "harmless-windows.txt",
): Attempt[] {
  let dialect: Dialect = "posix";
  return readFileSync(new URL(name, import.meta.url), "utf8")
    .split("\n")
    .flatMap((line) => {
      const title = /^\[(powershell|cmd)\]$/.exec(line)?.[1];
      if (title !== undefined) dialect = title as Dialect;
      if (title !== undefined || line === "" || /^# [a-zA-Z]/.test(line)) return [];
      return [{ command: line.replace(/^\? /, "").replaceAll("⏎", "\n"), dialect, isOpen: line.startsWith("? ") }];
    });
}
