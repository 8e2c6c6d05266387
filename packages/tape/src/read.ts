import { Chain } from "./chain.js";
import { TapeError } from "./errors.js";
import { readLines } from "./lines.js";
import { parseRecord, type TapeLine } from "./records.js";

/** A record with its place on the tape. */
export interface ReadRecord {
  readonly seq: number;
  readonly hash: string;
  /** The byte its line starts at. */
  readonly offset: number;
  readonly record: TapeLine;
  /** The record in canonical JSON, as it stands on the tape. */
  readonly text: string;
}

/**
 * Reads a tape record by record, and throws at the first one that is not what was written. A torn tail ends it: that
 * record was never finished.
 */
export function* readTape(file: string): Generator<ReadRecord, void> {
  const chain = new Chain();
  for (const raw of readLines(file)) {
    if (raw.isTorn) {
      const problem = chain.end(raw);
      if (problem !== null) throw broken(file, problem.message);
      break;
    }
    const { parts, problem } = chain.next(raw);
    if (problem !== null || parts === null) throw broken(file, problem?.message ?? "");
    const text = parts.record.toString();
    const { seq, hash } = parts;
    const { record, problem: why } = parseRecord(text);
    if (why !== null) throw broken(file, `record ${seq} (byte ${raw.offset}) has a right hash, but ${why}`);
    yield { seq, hash, offset: raw.offset, record, text };
  }
  if (chain.records === 0)
    throw new TapeError("HARN_E_TAPE_READ", `${file}: there is no record on it`, "Is it a tape?");
}

function broken(file: string, what: string): TapeError {
  return new TapeError(
    "HARN_E_TAPE_BROKEN",
    `${file}: ${what}`,
    "`harn tape verify` names every place where it was changed.",
  );
}
