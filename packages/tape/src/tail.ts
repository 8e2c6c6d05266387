import { closeSync, constants, fstatSync, fsyncSync, ftruncateSync, openSync, readSync } from "node:fs";
import { ioReason, TapeError } from "./errors.js";
import { isUnfinished, MAX_LINE, NO_HASH, parseLine } from "./line.js";
import { lockTape } from "./lock.js";

/** Where a tape goes on. */
export interface Tail {
  /** The number of the next record; 0 on a tape nothing was written on. */
  readonly seq: number;
  /** The hash of the last one. */
  readonly hash: string;
  readonly size: number;
  /** Bytes of an unfinished record that were cut off. */
  readonly cut: number;
}

const LINE_FEED = 10;
const CHUNK = 64 * 1024;

/** Cuts a tape back to its last whole record, without reading what comes before it. */
export function cutTail(fd: number, file: string): Tail {
  const stat = fstatSync(fd);
  if (!stat.isFile()) throw new TapeError("HARN_E_TAPE_READ", `${file} is not a file`);
  const end = findLineFeed(fd, stat.size) + 1;
  if (end === 0) return cutBeginning(fd, file, stat.size);
  const start = findLineFeed(fd, Math.max(0, end - 1)) + 1;
  if (end - start > MAX_LINE)
    throw new TapeError("HARN_E_TAPE_READ", `${file}: its last line is too long for a record`);
  const line = Buffer.allocUnsafe(Math.max(0, end - 1 - start));
  readSync(fd, line, 0, line.length, start);
  const last = parseLine(line);
  if (last === null || !last.isWhole) {
    throw broken(file, `the record at byte ${start} is not what was written`);
  }
  if (end < stat.size) ftruncateSync(fd, end);
  return { seq: last.seq + 1, hash: last.hash, size: end, cut: stat.size - end };
}

/** A tape whose first record was not finished is an empty one; any other file without a line is none, and is left alone. */
function cutBeginning(fd: number, file: string, size: number): Tail {
  const bytes = Buffer.alloc(Math.min(size, CHUNK));
  readSync(fd, bytes, 0, bytes.length, 0);
  if (!isUnfinished(bytes, NO_HASH)) throw broken(file, "there is no whole record on it");
  ftruncateSync(fd, 0);
  return { seq: 0, hash: NO_HASH, size: 0, cut: size };
}

function broken(file: string, what: string): TapeError {
  return new TapeError("HARN_E_TAPE_BROKEN", `${file}: ${what}`, "Keep it as it is, and open a new tape.");
}

/** The place of the last line feed before this one; -1 when there is none. */
function findLineFeed(fd: number, before: number): number {
  const chunk = Buffer.allocUnsafe(CHUNK);
  for (let end = before; end > 0; end -= CHUNK) {
    const start = Math.max(0, end - CHUNK);
    const read = readSync(fd, chunk, 0, end - start, start);
    const found = chunk.subarray(0, read).lastIndexOf(LINE_FEED);
    if (found >= 0) return start + found;
  }
  return -1;
}

/** Cuts an unfinished record off a tape nobody writes any more; says how many bytes it had. */
export function recoverTape(file: string): Tail {
  const unlock = lockTape(file);
  try {
    const fd = openSync(file, constants.O_RDWR | (constants.O_NOFOLLOW ?? 0));
    try {
      const tail = cutTail(fd, file);
      if (tail.cut > 0) fsyncSync(fd);
      return tail;
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (error instanceof TapeError) throw error;
    throw new TapeError("HARN_E_TAPE_READ", `${file} cannot be recovered: ${ioReason(error)}`, undefined, error);
  } finally {
    unlock();
  }
}
