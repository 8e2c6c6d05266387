import { Chain, type TapeProblem } from "./chain.js";
import { readLines } from "./lines.js";
import { writerOf } from "./lock.js";
import type { SessionRecord } from "./records.js";

/** What a look at every byte of a tape says. */
export interface Verification {
  /** Whether every byte is one that was written, and every record follows the one before. */
  readonly intact: boolean;
  /** Whether it is intact and ends with its closing record: only then can nothing be missing at its end. */
  readonly complete: boolean;
  readonly records: number;
  readonly bytes: number;
  /** The hash of the last whole record. Kept elsewhere, it shows later that the tape was not cut or written anew. */
  readonly head: string;
  readonly header: SessionRecord | null;
  /** The end of a record that was never finished, as a killed process leaves it, or that is being written just now. */
  readonly torn: { readonly offset: number; readonly bytes: number; readonly writer: number | null } | null;
  readonly problems: readonly TapeProblem[];
  /** All of it in one sentence for each finding. */
  readonly messages: readonly string[];
}

export interface VerifyOptions {
  /** A hash that must be on the tape: one that was kept elsewhere. */
  readonly anchor?: string;
  /** Called about once for every 16 MB with the bytes that are done. */
  readonly onProgress?: (bytes: number) => void;
}

const MAX_PROBLEMS = 20;
const STEP = 16 * 1024 * 1024;

/** Looks at every byte of a tape, in the memory one record takes. */
export async function verifyTape(file: string, { anchor, onProgress }: VerifyOptions = {}): Promise<Verification> {
  const chain = new Chain();
  const problems: TapeProblem[] = [];
  let torn: Verification["torn"] = null;
  let bytes = 0;
  let told = 0;
  let last = "";
  let isAnchored = anchor === undefined;
  for (const raw of readLines(file)) {
    bytes = raw.offset + raw.bytes.length + (raw.isTorn ? 0 : 1);
    if (raw.isTorn) {
      const foreign = chain.end(raw);
      if (foreign === null) torn = { offset: raw.offset, bytes: raw.bytes.length, writer: writerOf(file) };
      else problems.push(foreign);
      last = "";
      break;
    }
    const { parts, problem } = chain.next(raw);
    if (problem !== null && problems.length < MAX_PROBLEMS) problems.push(problem);
    isAnchored ||= parts?.isWhole === true && parts.hash === anchor;
    last = parts?.isWhole === true && parts.recordLength < MAX_CLOSING ? parts.record.toString("latin1") : "";
    if (bytes - told < STEP) continue;
    told = bytes;
    onProgress?.(bytes);
    await new Promise(setImmediate);
  }
  const isClosed = torn === null && CLOSED.test(last);
  const messages = problems.map(({ message }) => message);
  if (chain.records === 0 && problems.length === 0) messages.push("there is no record on it");
  if (!isAnchored) messages.push(`no record has the hash ${anchor}: the tape was cut, or written anew`);
  const intact = messages.length === 0;
  if (torn !== null)
    messages.push(`the last ${torn.bytes} bytes (from byte ${torn.offset}) are a record ${endOf(torn)}`);
  else if (!isClosed) messages.push("it was not closed: what came after its last record, if anything, is not on it");
  const { records, head, header } = chain;
  return { intact, complete: intact && isClosed, records, bytes, head, header, torn, problems, messages };
}

function endOf({ writer }: NonNullable<Verification["torn"]>): string {
  return writer === null ? "that was never finished" : `that process ${writer} is writing`;
}

/** A closing record is short; nothing longer has to be parsed to know that it is none. */
const MAX_CLOSING = 100;
const CLOSED = /^\{"kind":"closed","records":\d+\}$/;
