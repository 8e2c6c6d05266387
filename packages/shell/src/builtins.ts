import type { SimpleCommand, Stdin } from "./analysis.js";
import { Fields } from "./fields.js";
import { foundBy } from "./found.js";
import { readOptions } from "./options.js";
import { outputOf } from "./output.js";
import { resolvePath } from "./path.js";
import type { State } from "./state.js";
import { dropStart, literal, render, startOf, unknownWord, type Word, wordOf } from "./word.js";

/** What a builtin of the shell changes in the shell itself. */
export function applyBuiltin(command: SimpleCommand, state: State): void {
  if (command.program !== null) EFFECTS.get(command.program)?.(command, state);
}

type Effect = (command: SimpleCommand, state: State) => void;

/** Longer than a path anybody types: a thousand times `cd a` would make each one longer than the last. */
const LONGEST_PATH = 1_024;

const HOME: Word = { pieces: [{ kind: "variable", name: "HOME", required: true }], text: null };

const EFFECTS = new Map<string, Effect>([
  ["cd", ({ argv, cwd }, state) => enter(readOptions(argv.slice(1), {}).operands[0] ?? HOME, cwd, state)],
  ["pushd", push],
  ["popd", leave],
  ["export", assign],
  ["declare", assign],
  ["typeset", assign],
  ["local", assign],
  ["readonly", assign],
  ["unset", ({ argv }, state) => forNames(argv, (name) => state.unset(name))],
  ["read", read],
  ["mapfile", readLines],
  ["readarray", readLines],
  ["printf", printInto],
  ["hash", ({ argv }, state) => argv[1]?.text === "-p" && remember(argv[2], argv[3], state)],
  ["alias", alias],
  ["git", gitAlias],
  ["unalias", ({ argv }, state) => forNames(argv, (name) => state.aliases.delete(name))],
  ["set", set],
  ["shift", ({ argv }, state) => shift(Number(argv[1]?.text ?? 1), state)],
]);

function enter(target: Word, cwd: Word, state: State): void {
  const next =
    target.text === "-" ? (state.get("OLDPWD")?.[0]?.[0] ?? unknownWord("$OLDPWD")) : resolvePath(target, cwd);
  state.set("OLDPWD", [cwd]);
  state.set("PWD", [render(next).length > LONGEST_PATH ? unknownWord("cd") : next]);
}

/** Directories `pushd` left, the last one first; under a name no variable can have. */
const STACK = "pushd[]";

function push({ argv, cwd }: SimpleCommand, state: State): void {
  const { operands, options } = readOptions(argv.slice(1), {});
  const [target] = operands;
  const [stack = [], ...others] = state.get(STACK) ?? [];
  if (options.some(({ name }) => name === "-n")) return;
  // Without a directory it goes to one that is on the stack.
  const next = target === undefined ? stack[0] : target;
  if (others.length > 0 || next === undefined || /^[+-]\d/.test(target?.text ?? "") || options.length > 0)
    return state.set("PWD", [unknownWord("pushd")]);
  enter(next, cwd, state);
  state.set(STACK, [cwd, ...(target === undefined ? stack.slice(1) : stack)].slice(0, MOST_LEFT));
}

const MOST_LEFT = 32;

function leave({ argv }: SimpleCommand, state: State): void {
  const [stack = [], ...others] = state.get(STACK) ?? [];
  const [before, ...rest] = stack;
  if (others.length > 0 || argv.length > 1 || before === undefined) return state.set("PWD", [unknownWord("popd")]);
  state.set("PWD", [before]);
  state.set(STACK, rest);
}

function assign({ argv }: SimpleCommand, state: State): void {
  for (const word of argv.slice(1)) {
    const match = /^([A-Za-z_]\w*)(\+?)=/.exec(startOf(word));
    if (match?.[1] === undefined) continue;
    const value = [dropStart(word, match[0].length)];
    if (match[2] === "+") state.append(match[1], value, false);
    else state.set(match[1], value);
  }
}

function forNames(argv: readonly Word[], act: (name: string) => void): void {
  for (const { text } of readOptions(argv.slice(1), {}).operands) if (text !== null) act(text);
}

function read(command: SimpleCommand, state: State): void {
  const { argv, stdin } = command;
  const { operands, options } = readOptions(argv.slice(1), { short: "adinNptu" });
  const textOf = (option: string) => options.find(({ name }) => name === option)?.value?.text;
  const line = lineIn(stdin, textOf("-d"));
  const separators = command.assignments.find(({ name }) => name === "IFS")?.value.text ?? " \t\n";
  const words = line === null ? null : splitAt(line, separators);
  const found = stdin.kind === "text" ? foundBy(stdin.from) : [];
  const unread = (name: string) => found[0] ?? inputWord(`$${name}`, stdin);
  const array = textOf("-a");
  if (array != null) state.set(array, words?.map(literal) ?? [unread(array)]);
  for (const [index, { text }] of operands.entries()) {
    if (text === null) continue;
    const last = index === operands.length - 1;
    const rest = last && index === 0 ? line?.trim() : last ? words?.slice(index).join(" ") : words?.[index];
    state.set(text, [words === null ? unread(text) : literal(rest ?? "")]);
  }
}

/** What is certain of the input up to where `read` stops. */
function lineIn(stdin: Stdin, delimiter: string | null | undefined): string | null {
  if (stdin.kind !== "text" || stdin.text.text === null) return null;
  return stdin.text.text.split(delimiter == null ? "\n" : delimiter === "" ? "\0" : delimiter.charAt(0))[0] ?? "";
}

function splitAt(line: string, separators: string): string[] {
  if (separators === "") return [line];
  const fields = new Fields(separators);
  fields.addSplit([{ kind: "text", text: line.trim() }]);
  return fields.finish().map(render);
}

/** A line nobody knows yet, and the commands that print it. */
function inputWord(source: string, stdin: Stdin): Word {
  return stdin.kind === "text"
    ? { pieces: [{ kind: "unknown", source, from: stdin.from }], text: null }
    : unknownWord(source);
}

/** So many lines are kept one by one. */
const MOST_LINES = 256;

function readLines({ argv, stdin }: SimpleCommand, state: State): void {
  const { operands } = readOptions(argv.slice(1), { short: "dnOsuCc" });
  const lines = stdin.kind === "text" ? (stdin.text.text?.replace(/\n$/, "").split("\n") ?? null) : null;
  const value = lines === null ? [inputWord("input", stdin)] : lines.slice(0, MOST_LINES).map(literal);
  if (lines !== null && lines.length > MOST_LINES) value.push(inputWord("further lines", stdin));
  state.set(operands[0]?.text ?? "MAPFILE", value);
}

/** `printf -v name format ...`. */
function printInto(command: SimpleCommand, state: State): void {
  const { argv } = command;
  const name = argv[1]?.text === "-v" ? argv[2]?.text : undefined;
  if (name == null) return;
  const printed = outputOf({ ...command, argv: [argv[0] as Word, ...argv.slice(3)] }, state);
  state.set(name, [wordOf(printed)]);
}

/** `hash -p /bin/rm ls`: from now on `ls` is `/bin/rm`. */
function remember(path: Word | undefined, name: Word | undefined, state: State): void {
  if (path?.text != null && name?.text != null) state.aliases.set(name.text, path.text);
}

function alias({ argv }: SimpleCommand, state: State): void {
  for (const { text } of argv.slice(1)) {
    const match = /^([^=]+)=([\s\S]*)$/.exec(text ?? "");
    if (match?.[1] !== undefined) state.aliases.set(match[1], match[2] ?? "");
  }
}

/** `git config alias.x "reset --hard"`: from now on `git x` is that. */
function gitAlias({ argv }: SimpleCommand, state: State): void {
  const at = argv.findIndex(({ text }) => /^alias\../i.test(text ?? ""));
  if (argv[1]?.text !== "config" || at === -1) return;
  const [name, line] = [argv[at]?.text?.slice("alias.".length), argv[at + 1]?.text];
  // No command of a shell is called so.
  if (name !== undefined && line != null) state.aliases.set(`git ${name}`, line);
}

function set({ argv }: SimpleCommand, state: State): void {
  const at = argv.findIndex(({ text }) => text === "--");
  if (at !== -1) state.positional = argv.slice(at + 1);
  else if (argv.length > 1 && !/^[-+]/.test(startOf(argv[1] as Word))) state.positional = argv.slice(1);
}

function shift(count: number, state: State): void {
  if (state.positional !== null) state.positional = state.positional.slice(Number.isNaN(count) ? 1 : count);
}
