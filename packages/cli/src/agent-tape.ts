import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { TapeEntry, TapeSink } from "@hooks/core";
import { ensurePrivateDirectory, openTape, resumeTape, stateDirectory, type Tape, TapeError } from "@hooks/tape";

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

  constructor(
    private readonly file: string,
    private readonly session: string,
    private readonly policy: () => string | null,
    private readonly paths: readonly string[] = [],
  ) {}

  write(entry: TapeEntry): undefined {
    this.entries.push(entry);
  }

  async commit(): Promise<undefined> {
    const until = Date.now() + PATIENCE_MS;
    for (;;) {
      try {
        return this.save();
      } catch (error) {
        const isBusy = error instanceof TapeError && error.code === "HARN_E_TAPE_BUSY";
        if (!isBusy || Date.now() > until) throw error;
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS + Math.random() * PAUSE_MS));
      }
    }
  }

  /** Writes down what there is, whether or not a dispatch has ended. */
  save(): undefined {
    if (this.entries.length === 0) return;
    const tape = this.open();
    try {
      for (const entry of this.entries) tape.write(entry);
    } finally {
      tape.release();
    }
    this.entries = [];
  }

  private open(): Tape {
    const { file, session, policy, paths } = this;
    const mask = { paths };
    if (!existsSync(file)) {
      try {
        return openTape({ file, session, policy, mask });
      } catch (error) {
        // Another process was faster.
        if (!existsSync(file)) throw error;
      }
    }
    return resumeTape({ file, session, policy, mask });
  }
}
