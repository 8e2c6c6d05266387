import type { Json, JsonObject } from "@hooks/core";

/** A line a hook wrote with `log`. */
export interface LogEntry extends JsonObject {
  readonly level: "info" | "warn";
  readonly message: string;
  readonly hook: string;
}

/** What the hooks of one run share with each other, with its tools and with its host. */
export interface Run {
  readonly metrics: {
    incr(name: string, by?: number): void;
    set(name: string, value: number): void;
    /** Every counter and gauge by its name. */
    snapshot(): Readonly<Record<string, number>>;
  };
  readonly cache: {
    get(key: string): Json | undefined;
    set(key: string, value: Json): void;
  };
  readonly logs: {
    add(entry: LogEntry): void;
    /** What was logged since the last turn ended; TurnEnd takes it along. */
    take(): LogEntry[];
  };
}

// Hooks see what an agent chose: a name or a key of its making must not fill the host's memory.
const MOST = 10_000;

/** A run in memory. */
export function createRun(): Run {
  const values = new Map<string, number>();
  const entries = new Map<string, Json>();
  let logs: LogEntry[] = [];
  const put = <V>(map: Map<string, V>, key: string, value: V, what: string): void => {
    if (!map.has(key) && map.size >= MOST) throw new RangeError(`more than ${MOST} ${what}`);
    map.set(key, value);
  };
  return {
    metrics: {
      incr: (name, by = 1) => put(values, name, (values.get(name) ?? 0) + by, "metrics"),
      set: (name, value) => put(values, name, value, "metrics"),
      snapshot: () => Object.fromEntries(values),
    },
    cache: {
      get: (key) => entries.get(key),
      set: (key, value) => put(entries, key, value, "keys in the cache"),
    },
    logs: {
      add(entry) {
        if (logs.length >= MOST) throw new RangeError(`more than ${MOST} lines logged in one turn`);
        logs.push(entry);
      },
      take() {
        const taken = logs;
        logs = [];
        return taken;
      },
    },
  };
}
