import * as fs from "node:fs";
import { promisify } from "node:util";
import { ioReason, TapeError } from "./errors.js";

const fdatasync = promisify(fs.fdatasync);

/**
 * The end of a file that only grows. After the first error it takes nothing more: what came before a hole and what
 * came after it must not look like one story.
 */
export class AppendFile {
  private failure: TapeError | null = null;
  private isOpen = true;

  constructor(
    readonly path: string,
    private readonly fd: number,
    /** Bytes that were written. */
    private size: number,
  ) {
    this.kept = size;
  }

  /** Bytes somebody was told of that they are kept. */
  private kept: number;

  /** Fails when the file has failed before, or is closed. */
  check(): void {
    if (this.failure !== null) throw this.failure;
    if (!this.isOpen)
      throw new TapeError("HARN_E_TAPE_CLOSED", `${this.path} is closed`, "Open a tape for each session.");
  }

  append(bytes: Buffer): void {
    this.attempt(() => {
      for (let done = 0; done < bytes.length; ) done += fs.writeSync(this.fd, bytes, done);
      this.size += bytes.length;
    });
  }

  /** Everything so far is acknowledged; to the disk itself when it is synced. */
  keep(isSynced: boolean): void {
    this.attempt(() => {
      if (isSynced) {
        this.checkSize();
        fs.fdatasyncSync(this.fd);
      }
      this.kept = this.size;
    });
  }

  /** Like `keep`, while this thread goes on. */
  async keepLater(): Promise<void> {
    this.check();
    const { size } = this;
    this.attempt(() => this.checkSize());
    try {
      await fdatasync(this.fd);
    } catch (error) {
      throw this.fail(error);
    }
    this.check();
    this.kept = size;
  }

  close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    fs.closeSync(this.fd);
  }

  /** Somebody else's bytes in between break the chain; whoever is told that an outcome is kept is told that first. */
  private checkSize(): void {
    const { size, nlink } = fs.fstatSync(this.fd);
    if (nlink === 0) throw new Error("somebody removed it");
    if (size !== this.size) throw new Error(`somebody else changed it: ${size} bytes, and ${this.size} were written`);
  }

  private attempt(work: () => void): void {
    this.check();
    try {
      work();
    } catch (error) {
      throw this.fail(error);
    }
  }

  private fail(error: unknown): TapeError {
    const message = `${this.path}: ${ioReason(error)}; it takes no record after this, so gates block`;
    this.failure ??= new TapeError("HARN_E_TAPE_WRITE", message, "Make room for a new tape and open one.", error);
    try {
      // Nobody was told of an outcome behind this place.
      fs.ftruncateSync(this.fd, this.kept);
    } catch {
      // A torn tail is found by whoever reads the tape.
    }
    return this.failure;
  }
}
