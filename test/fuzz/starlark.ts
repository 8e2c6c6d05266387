import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  defineFunction,
  defineModule,
  json,
  Program,
  parse,
  print,
  re,
  StarlarkBudgetError,
  StarlarkError,
  StarlarkEvalError,
} from "@hooks/starlark";
import { Random } from "./random.js";
import { makeProgram } from "./starlark-mutations.js";
import { Watchdog } from "./watchdog.js";

export interface StarlarkFuzzReport {
  readonly programs: number;
  /** How many ended in which way: `done`, or the code of an error. */
  readonly endings: ReadonlyMap<string, number>;
  readonly slowest: { readonly program: number; readonly milliseconds: number };
  readonly failures: readonly string[];
}

const budget = { steps: 5_000, memory: 200_000, depth: 20 };
// A program may take so many steps and so much memory; one that needs longer than this hangs.
const BUDGET_MS = 5_000;
const LARGEST = 4 * 1024 * 1024;
const MOST_FAILURES = 20;

const host = defineModule("host", {
  echo: defineFunction("echo", { x: "any" }, ({ x }) => x),
  size: defineFunction(
    "size",
    { x: "json", most: "int?" },
    ({ x, most = 0 }) => (JSON.stringify(x)?.length ?? 0) + most,
  ),
});

/** Runs programs one after the other. Every one ends with a module or with an error of Starlark's, twice the same. */
export async function fuzzStarlark(options: {
  readonly seed: number;
  readonly programs: number;
  readonly from?: number;
}): Promise<StarlarkFuzzReport> {
  const { seed, programs, from = 0 } = options;
  const file = join(tmpdir(), `starlark-fuzz-${seed}-hang.star`);
  const watchdog = new Watchdog({ budgetMs: BUDGET_MS, largest: LARGEST, seed, file });
  const endings = new Map<string, number>();
  const slowest = { program: from, milliseconds: 0 };
  const failures: string[] = [];
  try {
    for (let program = from; program < from + programs && failures.length < MOST_FAILURES; program++) {
      const { origin, text } = makeProgram(new Random(seed, program));
      watchdog.watch(program, Buffer.from(text));
      const start = performance.now();
      try {
        const ending = judge(text);
        endings.set(ending, (endings.get(ending) ?? 0) + 1);
      } catch (error) {
        const thrown = error instanceof Error ? (error.stack ?? error.message) : String(error);
        failures.push(
          `seed ${seed}, program ${program} (${origin}): ${thrown.slice(0, 1_500)}\n${text.slice(0, 2_000)}`,
        );
      }
      const milliseconds = performance.now() - start;
      if (milliseconds > slowest.milliseconds) Object.assign(slowest, { program, milliseconds });
    }
  } finally {
    await watchdog.stop();
  }
  return { programs, endings, slowest, failures };
}

/** How a program ended; throws where that is not one of the ways it may. */
function judge(text: string): string {
  const ending = endingOf(text);
  const again = endingOf(text);
  if (ending.state !== again.state) throw new Error(`it ended in two ways: ${ending.state} and ${again.state}`);
  checkPrinting(text);
  return ending.code;
}

function endingOf(text: string): { readonly code: string; readonly state: string } {
  try {
    const options = { predeclared: { json, re, host }, topLevelControl: true, globalReassign: true, whileLoops: true };
    const { steps, memory, globals } = Program.compile(text, options).run({ budget });
    if (steps > budget.steps || memory > budget.memory) throw new Error(`it took ${steps} steps and ${memory} units`);
    return { code: "done", state: `${steps} ${memory} ${[...globals.keys()].join()}` };
  } catch (error) {
    if (!(error instanceof StarlarkError)) throw error;
    const { code, line, column, message } = error;
    if (!(line >= 1 && column >= 1)) throw new Error(`no place: ${error.report}`);
    if (error.report === "" || message === "" || /\[object |undefined is not|=>/.test(message)) {
      throw new Error(`no message for a person: ${message}`);
    }
    if (error instanceof StarlarkEvalError && !(error instanceof StarlarkBudgetError)) checkUsage(error);
    return { code, state: `${code} ${line}:${column} ${message}` };
  }
}

function checkUsage({ usage }: StarlarkEvalError): void {
  if (usage.steps > budget.steps || usage.memory > budget.memory) {
    throw new Error(`it failed only after ${usage.steps} steps and ${usage.memory} units`);
  }
}

/** What was printed is parsed as the same tree. */
function checkPrinting(text: string): void {
  let printed: string;
  try {
    printed = print(parse(text));
  } catch (error) {
    if (error instanceof StarlarkError) return;
    throw error;
  }
  if (print(parse(printed)) !== printed) throw new Error(`it is printed in two ways:\n${printed}`);
}
