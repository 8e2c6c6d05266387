import {
  analyse,
  type GivenOption,
  readFind,
  readOptions,
  type SimpleCommand,
  startOf,
  type Word,
  wordOf,
} from "@hooks/shell";
import { pathsInCode, rootedWords } from "./code.js";
import { placeWord, shownWord } from "./place.js";
import { type Program, programOf } from "./programs.js";
import { specialUses } from "./special.js";
import type { PathUse, Unclear, Uses } from "./use.js";

export interface ShellOptions {
  /** Where the command starts; absolute. */
  readonly cwd: string;
  readonly home: string;
}

/** Takes in what one command does to words that are paths. */
export interface Collector {
  take(word: Word, access: "read" | "write", by: string, reach?: Reach): void;
  /** Something that uses a path nobody knows. */
  give(by: string, detail: string): void;
}

/** How far below a path its use goes: that alone, the tree it begins, or that with the links in it. */
export type Reach = "one" | "tree" | "links";

/** The paths a shell command reads and writes, as far as its text says. */
export function usesOfShell(text: string, { cwd, home }: ShellOptions): Uses {
  // The same use a thousand times over is one.
  const uses = new Map<string, PathUse>();
  const unclear = new Map<string, Unclear>();
  const note = (use: PathUse) => void uses.set(Object.values(use).join("\0"), use);
  const doubt = (one: Unclear) => void unclear.set(Object.values(one).join("\0"), one);
  const { commands, indeterminate } = analyse(text, { cwd, variables: { HOME: home } });
  for (const { detail } of indeterminate) doubt({ by: "shell", access: "write", detail });
  for (const command of commands) {
    // What runs on another machine names its paths.
    if (command.elsewhere !== null) continue;
    const base = baseOf(command, home);
    const take: Collector["take"] = (word, access, by, reach = "one") => {
      const placed = placeWord(word, command.cwd, home);
      if (placed === undefined) doubt({ by, access, detail: `only a run shows what ${shownWord(word)} is` });
      else {
        const isTree = reach !== "one" || placed.isTree;
        for (const path of placed.paths) {
          note({ path, base, access, by, isTree, followsLinks: reach === "links", field: null });
        }
      }
    };
    collect(command, { take, give: (by, detail) => doubt({ by, access: "write", detail }) });
    const { code } = command;
    if (code === null) continue;
    const source = code.source.text ?? code.source.pieces.map((piece) => ("text" in piece ? piece.text : " ")).join("");
    for (const { path, access } of pathsInCode(source, code.language)) {
      note({
        path,
        base,
        access,
        by: command.program ?? code.language,
        isTree: false,
        followsLinks: false,
        field: null,
      });
    }
  }
  return { uses: [...uses.values()], unclear: [...unclear.values()] };
}

/** The working directory; of one that is not known, what was taken from it is unclear already. */
function baseOf({ cwd }: SimpleCommand, home: string): string {
  return placeWord(cwd, cwd, home)?.paths[0] ?? "/";
}

function collect(command: SimpleCommand, collector: Collector): void {
  const { program, argv, redirections, wraps } = command;
  for (const { kind, target } of redirections) {
    if (kind === "read") collector.take(target, "read", "<");
    else if (kind === "write" || kind === "append" || kind === "both") collector.take(target, "write", ">");
    else if (kind === "duplicate" && !/^(?:\d+-?|-)$/.test(target.text ?? "")) collector.take(target, "write", ">&");
  }
  assignmentUses(command, collector);
  if (program === null || argv.length === 0) return;
  const [name, ...args] = argv as [Word, ...Word[]];
  // A program that is named by its path is read to be run.
  if (name.text?.includes("/") === true) collector.take(name, "read", program);
  if (program === "find" || program === "fd") return findUses(command, collector);
  if (specialUses(program, args, collector, command)) return;
  const known = programOf(program);
  if (known !== undefined) return operandUses(known, program, args, collector, command.stdin);
  if (!wraps && command.code === null) guessUses(program, args, collector);
  else if (command.code !== null) scriptFiles(program, args, collector);
}

/** Variables by which git is pointed at another place. */
const GIT_PLACES: ReadonlySet<string> = new Set(
  "GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_COMMON_DIR GIT_CONFIG_GLOBAL".split(" "),
);

function assignmentUses({ assignments }: SimpleCommand, { take, give }: Collector): void {
  for (const { name, value } of assignments) {
    if (GIT_PLACES.has(name)) take(value, "write", `${name}=`);
    if (name === "CDPATH") give("CDPATH=", "cd may lead anywhere then");
  }
}

function findUses({ argv, program }: SimpleCommand, { take }: Collector): void {
  const by = program ?? "find";
  const { starts } = readFind(argv);
  const isDeleting = argv.some(({ text }) => text === "-delete");
  const isFollowing = argv.some(({ text }) => /^-(?:L|follow)$|^--follow$/.test(text ?? ""));
  const reach = isFollowing ? "links" : isDeleting ? "tree" : "one";
  for (const start of starts) take(start, isDeleting ? "write" : "read", by, reach);
  for (const [place, { text }] of argv.entries()) {
    const value = argv[place + 1];
    if (value === undefined) continue;
    if (/^-f(?:print0?|printf|ls)$/.test(text ?? "")) take(value, "write", `find ${text}`);
    if (/^-(?:newer\w*|samefile|files0-from)$/.test(text ?? "")) take(value, "read", `find ${text}`);
  }
}

function operandUses(
  known: Program,
  by: string,
  args: readonly Word[],
  collector: Collector,
  stdin: SimpleCommand["stdin"],
): void {
  const { take } = collector;
  const { options, operands } = readOptions(args, known, known.stops === true);
  const has = (names: readonly string[] | undefined) => options.some(({ name }) => names?.includes(name) === true);
  for (const option of options) optionUse(option, known, by, take);
  if (known.stops === true) return;
  const skipped = has(known.instead) ? 0 : (known.skip ?? 0);
  const paths = operands.slice(skipped);
  const isTree = known.isTree === true || has(known.treeWith);
  const reach: Reach = has(known.followsWith) ? "links" : isTree ? "tree" : "one";
  const each = (words: readonly Word[], access: "read" | "write") => {
    for (const word of words) if (!isRemote(word)) take(word, access, by, reach);
  };
  const isHere = known.looksHere === "list" || (known.looksHere === "tree" && isTree && stdin.kind === "inherited");
  if (isHere && paths.length === 0) take(HERE, "read", by, reach);
  switch (known.operands) {
    case "none":
      // A URL may be a file of this machine.
      for (const word of operands) if (/^file:/i.test(startOf(word))) take(word, "read", by);
      return;
    case "read":
      return each(paths, has(known.writesWith) ? "write" : "read");
    case "write":
      return each(paths, has(known.readsWith) ? "read" : "write");
    case "pack":
      for (const word of paths.slice(0, 1)) take(word, "write", by);
      return each(paths.slice(1), "read");
    case "convert":
      each(paths.slice(0, 1), "read");
      return each(paths.slice(1), "write");
    default: {
      const sources = has(known.into) ? paths : paths.slice(0, -1);
      each(sources, known.operands === "move" ? "write" : "read");
      for (const word of paths.slice(sources.length)) if (!isRemote(word)) take(word, "write", by);
    }
  }
}

const HERE: Word = wordOf([{ kind: "text", text: "." }]);

function optionUse({ name, value }: GivenOption, known: Program, by: string, take: Collector["take"]): void {
  if (value === null) return;
  if (known.writes?.includes(name) === true || known.into?.includes(name) === true)
    return take(value, "write", `${by} ${name}`);
  if (known.reads?.includes(name) === true) return take(value, "read", `${by} ${name}`);
  if (known.scripts?.includes(name) === true) {
    for (const path of rootedWords(value.text ?? ""))
      take(wordOf([{ kind: "text", text: path }]), "write", `${by} ${name}`);
  }
  // curl -d @file, -F part=@file
  const [, before = ""] = /^([\w.-]*=?@)/.exec(startOf(value)) ?? [];
  if (before !== "" && by === "curl") take(withoutStart(value, before.length), "read", `${by} ${name}`);
}

const OUT = /out|dest|target|log|save|write|prefix|root|dir|path|file/i;

/** Of a program nobody knows: whatever looks like a path is one, and what an option calls output is written. */
function guessUses(program: string, args: readonly Word[], { take }: Collector): void {
  const { options, operands } = readOptions(args, {});
  for (const word of operands) {
    const start = startOf(word);
    const [, assigned] = /^([\w.-]+=)(?:[/~]|\.\.?\/)/.exec(start) ?? [];
    if (assigned !== undefined) take(withoutStart(word, assigned.length), "read", program);
    else if (start.startsWith("@")) take(withoutStart(word, 1), "read", program);
    else if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(start) && hasText(word)) take(word, "read", program);
  }
  let previous = "";
  for (const word of args) {
    const start = startOf(word);
    if (/^(?:-o|--?(?:out|output|dest|log|save)[\w-]*)$/i.test(previous)) take(word, "write", `${program} ${previous}`);
    previous = start.startsWith("-") ? start : "";
    // One dash and a whole word: -chdir=../x
    const [, named] = /^(-[A-Za-z][\w-]+=)(?:[/~]|\.\.?\/|\.\.$)/.exec(start) ?? [];
    if (named !== undefined) take(withoutStart(word, named.length), "write", `${program} ${named}`);
    // Joined to its letter: -I/usr/include
    const [, letter] = /^(-[A-Za-z])(?:[/~]|\.\.\/)/.exec(start) ?? [];
    if (letter !== undefined) take(withoutStart(word, 2), letter === "-o" ? "write" : "read", `${program} ${letter}`);
  }
  for (const { name, value } of options) {
    if (value === null || !/^(?:[/~]|\.\.?\/)/.test(startOf(value))) continue;
    take(value, /out|dest|log|save|write/i.test(name) && OUT.test(name) ? "write" : "read", `${program} ${name}`);
  }
}

/** An interpreter with inline code may read files besides. */
function scriptFiles(program: string, args: readonly Word[], { take }: Collector): void {
  for (const word of args) {
    const start = startOf(word);
    if (word.text !== null && /^(?:\/|~\/|\.\.?\/)\S*$/.test(start)) take(word, "read", program);
  }
}

// A word without any text is as likely a flag or a number as a path.
function hasText(word: Word): boolean {
  return (
    word.text !== null ||
    word.pieces.some((piece) => piece.kind === "glob" || (piece.kind === "text" && piece.text.includes("/")))
  );
}

/** `host:path`, which is on another machine. */
function isRemote(word: Word): boolean {
  return /^(?:[\w.-]+@)?[\w.-]+:(?!\\)|^rsync:\/\//.test(startOf(word)) && !/^[./~]/.test(startOf(word));
}

export function withoutStart(word: Word, count: number): Word {
  const [first, ...rest] = word.pieces;
  if (first?.kind !== "text") return word;
  return wordOf([{ kind: "text", text: first.text.slice(count) }, ...rest]);
}
