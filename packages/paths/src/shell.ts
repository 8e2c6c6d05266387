import { analyse, type SimpleCommand, startOf, type Word } from "@hooks/shell";
import { codeUses, scriptFiles } from "./code.js";
import { isDirectory } from "./disk.js";
import { findUses } from "./find.js";
import { guessUses } from "./guess.js";
import { operandUses } from "./operands.js";
import { placeWord, shownWord } from "./place.js";
import { programOf } from "./programs.js";
import { specialUses } from "./special.js";
import type { PathUse, Unclear, Uses } from "./use.js";
import { canLead, rootedWords, textWord, variableUse, withoutStart } from "./values.js";

export interface ShellOptions {
  /** Where the command starts; absolute. */
  readonly cwd: string;
  readonly home: string;
}

/** Takes in what one command does to words that are paths. */
export interface Collector {
  take(word: Word, access: "read" | "write", by: string, reach?: Reach): void;
  /** The same for what may be a path and may be something else. */
  guess(word: Word, access: "read" | "write", by: string): void;
  /** Something that uses a path nobody knows. */
  give(by: string, detail: string): void;
  /** Where a word leads, as far as that is known. */
  placesOf(word: Word): readonly string[];
}

/** How far below a path its use goes: that alone, the tree it begins, that with the links in it, or to new names. */
export type Reach = "one" | "tree" | "links" | "names";

/** The paths a shell command reads and writes, as far as its text says. */
export function usesOfShell(text: string, { cwd, home }: ShellOptions): Uses {
  // The same use a thousand times over is one.
  const uses = new Map<string, PathUse>();
  const unclear = new Map<string, Unclear>();
  const doubt = (one: Unclear) => void unclear.set(Object.values(one).join("\0"), one);
  const { commands, indeterminate } = analyse(text, { cwd, variables: { HOME: home } });
  for (const { detail } of indeterminate) doubt({ by: "shell", access: "write", detail });
  const made = directoriesMade(commands);
  for (const [place, command] of commands.entries()) {
    // What runs on another machine names its paths.
    if (command.elsewhere !== null && command.elsewhere !== "nsenter") continue;
    const base = placeWord(command.cwd, command.cwd, home)?.paths[0] ?? "/";
    const isDoubtful = base !== cwd && !made.has(base) && !isDirectory(base);
    const take: Collector["take"] = (word, access, by, reach = "one") => {
      const placed = placeWord(word, command.cwd, home);
      if (placed === undefined) return doubt({ by, access, detail: `only a run shows what ${shownWord(word)} is` });
      const isTree = reach === "tree" || reach === "links" || placed.isTree;
      for (const path of placed.paths) {
        const use = {
          path,
          base,
          access,
          by,
          isTree,
          followsLinks: reach === "links",
          brings: reach === "names",
          field: null,
        };
        uses.set(Object.values(use).join("\0"), use);
        // Where `cd` fails the rest runs where it was before.
        if (isDoubtful && /(?:^|\/)\.\.(?:\/|$)/.test(path) && !path.startsWith("/"))
          doubt({ by, access, detail: `${path} is relative to ${base}, which is not there` });
      }
    };
    const collector: Collector = {
      take,
      guess: (word, access, by) => {
        if (
          word.text === null ? hasText(word) : !/^[-/]*$/.test(word.text) && (access === "write" || canLead(word.text))
        )
          take(word, access, by);
      },
      give: (by, detail) => doubt({ by, access: "write", detail }),
      placesOf: (word) =>
        (placeWord(word, command.cwd, home)?.paths ?? []).map((path) =>
          path.startsWith("/") ? path : `${base}/${path}`,
        ),
    };
    collect(command, commands.slice(place + 1), collector);
  }
  return { uses: [...uses.values()], unclear: [...unclear.values()] };
}

/** Directories a command makes before it goes into them. */
function directoriesMade(commands: readonly SimpleCommand[]): ReadonlySet<string> {
  const made = new Set<string>();
  for (const { program, argv, cwd } of commands) {
    if (program !== "mkdir" || cwd.text === null) continue;
    for (const { text } of argv.slice(1)) {
      if (text === null || text.startsWith("-")) continue;
      const path = text.startsWith("/") ? text : `${cwd.text}/${text}`;
      const names = path.split("/").filter((name) => name !== "" && name !== ".");
      for (const [count] of names.entries()) made.add(`/${names.slice(0, count + 1).join("/")}`);
    }
  }
  return made;
}

function collect(command: SimpleCommand, later: readonly SimpleCommand[], collector: Collector): void {
  const { program, argv, redirections, assignments, wraps, code } = command;
  for (const { kind, target } of redirections) {
    if (kind === "read") collector.take(target, "read", "<");
    else if (kind === "write" || kind === "append" || kind === "both") collector.take(target, "write", ">");
    else if (kind === "duplicate" && !/^(?:\d+-?|-)$/.test(target.text ?? "")) collector.take(target, "write", ">&");
  }
  for (const { name, value } of assignments) variableUse(name, value, collector);
  if (program === null || argv.length === 0) return;
  const [name, ...args] = argv as [Word, ...Word[]];
  // A program that is named by its path is read to be run.
  if (name.text?.includes("/") === true) collector.take(name, "read", program);
  for (const word of args) {
    const [assigned, variable] = /^([A-Za-z_]\w*)\+?=/.exec(startOf(word)) ?? [];
    if (assigned !== undefined && variable !== undefined && SETS.test(program))
      variableUse(variable, withoutStart(word, assigned.length), collector);
  }
  if (code !== null) codeUses(code, collector, program);
  if (program === "find" || program === "gfind" || program === "fd" || program === "fdfind")
    return findUses(command, collector);
  if (specialUses(program, args, collector, command)) return;
  const known = programOf(program);
  if (known !== undefined) return operandUses(known, program, args, collector, command.stdin);
  if (code !== null) return scriptFiles(code, args, collector, program);
  if (wraps) return guessUses(program, ownArguments(program, args, later), collector);
  guessUses(program, args, collector);
  if (INTERPRETERS.test(program)) for (const word of args) programText(word, program, collector);
}

const SETS = /^(?:export|declare|typeset|local|readonly|env|sudo|doas|setenv)$/;

const SHELLS = /^(?:ba|z|da|k|a|fi)?sh$/;
const INTERPRETERS =
  /^(?:python|node|ruby|perl|php|lua|deno|bun|duckdb|clickhouse|mongo|sqlcmd|usql|mysql|psql|lftp|gdb|expect)/;

/** What belongs to a program that starts another: the arguments before the first one that is the other's. */
function ownArguments(program: string, args: readonly Word[], later: readonly SimpleCommand[]): readonly Word[] {
  const started = new Set(later.map(({ argv }) => argv[0]));
  const at = args.findIndex((word) => started.has(word));
  if (at !== -1) return args.slice(0, at);
  // It was told by a text what to start; what a shell is given besides is only there for that text.
  const words = args.filter(({ text }) => text === null || !/\s/.test(text));
  return SHELLS.test(program) ? words.filter((word) => startOf(word).startsWith("--")) : words;
}

/** A program text that only the interpreter's module knows for one: `python3 -m timeit "open('x')"`. */
function programText({ text }: Word, by: string, { guess }: Collector): void {
  if (text !== null && /[("']/.test(text)) for (const path of rootedWords(text)) guess(textWord(path), "read", by);
}

// A word without any text is as likely a flag or a number as a path.
function hasText(word: Word): boolean {
  return word.pieces.some((piece) => piece.kind === "glob" || (piece.kind === "text" && piece.text.includes("/")));
}
