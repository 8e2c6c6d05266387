import type { Flag, Flags } from "./verb.js";

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

/** A verb as a completion knows it. */
export interface Completable {
  readonly name: string;
  readonly summary: string;
  readonly flags: Flags;
}

const HELP: Flag = { type: "boolean", about: "what the verb does, with examples" };

/** The completion script of a shell. Everything in it comes from the verbs themselves. */
export function completionScript(shell: Shell, verbs: readonly Completable[]): string {
  const all = verbs.map((verb) => ({ ...verb, flags: { ...verb.flags, help: HELP } }));
  return SCRIPTS[shell](all);
}

const SCRIPTS: Readonly<Record<Shell, (verbs: readonly Completable[]) => string>> = { bash, zsh, fish };

function bash(verbs: readonly Completable[]): string {
  const cases = verbs.map(
    ({ name, flags }) =>
      `    ${name}) words="${Object.keys(flags)
        .map((flag) => `--${flag}`)
        .join(" ")}" ;;`,
  );
  const values = choicesOf(verbs).map(
    ({ verb, flag, choices }) =>
      `    "${verb} --${flag}") COMPREPLY=($(compgen -W "${choices.join(" ")}" -- "$now")); return ;;`,
  );
  return `# bash completion of harn
_harn() {
  local now="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" verb="\${COMP_WORDS[1]}" words=""
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${verbs.map(({ name }) => name).join(" ")} --help --version" -- "$now"))
    return
  fi
  case "$verb $before" in
${values.join("\n")}
  esac
  case "$now" in
    -*) ;;
    *) COMPREPLY=($(compgen -f -- "$now")); return ;;
  esac
  case "$verb" in
${cases.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$now"))
}
complete -o filenames -F _harn harn
`;
}

function zsh(verbs: readonly Completable[]): string {
  const names = verbs.map(({ name, summary }) => `    ${single(`${name}:${summary.replaceAll(":", "\\:")}`)}`);
  const cases = verbs.map(({ name, flags }) => {
    const lines = Object.entries(flags).map(([flag, spec]) => `        ${single(zshFlag(flag, spec))}`);
    return `      ${name}) _arguments \\\n${lines.join(" \\\n")} \\\n        '*:file:_files' ;;`;
  });
  return `#compdef harn
# zsh completion of harn
_harn() {
  local -a verbs
  verbs=(
${names.join("\n")}
  )
  if (( CURRENT == 2 )); then
    _describe 'verb' verbs
    return
  fi
  local verb=$words[2]
  shift words
  (( CURRENT-- ))
  case $verb in
${cases.join("\n")}
  esac
}
# Loaded as a function it is called at once; read by eval it is only made known.
if [ "$funcstack[1]" = "_harn" ]; then _harn "$@"; else compdef _harn harn; fi
`;
}

function zshFlag(flag: string, { type, about, value = "VALUE", choices, multiple }: Flag): string {
  const text = about.replaceAll("[", "(").replaceAll("]", ")").replaceAll(":", "\\:");
  const action = choices === undefined ? "_files" : `(${choices.join(" ")})`;
  return `${multiple === true ? "*" : ""}--${flag}[${text}]${type === "boolean" ? "" : `:${value}:${action}`}`;
}

function fish(verbs: readonly Completable[]): string {
  const lines = verbs.flatMap(({ name, summary, flags }) => [
    `complete -c harn -n __fish_use_subcommand -f -a ${name} -d ${single(summary)}`,
    ...Object.entries(flags).map(([flag, { type, about, short, choices }]) => {
      const value = type === "boolean" ? "" : choices === undefined ? " -r" : ` -x -a ${single(choices.join(" "))}`;
      const letter = short === undefined ? "" : ` -s ${short}`;
      return `complete -c harn -n '__fish_seen_subcommand_from ${name}' -l ${flag}${letter}${value} -d ${single(about)}`;
    }),
  ]);
  return `# fish completion of harn\n${lines.join("\n")}\n`;
}

function choicesOf(verbs: readonly Completable[]) {
  return verbs.flatMap(({ name, flags }) =>
    Object.entries(flags).flatMap(([flag, { choices }]) =>
      choices === undefined ? [] : [{ verb: name, flag, choices }],
    ),
  );
}

function single(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
