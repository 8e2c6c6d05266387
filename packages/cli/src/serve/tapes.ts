import { AsyncLocalStorage } from "node:async_hooks";
import type { TapeEntry, TapeSink } from "@hooks/core";
import type { AgentTape } from "../agent-tape.js";

/** Where the records of many calls at once go: each to the tape of the call it belongs to. */
export class CallTapes implements TapeSink {
  private readonly current = new AsyncLocalStorage<AgentTape | null>();

  /** Does something whose records go to this tape; null: nowhere. */
  during<T>(tape: AgentTape | null, work: () => T): T {
    return this.current.run(tape, work);
  }

  write(entry: TapeEntry): undefined {
    const tape = this.current.getStore();
    if (tape === undefined) throw new Error("a record belongs to no call");
    tape?.write(entry);
  }

  async commit(): Promise<undefined> {
    await this.current.getStore()?.commit();
  }
}
