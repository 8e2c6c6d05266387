import { openingVerdict } from "./compose.js";
import { HookIdentity } from "./context.js";
import type { Verdict } from "./effect.js";
import { ANY_EVENT, type EventName, type EventSpec, specOf } from "./events.js";
import type { Hook } from "./hook.js";
import type { JsonObject } from "./json.js";
import type { Course } from "./outcome.js";
import type { Pattern } from "./pattern.js";

/** The chain of one event for one subject: the hooks whose pattern it fits, in the order they run. */
export class Route {
  /** Their functions alone, for the fast way through. */
  readonly runs: readonly Hook["run"][];
  /** Whether every hook takes the payload as it is and needs nothing but its subject to match. */
  readonly isPlain: boolean;
  /** Whether the fast way through will do: they are plain, and nobody is to be told. */
  readonly isQuick: boolean;
  /** What the event comes to when no hook says anything. */
  readonly opening: Verdict;
  /** The course of a dispatch in which no hook had anything to say. */
  readonly quiet: Course;

  constructor(
    readonly spec: EventSpec,
    readonly hooks: readonly Hook[],
    /** Every hook of the event in order, those a pattern leaves out included: what a trace is made from. */
    readonly all: readonly Hook[],
    /** Who is told how it ended. */
    readonly observers: readonly Hook[] = [],
    /** The route of a rewritten payload, where a rewrite can change the subject. */
    readonly reroute?: (payload: JsonObject) => Route,
  ) {
    this.runs = hooks.map(({ run }) => run);
    this.isPlain = hooks.every(isPlain);
    this.isQuick = this.isPlain && observers.length === 0;
    this.opening = openingVerdict(spec);
    this.quiet = { route: this, notes: [], faults: [], stamps: null, reached: hooks.length, told: [] };
  }
}

// Subjects come from agents (a path, a model's name), so the cache must not grow with them.
const MAX_CACHED_ROUTES = 1_000;

interface Chain {
  readonly event: EventName;
  readonly spec: EventSpec;
  readonly all: readonly Hook[];
  readonly observers: readonly Hook[];
  readonly subjectOf: (payload: JsonObject) => unknown;
  readonly nativeOf: (payload: JsonObject) => unknown;
  readonly routes: Map<unknown, Route>;
}

/** All hooks. A chain is compiled at the first dispatch after a change, and a route once for each subject. */
export class Plan {
  private readonly hooks = new Map<Hook["event"], Set<Hook>>();
  private readonly chains = new Map<EventName, Chain>();
  private readonly ids = new Set<string>();

  /** Adds a hook behind all others of its priority; returns the function that removes it. */
  add(wanted: Hook): () => void {
    const ref = { ...wanted.ref, id: this.freeId(wanted.ref.id) };
    const { options, project } = wanted.identity;
    const hook = { ...wanted, ref, identity: new HookIdentity(ref, options, project) };
    const { event } = hook;
    const hooks = this.hooks.get(event) ?? new Set();
    this.ids.add(hook.ref.id);
    this.hooks.set(event, hooks.add(hook));
    this.forget(event);
    return () => {
      if (!hooks.delete(hook)) return;
      this.ids.delete(hook.ref.id);
      this.forget(event);
    };
  }

  /** Those that observe every event, then every hook, event by event, in dispatch order, and its observers. */
  list(): Hook[] {
    const events = [...this.hooks.keys()].filter((event) => event !== ANY_EVENT);
    const own = events.flatMap((event) => {
      const { all, observers } = this.chains.get(event) ?? this.compile(event);
      return [...all, ...observers.filter((hook) => hook.event === event)];
    });
    return [...this.of(ANY_EVENT), ...own];
  }

  /** The chain for a payload. What it returns never changes, so a dispatch keeps what it started with. */
  route(event: EventName, payload: JsonObject): Route {
    return routeIn(this.chains.get(event) ?? this.compile(event), payload);
  }

  private compile(event: EventName): Chain {
    const spec = specOf(event);
    const own = this.of(event);
    const all = own.filter(({ observes }) => !observes);
    const observers = inOrder([...this.of(ANY_EVENT), ...own.filter(({ observes }) => observes)]);
    const chain = {
      event,
      spec,
      all,
      observers,
      subjectOf: reader(spec.subject),
      nativeOf: reader(nativeOf(spec)),
      routes: new Map(),
    };
    this.chains.set(event, chain);
    return chain;
  }

  private of(event: Hook["event"]): Hook[] {
    return inOrder([...(this.hooks.get(event) ?? [])]);
  }

  private forget(event: Hook["event"]): void {
    if (event === ANY_EVENT) this.chains.clear();
    else this.chains.delete(event);
  }

  private freeId(wanted: string): string {
    let id = wanted;
    for (let n = 2; this.ids.has(id); n++) id = `${wanted}#${n}`;
    return id;
  }
}

// Array.prototype.sort is stable: equals keep the order of registration.
function inOrder(hooks: Hook[]): Hook[] {
  return hooks.sort((a, b) => a.priority - b.priority || a.rank - b.rank);
}

function routeIn(chain: Chain, payload: JsonObject): Route {
  const subject = chain.subjectOf(payload);
  const native = chain.nativeOf(payload);
  if (native === undefined || native === subject)
    return chain.routes.get(subject) ?? findRoute(chain, subject, subject);
  const key = `${subject}\0${native}`;
  return chain.routes.get(key) ?? findRoute(chain, key, subject, native);
}

/** Whether a rewrite can change the subject: a model's name is part of the request that hooks may rewrite. */
function isRewritable({ subject, modifies }: EventSpec): boolean {
  return subject !== null && modifies !== null && (subject === modifies || subject.startsWith(`${modifies}.`));
}

function findRoute(chain: Chain, key: unknown, subject: unknown, native?: unknown): Route {
  const text = typeof subject === "string" ? subject : "";
  const own = typeof native === "string" ? native : undefined;
  const isReached = ({ pattern, event }: Hook) =>
    event === ANY_EVENT ? isFor(pattern, chain.event) : isFor(pattern, text, own);
  const { spec, all, observers } = chain;
  const reroute = isRewritable(spec) ? (payload: JsonObject) => routeIn(chain, payload) : undefined;
  const route = new Route(spec, all.filter(isReached), all, observers.filter(isReached), reroute);
  if (chain.routes.size >= MAX_CACHED_ROUTES) chain.routes.clear();
  chain.routes.set(key, route);
  return route;
}

/** Whether a hook is for a subject. One too long to be decided is: a hook that runs in vain is better than a gap. */
function isFor({ subject: matches }: Pattern, subject: string, native?: string): boolean {
  if (matches === undefined) return true;
  try {
    return matches(subject, native);
  } catch {
    return true;
  }
}

function isPlain({ dialect, pattern, when, threshold }: Hook): boolean {
  return dialect.name === "harn" && pattern.payload === undefined && when === null && threshold === null;
}

/** Where the agent's own name of the subject stands: only tools have one. */
function nativeOf({ subject }: EventSpec): string | null {
  return subject === "tool.name" ? "tool.native_name" : null;
}

// Payloads are checked against their schema before they get here, so two plain property reads are all it takes.
function reader(path: string | null): Chain["subjectOf"] {
  const [first, second] = path?.split(".") ?? [];
  if (first === undefined) return () => undefined;
  if (second === undefined) return (payload) => payload[first];
  return (payload) => (payload[first] as JsonObject | undefined)?.[second];
}
