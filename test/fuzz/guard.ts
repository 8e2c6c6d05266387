import { type Explanation, explain } from "@hooks/command-guard";
import { makeCommand } from "./guard-mutations.js";
import { Random } from "./random.js";

export interface GuardFuzzReport {
  readonly commands: number;
  readonly verdicts: ReadonlyMap<string, number>;
  /** Commands that broke a promise: a crash, another answer the second time, more commands than the budget allows. */
  readonly failures: readonly string[];
  /** The longest decisions, the slowest first. */
  readonly slowest: readonly { readonly command: number; readonly characters: number; readonly milliseconds: number }[];
}

const MOST_FAILURES = 20;
const KEPT = 10;
/** The budget of steps of one analysis; no command costs less than one. */
const MOST_COMMANDS = 6_000;
/**
 * A decision that took this long is timed again, and counts as its best: what the program costs comes back every time, a
 * pause of the machine does not. Time is the processor's, not the clock's.
 */
const SUSPECT_MS = 10;
const ROUNDS = 5;

/** Judges mutated commands one after the other, each in every dialect in turn. */
export function fuzzGuard(options: {
  readonly seed: number;
  readonly commands: number;
  readonly from?: number;
}): GuardFuzzReport {
  const { seed, commands, from = 0 } = options;
  const verdicts = new Map<string, number>();
  const failures: string[] = [];
  let slowest: { command: number; characters: number; milliseconds: number }[] = [];
  for (let command = from; command < from + commands && failures.length < MOST_FAILURES; command++) {
    const text = makeCommand(new Random(seed, command));
    try {
      const [explanation, milliseconds] = timed(text, command);
      verdicts.set(explanation.verdict, (verdicts.get(explanation.verdict) ?? 0) + 1);
      const broken = brokenPromise(text, command, explanation);
      if (broken !== null) failures.push(`${command}: ${broken}\n${text.slice(0, 500)}`);
      if (slowest.length < KEPT || milliseconds > (slowest[slowest.length - 1]?.milliseconds ?? 0)) {
        slowest = [...slowest, { command, characters: text.length, milliseconds }]
          .sort((a, b) => b.milliseconds - a.milliseconds)
          .slice(0, KEPT);
      }
    } catch (error) {
      failures.push(`${command}: ${error instanceof Error ? error.stack : error}\n${text.slice(0, 500)}`);
    }
  }
  return { commands, verdicts, failures, slowest };
}

function judgeOnce(text: string, command: number): Explanation {
  const dialect = command % 16 === 0 ? "powershell" : command % 16 === 8 ? "cmd" : "posix";
  return explain(text, { cwd: "/home/me/project", dialect });
}

function timed(text: string, command: number): [explanation: Explanation, milliseconds: number] {
  let fastest = Number.POSITIVE_INFINITY;
  for (let round = 0; ; round++) {
    const start = process.cpuUsage();
    const explanation = judgeOnce(text, command);
    const { user, system } = process.cpuUsage(start);
    fastest = Math.min(fastest, (user + system) / 1000);
    if (fastest < SUSPECT_MS || round === ROUNDS - 1) return [explanation, fastest];
  }
}

function brokenPromise(text: string, command: number, explanation: Explanation): string | null {
  if (explanation.commands.length > MOST_COMMANDS) return `${explanation.commands.length} commands`;
  if (explanation.verdict !== "allow" && explanation.reason === "") return "stopped without a reason";
  if (command % 32 === 0 && JSON.stringify(judgeOnce(text, command)) !== JSON.stringify(explanation))
    return "another answer the second time";
  return null;
}
