import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ioReason, TapeError } from "./errors.js";
import { createWhole } from "./exclusive.js";
import { ensurePrivateDirectory, stateDirectory } from "./home.js";

/**
 * The key of this person, made at first use. It is not on the tape: a short password could be found by trying, if
 * whoever holds a tape also held the key.
 */
export function readMaskKey(): Buffer {
  const path = join(ensurePrivateDirectory(stateDirectory()), "mask.key");
  const text = readKey(path) ?? makeKey(path);
  if (/^[0-9a-f]{64}$/.test(text)) return Buffer.from(text, "hex");
  throw new TapeError("HARN_E_TAPE_MASK", `${path} holds no key`, "Remove it, and a new one is made.");
}

function makeKey(path: string): string {
  createWhole(path, `${randomBytes(32).toString("hex")}\n`);
  // Another process may have been faster, and then it is that one's.
  return readKey(path) ?? "";
}

function readKey(path: string): string | null {
  try {
    return readFileSync(path, "utf8").trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw new TapeError("HARN_E_TAPE_MASK", `${path} cannot be read: ${ioReason(error)}`, undefined, error);
  }
}
