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

type Kind = TapeLine["kind"];
type Fields = Readonly<Record<string, "string" | "number" | "object">>;

const BASE: Fields = { session: "string", dispatch: "number", event: "string" };
const OF_A_HOOK: Fields = { ...BASE, hook: "object" };

/** What a reader relies on in a record of each kind. */
const FIELDS: Readonly<Record<Kind, Fields>> = {
  session: { format: "number", session: "string", started: "number", origin: "number" },
  policy: {},
  resumed: { started: "number", origin: "number", cut: "number" },
  closed: { records: "number" },
  event: { ...BASE, payload: "object" },
  hook_call: { ...OF_A_HOOK, payload: "object" },
  hook_returned: { ...OF_A_HOOK, result: "string" },
  hook_vetoed: { ...OF_A_HOOK, reason: "string" },
  hook_failed: { ...OF_A_HOOK, code: "string", message: "string", on_error: "string" },
  outcome: { ...BASE, verdict: "string" },
};

/** Reads a record. Whoever can compute hashes can write any text behind a right one. */
export function parseRecord(
  text: string,
): { readonly record: TapeLine; readonly problem: null } | { readonly record: null; readonly problem: string } {
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    return { record: null, problem: "its record is no JSON" };
  }
  const record = (typeof found === "object" && found !== null ? found : {}) as Readonly<Record<string, unknown>>;
  const { kind } = record;
  if (typeof kind !== "string" || !Object.hasOwn(FIELDS, kind))
    return { record: null, problem: `its record is of no kind that is known here: ${shortened(kind)}` };
  const wrong = Object.entries(FIELDS[kind as Kind]).find(
    ([name, type]) => typeof record[name] !== type || record[name] === null,
  );
  if (wrong !== undefined) return { record: null, problem: `its record is no ${kind}: ${wrong[0]} is not ${wrong[1]}` };
  const { hook } = record as { hook?: { id?: unknown; handler?: unknown } };
  if (hook !== undefined && (typeof hook.id !== "string" || typeof hook.handler !== "string"))
    return { record: null, problem: `its record is no ${kind}: hook has no id or no handler` };
  return { record: record as unknown as TapeLine, problem: null };
}

function shortened(value: unknown): string {
  return (JSON.stringify(value) ?? "none").slice(0, 60);
}

const OF_THE_TAPE: readonly Kind[] = ["session", "policy", "resumed", "closed"];

/** Whether a record was written by a dispatch, and not by the tape itself. */
export function isEntry(record: TapeLine): record is TapeEntry {
  return !OF_THE_TAPE.includes(record.kind);
}

/** Whether a fault is thrown at the host, and its record the last one; an observer's comes before the outcome. */
export function isRaised(record: TapeLine): record is HookFailedRecord {
  return record.kind === "hook_failed" && record.on_error === "raise" && record.observes !== true;
}
