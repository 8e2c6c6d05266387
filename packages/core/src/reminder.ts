import { badReminder, typeName, unknownReminderKey } from "./errors.js";
import { isJsonObject } from "./json.js";

const PROPAGATE = ["all", "session", "none"] as const;
const ROLE_HINTS = ["system", "developer", "user_block", "ephemeral_cache"] as const;
const KEYS = ["body", "tags", "dedupe_key", "ttl_turns", "preserve_on_compact", "propagate", "role_hint"] as const;

/** What a hook writes to put a text in front of the model's next turn. */
export interface ReminderSpec {
  /** The text; not empty. */
  readonly body: string;
  /** Words to find and clear it by. */
  readonly tags?: readonly string[];
  /** A new reminder replaces a pending one with the same key. */
  readonly dedupe_key?: string | null;
  /** How many turns it lives; null or absent: until it is cleared or compacted away. */
  readonly ttl_turns?: number | null;
  /** Whether it survives compaction. */
  readonly preserve_on_compact?: boolean;
  /** Who inherits it: every descendant, direct subagents, or nobody. */
  readonly propagate?: (typeof PROPAGATE)[number];
  /** Which slot of the request it would like. */
  readonly role_hint?: (typeof ROLE_HINTS)[number];
}

/** A reminder with its defaults filled in. */
export interface Reminder {
  readonly body: string;
  readonly tags: readonly string[];
  readonly dedupe_key: string | null;
  readonly ttl_turns: number | null;
  readonly preserve_on_compact: boolean;
  readonly propagate: (typeof PROPAGATE)[number];
  readonly role_hint: (typeof ROLE_HINTS)[number];
}

/** Checks a reminder spec and fills in its defaults; throws on an unknown key or a wrong value. */
export function parseReminder(spec: unknown): Reminder {
  if (!isJsonObject(spec)) throw badReminder(`must be an object, got ${typeName(spec)}`);
  for (const key of Object.keys(spec)) {
    if (!(KEYS as readonly string[]).includes(key)) throw unknownReminderKey(key, KEYS);
  }
  const { body, tags = [], dedupe_key = null, ttl_turns = null, preserve_on_compact = false } = spec;
  const { propagate = "session", role_hint = "system" } = spec;
  if (typeof body !== "string" || body.trim() === "") throw badReminder("body must be a text that is not empty");
  if (!Array.isArray(tags) || !tags.every((tag) => typeof tag === "string" && tag.trim() !== "")) {
    throw badReminder("tags must be a list of texts that are not empty");
  }
  if (dedupe_key !== null && typeof dedupe_key !== "string") throw badReminder("dedupe_key must be a text or null");
  if (ttl_turns !== null && !(Number.isInteger(ttl_turns) && (ttl_turns as number) > 0)) {
    throw badReminder("ttl_turns must be a whole number above 0, or null");
  }
  if (typeof preserve_on_compact !== "boolean") throw badReminder("preserve_on_compact must be true or false");
  return {
    body,
    tags: [...new Set(tags as string[])],
    dedupe_key: dedupe_key === null || dedupe_key.trim() === "" ? null : dedupe_key,
    ttl_turns: ttl_turns as number | null,
    preserve_on_compact,
    propagate: oneOf("propagate", propagate, PROPAGATE),
    role_hint: oneOf("role_hint", role_hint, ROLE_HINTS),
  };
}

function oneOf<T extends string>(key: string, value: unknown, allowed: readonly T[]): T {
  if (!allowed.includes(value as T)) throw badReminder(`${key} must be one of ${allowed.join(", ")}`);
  return value as T;
}

/** Adds a reminder to a list, replacing the one that has the same `dedupe_key`. */
export function addReminder<T extends Reminder>(list: readonly T[], reminder: T): T[] {
  const kept = reminder.dedupe_key === null ? list : list.filter((other) => other.dedupe_key !== reminder.dedupe_key);
  return [...kept, reminder];
}
