import { messageOf } from "@hooks/core";
import { end } from "./ending.js";
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
  private said: Exit | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly out: Output,
    private readonly err: Output,
    /** The answer when there is no other. */
    private readonly refuse: (why: string) => Reply,
  ) {}

  /** From here on the answer is given, in time or not. */
  arm(budgetMs: number): void {
    process.on("uncaughtException", (error) => this.stop(`a hook failed outside of its call: ${messageOf(error)}`));
    process.on("unhandledRejection", (error) => this.stop(`a hook failed outside of its call: ${messageOf(error)}`));
    process.on("exit", () => {
      process.exitCode = this.said ?? this.say(this.refuse("a hook ended the process before it was answered"));
    });
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
      process.on(signal, () => this.stop(`the process was told to stop (${signal})`));
    }
    this.timer = setTimeout(() => this.stop(`the hooks did not answer within ${budgetMs} ms`), budgetMs);
  }

  /** Gives the answer, once. A veto stands even where nobody reads why; an answer that only says how is one then. */
  say({ stdout, stderr, exit }: Reply): Exit {
    if (this.said !== undefined) return this.said;
    clearTimeout(this.timer);
    // A reader that is gone ends the process while it writes, with this.
    this.said = exit === 2 || stdout !== "" ? EXIT.block : EXIT.fine;
    process.exitCode = this.said;
    if (stderr !== "") attempt(() => this.err.write(`${stderr}\n`));
    const isHeard = stdout === "" || attempt(() => this.out.write(`${stdout}\n`));
    this.said = exit === 2 || !isHeard ? EXIT.block : EXIT.fine;
    return this.said;
  }

  private stop(why: string): never {
    end(this.said ?? this.say(this.refuse(why)));
  }
}

function attempt(write: () => unknown): boolean {
  try {
    write();
    return true;
  } catch {
    return false;
  }
}
