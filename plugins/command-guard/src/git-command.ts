import { type GivenOption, type OptionSpec, readOptions, type SimpleCommand, type Word } from "@hooks/shell";

/** What git is asked to do. */
export interface GitCommand {
  /** The subcommand in small letters. */
  readonly name: string;
  readonly options: readonly GivenOption[];
  /** Operands before `--`, and all that follow it. */
  readonly operands: readonly Word[];
  readonly paths: readonly Word[];
  /** Settings given with `-c`. */
  readonly settings: readonly string[];
}

const GLOBAL: OptionSpec = {
  short: "cC",
  long: ["git-dir", "work-tree", "namespace", "exec-path", "config-env", "super-prefix", "attr-source"],
};

/** Options of subcommands that take the next word as their value. */
const VALUES: Readonly<Record<string, OptionSpec>> = {
  checkout: { short: "bBU", long: ["orphan", "conflict", "unified", "inter-hunk-context", "pathspec-from-file"] },
  switch: { short: "cC", long: ["create", "force-create", "orphan", "conflict"] },
  restore: { short: "sU", long: ["source", "conflict", "pathspec-from-file", "unified"] },
  push: { short: "o", long: ["push-option", "repo", "receive-pack", "exec"] },
  clean: { short: "e", long: ["exclude"] },
  branch: { short: "u", long: ["set-upstream-to", "contains", "no-contains", "merged", "points-at", "sort", "format"] },
  reset: { short: "U", long: ["pathspec-from-file"] },
  reflog: {},
  tag: { short: "mFu", long: ["message", "file", "sort", "format", "contains"] },
  commit: { short: "mFCct", long: ["message", "file", "author", "date", "fixup"] },
  stash: { short: "m", long: ["message"] },
  worktree: { short: "bB", long: ["reason", "expire"] },
  rebase: { short: "xsX", long: ["exec", "onto", "strategy"] },
};

const known = new WeakMap<SimpleCommand, GitCommand | null>();

/** Reads a git command; null where the program is another, or nothing is asked of it. */
export function gitCommandOf(command: SimpleCommand): GitCommand | null {
  const before = known.get(command);
  if (before !== undefined) return before;
  const read = readGit(command);
  known.set(command, read);
  return read;
}

function readGit({ program, argv }: SimpleCommand): GitCommand | null {
  if (program === null) return null;
  const direct = /^git-([a-z-]+)$/.exec(program)?.[1];
  const { options, operands } =
    direct === undefined ? readOptions(argv.slice(1), GLOBAL, true) : { options: [], operands: argv };
  const name = direct ?? operands[0]?.text?.toLowerCase();
  if (name === undefined) return null;
  const rest = operands.slice(1);
  const end = rest.findIndex(({ text }) => text === "--");
  const own = readOptions(end === -1 ? rest : rest.slice(0, end), VALUES[name] ?? {});
  return {
    name,
    options: own.options,
    operands: own.operands,
    paths: end === -1 ? [] : rest.slice(end + 1),
    settings: options.flatMap(({ name: option, value }) =>
      option === "-c" && value?.text != null ? [value.text] : [],
    ),
  };
}
