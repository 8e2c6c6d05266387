import {
  canonicalJson,
  type EventRecord,
  type HookCallRecord,
  type HookRef,
  type HookReturnedRecord,
  type Json,
  type TapeEntry,
} from "@hooks/core";
import type { Pieces } from "./line-buffer.js";
import type { Mask } from "./mask.js";

/** What a hook's records have in common, in a session and on an event. */
interface HookText {
  readonly session: string;
  readonly event: string;
  /** Of a call: what stands between the number of the dispatch and the payload. */
  readonly call: Buffer;
  readonly observerCall: Buffer;
  /** Of an answer without anything in it: what stands behind the duration. */
  readonly allow: Buffer;
}

/**
 * Writes the records of dispatches in canonical JSON, without the secrets in them. Those that nearly every dispatch
 * has are spliced from parts that were written before: their keys are in order here, and hold nothing an agent said.
 */
export class EntryText {
  private readonly hooks = new WeakMap<HookRef, HookText>();
  /** Most records of a dispatch hold the same payload, which is frozen: its text is made once. */
  private payload: Json | undefined;
  private payloadBytes = Buffer.alloc(0);

  constructor(private readonly mask: Mask | null) {}

  of(entry: TapeEntry): Pieces {
    return this.spliced(entry) ?? [this.mask === null ? canonicalJson(entry as never) : this.mask.entry(entry)];
  }

  /** The text of a record that is no longer than usual; null for one with something more in it. */
  private spliced(entry: TapeEntry): Pieces | null {
    const { dispatch, kind } = entry;
    const at = number(entry.at);
    const keys = countKeys(entry);
    if (kind === "event" && keys === 6) {
      const event = JSON.stringify(entry.event);
      return [`{"at":${at},"dispatch":${dispatch},"event":${event},"kind":"event",`, this.payloadOf(entry)];
    }
    if (kind === "hook_call" && keys === (entry.observes === true ? 8 : 7)) {
      const { call, observerCall } = this.hookOf(entry);
      return [`{"at":${at},"dispatch":${dispatch}`, keys === 8 ? observerCall : call, this.payloadOf(entry)];
    }
    if (kind === "hook_returned" && keys === 8 && entry.result === "allow") {
      const duration = number(entry.duration_ms);
      return [`{"at":${at},"dispatch":${dispatch},"duration_ms":${duration}`, this.hookOf(entry).allow];
    }
    return null;
  }

  private payloadOf({ payload, session }: EventRecord | HookCallRecord): Buffer {
    if (payload !== this.payload) {
      const text = this.mask === null ? canonicalJson(payload) : this.mask.payload(payload);
      this.payloadBytes = Buffer.from(`"payload":${text},"session":${JSON.stringify(session)}}`);
      this.payload = payload;
    }
    return this.payloadBytes;
  }

  private hookOf({ hook, event, session }: HookCallRecord | HookReturnedRecord): HookText {
    const known = this.hooks.get(hook);
    if (known !== undefined && known.session === session && known.event === event) return known;
    const head = `,"event":${JSON.stringify(event)},"hook":${canonicalJson(hook as unknown as Json)}`;
    const tail = `,"kind":"hook_returned","result":"allow","session":${JSON.stringify(session)}}`;
    const text: HookText = {
      session,
      event,
      call: Buffer.from(`${head},"kind":"hook_call",`),
      observerCall: Buffer.from(`${head},"kind":"hook_call","observes":true,`),
      allow: Buffer.from(head + tail),
    };
    this.hooks.set(hook, text);
    return text;
  }
}

function countKeys(entry: object): number {
  let keys = 0;
  for (const _ in entry) keys++;
  return keys;
}

/** A clock's reading as JSON has it; null for what is no number. */
function number(value: number): number | string | null {
  const thousandths = Math.round(value * 1_000);
  // Three digits behind the point, as the runtime writes them, are put together faster than a fraction is.
  if (thousandths / 1_000 !== value || !(thousandths > 0 && thousandths < 1e12))
    return Number.isFinite(value) ? value : null;
  const rest = thousandths % 1_000;
  const whole = (thousandths - rest) / 1_000;
  return rest === 0 ? whole : `${whole}${FRACTIONS[rest]}`;
}

const FRACTIONS: readonly string[] = Array.from({ length: 1_000 }, (_, rest) => String(rest / 1_000).slice(1));
