import type { Json } from "@hooks/core";
import { Dict, freeze, type Value } from "@hooks/starlark";
import { hostBuiltins } from "./builtins.js";
import type { HttpAnswer, HttpRequest, Network } from "./http.js";
import type { LogEntry, Run, Store } from "./run.js";

/** Thrown out of a script that waits for the network: it is run again from the start once the answer is there. */
export class NeedsAnswer extends Error {
  constructor(readonly request: HttpRequest) {
    super(`waits for ${request.url}`);
  }
}

/** Thrown where a module uses its host while it is loaded: then each call has to run the whole module. */
export class NeedsHost extends Error {}

type Write =
  | { readonly kind: "log"; readonly entry: LogEntry }
  | { readonly kind: "cache"; readonly key: string; readonly value: Json }
  | { readonly kind: "incr"; readonly name: string; readonly by: number }
  | { readonly kind: "set"; readonly name: string; readonly value: number };

const NO_WRITES: Write[] = [];
const NO_ANSWERS: HttpAnswer[] = [];
const MOST_WRITES = 10_000;
/** Characters of one line of a log. */
const MOST_LOGGED = 10_000;

/**
 * One call of one hook. What it writes is kept back until it is done, and what it read stays as it was, so that running
 * it again from the start, which is how it waits for the network, is as if it had run once.
 */
export class HookCall {
  private asked = 0;
  // Most calls ask, read and write nothing: what these need is made for those that do.
  private answers: HttpAnswer[] = NO_ANSWERS;
  private reads: Map<string, Json | undefined> | undefined;
  private before: Readonly<Record<string, number>> | undefined;
  private writes: Write[] = NO_WRITES;

  constructor(
    private readonly store: Store,
    private readonly hook: string,
  ) {}

  /** How many requests have been answered. */
  get answered(): number {
    return this.answers.length;
  }

  /** Back to the start, with the answer that was waited for. */
  restart(answer: HttpAnswer): void {
    if (this.answers === NO_ANSWERS) this.answers = [];
    this.answers.push(answer);
    this.asked = 0;
    this.writes = NO_WRITES;
  }

  commit(): void {
    const { store, writes } = this;
    this.writes = NO_WRITES;
    for (const write of writes) {
      if (write.kind === "log") store.logs.add(write.entry);
      else if (write.kind === "cache") store.cache.set(write.key, write.value);
      else if (write.kind === "incr") store.metrics.incr(write.name, write.by);
      else store.metrics.set(write.name, write.value);
    }
  }

  log(level: LogEntry["level"], message: string): void {
    this.write({ kind: "log", entry: { level, message: message.slice(0, MOST_LOGGED), hook: this.hook } });
  }

  incr(name: string, by: number): void {
    this.write({ kind: "incr", name, by });
  }

  set(name: string, value: number): void {
    this.write({ kind: "set", name, value });
  }

  /** The metrics as they were when this call first looked, and what it has done to them since. */
  snapshot(): Record<string, number> {
    this.before ??= this.store.metrics.snapshot();
    const metrics = new Map(Object.entries(this.before));
    for (const write of this.writes) {
      if (write.kind === "incr") metrics.set(write.name, (metrics.get(write.name) ?? 0) + write.by);
      if (write.kind === "set") metrics.set(write.name, write.value);
    }
    return Object.fromEntries(metrics);
  }

  get(key: string): Json | undefined {
    const own = this.writes.findLast((write) => write.kind === "cache" && write.key === key);
    if (own?.kind === "cache") return own.value;
    this.reads ??= new Map();
    if (!this.reads.has(key)) this.reads.set(key, this.store.cache.get(key));
    return this.reads.get(key);
  }

  put(key: string, value: Json): void {
    this.write({ kind: "cache", key, value });
  }

  private write(write: Write): void {
    if (this.writes === NO_WRITES) this.writes = [];
    // A script can write without end within its budget, and must not fill the memory with it.
    if (this.writes.length >= MOST_WRITES) throw new RangeError(`more than ${MOST_WRITES} writes in one call`);
    this.writes.push(write);
  }

  /** The answer that was recorded for this request; throws NeedsAnswer where there is none yet. */
  ask(request: HttpRequest): HttpAnswer {
    const recorded = this.answers[this.asked++];
    if (recorded === undefined) throw new NeedsAnswer(request);
    return recorded;
  }
}

/** What the scripts of one stack reach: the run they share, and the network as far as it is allowed. */
export class Host {
  current: HookCall | null = null;
  /** What `allow()` gives. Nearly every call of every hook ends with it, so there is one, and it is frozen. */
  readonly allowed = new Dict();
  readonly builtins: ReadonlyMap<string, Value>;

  constructor(
    readonly run: Run,
    readonly network: Network,
  ) {
    this.allowed.putText("action", "allow");
    freeze(this.allowed);
    this.builtins = hostBuiltins(this);
  }

  /** The call a built-in is used in. */
  get call(): HookCall {
    if (this.current === null) throw new NeedsHost();
    return this.current;
  }
}
