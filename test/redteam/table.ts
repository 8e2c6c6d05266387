import { readFileSync } from "node:fs";

export interface Attempt {
  readonly command: string;
  /** Whether a question is enough. */
  readonly isOpen: boolean;
}

/** The commands of a table; the other lines are remarks. */
export function readTable(name: "attempts.txt" | "harmless.txt"): Attempt[] {
  return readFileSync(new URL(name, import.meta.url), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !/^# [a-zA-Z]/.test(line))
    .map((line) => ({ command: line.replace(/^\? /, "").replaceAll("⏎", "\n"), isOpen: line.startsWith("? ") }));
}
