import { isUnfinished, type LineParts, matchLine, NO_HASH, parseLine } from "./line.js";
import type { RawLine } from "./lines.js";
import { FORMAT, parseRecord, type SessionRecord } from "./records.js";

/** Something on a tape that was not written there, or is not there any more. */
export interface TapeProblem {
  /**
   * `changed`: these are not the bytes that were written. `missing`: records are gone. `misplaced`: a record stands
   * where it was not written. `foreign`: it does not follow the one before it. `head`: the tape does not start as one.
   */
  readonly kind: "changed" | "missing" | "misplaced" | "foreign" | "head";
  /** The line of the file, from 1. */
  readonly line: number;
  /** The byte it starts at. */
  readonly offset: number;
  /** The number of the record that was expected there. */
  readonly seq: number;
  readonly message: string;
}

/** Follows the chain of a tape from line to line. */
export class Chain {
  /** The hash of the last whole record. */
  head = NO_HASH;
  /** How many lines were whole records. */
  records = 0;
  header: SessionRecord | null = null;

  private line = 0;
  private seq = 0;
  /** What the next line must name as the one before; null after a line that cannot be trusted. */
  private prev: string | null = NO_HASH;

  /** Takes in the next line; says what is wrong with it, or null. */
  next(raw: RawLine): { readonly parts: LineParts | null; readonly problem: TapeProblem | null } {
    this.line++;
    const expected = this.prev === null ? null : matchLine(raw.bytes, this.prev, this.seq);
    const parts = expected ?? parseLine(raw.bytes);
    const isNext = expected !== null && this.line > 1;
    const problem = isNext ? null : this.judge(parts, raw);
    if (parts?.isWhole === true) {
      this.seq = parts.seq + 1;
      this.head = parts.hash;
      this.prev = this.head;
      this.records++;
    } else {
      this.seq++;
      this.prev = null;
    }
    return { parts, problem };
  }

  /** Takes in the end of a file that is no whole line; null when it is a record that was never finished. */
  end({ bytes, offset }: RawLine): TapeProblem | null {
    if (this.prev !== null && isUnfinished(bytes, this.prev)) return null;
    const what = `the ${bytes.length} bytes from ${offset} on are no part of a record`;
    return { kind: "changed", line: this.line + 1, offset, seq: this.seq, message: `line ${this.line + 1}: ${what}` };
  }

  private judge(parts: LineParts | null, { offset }: RawLine): TapeProblem | null {
    const { line, seq } = this;
    const at = (kind: TapeProblem["kind"], message: string): TapeProblem => ({
      kind,
      line,
      offset,
      seq,
      message: `line ${line} (byte ${offset}): ${message}`,
    });
    if (parts === null) return at("changed", `this is no record; record ${seq} was expected`);
    if (!parts.isWhole) return at("changed", `record ${seq} is not what was written`);
    if (parts.seq > seq) return at("missing", `${gone(seq, parts.seq - 1)} before record ${parts.seq}`);
    if (parts.seq < seq) return at("misplaced", `record ${parts.seq} stands where record ${seq} was expected`);
    if (this.prev !== null && parts.prev !== this.prev)
      return at("foreign", `record ${seq} was not written after the one before it`);
    return line === 1 ? this.readHead(parts, at) : null;
  }

  private readHead(
    { record }: LineParts,
    at: (kind: TapeProblem["kind"], message: string) => TapeProblem,
  ): TapeProblem | null {
    const { record: head, problem } = parseRecord(record.toString());
    if (problem !== null) return at("head", problem);
    if (head.kind !== "session") return at("head", "a tape starts with the record of its session");
    if (head.format !== FORMAT) return at("head", `format ${head.format} is not known here, only ${FORMAT}`);
    this.header = head;
    return null;
  }
}

function gone(from: number, to: number): string {
  return from === to ? `record ${from} is missing` : `records ${from} to ${to} are missing`;
}
