import { badReminder } from "./errors.js";
import { addReminder, type Reminder } from "./reminder.js";

/** A reminder that waits for, or lives in, a session. */
export interface PendingReminder extends Reminder {
  readonly id: string;
  /** The session it was first injected into; an inherited copy keeps it. */
  readonly origin: string;
  readonly inherited: boolean;
  /** Turns left to live; null lives until cleared or compacted away. */
  readonly turns_left: number | null;
}

/** Selects pending reminders; every key given must match. */
export interface ReminderSelector {
  readonly id?: string;
  readonly tag?: string;
  readonly dedupe_key?: string;
}

/** The reminders of one session, and the rules by which they live and die. */
export interface Reminders {
  readonly pending: readonly PendingReminder[];
  /** Adds reminders in order; each replaces the pending one with its `dedupe_key`. Returns what was replaced. */
  inject(reminders: readonly Reminder[]): readonly PendingReminder[];
  /** A turn is over: counts down, and returns what expired. */
  turnEnded(): readonly PendingReminder[];
  /** The transcript was compacted: drops, and returns, what was not to be preserved. */
  compacted(): readonly PendingReminder[];
  /** Removes, and returns, what the selector matches. */
  clear(selector: ReminderSelector): readonly PendingReminder[];
  /** The reminders of a subagent's session, holding what it inherits. */
  child(session: string): Reminders;
}

/** The reminders of a session. Ids come in, so that a run can be repeated. */
export function createReminders(session: string, nextId: () => string): Reminders {
  return reminders(session, nextId, []);
}

function reminders(session: string, nextId: () => string, initial: readonly PendingReminder[]): Reminders {
  let pending = initial;

  function keep(survives: (reminder: PendingReminder) => boolean): readonly PendingReminder[] {
    const gone = pending.filter((reminder) => !survives(reminder));
    pending = pending.filter(survives);
    return gone;
  }

  return {
    get pending() {
      return pending;
    },
    inject(added) {
      const before = pending;
      for (const reminder of added) {
        pending = addReminder(pending, {
          ...reminder,
          id: nextId(),
          origin: session,
          inherited: false,
          turns_left: reminder.ttl_turns,
        });
      }
      return before.filter((reminder) => !pending.includes(reminder));
    },
    turnEnded() {
      pending = pending.map((reminder) =>
        reminder.turns_left === null ? reminder : { ...reminder, turns_left: reminder.turns_left - 1 },
      );
      return keep((reminder) => reminder.turns_left !== 0);
    },
    compacted: () => keep((reminder) => reminder.preserve_on_compact),
    clear(selector) {
      const { id, tag, dedupe_key } = selector;
      if (id === undefined && tag === undefined && dedupe_key === undefined) {
        throw badReminder("clear needs an id, a tag or a dedupe_key");
      }
      return keep(
        (reminder) =>
          !(
            (id === undefined || reminder.id === id) &&
            (tag === undefined || reminder.tags.includes(tag)) &&
            (dedupe_key === undefined || reminder.dedupe_key === dedupe_key)
          ),
      );
    },
    child(childSession) {
      const inherited = pending
        // "session" reaches the direct subagents of the session it was born in; a copy is not passed on.
        .filter(({ propagate, inherited }) => propagate === "all" || (propagate === "session" && !inherited))
        .map((reminder) => ({ ...reminder, id: nextId(), inherited: true }));
      return reminders(childSession, nextId, inherited);
    },
  };
}
