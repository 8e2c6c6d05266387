import type { Json } from "@hooks/core";
import type { Value } from "@hooks/starlark";
import { hostBuiltins } from "./builtins.js";
import type { HttpAnswer, HttpRequest, Network } from "./http.js";
import type { LogEntry, Run } from "./run.js";

/** Thrown out of a script that waits for the network: it is run again from the start once the answer is there. */
export class NeedsAnswer extends Error {
  constructor(readonly request: HttpRequest) {
    super(`waits for ${request.url}`);
  }
}

/** Thrown where a module uses its host while it is loaded: then each call has to run the whole module. */
export class NeedsHost extends Error {}

/**
 * One call of one hook. What it writes is kept back until it is done, and what it read stays as it was, so that running
 * it again from the start, which is how it waits for the network, is as if it had run once.
 */
export class HookCall {
  readonly answers: { readonly request: HttpRequest; readonly answer: HttpAnswer }[] = [];
  private asked = 0;
  private readonly reads = new Map<string, Json | undefined>();
  private metrics: Record<string, number> | undefined;
  private writes: (() => void)[] = [];
  private cached = new Map<string, Json>();
  private counted = new Map<string, number>();

  constructor(
    private readonly run: Run,
    private readonly hook: string,
  ) {}

  restart(): void {
    this.asked = 0;
    this.writes = [];
    this.cached = new Map();
    this.counted = new Map();
  }

  commit(): void {
    for (const write of this.writes) write();
    this.writes = [];
  }

  log(level: LogEntry["level"], message: string): void {
    this.writes.push(() => this.run.logs.add({ level, message, hook: this.hook }));
  }

  incr(name: string, by: number): void {
    this.counted.set(name, (this.snapshot()[name] ?? 0) + by);
    this.writes.push(() => this.run.metrics.incr(name, by));
  }

  set(name: string, value: number): void {
    this.counted.set(name, value);
    this.writes.push(() => this.run.metrics.set(name, value));
  }

  snapshot(): Record<string, number> {
    this.metrics ??= { ...this.run.metrics.snapshot() };
    return { ...this.metrics, ...Object.fromEntries(this.counted) };
  }

  get(key: string): Json | undefined {
    if (this.cached.has(key)) return this.cached.get(key);
    if (!this.reads.has(key)) this.reads.set(key, this.run.cache.get(key));
    return this.reads.get(key);
  }

  put(key: string, value: Json): void {
    this.cached.set(key, value);
    this.writes.push(() => this.run.cache.set(key, value));
  }

  /** The answer that was recorded for this request; throws NeedsAnswer where there is none yet. */
  ask(request: HttpRequest): HttpAnswer {
    const recorded = this.answers[this.asked++];
    if (recorded === undefined) throw new NeedsAnswer(request);
    return recorded.answer;
  }
}

/** What the scripts of one stack reach: the run they share, and the network as far as it is allowed. */
export class Host {
  current: HookCall | null = null;
  readonly builtins: ReadonlyMap<string, Value>;

  constructor(
    readonly run: Run,
    readonly network: Network,
  ) {
    this.builtins = hostBuiltins(this);
  }

  /** The call a built-in is used in. */
  get call(): HookCall {
    if (this.current === null) throw new NeedsHost();
    return this.current;
  }
}
