import { randomBytes } from "node:crypto";
import { linkSync, readFileSync, renameSync } from "node:fs";
import { TapeError } from "./errors.js";
import { createWhole, removeQuietly } from "./exclusive.js";

const ATTEMPTS = 5;

/**
 * Takes the one right to write a tape: a file beside it with the number of the process. A process that is gone has lost
 * it. Returns the function that gives it back.
 */
export function lockTape(tape: string): () => void {
  const lock = `${tape}.lock`;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (createWhole(lock, `${process.pid}\n`)) return () => removeQuietly(lock);
    const owner = ownerOf(lock);
    if (owner !== null && isAlive(owner)) {
      const help = "Wait until it is done, or give each session a tape of its own.";
      throw new TapeError("HARN_E_TAPE_BUSY", `${tape} is being written by process ${owner}`, help);
    }
    if (owner !== null) removeDead(lock, owner);
  }
  throw new TapeError(
    "HARN_E_TAPE_BUSY",
    `${tape} is locked: ${lock}`,
    "Remove the lock if no process writes the tape.",
  );
}

/** The process that writes a tape now; null when none does. */
export function writerOf(tape: string): number | null {
  const owner = ownerOf(`${tape}.lock`);
  return owner !== null && isAlive(owner) ? owner : null;
}

/** The process a lock names; null when the lock is gone, and 0 when it names none. */
function ownerOf(lock: string): number | null {
  try {
    return Number.parseInt(readFileSync(lock, "utf8"), 10) || 0;
  } catch {
    return null;
  }
}

function isAlive(pid: number): boolean {
  if (pid === 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

// Moved aside before it is looked at again: of two that found the owner dead, the slower one must not take away what
// the faster one has put there since.
function removeDead(lock: string, owner: number): void {
  const aside = `${lock}.${randomBytes(6).toString("hex")}`;
  try {
    renameSync(lock, aside);
    if (ownerOf(aside) !== owner) linkSync(aside, lock);
  } catch {
    // Somebody else was faster.
  }
  removeQuietly(aside);
}
