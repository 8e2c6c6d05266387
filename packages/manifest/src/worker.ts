import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import type { HookContext, HookRef, Json, SessionRef } from "@hooks/core";
import { realpath } from "./disk.js";
import { withLoadDeadline } from "./load-deadline.js";
import { readDependencies } from "./packages.js";

/** What a worker is told when it starts. */
export interface WorkerSetup {
  readonly root: string;
  readonly mayUseNetwork: boolean;
}

interface Load {
  readonly kind: "load";
  readonly file: string;
}

interface Call {
  readonly kind: "call";
  readonly file: string;
  readonly exportName: string;
  readonly view: Json;
  readonly hook: HookRef;
  readonly options: unknown;
  readonly project: string | null;
  readonly session: SessionRef;
}

export type WorkerRequest = (Load | Call) & {
  readonly id: number;
  /** Asks to be told when the call begins: others are in the same worker, and one of them may not let it. */
  readonly isCrowded: boolean;
};

/** A call has begun. */
export interface WorkerBegun {
  readonly begun: number;
}

/** What a hook printed. */
export interface WorkerOutput {
  readonly output: string;
}

/** The functions of a module, what a handler returned, or what went wrong. */
export type WorkerAnswer = { readonly id: number } & (
  | { readonly names: string[] }
  | { readonly value: unknown }
  | { readonly error: string }
);

// A worker starts from a file, and Node starts no TypeScript: from the sources, the built one serves.
const ENTRY = new URL(
  import.meta.url.endsWith(".ts") ? "../dist/worker-entry.js" : "./worker-entry.js",
  import.meta.url,
);
const MEMORY_MB = 256;
/** How long a call may wait behind its neighbours before it goes elsewhere. */
const PATIENCE_MS = 100;
const MOST_ALONE = 8;

/**
 * A warm worker for the modules of one package: no environment, bounded memory, and Node's permission model with only
 * what the package's capabilities grant. It is never used again after a fault; another one is warmed up in its place.
 */
export class HookWorker {
  private seat: Promise<Seat> | null = null;
  /** The one that is warm. */
  private current: Seat | null = null;
  private flags: Promise<string[]> | undefined;
  private readonly files = new Set<string>();
  private isClosed = false;
  private alone = 0;

  constructor(
    private readonly root: string,
    private readonly capabilities: readonly string[],
    private readonly loadTimeoutMs: number,
  ) {}

  /** The names of the functions a module exports. */
  async load(file: string): Promise<string[]> {
    const answer = await this.loadInto(await this.ready(), file);
    if ("error" in answer) throw new Error(answer.error);
    this.files.add(file);
    return "names" in answer ? answer.names : [];
  }

  /** A function that runs an export in the worker. */
  handler(file: string, exportName: string): (view: Json, context: HookContext) => Promise<unknown> {
    return async (view, { hook, options, project, session, signal }) => {
      const call: Call = { kind: "call", file, exportName, view, hook, options, project, session };
      const answer = await this.ask(call, signal);
      return "value" in answer ? answer.value : undefined;
    };
  }

  /** Ends the worker once the calls that are under way have finished. */
  close(): void {
    this.isClosed = true;
    this.seat?.then(
      (seat) => seat.retire(),
      () => {},
    );
  }

  private async ask(request: Call, signal: AbortSignal): Promise<WorkerAnswer> {
    const seat = await this.ready();
    try {
      return await this.callIn(seat, request, signal);
    } catch (error) {
      if (this.current === seat) this.replace(seat);
      const culprit = error instanceof Lost ? error.culprit : "itself";
      if (culprit === "itself" || signal.aborted) throw error;
      // What a neighbour did to a worker must be nobody else's fault. Where it is not known which of them it was, each
      // is tried again in a worker of its own.
      return culprit === "another" ? this.callIn(await this.ready(), request, signal) : this.askAlone(request, signal);
    }
  }

  private async ready(): Promise<Seat> {
    if (this.isClosed) throw new Error("its harness is closed");
    const seat = await (this.seat ?? this.start());
    // It may have died of something while nobody was using it.
    return seat.isLost ? this.start() : seat;
  }

  private async askAlone(request: Call, signal: AbortSignal): Promise<WorkerAnswer> {
    if (this.alone >= MOST_ALONE) throw new Error("its worker was ended by another call");
    this.alone++;
    try {
      const seat = await this.warmUp();
      try {
        return await this.callIn(seat, request, signal);
      } finally {
        seat.retire();
      }
    } finally {
      this.alone--;
    }
  }

  private async callIn(seat: Seat, request: Call, signal: AbortSignal): Promise<WorkerAnswer> {
    // A call that runs out of time while a worker warms up must not end it, or no worker would ever be warm.
    if (signal.aborted) throw new Error("its worker was not ready in time");
    const { id, answer } = seat.ask(request);
    // A worker that loops does not listen: the only way to stop it is to end it.
    const end = () => seat.end(new Error("ended at its deadline"), id);
    signal.addEventListener("abort", end, { once: true });
    try {
      const answered = await answer;
      if ("error" in answered) throw new Error(answered.error);
      return answered;
    } finally {
      signal.removeEventListener("abort", end);
    }
  }

  /** A module that spins while it loads takes its thread with it. */
  private async loadInto(seat: Seat, file: string): Promise<WorkerAnswer> {
    try {
      return await withLoadDeadline(seat.ask({ kind: "load", file }).answer, this.loadTimeoutMs);
    } catch (error) {
      seat.end(error as Error);
      throw error;
    }
  }

  /** Whatever state a fault left behind goes with the worker; the next one is made ready before it is needed. */
  private replace(seat: Seat): void {
    seat.retire();
    this.seat = null;
    this.current = null;
    if (!this.isClosed) void this.start();
  }

  private start(): Promise<Seat> {
    const starting = this.warmUp().then((seat) => {
      this.current = seat;
      return seat;
    });
    this.seat = starting;
    // One that cannot start is not kept: whoever asks next tries again, and is told why.
    starting.catch(() => {
      if (this.seat === starting) this.seat = null;
    });
    return starting;
  }

  private async warmUp(): Promise<Seat> {
    const setup: WorkerSetup = { root: this.root, mayUseNetwork: this.capabilities.includes("net") };
    this.flags ??= permissions(this.root, this.capabilities);
    const seat = new Seat(setup, await this.flags);
    // What fails to load here fails again, and is reported, when it is asked for.
    await Promise.allSettled([...this.files].map((file) => this.loadInto(seat, file)));
    return seat;
  }
}

interface Waiting {
  readonly resolve: (answer: WorkerAnswer) => void;
  readonly reject: (error: Error) => void;
  readonly patience: NodeJS.Timeout | undefined;
}

/** A call that lost its worker. */
class Lost extends Error {
  constructor(
    message: string,
    /** Which call was the cause; after a crash among several it may have been any of them. */
    readonly culprit: "itself" | "another" | "unknown",
  ) {
    super(message);
  }
}

/** One worker thread, from its start to its end. */
class Seat {
  private readonly worker: Worker;
  private readonly waiting = new Map<number, Waiting>();
  private calls = 0;
  private isRetired = false;
  private lost: Error | null = null;

  constructor(setup: WorkerSetup, execArgv: string[]) {
    this.worker = new Worker(ENTRY, {
      workerData: setup,
      env: {},
      execArgv,
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
      // Its streams are not read, which would keep this process alive: what it prints comes as messages.
      stdout: true,
      stderr: true,
    });
    this.worker.on("message", (message: unknown) => this.receive(message));
    this.worker.on("error", (error) => this.end(error as Error));
    this.worker.on("exit", (code) => this.end(new Error(`its worker exited with code ${code}`)));
    this.worker.unref();
  }

  get isLost(): boolean {
    return this.lost !== null;
  }

  ask(request: Load | Call): { readonly id: number; readonly answer: Promise<WorkerAnswer> } {
    const id = ++this.calls;
    const answer = new Promise<WorkerAnswer>((resolve, reject) => {
      if (this.lost !== null) return reject(this.lost);
      const isCrowded = request.kind === "call" && this.waiting.size > 0;
      const patience = isCrowded ? setTimeout(() => this.leave(id), PATIENCE_MS) : undefined;
      this.waiting.set(id, { resolve, reject, patience });
      // While somebody waits for an answer the process must not end without it.
      this.worker.ref();
      this.worker.postMessage({ ...request, id, isCrowded } satisfies WorkerRequest);
    });
    return { id, answer };
  }

  /** Takes no more calls; ends when those that are under way have finished. */
  retire(): void {
    this.isRetired = true;
    if (this.waiting.size === 0) this.end(new Error("its worker was retired"));
  }

  /** Ends at once; whoever waits gets the error, and is told whether it can have been the cause. */
  end(error: Error, guilty?: number): void {
    if (this.lost !== null) return;
    this.lost = error;
    const culpritFor = (id: number) =>
      this.waiting.size === 1 || id === guilty ? "itself" : guilty === undefined ? "unknown" : "another";
    const lost = [...this.waiting].map(([id, waiting]) => [waiting, culpritFor(id)] as const);
    this.waiting.clear();
    for (const [{ reject, patience }, culprit] of lost) {
      clearTimeout(patience);
      reject(new Lost(error.message, culprit));
    }
    this.worker.unref();
    void this.worker.terminate();
  }

  /** A hook can send anything over its own port: what is no answer of ours ends its worker, and nothing else. */
  private receive(message: unknown): void {
    const { id, output, begun, ...answer } = (message ?? {}) as Partial<WorkerAnswer & WorkerOutput & WorkerBegun>;
    // A hook's output must not mix with a protocol on standard output.
    if (typeof output === "string") return void process.stderr.write(output);
    if (typeof begun === "number") return clearTimeout(this.waiting.get(begun)?.patience);
    const isAnswer = "value" in answer || "names" in answer || "error" in answer;
    if (typeof id !== "number" || !isAnswer) return this.end(new Error("its worker sent something that is no answer"));
    this.waiting.get(id)?.resolve(message as WorkerAnswer);
    this.forget(id);
  }

  /** A call that was not begun in time is not waited for here any more. */
  private leave(id: number): void {
    this.waiting.get(id)?.reject(new Lost("its worker is busy with another call", "another"));
    this.forget(id);
  }

  private forget(id: number): void {
    clearTimeout(this.waiting.get(id)?.patience);
    this.waiting.delete(id);
    if (this.waiting.size > 0) return;
    this.worker.unref();
    if (this.isRetired) this.retire();
  }
}

/** Node's permission flags: reading what is needed to run the modules, and what the capabilities grant. */
async function permissions(root: string, capabilities: readonly string[]): Promise<string[]> {
  const flags = process.allowedNodeEnvironmentFlags;
  const readable = capabilities.includes("fs:read") ? ["*"] : await readableDirectories(root);
  return [
    flags.has("--permission") ? "--permission" : "--experimental-permission",
    "--no-warnings",
    ...readable.map((path) => `--allow-fs-read=${path}`),
    ...(capabilities.includes("fs:write") ? ["--allow-fs-write=*"] : []),
    ...(capabilities.includes("child_process") ? ["--allow-child-process"] : []),
    ...(capabilities.includes("net") && flags.has("--allow-net") ? ["--allow-net"] : []),
  ];
}

async function readableDirectories(root: string): Promise<string[]> {
  const own = dirname(dirname(fileURLToPath(import.meta.url)));
  const roots = new Set([root, await realpath(root), own]);
  for (const start of [root, own]) for (const directory of await readDependencies(start)) roots.add(directory);
  return [...roots].map((path) => join(path, "*"));
}
