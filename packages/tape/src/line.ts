import { sha256 } from "./sha256.js";

/**
 * One line of a tape: `{"hash":"…","prev":"…","record":{…},"seq":7}`, canonical JSON as a whole. The hash covers every
 * byte after it but the last brace, and so the record, its number and the hash of the line before. All but the record
 * stands at a place that is known without parsing: a tape is verified at the speed of the hash.
 */
export class LineParts {
  /** The hash of the line as it stands there. */
  readonly hash: string;
  /** Whether that is the hash it was written with. */
  readonly isWhole: boolean;

  constructor(
    private readonly line: Buffer,
    private readonly head: string,
    readonly seq: number,
    private readonly recordEnd: number,
  ) {
    this.hash = sha256(line.subarray(BODY_AT, line.length - 1));
    this.isWhole = head.startsWith(this.hash, HASH_AT);
  }

  /** The record's own bytes. */
  get record(): Buffer {
    return this.line.subarray(RECORD_AT, this.recordEnd);
  }

  get recordLength(): number {
    return this.recordEnd - RECORD_AT;
  }

  /** Whether it names this hash as that of the line before it. */
  follows(hash: string): boolean {
    return this.head.startsWith(hash, PREV_AT);
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

/** Takes a line apart; null when it does not have the shape of one. */
export function parseLine(line: Buffer): LineParts | null {
  const end = line.length - 1;
  if (end < RECORD_AT || line[end] !== CLOSING) return null;
  const head = line.toString("latin1", 0, RECORD_AT);
  const hasShape =
    head.startsWith(HASH_KEY) &&
    head.startsWith(PREV_KEY, PREV_AT - PREV_KEY.length) &&
    head.startsWith(RECORD_KEY, RECORD_AT - RECORD_KEY.length);
  if (!hasShape) return null;
  let seqAt = end;
  let seq = 0;
  for (let unit = 1; seqAt > end - MAX_SEQ_DIGITS && isDigit(line[seqAt - 1]); unit *= 10) {
    seq += unit * ((line[--seqAt] as number) - ZERO);
  }
  const recordEnd = seqAt - SEQ_KEY.length;
  const isNumber = seqAt < end && (line[seqAt] !== ZERO || end - seqAt === 1);
  if (!isNumber || recordEnd < RECORD_AT || !isAt(line, recordEnd, SEQ_KEY)) return null;
  return new LineParts(line, head, seq, recordEnd);
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
