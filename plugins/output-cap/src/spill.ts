import { randomUUID } from "node:crypto";
import { closeSync, lstatSync, mkdirSync, openSync, readdirSync, rmSync, writeSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { messageOf } from "@hooks/core";
import type { Settings } from "./settings.js";

/** Keeps a whole text in a file only its owner can read, and says where, or why not. */
export function spill(text: string, name: string, { spill: isOn, spill_dir, spill_files }: Settings): string {
  if (!isOn) return "";
  try {
    const directory = spill_dir ?? ownDirectory();
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const stem = `${String(Date.now()).padStart(15, "0")}-${name.replace(/[^\w.-]/g, "_").slice(0, 40)}`;
    const path = join(directory, `${stem}-${randomUUID().slice(0, 8)}.harn.txt`);
    // Exclusive: a link that waits under this name is not followed.
    const file = openSync(path, "wx", 0o600);
    try {
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
    } finally {
      closeSync(file);
    }
    const ours = readdirSync(directory).filter((entry) => /^\d{15}-.*\.harn\.txt$/.test(entry));
    for (const old of ours.sort().slice(0, -spill_files)) rmSync(join(directory, old), { force: true });
    return `; all of it: ${path}`;
  } catch (error) {
    return `; it could not be kept in a file: ${messageOf(error).slice(0, 120)}`;
  }
}

// The temporary directory is everybody's: somebody else's directory, or a link, must not receive what an agent saw.
function ownDirectory(): string {
  const uid = process.getuid?.() ?? userInfo().username;
  const directory = join(tmpdir(), `harn-output-${uid}`);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const found = lstatSync(directory);
  const isOurs = process.platform === "win32" || (found.uid === uid && (found.mode & 0o077) === 0);
  if (!found.isDirectory() || !isOurs) throw new Error(`${directory} is not a directory of this user alone`);
  return directory;
}
