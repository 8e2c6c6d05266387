import { messageOf } from "@hooks/core";
import { EXIT, type Exit } from "./exit.js";
import type { Output } from "./terminal.js";

export interface Reply {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: 0 | 2;
}

/**
 * Has the last word of this process. Whatever code it runs may throw where nobody catches, exit, print, or never come
 * back: the one thing it cannot do is to leave an agent without an answer, because agents take that for a yes.
 */
export class LastWord {
  private isSaid = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly out: Output,
    private readonly err: Output,
    /** The answer when there is no other. */
    private readonly refuse: (why: string) => Reply,
  ) {}

  /** From here on the answer is given, in time or not. */
  arm(budgetMs: number): void {
    divertPrinting(this.err);
    process.on("uncaughtException", (error) => this.end(`a hook failed outside of its call: ${messageOf(error)}`));
    process.on("unhandledRejection", (error) => this.end(`a hook failed outside of its call: ${messageOf(error)}`));
    process.on("exit", () => {
      if (!this.isSaid) process.exitCode = this.say(this.refuse("a hook ended the process before it was answered"));
    });
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
      process.on(signal, () => this.end(`the process was told to stop (${signal})`));
    }
    this.timer = setTimeout(() => this.end(`the hooks did not answer within ${budgetMs} ms`), budgetMs);
  }

  /** Gives the answer, once. */
  say({ stdout, stderr, exit }: Reply): Exit {
    if (this.isSaid) return EXIT.fine;
    this.isSaid = true;
    clearTimeout(this.timer);
    if (stderr !== "") this.err.write(`${stderr}\n`);
    if (stdout !== "") this.out.write(`${stdout}\n`);
    return exit === 2 ? EXIT.block : EXIT.fine;
  }

  private end(why: string): never {
    process.exit(this.isSaid ? undefined : this.say(this.refuse(why)));
  }
}

/** What hooks print is talk: one line of it on standard output would make whoever reads that ignore the answer. */
export function divertPrinting(err: Output): void {
  process.stdout.write = ((text: string | Uint8Array) => {
    err.write(typeof text === "string" ? text : Buffer.from(text).toString());
    return true;
  }) as typeof process.stdout.write;
}
