import { sha256 } from "./sha256.js";

/**
 * One line of a tape: `{"hash":"…","prev":"…","record":{…},"seq":7}`, canonical JSON as a whole. The hash covers every
 * byte after it but the last brace, and so the record, its number and the hash of the line before. All but the record
 * stands at a place that is known without parsing: a tape is verified at the speed of the hash.
 */
export interface LineParts {
  readonly hash: string;
  readonly prev: string;
  readonly seq: number;
  /** The record's own bytes. */
  readonly record: Buffer;
  /** Whether the hash is that of the line. */
  readonly isWhole: boolean;
}

/** What stands in place of a hash before the first line. */
export const NO_HASH = "0".repeat(64);

const HASH_LENGTH = 64;
const HASH_AT = '{"hash":"'.length;
const BODY_AT = HASH_AT + HASH_LENGTH + '",'.length;
const PREV_AT = BODY_AT + '"prev":"'.length;
const RECORD_AT = PREV_AT + HASH_LENGTH + '","record":'.length;
const MAX_SEQ_DIGITS = 16;
/** Longer lines are refused: a payload of the largest size, with every character escaped, is shorter. */
export const MAX_LINE = 256 * 1024 * 1024;

/** Writes a line, without its end, for a record in canonical JSON. */
export function formatLine(
  record: string,
  seq: number,
  prev: string,
): { readonly text: string; readonly hash: string } {
  const body = `"prev":"${prev}","record":${record},"seq":${seq}`;
  const hash = sha256(body);
  return { text: `{"hash":"${hash}",${body}}`, hash };
}

/** Takes a line apart; null when it does not have the shape of one. */
export function parseLine(line: Buffer): LineParts | null {
  const end = line.length - 1;
  if (end < RECORD_AT || line[end] !== CLOSING) return null;
  let digits = end - 1;
  while (digits > end - 1 - MAX_SEQ_DIGITS && isDigit(line[digits])) digits--;
  const seqAt = digits + 1;
  const recordEnd = seqAt - ',"seq":'.length;
  if (seqAt === end || recordEnd < RECORD_AT) return null;
  const head = line.toString("latin1", 0, RECORD_AT);
  const hash = head.slice(HASH_AT, HASH_AT + HASH_LENGTH);
  const prev = head.slice(PREV_AT, PREV_AT + HASH_LENGTH);
  const seq = line.toString("latin1", seqAt, end);
  const hasShape =
    head === `{"hash":"${hash}","prev":"${prev}","record":` &&
    line.toString("latin1", recordEnd, seqAt) === ',"seq":' &&
    (seq === "0" || !seq.startsWith("0"));
  if (!hasShape) return null;
  const isWhole = sha256(line.subarray(BODY_AT, end)) === hash;
  return { hash, prev, seq: Number(seq), record: line.subarray(RECORD_AT, recordEnd), isWhole };
}

const CLOSING = "}".charCodeAt(0);

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 48 && byte <= 57;
}
