import type { Json, TapeEntry, TapeSink } from "@hooks/core";
import { openTape, resumeTape, type Tape, type WriteOptions } from "./tape.js";

export interface SessionTapesOptions extends WriteOptions {
  /** Where the tapes are made; in the user's state directory when absent. */
  readonly directory?: string;
}

/** Tapes for all sessions of a harness: each session has a file of its own, and its subagents are on it. */
export interface SessionTapes extends Required<TapeSink> {
  /** The tape of a session, also after its end. */
  fileOf(session: string): string | undefined;
  /** Closes the tapes of sessions that have not ended. */
  close(): Promise<void>;
}

/**
 * Opens a tape with the first event of a session and closes it with its last; a session that is resumed goes on with its
 * own. A tape that fails makes the gates of its session block, and of no other.
 *
 * @example
 * const tapes = openSessionTapes();
 * const harness = createHarness({ tape: tapes });
 * await runAgent({ session: createSession(harness, { id: "s-1" }), model, prompt });
 */
export function openSessionTapes(options: SessionTapesOptions = {}): SessionTapes {
  const files = new Map<string, string>();
  const open = new Map<string, Tape>();
  /** The session a subagent belongs to in the end. */
  const roots = new Map<string, string>();
  /** Whose record came last: a dispatch that is committed has just written its own. */
  let last: TapeEntry | undefined;

  function rootOf(entry: TapeEntry): string {
    const { session } = entry;
    const parent = entry.kind === "event" ? parentIn(entry.payload) : undefined;
    if (parent !== undefined) roots.set(session, roots.get(parent) ?? parent);
    return roots.get(session) ?? session;
  }

  function tapeOf(session: string): Tape {
    const file = files.get(session);
    const tape =
      open.get(session) ??
      (file === undefined ? openTape({ ...options, session }) : resumeTape({ ...options, file, session }));
    open.set(session, tape);
    files.set(session, tape.file);
    return tape;
  }

  async function end(session: string): Promise<undefined> {
    const tape = open.get(session);
    open.delete(session);
    for (const [subagent, root] of roots) if (root === session) roots.delete(subagent);
    await tape?.close();
  }

  return {
    write(entry): undefined {
      last = entry;
      tapeOf(rootOf(entry)).write(entry);
    },
    commit() {
      if (last === undefined) return;
      const { kind, event, session } = last;
      const root = rootOf(last);
      if (kind === "outcome" && event === "SessionEnd" && session === root) return end(root);
      return open.get(root)?.commit();
    },
    fileOf: (session) => files.get(roots.get(session) ?? session),
    async close() {
      await Promise.all([...open.keys()].map(end));
    },
  };
}

function parentIn(payload: Json): string | undefined {
  const { parent_id } = (payload as { session: { parent_id?: string } }).session;
  return parent_id;
}
