import type { HookFailedRecord, TapeEntry } from "@hooks/core";

/** The version of the format; a reader refuses a tape of another one. */
export const FORMAT = 1;

/** The first record of a tape. */
export interface SessionRecord {
  readonly kind: "session";
  readonly format: number;
  readonly session: string;
  /** When the tape was opened, in milliseconds since 1970. */
  readonly started: number;
  /** What to add to the `at` of a record to get milliseconds since 1970. */
  readonly origin: number;
  /** The digest of the policy that ran; null when the host named none. */
  readonly policy: string | null;
  readonly mask: MaskRecord | null;
}

/** How secrets were masked. */
export interface MaskRecord {
  /** Names the key without telling it: tapes with the same one can be compared. */
  readonly key: string;
  readonly detectors: readonly string[];
  readonly paths: readonly string[];
}

/** From here on another policy ran. */
export interface PolicyRecord {
  readonly kind: "policy";
  readonly policy: string | null;
}

/** A process went on with the tape of another, which may have been killed. */
export interface ResumedRecord {
  readonly kind: "resumed";
  readonly started: number;
  readonly origin: number;
  readonly policy: string | null;
  /** Bytes of a record that was never finished, and is gone. */
  readonly cut: number;
}

/** The last record of a tape whose session came to its end. Without it nobody can say that nothing is missing. */
export interface ClosedRecord {
  readonly kind: "closed";
  /** How many records are before this one. */
  readonly records: number;
}

/** Everything that can stand on a tape. */
export type TapeLine = TapeEntry | SessionRecord | PolicyRecord | ResumedRecord | ClosedRecord;

const OF_A_DISPATCH: readonly string[] = [
  "event",
  "hook_call",
  "hook_returned",
  "hook_vetoed",
  "hook_failed",
  "outcome",
];

/** Whether a record was written by a dispatch, and not by the tape itself. */
export function isEntry(record: TapeLine): record is TapeEntry {
  return OF_A_DISPATCH.includes(record.kind);
}

/** Whether a fault is thrown at the host, and its record the last one; an observer's comes before the outcome. */
export function isRaised(record: TapeLine): record is HookFailedRecord {
  return record.kind === "hook_failed" && record.on_error === "raise" && record.observes !== true;
}
