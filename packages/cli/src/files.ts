import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, relative } from "node:path";
import { messageOf } from "@hooks/core";
import { unifiedDiff } from "./diff.js";
import { CliError, EXIT } from "./exit.js";
import type { Terminal } from "./terminal.js";

/** A file as it is to be; its text before, or null where there is none yet. */
export interface Draft {
  readonly path: string;
  readonly before: string | null;
  readonly after: string;
}

/** The draft of a file. */
export function draft(path: string, after: string): Draft {
  return { path, before: existsSync(path) ? readFileSync(path, "utf8") : null, after };
}

/** Writes drafts, each whole or not at all: whoever is interrupted finds the old file or the new one. */
export function writeDrafts(drafts: readonly Draft[]): void {
  // A link stays a link: what it leads to is written.
  for (const { path, before, after } of drafts) {
    if (before !== after) writeWhole(before === null ? path : realpathSync(path), after);
  }
}

function writeWhole(path: string, text: string): void {
  const beside = `${path}.${process.pid}.tmp`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(beside, text, { flag: "wx" });
    const old = statSync(path, { throwIfNoEntry: false });
    if (old !== undefined) chmodSync(beside, old.mode & 0o777);
    renameSync(beside, path);
  } catch (error) {
    if (existsSync(beside)) rmSync(beside, { force: true });
    throw new CliError(
      "HARN_E_FILE_WRITE",
      EXIT.io,
      `${path} cannot be written: ${messageOf(error)}`,
      "make room for it, or choose another place",
    );
  }
}

/** Prints what would be written. */
export function showDrafts(drafts: readonly Draft[], { host, print, paint }: Terminal): void {
  for (const { path, before, after } of drafts) {
    const name = relative(host.cwd, path) || path;
    for (const line of unifiedDiff(name, before, after)) {
      const style = line.startsWith("+") ? "green" : line.startsWith("-") ? "red" : "dim";
      print(paint(style, line));
    }
  }
}
