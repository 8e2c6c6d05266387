import type { Word } from "./word.js";

/** What a command would do, as far as its text says. */
export interface Analysis {
  /** Every simple command that would run, in order; those of nested scripts stand where they run. */
  readonly commands: readonly SimpleCommand[];
  /** Why the list may not be complete; empty when it is. */
  readonly indeterminate: readonly Reason[];
  /** Functions that call themselves. */
  readonly recursive: readonly Recursion[];
}

/** One program with its arguments. */
export interface SimpleCommand {
  /** The program's name without its directory, null where only a run shows it. */
  readonly program: string | null;
  /** The program and its arguments; empty where there are only assignments or redirections. */
  readonly argv: readonly Word[];
  /** Variables set for this command alone, or by it where it has no program. */
  readonly assignments: readonly Assignment[];
  readonly redirections: readonly Redirection[];
  /** The working directory, `cd` followed; `$PWD` where it is not known. */
  readonly cwd: Word;
  readonly stdin: Stdin;
  /** The wrappers it runs under, outermost first: `["sudo", "xargs"]`. */
  readonly wrappers: readonly string[];
  /** What it was taken out of, outermost first: `["bash -c", "$(...)"]`. */
  readonly via: readonly string[];
  /** Whether it only starts another command of the list: `sudo`, `xargs`, `bash -c`. */
  readonly wraps: boolean;
  /** The machine or container it runs in, null for this one: `"ssh"`, `"docker"`. */
  readonly elsewhere: string | null;
  /** Directories of this machine that a container it runs in sees and may change. */
  readonly mounts: readonly Mount[];
  /** The program text it hands to an interpreter. */
  readonly code: Code | null;
}

/** A directory of this machine inside of a container: `-v "$PWD:/app"`. */
export interface Mount {
  readonly host: Word;
  readonly guest: string;
}

export interface Assignment {
  readonly name: string;
  readonly value: Word;
}

export interface Redirection {
  readonly fd: number | null;
  /** `duplicate` is `2>&1`; `text` is a here-document or here-string. */
  readonly kind: "read" | "write" | "append" | "both" | "duplicate" | "text";
  /** The file, the descriptor, or the text itself. */
  readonly target: Word;
}

/** Where a command reads its input from. */
export type Stdin =
  | { readonly kind: "inherited" }
  | { readonly kind: "file"; readonly path: Word }
  /** `text` is what is certain of it; `from` are the commands that write it, which have a stdin of their own. */
  | { readonly kind: "text"; readonly text: Word; readonly from: readonly SimpleCommand[] };

export type Language =
  | "python"
  | "javascript"
  | "perl"
  | "ruby"
  | "php"
  | "awk"
  | "lua"
  | "r"
  | "powershell"
  | "cmd"
  | "tcl"
  | "java"
  | "go"
  | "julia"
  | "elixir"
  | "applescript"
  | "sql";

/** Source text of another language. */
export interface Code {
  readonly language: Language;
  readonly source: Word;
  /** The calls in it whose names are written out; commands it starts are in the list of the analysis. */
  readonly calls: readonly CodeCall[];
}

/** A call in a program of another language: `shutil.rmtree("build")`. */
export interface CodeCall {
  /** The function as it was imported: `os.system`, `child_process.execSync`, `unlink`; a backtick for text that is run. */
  readonly name: string;
  /** What is certain of its arguments; of a method, what it is called on comes first. */
  readonly args: readonly Word[];
  /** The words of the first argument that is a list. */
  readonly list: readonly Word[] | null;
}

export interface Recursion {
  readonly name: string;
  /** Whether it goes on in the background or as a part of a pipeline: a fork bomb. */
  readonly forks: boolean;
}

/** Why an analysis may have missed something. */
export interface Reason {
  /**
   * - `too-large`: longer than the limit, or more steps than the budget
   * - `too-deep`: nested beyond the limit
   * - `unparsable`: not a shell script, or a broken one
   * - `unknown-command`: only a run shows which program it is
   * - `unknown-script`: a shell runs text only a run shows
   */
  readonly code: "too-large" | "too-deep" | "unparsable" | "unknown-command" | "unknown-script";
  /** One line for a person. */
  readonly detail: string;
  /** The commands whose output is the unknown part, for `unknown-script`. */
  readonly from: readonly SimpleCommand[];
}

/** What an analysis may cost. Budgets are counted in steps, never in time. */
export interface Limits {
  /** Characters of the command. */
  readonly length: number;
  /** Nested substitutions, scripts, compound commands and calls. */
  readonly depth: number;
  /** Words and commands looked at, loops unrolled. */
  readonly steps: number;
}

export const DEFAULT_LIMITS: Limits = { length: 131_072, depth: 40, steps: 6_000 };
