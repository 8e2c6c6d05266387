import { BODY_AT, HASH_AT, HASH_KEY, NO_HASH, PREV_KEY, RECORD_KEY, SEQ_KEY } from "./line.js";
import { sha256 } from "./sha256.js";

/** A record in canonical JSON, in one piece or in several, some of them in bytes already. */
export type Pieces = readonly (string | Buffer)[];

const ROOM = 64 * 1024;
const MAX_KEPT = 4 * 1024 * 1024;
/** What a line needs beside its record. */
const FRAME = 256;
/** The last brace and the end of the line, which no hash covers. */
const CLOSING = 2;
/** A line up to the hash of the one before it; its own hash is put in when the rest is there. */
const BEFORE_PREV = HASH_KEY + NO_HASH + PREV_KEY;

/** The end of a chain, and its lines on their way to a file: every byte of a record is written once, and hashed there. */
export class LineBuffer {
  private bytes = Buffer.allocUnsafe(ROOM);
  private end = 0;

  constructor(
    /** The number of the next record. */
    public seq = 0,
    /** The hash of the last one. */
    public head: string = NO_HASH,
  ) {}

  /** How many bytes wait. */
  get length(): number {
    return this.end;
  }

  add(record: Pieces): void {
    this.makeRoom(record);
    const { bytes, end: start } = this;
    // Each call costs as much as a hundred bytes do: the frame is written together with the text behind it.
    let text = BEFORE_PREV + this.head + RECORD_KEY;
    let end = start;
    for (const piece of record) {
      if (typeof piece === "string") text += piece;
      else {
        if (text !== "") end += bytes.write(text, end);
        text = "";
        end += piece.copy(bytes, end);
      }
    }
    if (text !== "") end += bytes.write(text, end);
    end += bytes.write(`${SEQ_KEY}${this.seq++}}\n`, end, "latin1");
    this.head = sha256(bytes.subarray(start + BODY_AT, end - CLOSING));
    bytes.write(this.head, start + HASH_AT, "latin1");
    this.end = end;
  }

  /** Hands out what waits; the bytes are good until the next record comes. */
  take(): Buffer {
    const taken = this.bytes.subarray(0, this.end);
    this.end = 0;
    if (this.bytes.length > MAX_KEPT) this.bytes = Buffer.allocUnsafe(ROOM);
    return taken;
  }

  private makeRoom(record: Pieces): void {
    let needed = this.end + FRAME;
    // A character takes three bytes at most.
    for (const piece of record) needed += typeof piece === "string" ? piece.length * 3 : piece.length;
    if (needed <= this.bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, this.bytes.length * 2));
    this.bytes.copy(larger, 0, 0, this.end);
    this.bytes = larger;
  }
}
