import { randomBytes } from "node:crypto";
import { lstatSync, mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { ioReason, TapeError } from "./errors.js";

/** Where this person's programs keep what they remember: outside of every workspace. */
export function stateDirectory(
  platform: NodeJS.Platform = process.platform,
  env = process.env,
  home = homedir(),
): string {
  if (platform === "win32") return join(env.LOCALAPPDATA || join(home, "AppData", "Local"), "harn");
  if (platform === "darwin") return join(home, "Library", "Application Support", "harn");
  const { XDG_STATE_HOME: state = "" } = env;
  // The specification has a relative path ignored.
  return join(isAbsolute(state) ? state : join(home, ".local", "state"), "harn");
}

/** Makes a directory that is this person's alone, and refuses one that others could reach into. */
export function ensurePrivateDirectory(path: string): string {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new TapeError("HARN_E_TAPE_OPEN", `${path} cannot be made: ${ioReason(error)}`, undefined, error);
  }
  const found = lstatSync(path);
  const refuse = (why: string, help: string) => new TapeError("HARN_E_TAPE_OPEN", `${path} ${why}`, help);
  if (!found.isDirectory()) throw refuse("is not a directory, or is a link to one", "Name the directory itself.");
  // Windows has no such bits; its profile directories are private by their access lists.
  if (process.platform === "win32") return path;
  if (found.uid !== process.geteuid?.()) throw refuse("belongs to somebody else", "Name a directory of your own.");
  if ((found.mode & 0o022) !== 0) throw refuse("can be written by others", `Run chmod 700 ${path}.`);
  return path;
}

const MAX_SLUG = 60;

/** A name nobody else has: when, whose session, and chance. The session's id comes from an agent and may hold anything. */
export function tapeName(session: string, started: number): string {
  const when = new Date(started).toISOString().replace(/[-:]/g, "").replace(/\..*/, "Z");
  const slug = session.replace(/[^A-Za-z0-9_-]+/g, "-").slice(0, MAX_SLUG);
  return `${when}-${slug}-${randomBytes(6).toString("hex")}.jsonl`;
}
