import { openingVerdict } from "./compose.js";
import { HookIdentity } from "./context.js";
import type { Verdict } from "./effect.js";
import { type EventName, type EventSpec, specOf } from "./events.js";
import type { Hook } from "./hook.js";
import type { JsonObject } from "./json.js";
import type { Course } from "./outcome.js";

/** The chain of one event for one subject: the hooks whose pattern it fits, in the order they run. */
export class Route {
  /** Their functions alone, for the fast way through. */
  readonly runs: readonly Hook["run"][];
  /** Whether every hook takes the payload as it is and needs nothing but its subject to match. */
  readonly isPlain: boolean;
  /** What the event comes to when no hook says anything. */
  readonly opening: Verdict;
  /** The course of a dispatch in which no hook had anything to say. */
  readonly quiet: Course;

  constructor(
    readonly spec: EventSpec,
    readonly hooks: readonly Hook[],
    /** Every hook of the event in order, those a pattern leaves out included: what a trace is made from. */
    readonly all: readonly Hook[],
  ) {
    this.runs = hooks.map(({ run }) => run);
    this.isPlain = hooks.every(isPlain);
    this.opening = openingVerdict(spec);
    this.quiet = { route: this, notes: [], faults: [], stamps: null, reached: hooks.length };
  }
}

// Subjects come from agents (a path, a model's name), so the cache must not grow with them.
const MAX_CACHED_ROUTES = 1_000;

interface Chain {
  readonly spec: EventSpec;
  readonly all: readonly Hook[];
  readonly subjectOf: (payload: JsonObject) => unknown;
  readonly routes: Map<unknown, Route>;
}

/** All hooks. A chain is compiled at the first dispatch after a change, and a route once for each subject. */
export class Plan {
  private readonly hooks = new Map<EventName, Set<Hook>>();
  private readonly chains = new Map<EventName, Chain>();
  private readonly ids = new Set<string>();

  /** Adds a hook behind all others of its priority; returns the function that removes it. */
  add(wanted: Hook): () => void {
    const ref = { ...wanted.ref, id: this.freeId(wanted.ref.id) };
    const hook = { ...wanted, ref, identity: new HookIdentity(ref, wanted.identity.options) };
    const { event } = hook;
    const hooks = this.hooks.get(event) ?? new Set();
    this.ids.add(hook.ref.id);
    this.hooks.set(event, hooks.add(hook));
    this.chains.delete(event);
    return () => {
      if (!hooks.delete(hook)) return;
      this.ids.delete(hook.ref.id);
      this.chains.delete(event);
    };
  }

  /** Every hook, event by event, in dispatch order. */
  list(): Hook[] {
    return [...this.hooks.keys()].flatMap((event) => (this.chains.get(event) ?? this.compile(event)).all);
  }

  /** The chain for a payload. What it returns never changes, so a dispatch keeps what it started with. */
  route(event: EventName, payload: JsonObject): Route {
    const chain = this.chains.get(event) ?? this.compile(event);
    const subject = chain.subjectOf(payload);
    return chain.routes.get(subject) ?? findRoute(chain, subject);
  }

  private compile(event: EventName): Chain {
    const spec = specOf(event);
    // Array.prototype.sort is stable: equals keep the order of registration.
    const all = [...(this.hooks.get(event) ?? [])].sort((a, b) => a.priority - b.priority || a.rank - b.rank);
    const chain = { spec, all, subjectOf: subjectReader(spec.subject), routes: new Map() };
    this.chains.set(event, chain);
    return chain;
  }

  private freeId(wanted: string): string {
    let id = wanted;
    for (let n = 2; this.ids.has(id); n++) id = `${wanted}#${n}`;
    return id;
  }
}

function findRoute(chain: Chain, subject: unknown): Route {
  const text = typeof subject === "string" ? subject : "";
  const hooks = chain.all.filter(({ pattern }) => pattern.subject === undefined || pattern.subject(text));
  const route = new Route(chain.spec, hooks, chain.all);
  if (chain.routes.size >= MAX_CACHED_ROUTES) chain.routes.clear();
  chain.routes.set(subject, route);
  return route;
}

function isPlain({ dialect, pattern, when, threshold }: Hook): boolean {
  return dialect.name === "harn" && pattern.payload === undefined && when === null && threshold === null;
}

// Payloads are checked against their schema before they get here, so two plain property reads are all it takes.
function subjectReader(path: string | null): Chain["subjectOf"] {
  const [first, second] = path?.split(".") ?? [];
  if (first === undefined) return () => undefined;
  if (second === undefined) return (payload) => payload[first];
  return (payload) => (payload[first] as JsonObject | undefined)?.[second];
}
