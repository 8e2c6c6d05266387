import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { TapeEntry, TapeSink } from "@hooks/core";
import { ensurePrivateDirectory, openTape, resumeTape, stateDirectory, type Tape, TapeError } from "@hooks/tape";
import { clockOrigin } from "./clock.js";

/** The tape of an agent's session: always the same file, because every event of the session comes to another process. */
export function tapeOf(agent: string, session: string): string {
  const directory = join(ensurePrivateDirectory(stateDirectory()), "tapes");
  const slug = session.replace(/[^A-Za-z0-9_-]+/g, "-").slice(0, 60);
  const digest = createHash("sha256").update(session).digest("hex").slice(0, 12);
  return join(ensurePrivateDirectory(directory), `${agent}-${slug}-${digest}.jsonl`);
}

const PATIENCE_MS = 3_000;
const PAUSE_MS = 5;

/**
 * Takes the records of dispatches and puts those of each on the tape when it ends. Agents run hooks in parallel, and a
 * tape has one writer at a time: it is held for the writing alone, and not while hooks think.
 */
export class AgentTape implements TapeSink {
  private entries: TapeEntry[] = [];
  private isAbandoned = false;

  constructor(
    private readonly file: string,
    private readonly session: string,
    private readonly policy: () => string | null,
    private readonly paths: readonly string[] = [],
  ) {}

  write(entry: TapeEntry): undefined {
    if (!this.isAbandoned) this.entries.push(entry);
  }

  async commit(): Promise<undefined> {
    const until = Date.now() + PATIENCE_MS;
    for (;;) {
      try {
        return await this.save();
      } catch (error) {
        const isBusy = error instanceof TapeError && error.code === "HARN_E_TAPE_BUSY";
        if (!isBusy || Date.now() > until) throw error;
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS + Math.random() * PAUSE_MS));
      }
    }
  }

  /** The agent was refused, and hears of nothing that comes later: keeps what there is, and takes nothing more. */
  abandon(): void {
    if (this.isAbandoned) return;
    this.isAbandoned = true;
    try {
      const tape = this.fill();
      tape?.release();
    } catch {
      // A refusal needs no record, and must not fail for want of one.
    }
  }

  /** Writes down a dispatch; the one that ends the session closes its tape. */
  private async save(): Promise<undefined> {
    const isOver = this.entries.some(({ kind, event }) => kind === "outcome" && event === "SessionEnd");
    const tape = this.fill();
    this.entries = [];
    if (isOver) await tape?.close();
    else tape?.release();
  }

  /** Opens the tape and puts on it what there is. */
  private fill(): Tape | undefined {
    if (this.entries.length === 0) return undefined;
    const tape = this.open();
    try {
      for (const entry of this.entries) tape.write(entry);
    } catch (error) {
      tape.release();
      throw error;
    }
    return tape;
  }

  private open(): Tape {
    const { file, session, policy, paths } = this;
    const options = { file, session, policy, mask: { paths }, origin: clockOrigin() };
    if (!existsSync(file)) {
      try {
        return openTape(options);
      } catch (error) {
        // Another process was faster.
        if (!existsSync(file)) throw error;
      }
    }
    return resumeTape(options);
  }
}
