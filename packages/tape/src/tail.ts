import { closeSync, constants, fstatSync, fsyncSync, ftruncateSync, openSync, readSync } from "node:fs";
import { ioReason, TapeError } from "./errors.js";
import { MAX_LINE, parseLine } from "./line.js";
import { lockTape } from "./lock.js";

/** Where a tape goes on. */
export interface Tail {
  /** The number of the next record. */
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
  const start = findLineFeed(fd, Math.max(0, end - 1)) + 1;
  if (end - start > MAX_LINE)
    throw new TapeError("HARN_E_TAPE_READ", `${file}: its last line is too long for a record`);
  const line = Buffer.allocUnsafe(Math.max(0, end - 1 - start));
  readSync(fd, line, 0, line.length, start);
  const last = parseLine(line);
  if (last === null || !last.isWhole) {
    const what = end === 0 ? "there is no whole record on it" : `the record at byte ${start} is not what was written`;
    throw new TapeError("HARN_E_TAPE_BROKEN", `${file}: ${what}`, "Keep it as it is, and open a new tape.");
  }
  if (end < stat.size) ftruncateSync(fd, end);
  return { seq: last.seq + 1, hash: last.hash, size: end, cut: stat.size - end };
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
