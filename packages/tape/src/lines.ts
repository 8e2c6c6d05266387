import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { ioReason, TapeError } from "./errors.js";
import { MAX_LINE } from "./line.js";

/** A line of a file as it stands there. Its bytes are valid until the next one is asked for. */
export interface RawLine {
  readonly bytes: Buffer;
  /** Where it starts in the file. */
  readonly offset: number;
  /** Whether it has no end: the file stops in the middle of it. */
  readonly isTorn: boolean;
}

const CHUNK = 1024 * 1024;
const LINE_FEED = 10;

/** The lines of a file, one after another, in memory for one of them. */
export function* readLines(path: string): Generator<RawLine, void> {
  const fd = attempt(path, () => openSync(path, constants.O_RDONLY));
  let buffer = Buffer.allocUnsafe(Math.min(CHUNK, fstatSync(fd).size + 1));
  let start = 0;
  let end = 0;
  let offset = 0;
  try {
    for (;;) {
      // What stands behind the end is left from before.
      const found = buffer.indexOf(LINE_FEED, start);
      if (found >= 0 && found < end) {
        yield { bytes: buffer.subarray(start, found), offset, isTorn: false };
        offset += found + 1 - start;
        start = found + 1;
        continue;
      }
      buffer.copyWithin(0, start, end);
      end -= start;
      start = 0;
      if (end === buffer.length) buffer = grow(buffer, path, offset);
      const read = attempt(path, () => readSync(fd, buffer, end, buffer.length - end, null));
      if (read === 0) break;
      end += read;
    }
    if (end > 0) yield { bytes: buffer.subarray(0, end), offset, isTorn: true };
  } finally {
    closeSync(fd);
  }
}

function attempt(path: string, work: () => number): number {
  try {
    return work();
  } catch (error) {
    throw new TapeError("HARN_E_TAPE_READ", `${path} cannot be read: ${ioReason(error)}`, undefined, error);
  }
}

function grow(buffer: Buffer<ArrayBuffer>, path: string, offset: number): Buffer<ArrayBuffer> {
  if (buffer.length >= MAX_LINE) {
    throw new TapeError(
      "HARN_E_TAPE_READ",
      `${path}: the line at byte ${offset} is too long for a record`,
      "Is it a tape?",
    );
  }
  const larger = Buffer.allocUnsafe(Math.min(buffer.length * 4, MAX_LINE));
  buffer.copy(larger);
  return larger;
}
