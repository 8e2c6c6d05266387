import { randomBytes } from "node:crypto";
import { linkSync, unlinkSync, writeFileSync } from "node:fs";
import { ioReason, TapeError } from "./errors.js";

/**
 * Makes a private file that did not exist, with its content already in it: whoever finds it can read all of it.
 * False when somebody else was first.
 */
export function createWhole(path: string, content: string): boolean {
  const own = `${path}.${randomBytes(6).toString("hex")}`;
  try {
    writeFileSync(own, content, { flag: "wx", mode: 0o600 });
    linkSync(own, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw new TapeError("HARN_E_TAPE_OPEN", `${path} cannot be made: ${ioReason(error)}`, undefined, error);
  } finally {
    removeQuietly(own);
  }
}

/** Removes a file; one that is gone is what was wanted. */
export function removeQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Gone, or not ours to remove any more.
  }
}
