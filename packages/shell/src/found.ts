import type { SimpleCommand } from "./analysis.js";
import { withGlobs } from "./fields.js";
import { readOptions } from "./options.js";
import { literal, type Piece, startOf, type Word, wordOf } from "./word.js";

const VALUED =
  /^-(name|iname|path|ipath|wholename|iwholename|regex|iregex|type|xtype|size|mtime|atime|ctime|mmin|amin|cmin|newer\w*|perm|user|group|uid|gid|maxdepth|mindepth|links|inum|samefile|fstype|printf|regextype|lname|ilname|D|O)$/;

const EVERYTHING: Word = { pieces: [{ kind: "glob", text: "*" }], text: null };
const EVERY_LEVEL: Word = { pieces: [{ kind: "glob", text: "**" }], text: null };

/** Where `find` begins, what it runs, and whether it deletes. */
export interface Find {
  readonly starts: readonly Word[];
  /** Each start with what it would find under it: `src/**\/*.pyc`. */
  readonly found: readonly Word[];
  readonly commands: readonly (readonly Word[])[];
  /** Whether any test narrows what is found. */
  readonly narrowed: boolean;
}

/** Reads the arguments of `find`. */
export function readFind(argv: readonly Word[]): Find {
  let at = 1;
  while (/^-([HLP]|O\d?|D)$/.test(argv[at]?.text ?? "")) at += argv[at]?.text === "-D" ? 2 : 1;
  const starts: Word[] = [];
  for (; at < argv.length && !/^[-!(),]/.test(startOf(argv[at] as Word)); at++) starts.push(argv[at] as Word);
  if (starts.length === 0) starts.push(literal("."));
  const names: Word[] = [];
  const commands: Word[][] = [];
  let alternatives = false;
  let negated = false;
  let narrowed = false;
  for (; at < argv.length; at++) {
    const test = argv[at]?.text ?? "";
    if (test === "-o" || test === "-or" || test === ",") alternatives = true;
    else if (test === "!" || test === "-not") negated = true;
    else if (/^-(exec|execdir|ok|okdir)$/.test(test)) {
      const end = argv.findIndex(
        ({ text }, index) => index > at && (text === ";" || (text === "+" && argv[index - 1]?.text === "{}")),
      );
      commands.push(argv.slice(at + 1, end === -1 ? argv.length : end));
      at = end === -1 ? argv.length : end;
    } else if (VALUED.test(test)) {
      const value = argv[++at];
      if (!/^-(maxdepth|mindepth|printf|regextype|D|O|type|xtype)$/.test(test)) narrowed = true;
      if (!negated && /^-i?name$/.test(test) && value !== undefined) names.push(value);
      negated = false;
    } else if (test === "-empty") narrowed = true;
  }
  const [name] = !alternatives && names.length === 1 ? names : [];
  return { starts, found: starts.map((start) => under(start, name)), commands, narrowed };
}

function under(start: Word, name: Word | undefined): Word {
  const last: Piece[] =
    name === undefined
      ? []
      : [{ kind: "text", text: "/" }, ...(name.text === null ? name.pieces : withGlobs(name.text))];
  const joint = startOf(start).endsWith("/") && start.text !== null ? "" : "/";
  return wordOf([...start.pieces, { kind: "text", text: joint }, { kind: "glob", text: "**" }, ...last]);
}

/** What `fd` finds under each place it is sent to, as patterns. */
export function readFd(argv: readonly Word[]): Word[] {
  const { options, operands } = readOptions(argv.slice(1), {
    short: "tedESco",
    long: ["type", "extension", "max-depth", "exclude", "size", "base-directory", "search-path"],
  });
  const extension = options.find(({ name }) => name === "-e" || name === "--extension")?.value?.text;
  const [pattern, ...given] = operands;
  const isAny = pattern === undefined || /^(\.|\^|\.\*|\*)?$/.test(pattern.text ?? "x");
  // A plain name stands for what is called so; what it is only a part of is seldom there.
  const name =
    extension != null
      ? literal(`*.${extension}`)
      : isAny
        ? undefined
        : literal(/^[\w.-]+$/.test(pattern.text ?? "") ? (pattern.text ?? "") : `*${pattern.text ?? ""}*`);
  return (given.length === 0 ? [literal(".")] : given).map((start) => under(start, name));
}

/** The paths that commands which list files print, as patterns: of `find`, `ls`, `git ls-files` and their like. */
export function foundBy(commands: readonly SimpleCommand[]): Word[] {
  return commands.flatMap(({ program, argv }) => {
    if (program === "find" || program === "gfind") return readFind(argv).found;
    if (program === "fd" || program === "fdfind") return readFd(argv);
    if (program === "ls" || program === "dir") return listedBy(argv);
    return program === "git" ? trackedBy(argv) : [];
  });
}

/** `ls` prints names as seen from here only where it lists this directory, or is given what the shell found. */
function listedBy(argv: readonly Word[]): Word[] {
  const { options, operands } = readOptions(argv.slice(1), { short: "IwT" });
  if (options.some(({ name }) => name === "-l")) return [];
  const isWhole = operands.length === 0 || operands.every(({ text }) => text === "." || text === "./");
  if (isWhole) return options.some(({ name }) => name === "-d") ? [] : [EVERYTHING];
  const isPaths =
    options.some(({ name }) => name === "-d") ||
    operands.every(({ pieces }) => pieces.some(({ kind }) => kind === "glob"));
  return isPaths ? [...operands] : [];
}

/** What git knows, or with `--others` does not know; what is ignored or gone already is nobody's work. */
function trackedBy(argv: readonly Word[]): Word[] {
  const at = argv.findIndex(({ text }) => text === "ls-files" || text === "ls-tree");
  if (at === -1) return [];
  const { options, operands } = readOptions(argv.slice(at + 1), { short: "xX" });
  if (options.some(({ name }) => /^(-i|--ignored|-d|--deleted)$/.test(name))) return [];
  const paths = argv[at]?.text === "ls-tree" ? operands.slice(1) : operands;
  if (paths.length === 0) return [EVERY_LEVEL];
  return paths.map((path) => (path.text === null ? path : wordOf(withGlobs(path.text))));
}
