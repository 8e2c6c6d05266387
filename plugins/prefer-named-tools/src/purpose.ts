import { analyse, readOptions, type SimpleCommand, startOf, type Word } from "@hooks/shell";
import type { Purpose } from "./agents.js";

const READERS: ReadonlySet<string> = new Set(["cat", "head", "tail", "less", "more", "bat", "nl"]);
const SEARCHERS: ReadonlySet<string> = new Set(["grep", "egrep", "fgrep", "rg", "ag", "ack"]);
const PRINTERS: ReadonlySet<string> = new Set(["echo", "printf", "cat"]);
const FINDERS: ReadonlySet<string> = new Set(["find", "fd"]);
/** What only passes on, cuts or counts what another command printed. */
const FILTERS: ReadonlySet<string> = new Set([
  "head",
  "tail",
  "sort",
  "uniq",
  "wc",
  "cat",
  "less",
  "more",
  "cut",
  "tr",
]);

/** What a command does that a tool is for. */
export interface Found {
  readonly purpose: Purpose;
  readonly program: string;
}

/**
 * What a command as a whole is for, when there is a tool for that. One that does anything else besides is left alone:
 * nobody takes `cat x && npm test` apart to please a policy.
 */
export function purposeOf(text: string): Found | undefined {
  const { commands, indeterminate } = analyse(text);
  if (indeterminate.length > 0 || commands.some(({ elsewhere }) => elsewhere !== null)) return undefined;
  let found: Found | undefined;
  for (const command of commands) {
    if (command.program === "cd" || isFilter(command)) continue;
    const purpose = command.wrappers.length > 0 ? undefined : purposeOfOne(command);
    if (purpose === undefined || command.program === null) return undefined;
    found ??= { purpose, program: command.program };
  }
  return found;
}

function isFilter({ program, stdin, redirections }: SimpleCommand): boolean {
  return (
    program !== null &&
    (FILTERS.has(program) || SEARCHERS.has(program)) &&
    stdin.kind === "text" &&
    stdin.from.length > 0 &&
    redirections.length === 0
  );
}

function purposeOfOne(command: SimpleCommand): Purpose | undefined {
  const { program, argv, redirections, stdin, wraps } = command;
  if (program === null || wraps || argv.some(isComputed)) return undefined;
  const files = redirections.filter(
    ({ kind, target }) => /^(?:write|append)$/.test(kind) && !startOf(target).startsWith("/dev/"),
  );
  if (files.length > 0 && PRINTERS.has(program) && !isPiped(stdin)) return isCopying(command) ? undefined : "write";
  if (files.length > 0 || isPiped(stdin)) return undefined;
  const { operands } = readOptions(argv.slice(1), { short: "n" });
  if (READERS.has(program)) return operands.length > 0 && !isFollowing(command) ? "read" : undefined;
  if (SEARCHERS.has(program)) return "search";
  if (FINDERS.has(program))
    return argv.some(({ text }) => /^-(?:exec|execdir|ok|okdir|delete|x|X|fprint\w*)$/.test(text ?? ""))
      ? undefined
      : "find";
  const isInPlace = argv.some(
    (word) => /^(?:-[a-zA-Z]*i|--in-place)/.test(startOf(word)) && !/^-[IMm]/.test(startOf(word)),
  );
  if ((program === "sed" || program === "perl") && isInPlace) return "edit";
  return program === "sed" && argv[1]?.text === "-n" && /^\d+(?:,\d+)?p$/.test(argv[2]?.text ?? "")
    ? "read"
    : undefined;
}

// What another command printed is no place a tool could be pointed at.
function isComputed({ pieces }: Word): boolean {
  return pieces.some(({ kind }) => kind === "unknown");
}

function isCopying({ program, stdin, argv }: SimpleCommand): boolean {
  return program === "cat" && (stdin.kind !== "text" || argv.length > 1);
}

function isPiped(stdin: SimpleCommand["stdin"]): boolean {
  return stdin.kind === "text" && stdin.from.length > 0;
}

/** No tool watches a file grow. */
function isFollowing({ program, argv }: SimpleCommand): boolean {
  return program === "tail" && argv.some(({ text }) => /^(?:-[a-z0-9]*[fF]|--follow)/.test(text ?? ""));
}
