import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { canonicalJson, type Json, type TapeEntry, type TapeSink } from "@hooks/core";
import { EntryText } from "./entry-text.js";
import { ioReason, TapeError } from "./errors.js";
import { AppendFile } from "./file.js";
import { GroupSync } from "./group.js";
import { ensurePrivateDirectory, stateDirectory, tapeName } from "./home.js";
import { LineBuffer, type Pieces } from "./line-buffer.js";
import { lockTape } from "./lock.js";
import { createMask, type Mask, type MaskOptions } from "./mask.js";
import { FORMAT, type TapeLine } from "./records.js";
import { cutTail } from "./tail.js";

/**
 * When an outcome is safe. `outcome`: on the disk, before the agent hears of it. `group`: the same, with one sync for
 * all dispatches that end together; every answer is a promise. `none`: with the operating system, which keeps it
 * whatever happens to this process, but not when the machine loses power.
 */
export type SyncPolicy = "outcome" | "group" | "none";

export interface WriteOptions {
  readonly sync?: SyncPolicy;
  /** How secrets are masked; false: not at all. */
  readonly mask?: MaskOptions | false;
  /** The digest of the policy that runs. A function is asked before every event, so that a reload is on the tape. */
  readonly policy?: string | null | (() => string | null);
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** When the clock of the harness was at zero; that of the process when absent. */
  readonly origin?: number;
}

export interface TapeOptions extends WriteOptions {
  readonly session: string;
  /** Where the tape is made, under a name of its own; in the user's state directory when absent. */
  readonly directory?: string;
  /** The tape itself, which must not exist. */
  readonly file?: string;
}

export interface ResumeOptions extends WriteOptions {
  readonly file: string;
  /** Whose tape it is when nothing was written on it, because its process was gone too early; refused when absent. */
  readonly session?: string;
}

/** A tape that is being written. */
export interface Tape extends TapeSink {
  readonly file: string;
  /** Bytes of a record that was never finished, cut off when the tape was opened. */
  readonly cut: number;
  commit(): undefined | Promise<undefined>;
  /** Writes the closing record. What comes after it is refused. */
  close(): Promise<void>;
  /** Lets go of a tape that another process will go on with: what was written is kept, and there is no closing record. */
  release(): void;
}

const { O_CREAT, O_EXCL, O_RDWR, O_APPEND, O_NOFOLLOW = 0 } = fs.constants;

/** Makes a tape for one session: a file that did not exist before and that nobody else can read. */
export function openTape(options: TapeOptions): Tape {
  const started = (options.now ?? Date.now)();
  const mask = options.mask === false ? null : createMask(options.mask);
  const file = options.file ?? join(ensurePrivateDirectory(directoryOf(options)), tapeName(options.session, started));
  return locked(file, O_CREAT | O_EXCL, (fd, unlock) => {
    if (options.sync !== "none") syncDirectory(dirname(file));
    const tape = new FileTape(new AppendFile(file, fd, 0), options, mask, unlock, new LineBuffer());
    tape.opening = headOf(options.session, options, started, mask);
    return tape;
  });
}

/** Goes on with a tape: one of a process that was killed, or of a session that has a process for each event. */
export function resumeTape(options: ResumeOptions): Tape {
  const { file } = options;
  const mask = options.mask === false ? null : createMask(options.mask);
  return locked(file, 0, (fd, unlock) => {
    const tail = cutTail(fd, file);
    const started = (options.now ?? Date.now)();
    const tape = new FileTape(
      new AppendFile(file, fd, tail.size),
      options,
      mask,
      unlock,
      new LineBuffer(tail.seq, tail.hash),
    );
    tape.cut = tail.cut;
    tape.opening =
      tail.seq === 0
        ? headOf(sessionOf(options), options, started, mask)
        : (policy) => ({ kind: "resumed", started, origin: originOf(options), policy, cut: tail.cut });
    return tape;
  });
}

/** Opens a file with the right to write it. What fails on the way lets go of both. */
function locked(file: string, flags: number, work: (fd: number, unlock: () => void) => FileTape): FileTape {
  const unlock = lockTape(file);
  let fd: number | null = null;
  try {
    fd = open(file, flags | O_RDWR | O_APPEND | O_NOFOLLOW);
    return work(fd, unlock);
  } catch (error) {
    if (fd !== null) fs.closeSync(fd);
    unlock();
    throw error;
  }
}

/** What the first record says of a tape, once it is known which policy runs. */
function headOf(session: string, options: WriteOptions, started: number, mask: Mask | null) {
  const origin = originOf(options);
  return (policy: string | null): TapeLine => {
    return { kind: "session", format: FORMAT, session, started, origin, policy, mask: mask?.description ?? null };
  };
}

function originOf({ origin }: WriteOptions): number {
  return origin ?? performance.timeOrigin;
}

function sessionOf({ session, file }: ResumeOptions): string {
  if (session !== undefined) return session;
  throw new TapeError("HARN_E_TAPE_BROKEN", `${file}: there is no record on it`, "Remove it, and open a new tape.");
}

function directoryOf({ directory }: TapeOptions): string {
  return directory ?? join(ensurePrivateDirectory(stateDirectory()), "tapes");
}

function open(file: string, flags: number): number {
  try {
    return fs.openSync(file, flags, 0o600);
  } catch (error) {
    throw new TapeError("HARN_E_TAPE_OPEN", `${file} cannot be opened: ${ioReason(error)}`, undefined, error);
  }
}

// A new file is only there after a loss of power when its directory was synced too.
function syncDirectory(directory: string): void {
  if (process.platform === "win32") return;
  const fd = fs.openSync(directory, fs.constants.O_RDONLY);
  try {
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

/** Records wait in memory until the dispatch they belong to has ended, but not more than this many bytes. */
const MAX_WAITING = 1024 * 1024;

class FileTape implements Tape {
  readonly file: string;
  cut = 0;
  /** The first record, made when it is known which policy runs; null once it is written. */
  opening: ((policy: string | null) => TapeLine) | null = null;

  private readonly sync: SyncPolicy;
  private readonly policyOf: () => string | null;
  private readonly group = new GroupSync(() => this.keepGroup());
  private policy: string | null = null;
  private isClosing = false;
  private readonly text: EntryText;

  constructor(
    private readonly out: AppendFile,
    { sync = "outcome", policy = null }: WriteOptions,
    mask: Mask | null,
    private readonly unlock: () => void,
    private readonly lines: LineBuffer,
  ) {
    this.file = out.path;
    this.text = new EntryText(mask);
    this.sync = sync;
    this.policyOf = typeof policy === "function" ? policy : () => policy;
  }

  write(entry: TapeEntry): undefined {
    this.out.check();
    if (this.isClosing) throw new TapeError("HARN_E_TAPE_CLOSED", `${this.file} is closed`);
    if (entry.kind === "event" || this.opening !== null) this.begin();
    this.push(this.text.of(entry));
  }

  commit(): undefined | Promise<undefined> {
    if (this.sync === "group") {
      this.out.check();
      return this.group.join().then(() => undefined);
    }
    this.flush();
    this.out.keep(this.sync === "outcome");
  }

  async close(): Promise<void> {
    if (this.isClosing) return;
    this.isClosing = true;
    try {
      await this.group.idle();
      this.begin();
      this.push([canonicalJson({ kind: "closed", records: this.lines.seq })]);
      this.flush();
      this.out.keep(this.sync !== "none");
    } finally {
      this.out.close();
      this.unlock();
    }
  }

  release(): void {
    if (this.isClosing) return;
    this.isClosing = true;
    try {
      this.flush();
      this.out.keep(this.sync !== "none");
    } finally {
      this.out.close();
      this.unlock();
    }
  }

  /** The head of the tape, or a word on a policy that has changed since. */
  private begin(): void {
    const policy = this.policyOf();
    if (this.opening === null && policy === this.policy) return;
    const record = this.opening?.(policy) ?? { kind: "policy", policy };
    this.opening = null;
    this.policy = policy;
    this.push([canonicalJson(record as unknown as Json)]);
  }

  private push(record: Pieces): void {
    this.lines.add(record);
    if (this.lines.length > MAX_WAITING) this.flush();
  }

  private flush(): void {
    this.out.check();
    if (this.lines.length > 0) this.out.append(this.lines.take());
  }

  private async keepGroup(): Promise<void> {
    this.flush();
    await this.out.keepLater();
  }
}
