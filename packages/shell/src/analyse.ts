import { type Analysis, DEFAULT_LIMITS, type Limits } from "./analysis.js";
import { Evaluation, Exhausted, type Scope } from "./evaluation.js";
import { parseScript } from "./parser.js";
import { runCall } from "./run.js";
import { State } from "./state.js";
import { walkNode, walkScript } from "./walk.js";
import { literal, type Word } from "./word.js";

export interface AnalyseOptions {
  /** The directory the command starts in; `$PWD` when absent. */
  readonly cwd?: string;
  /** Variables whose values are known: `{ HOME: "/home/me" }`. */
  readonly variables?: Readonly<Record<string, string>>;
  readonly limits?: Partial<Limits>;
}

const PWD: Word = { pieces: [{ kind: "variable", name: "PWD", required: true }], text: null };

/**
 * Lists every simple command that running `text` in a shell would run, without running any of it.
 *
 * @example
 * analyse("cd /tmp && sudo sh -c 'rm -rf $1' _ build").commands.at(-1)
 * // program "rm", argv rm -rf build, cwd /tmp, wrappers ["sudo"], via ["sh -c"]
 */
export function analyse(text: string, options: AnalyseOptions = {}): Analysis {
  return evaluate(options, (evaluation, scope) => {
    const script = parseScript(evaluation, text, false);
    if (script !== null) walkScript(evaluation, script, scope);
  });
}

/** The same for a command whose words are known already: the program and its arguments. */
export function analyseWords(argv: readonly Word[], cwd: Word, limits: Partial<Limits> = {}): Analysis {
  return evaluate({ limits }, (evaluation, scope) =>
    runCall(evaluation, { argv, assignments: [], redirections: [], cwd }, scope),
  );
}

function evaluate(options: AnalyseOptions, run: (evaluation: Evaluation, scope: Scope) => void): Analysis {
  const evaluation = new Evaluation({ ...DEFAULT_LIMITS, ...options.limits }, walkScript, walkNode);
  const state = State.initial(options.cwd === undefined ? PWD : literal(options.cwd));
  for (const [name, value] of Object.entries(options.variables ?? {})) state.set(name, [literal(value)]);
  const scope: Scope = {
    state,
    stdin: { kind: "inherited" },
    depth: 0,
    via: [],
    wrappers: [],
    elsewhere: null,
    mounts: [],
    calls: [],
    forked: false,
  };
  try {
    run(evaluation, scope);
  } catch (error) {
    if (!(error instanceof Exhausted)) throw error;
  }
  return { commands: evaluation.commands, indeterminate: evaluation.indeterminate, recursive: evaluation.recursive };
}
