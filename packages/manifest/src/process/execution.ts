import { type ChildProcessByStdio, spawn } from "node:child_process";
import { closeSync } from "node:fs";
import type { Readable } from "node:stream";
import type { ProcessResult } from "@hooks/core";
import { printedNoText, printedTooMuch, ranOutOfTime, refusedBySystem } from "./faults.js";
import { hold, killGroup, letGo } from "./group.js";
import { openInput } from "./input.js";

/** One run of one program. */
export interface Execution {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** What it gets on standard input. */
  readonly input: string;
  readonly timeout_ms: number;
  readonly signal: AbortSignal;
}

const MOST_OUTPUT = 1024 * 1024;
/** How long what a program printed last may take to arrive once it has ended. */
const DRAIN_MS = 100;
const LONGEST_TIMER = 2 ** 31 - 1;

type Child = ChildProcessByStdio<null, Readable, Readable>;

/**
 * Runs a program in a process group of its own, without a shell. It is over when the program has exited and its output
 * is closed; at the deadline, or when it floods, the whole group is killed. Rejects with the fault it ended as.
 */
export function execute(execution: Execution): Promise<ProcessResult> {
  return new Promise((resolve, reject) => {
    try {
      new Running(start(execution), execution, resolve, reject).follow();
    } catch (error) {
      reject(refusedBySystem(error as NodeJS.ErrnoException, execution.file));
    }
  });
}

function start({ file, args, cwd, env, input }: Execution): Child {
  const stdin = openInput(input);
  try {
    const stdio = [stdin, "pipe", "pipe"] as const;
    const [program, words] = unlimited(file, args);
    // Node's types know no program that has one stream less.
    return spawn(program, words, {
      cwd,
      env,
      detached: true,
      stdio: [...stdio],
      windowsHide: true,
    }) as unknown as Child;
  } finally {
    closeSync(stdin);
  }
}

/** A limit of processor time is set for what this process itself may take; a program that compiles takes more, in its time. */
function unlimited(file: string, args: readonly string[]): [string, readonly string[]] {
  if (process.env.HARN_CPU_LIMITED === undefined) return [file, args];
  return ["/bin/sh", ["-c", 'ulimit -S -t unlimited; exec "$0" "$@"', file, ...args]];
}

/** A program from its start to its end. */
class Running {
  private readonly printed: Buffer[] = [];
  private readonly said: Buffer[] = [];
  private exit: { readonly code: number | null; readonly signal: string | null } | null = null;
  private isOver = false;
  private deadline: NodeJS.Timeout | undefined;

  constructor(
    private readonly child: Child,
    private readonly execution: Execution,
    private readonly resolve: (result: ProcessResult) => void,
    private readonly reject: (error: unknown) => void,
  ) {}

  follow(): void {
    const { child } = this;
    const { file, timeout_ms, signal } = this.execution;
    hold(child);
    this.deadline = setTimeout(this.expire, Math.min(timeout_ms, LONGEST_TIMER));
    signal.addEventListener("abort", this.expire, { once: true });
    child.once("error", (error) => this.fail(refusedBySystem(error, file)));
    this.collect(child.stdout, this.printed, "standard output");
    this.collect(child.stderr, this.said, "standard error");
    child.once("exit", (code, killedBy) => {
      this.exit = { code, signal: killedBy };
      // What exits well and leaves somebody behind who may still print has not answered yet. A refusal stands at once.
      if (code !== 0) setTimeout(() => this.cut(), DRAIN_MS);
    });
    child.once("close", () => this.conclude());
  }

  private collect(stream: Readable, chunks: Buffer[], name: string): void {
    let size = 0;
    stream.on("error", () => {});
    stream.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > MOST_OUTPUT) this.fail(printedTooMuch(name, MOST_OUTPUT));
      else chunks.push(chunk);
    });
  }

  private readonly expire = (): void => {
    this.fail(ranOutOfTime(this.execution.timeout_ms, this.exit !== null));
  };

  private fail(error: Error): void {
    killGroup(this.child);
    this.settle(() => this.reject(error));
  }

  /** Ends with what has arrived so far. */
  private cut(): void {
    if (!this.isOver) killGroup(this.child);
    this.conclude();
  }

  private conclude(): void {
    this.settle(() => {
      const { code = null, signal = null } = this.exit ?? {};
      const stdout = textOf(this.printed);
      if (code === 0 && stdout === undefined) return this.reject(printedNoText());
      this.resolve({
        exit_code: code,
        ...(signal === null ? {} : { signal }),
        stdout: stdout ?? Buffer.concat(this.printed).toString("utf8"),
        stderr: Buffer.concat(this.said).toString("utf8"),
      });
    });
  }

  private settle(answer: () => void): void {
    if (this.isOver) return;
    this.isOver = true;
    clearTimeout(this.deadline);
    this.execution.signal.removeEventListener("abort", this.expire);
    const { child } = this;
    letGo(child);
    // Whoever still holds the other ends must not keep this process waiting.
    for (const stream of child.stdio) stream?.destroy();
    child.unref();
    answer();
  }
}

function textOf(chunks: readonly Buffer[]): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    return undefined;
  }
}
