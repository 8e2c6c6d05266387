import { sha256 } from "./sha256.js";

/**
 * One line of a tape: `{"hash":"…","prev":"…","record":{…},"seq":7}`, canonical JSON as a whole. The hash covers every
 * byte after it but the last brace, and so the record, its number and the hash of the line before. All but the record
 * stands at a place that is known without parsing: a tape is verified at the speed of the hash.
 */
export class LineParts {
  constructor(
    private readonly line: Buffer,
    /** The hash of the line as it stands there. */
    readonly hash: string,
    /** Whether that is the hash it was written with. */
    readonly isWhole: boolean,
    /** The hash it names as that of the line before it. */
    readonly prev: string,
    readonly seq: number,
    private readonly recordEnd: number,
  ) {}

  /** The record's own bytes. */
  get record(): Buffer {
    return this.line.subarray(RECORD_AT, this.recordEnd);
  }

  get recordLength(): number {
    return this.recordEnd - RECORD_AT;
  }
}

/** What stands in place of a hash before the first line. */
export const NO_HASH = "0".repeat(64);

const HASH_LENGTH = 64;
export const HASH_KEY = '{"hash":"';
export const HASH_AT = HASH_KEY.length;
export const BODY_AT = HASH_AT + HASH_LENGTH + '",'.length;
export const PREV_KEY = '","prev":"';
const PREV_AT = HASH_AT + HASH_LENGTH + PREV_KEY.length;
export const RECORD_KEY = '","record":';
const RECORD_AT = PREV_AT + HASH_LENGTH + RECORD_KEY.length;
export const SEQ_KEY = ',"seq":';
const MAX_SEQ_DIGITS = 16;
/** Longer lines are refused: a payload of the largest size, with every character escaped, is shorter. */
export const MAX_LINE = 256 * 1024 * 1024;

/** The line that has to come next: its hash is right, and it names this one as the one before it; null for any other. */
export function matchLine(line: Buffer, prev: string, seq: number): LineParts | null {
  const tail = `${SEQ_KEY}${seq}}`;
  const recordEnd = line.length - tail.length;
  if (recordEnd < RECORD_AT) return null;
  const hash = hashOf(line);
  const head = HASH_KEY + hash + PREV_KEY + prev + RECORD_KEY;
  if (line.toString("latin1", 0, RECORD_AT) !== head || !isAt(line, recordEnd, tail)) return null;
  return new LineParts(line, hash, true, prev, seq, recordEnd);
}

/** Takes a line apart, whatever it is; null when it does not have the shape of one. */
export function parseLine(line: Buffer): LineParts | null {
  const end = line.length - 1;
  if (end < RECORD_AT || line[end] !== CLOSING) return null;
  const head = line.toString("latin1", 0, RECORD_AT);
  const hasShape =
    head.startsWith(HASH_KEY) && head.startsWith(PREV_KEY, PREV_AT - PREV_KEY.length) && head.endsWith(RECORD_KEY);
  if (!hasShape) return null;
  let seqAt = end;
  let seq = 0;
  for (let unit = 1; seqAt > end - MAX_SEQ_DIGITS && isDigit(line[seqAt - 1]); unit *= 10) {
    seq += unit * ((line[--seqAt] as number) - ZERO);
  }
  const recordEnd = seqAt - SEQ_KEY.length;
  const isNumber = seqAt < end && (line[seqAt] !== ZERO || end - seqAt === 1);
  if (!isNumber || recordEnd < RECORD_AT || !isAt(line, recordEnd, SEQ_KEY)) return null;
  const hash = hashOf(line);
  const isWhole = head.startsWith(hash, HASH_AT);
  return new LineParts(line, hash, isWhole, head.slice(PREV_AT, PREV_AT + HASH_LENGTH), seq, recordEnd);
}

/** Whether these bytes are what a writer leaves behind that was stopped in the middle of the next line. */
export function isUnfinished(bytes: Buffer, prev: string): boolean {
  const head = bytes.toString("latin1", 0, RECORD_AT);
  const hash = head.slice(HASH_AT, HASH_AT + HASH_LENGTH);
  const begun = HASH_KEY + hash.padEnd(HASH_LENGTH, "0") + PREV_KEY + prev + RECORD_KEY;
  return /^[0-9a-f]*$/.test(hash) && begun.startsWith(head);
}

function hashOf(line: Buffer): string {
  return sha256(line.subarray(BODY_AT, line.length - 1));
}

const CLOSING = "}".charCodeAt(0);
const ZERO = "0".charCodeAt(0);

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= ZERO + 9;
}

function isAt(line: Buffer, at: number, text: string): boolean {
  for (let i = 0; i < text.length; i++) if (line[at + i] !== text.charCodeAt(i)) return false;
  return true;
}
