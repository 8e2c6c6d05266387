import { realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import type { HookContext, HookRef, Json } from "@hooks/core";
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
}

export type WorkerRequest = (Load | Call) & { readonly id: number };

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

/**
 * A warm worker for the modules of one package: no environment, bounded memory, and Node's permission model with only
 * what the package's capabilities grant. It is never used again after a fault; another one is warmed up in its place.
 */
export class HookWorker {
  private seat: Promise<Seat> | null = null;
  private readonly files = new Set<string>();
  private isClosed = false;

  constructor(
    private readonly root: string,
    private readonly capabilities: readonly string[],
  ) {}

  /** The names of the functions a module exports. */
  async load(file: string): Promise<string[]> {
    this.files.add(file);
    const answer = await this.ask({ kind: "load", file });
    return "names" in answer ? answer.names : [];
  }

  /** A function that runs an export in the worker. */
  handler(file: string, exportName: string): (view: Json, context: HookContext) => Promise<unknown> {
    return async (view, { hook, options, signal }) => {
      const answer = await this.ask({ kind: "call", file, exportName, view, hook, options }, signal);
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

  private async ask(request: Load | Call, signal?: AbortSignal): Promise<WorkerAnswer> {
    if (this.isClosed) throw new Error("its harness is closed");
    const mine = this.seat ?? this.start();
    let seat = await mine;
    // It may have died of something while nobody was using it.
    if (seat.isLost) seat = await this.start();
    // A call that runs out of time while a worker warms up must not end it, or no worker would ever be warm.
    if (signal?.aborted === true) throw new Error("its worker was not ready in time");
    // A worker that loops does not listen: the only way to stop it is to end it.
    signal?.addEventListener("abort", () => seat.end(new Error("ended at its deadline")), { once: true });
    try {
      const answer = await seat.ask(request);
      if ("error" in answer) throw new Error(answer.error);
      return answer;
    } catch (error) {
      if ((await this.seat) === seat) this.replace(seat);
      throw error;
    }
  }

  /** Whatever state a fault left behind goes with the worker; the next one is made ready before it is needed. */
  private replace(seat: Seat): void {
    seat.retire();
    this.seat = null;
    if (!this.isClosed) void this.start();
  }

  private start(): Promise<Seat> {
    const starting = this.warmUp();
    this.seat = starting;
    // One that cannot start is not kept: whoever asks next tries again, and is told why.
    starting.catch(() => {
      if (this.seat === starting) this.seat = null;
    });
    return starting;
  }

  private async warmUp(): Promise<Seat> {
    const setup: WorkerSetup = { root: this.root, mayUseNetwork: this.capabilities.includes("net") };
    const seat = new Seat(setup, await permissions(this.root, this.capabilities));
    // What fails to load here fails again, and is reported, when it is asked for.
    await Promise.allSettled([...this.files].map((file) => seat.ask({ kind: "load", file })));
    return seat;
  }
}

interface Waiting {
  readonly resolve: (answer: WorkerAnswer) => void;
  readonly reject: (error: Error) => void;
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

  ask(request: Load | Call): Promise<WorkerAnswer> {
    return new Promise((resolve, reject) => {
      if (this.lost !== null) return reject(this.lost);
      const id = ++this.calls;
      this.waiting.set(id, { resolve, reject });
      // While somebody waits for an answer the process must not end without it.
      this.worker.ref();
      this.worker.postMessage({ ...request, id } satisfies WorkerRequest);
    });
  }

  /** Takes no more calls; ends when those that are under way have finished. */
  retire(): void {
    this.isRetired = true;
    if (this.waiting.size === 0) this.end(new Error("its worker was retired"));
  }

  /** Ends at once; whoever waits gets the error. */
  end(error: Error): void {
    if (this.lost !== null) return;
    this.lost = error;
    for (const { reject } of this.waiting.values()) reject(error);
    this.waiting.clear();
    this.worker.unref();
    void this.worker.terminate();
  }

  /** A hook can send anything over its own port: what is no answer of ours ends its worker, and nothing else. */
  private receive(message: unknown): void {
    const { id, output, ...answer } = (message ?? {}) as Partial<WorkerAnswer & WorkerOutput>;
    // A hook's output must not mix with a protocol on standard output.
    if (typeof output === "string") return void process.stderr.write(output);
    const isAnswer = "value" in answer || "names" in answer || "error" in answer;
    if (typeof id !== "number" || !isAnswer) return this.end(new Error("its worker sent something that is no answer"));
    this.waiting.get(id)?.resolve(message as WorkerAnswer);
    this.forget(id);
  }

  private forget(id: number): void {
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
