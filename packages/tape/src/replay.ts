import { closeSync, openSync, writeSync } from "node:fs";
import {
  canonicalJson,
  createPlayer,
  effectOf,
  HarnError,
  type HookCallRecord,
  type HookFailedRecord,
  type HookReturnedRecord,
  type Json,
  type JsonObject,
  type RecordedHook,
  type TapeEntry,
} from "@hooks/core";
import { ioReason, TapeError } from "./errors.js";
import { NO_HASH } from "./line.js";
import { LineBuffer } from "./line-buffer.js";
import { type ReadRecord, readTape } from "./read.js";
import { isEntry, isRaised } from "./records.js";

/** A record that is not the same the second time. */
export interface Divergence {
  /** `missing`: it is on the tape and did not come. `extra`: it came and is not on the tape. */
  readonly kind: "missing" | "extra" | "different";
  /** The number of the record on the tape; of an extra one, that of its event. */
  readonly seq: number;
  readonly recorded: Json | null;
  readonly replayed: Json | null;
  readonly message: string;
}

/** What a replay came to. */
export interface Replay {
  /** Whether the new tape is the old one, byte for byte. */
  readonly identical: boolean;
  readonly events: number;
  readonly records: number;
  /** The first of them; a replay goes on after one. */
  readonly divergences: readonly Divergence[];
}

export interface ReplayOptions {
  /** Where the new tape is written; the file must not exist. */
  readonly to?: string;
  /** Hears from time to time how many events were replayed, and the byte of the tape it is at. */
  readonly onProgress?: (progress: { readonly events: number; readonly bytes: number }) => void;
}

const MAX_DIVERGENCES = 20;

/**
 * Sends the recorded events through the runtime once more, with hooks that answer what the tape says they answered: the
 * handlers themselves are not needed. Clock readings come from the tape; everything else is made anew and compared.
 */
export async function replayTape(file: string, { to, onProgress }: ReplayOptions = {}): Promise<Replay> {
  const fd = to === undefined ? null : create(to);
  try {
    return await new Replayer(file, fd).run(onProgress);
  } finally {
    if (fd !== null) closeSync(fd);
  }
}

function create(file: string): number {
  try {
    return openSync(file, "wx", 0o600);
  } catch (error) {
    const help = "Name a file that does not exist.";
    throw new TapeError("HARN_E_TAPE_OPEN", `${file} cannot be made: ${ioReason(error)}`, help, error);
  }
}

interface Item {
  readonly read: ReadRecord;
  isDone: boolean;
}

/** One dispatch on its way through the replay. */
interface Script {
  readonly seq: number;
  /** Let go of once all of them are done: a long tape is not kept. */
  items: readonly Item[];
  /** Whether a process was killed before it was over: what came after is not on the tape, and not missed. */
  readonly isCut: boolean;
  /** The hook that waits for its turn to answer. */
  settle: (() => void) | null;
}

class Replayer {
  private readonly source: Generator<ReadRecord, void>;
  private readonly player = createPlayer({ write: (entry): undefined => this.take(entry) });
  private readonly scripts = new Map<number, Script>();
  private readonly divergences: Divergence[] = [];
  /** Records that were read and not yet replayed, in the order of the tape. */
  private window: Item[] = [];
  private events = 0;
  private readonly lines = new LineBuffer();
  private recordedHead = NO_HASH;

  constructor(
    file: string,
    private readonly fd: number | null,
  ) {
    this.source = readTape(file);
  }

  async run(onProgress?: ReplayOptions["onProgress"]): Promise<Replay> {
    for (let item = this.head(); item !== null; item = this.head()) {
      onProgress?.({ events: this.events, bytes: item.read.offset });
      await this.step(item);
    }
    const isSame = this.lines.head === this.recordedHead;
    if (!isSame && this.divergences.length === 0) {
      this.diverge("different", this.lines.seq, null, null, "the records came in another order");
    }
    return { identical: isSame, events: this.events, records: this.lines.seq, divergences: this.divergences };
  }

  private async step(item: Item): Promise<void> {
    const { record, text, seq } = item.read;
    if (!isEntry(record)) {
      // What the tape itself wrote. A new process starts to count its dispatches anew.
      if (record.kind === "resumed") this.scripts.clear();
      this.emit(text);
      item.isDone = true;
      return;
    }
    const script = this.scripts.get(record.dispatch);
    if (record.kind === "event") this.start(item, record.payload as JsonObject, record.dispatch);
    else if (script?.settle != null) {
      const { settle } = script;
      script.settle = null;
      settle();
      await new Promise(setImmediate);
    }
    if (item.isDone) return;
    tick(item, this.scripts.get(record.dispatch));
    this.diverge("missing", seq, record as unknown as Json, null, `${describe(record)} did not come again`);
  }

  private start(item: Item, payload: JsonObject, dispatch: number): void {
    this.events++;
    const { items, isCut } = this.itemsOf(item, dispatch);
    const script: Script = { seq: item.read.seq, items, isCut, settle: null };
    this.scripts.set(dispatch, script);
    const hooks = hooksOf(script, (answer) => this.head() === answer);
    try {
      const outcome = this.player.play(dispatch, payload, hooks);
      if (outcome instanceof Promise) outcome.catch(() => {});
    } catch {
      // A fault that is raised: the tape has it as hook_failed, and the replay as well.
    }
  }

  /** The records of a dispatch from its event on, up to its end or the end of the tape. */
  private itemsOf(first: Item, dispatch: number): Pick<Script, "items" | "isCut"> {
    const items: Item[] = [];
    for (let place = this.window.indexOf(first); ; place++) {
      const item = this.window[place] ?? this.pull();
      if (item === null) return { items, isCut: this.window.at(-1)?.read.record.kind !== "closed" };
      const { record } = item.read;
      if (record.kind === "resumed") return { items, isCut: true };
      if (!isEntry(record) || record.dispatch !== dispatch) continue;
      items.push(item);
      if (record.kind === "outcome" || isRaised(record)) return { items, isCut: false };
    }
  }

  /** Takes in a record of the replay. */
  private take(entry: TapeEntry): undefined {
    const script = this.scripts.get(entry.dispatch);
    const item = script?.items.find(({ isDone }) => !isDone);
    if (script === undefined || item === undefined) {
      if (script?.isCut === true) return;
      const text = canonicalJson(entry as unknown as Json);
      this.emit(text);
      this.diverge("extra", script?.seq ?? 0, null, JSON.parse(text), `${describe(entry)} is not on the tape`);
      return;
    }
    tick(item, script);
    const recorded = item.read.record as TapeEntry;
    const timed = {
      ...entry,
      at: recorded.at,
      ...("duration_ms" in entry && "duration_ms" in recorded ? { duration_ms: recorded.duration_ms } : {}),
    };
    const text = canonicalJson(timed as unknown as Json);
    this.emit(text);
    if (text === item.read.text) return;
    const message = `${describe(recorded)} came as ${describe(entry)}`;
    this.diverge("different", item.read.seq, recorded as unknown as Json, JSON.parse(text), message);
  }

  private emit(record: string): void {
    this.lines.add([record]);
    const line = this.lines.take();
    if (this.fd !== null) writeSync(this.fd, line);
  }

  private diverge(
    kind: Divergence["kind"],
    seq: number,
    recorded: Json | null,
    replayed: Json | null,
    what: string,
  ): void {
    if (this.divergences.length >= MAX_DIVERGENCES) return;
    this.divergences.push({ kind, seq, recorded, replayed, message: `record ${seq}: ${what}` });
  }

  /** The first record that was not replayed yet; null at the end. */
  private head(): Item | null {
    const first = this.window.findIndex(({ isDone }) => !isDone);
    if (first < 0) {
      this.window = [];
      return this.pull();
    }
    if (first > 0) this.window.splice(0, first);
    return this.window[0] ?? null;
  }

  private pull(): Item | null {
    const { value, done } = this.source.next();
    if (done === true || value === undefined) return null;
    this.recordedHead = value.hash;
    const item = { read: value, isDone: false };
    this.window.push(item);
    return item;
  }
}

function tick(item: Item, script: Script | undefined): void {
  item.isDone = true;
  if (script?.items.every(({ isDone }) => isDone) === true) script.items = [];
}

type Answer = HookReturnedRecord | HookFailedRecord;

/** The hooks of a dispatch. One whose answer is next on the tape gives it at once, any other when its turn comes. */
function hooksOf(script: Script, isNext: (item: Item) => boolean): RecordedHook[] {
  const hooks: RecordedHook[] = [];
  const calls = new Map<string, HookCallRecord>();
  for (const item of script.items) {
    const record = item.read.record as TapeEntry;
    if (record.kind === "hook_call") calls.set(record.hook.id, record);
    if (record.kind !== "hook_returned" && record.kind !== "hook_failed") continue;
    const call = calls.get(record.hook.id);
    const answer = () => (isNext(item) ? replay(record) : later(script, record));
    const on_error = record.kind === "hook_failed" ? record.on_error : null;
    const observes = call?.observes ?? (record.kind === "hook_failed" && record.observes === true);
    hooks.push({ ref: record.hook, on_error, answer, observes, ...(call === undefined ? { isRefused: true } : {}) });
    calls.delete(record.hook.id);
  }
  // A process that was killed leaves a call without an answer: it has none this time either.
  for (const { hook: ref, observes = false } of calls.values())
    hooks.push({ ref, on_error: null, observes, answer: () => new Promise(() => {}) });
  return hooks;
}

function later(script: Script, record: Answer): Promise<ReturnType<typeof replay>> {
  return new Promise((resolve, reject) => {
    script.settle = () => {
      try {
        resolve(replay(record));
      } catch (error) {
        reject(error);
      }
    };
  });
}

function replay(record: Answer): ReturnType<typeof effectOf> | undefined {
  if (record.kind === "hook_failed") throw new HarnError(record.code, record.message);
  return record.result === "observed" ? undefined : effectOf(record);
}

function describe(entry: TapeEntry): string {
  const of = "hook" in entry ? ` of "${entry.hook.id}"` : "";
  return `${entry.kind}${of} in ${entry.event}`;
}
