import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { ioReason, TapeError } from "./errors.js";
import { stateDirectory } from "./home.js";

/** A tape among others. */
export interface TapeFile {
  readonly file: string;
  readonly bytes: number;
  /** When it was last written, in milliseconds since 1970. */
  readonly modified: number;
}

/** The tapes of a directory, the newest first; those of this person when none is named. */
export function listTapes(directory: string = join(stateDirectory(), "tapes")): TapeFile[] {
  let names: string[];
  try {
    names = readdirSync(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw new TapeError("HARN_E_TAPE_READ", `${directory} cannot be read: ${ioReason(error)}`, undefined, error);
  }
  return names
    .filter((name) => name.endsWith(".jsonl"))
    .flatMap((name) => {
      const file = join(directory, name);
      const found = statSync(file, { throwIfNoEntry: false });
      return found?.isFile() === true ? [{ file, bytes: found.size, modified: found.mtimeMs }] : [];
    })
    .sort((a, b) => b.modified - a.modified || (a.file < b.file ? 1 : -1));
}
