import type { Json, JsonObject, SessionRef } from "@hooks/core";

/** A line a hook wrote with `log`. */
export interface LogEntry extends JsonObject {
  readonly level: "info" | "warn";
  readonly message: string;
  readonly hook: string;
}

/** What the hooks of one session share with each other and with its tools. */
export interface Store {
  readonly metrics: Metrics;
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

export interface Metrics {
  incr(name: string, by?: number): void;
  set(name: string, value: number): void;
  /** Every counter and gauge by its name. */
  snapshot(): Readonly<Record<string, number>>;
}

/**
 * What the hooks of a harness share, each session apart: no session sees what another one cached or logged. The metrics
 * of the run are those of all its sessions together; its cache and its logs are those of events without a session.
 */
export interface Run extends Store {
  /** What one session shares. A subagent has its own logs and counters, and the cache of the session that started it. */
  store(session: Pick<SessionRef, "id" | "parent_id">): Store;
  /** Lets go of what an ended session shared; the counters of the run stay. */
  end(session: Pick<SessionRef, "id">): void;
}

// Hooks see what an agent chose: a name or a key of its making must not fill the host's memory.
const MOST = 10_000;
// Not every agent says that a session has ended; the one that was quiet for longest is let go of.
const MOST_SESSIONS = 1_000;

/** A run in memory. `home` is the session of events that name none. */
export function createRun(home = "local"): Run {
  const totals = createMetrics();
  const sessions = new Map<string, Store>();
  const own = createStore(totals);
  let last = { id: home, store: own };
  const store: Run["store"] = ({ id, parent_id }) => {
    if (id === home) return own;
    if (id === last.id) return last.store;
    const known =
      sessions.get(id) ?? createStore(totals, parent_id === undefined ? undefined : store({ id: parent_id }));
    // Behind all others: the first one is the one that was quiet for longest.
    sessions.delete(id);
    sessions.set(id, known);
    const [eldest] = sessions.keys();
    if (sessions.size > MOST_SESSIONS && eldest !== undefined) sessions.delete(eldest);
    last = { id, store: known };
    return known;
  };
  const end: Run["end"] = ({ id }) => {
    sessions.delete(id);
    if (id === last.id) last = { id: home, store: own };
  };
  return { ...own, metrics: totals, store, end };
}

function createStore(totals: Metrics, parent?: Store): Store {
  const metrics = createMetrics();
  return {
    metrics: {
      snapshot: metrics.snapshot,
      incr(name, by) {
        metrics.incr(name, by);
        totals.incr(name, by);
      },
      set(name, value) {
        metrics.set(name, value);
        totals.set(name, value);
      },
    },
    cache: parent?.cache ?? createCache(),
    logs: createLogs(),
  };
}

function createMetrics(): Metrics {
  const values = new Map<string, number>();
  return {
    incr: (name, by = 1) => put(values, name, (values.get(name) ?? 0) + by, "metrics"),
    set: (name, value) => put(values, name, value, "metrics"),
    snapshot: () => Object.fromEntries(values),
  };
}

function createCache(): Store["cache"] {
  const entries = new Map<string, Json>();
  return {
    get: (key) => entries.get(key),
    set: (key, value) => put(entries, key, value, "keys in the cache"),
  };
}

function createLogs(): Store["logs"] {
  let lines: LogEntry[] = [];
  return {
    add(entry) {
      if (lines.length >= MOST) throw new RangeError(`more than ${MOST} lines logged in one turn`);
      lines.push(entry);
    },
    take() {
      const taken = lines;
      lines = [];
      return taken;
    },
  };
}

function put<V>(map: Map<string, V>, key: string, value: V, what: string): void {
  if (!map.has(key) && map.size >= MOST) throw new RangeError(`more than ${MOST} ${what}`);
  map.set(key, value);
}
