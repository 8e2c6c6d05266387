import type { SimpleCommand, Word } from "@hooks/shell";
import { argumentsOf, has } from "./arguments.js";

/** A file that a command overwrites. */
export interface Write {
  readonly path: Word;
  /** Whether what was there stays. */
  readonly appends: boolean;
}

const known = new WeakMap<SimpleCommand, readonly Write[]>();

/** Files a command writes to: by redirections, and by itself. Kept, because many rules ask. */
export function writesOf(command: SimpleCommand): readonly Write[] {
  const before = known.get(command);
  if (before !== undefined) return before;
  const found = findWrites(command);
  known.set(command, found);
  return found;
}

function findWrites(command: SimpleCommand): Write[] {
  const redirected = command.redirections.flatMap(({ kind, target }): Write[] =>
    kind === "write" || kind === "append" || kind === "both" ? [{ path: target, appends: kind === "append" }] : [],
  );
  const read = command.program === null ? undefined : WRITERS.get(command.program);
  const called = command.code?.calls.flatMap(({ name, args }): Write[] => {
    const [path, second] = args;
    const last = name.slice(Math.max(name.lastIndexOf("."), name.lastIndexOf(":")) + 1);
    if (path === undefined) return [];
    if (
      /^(writeFileSync|writeFile|createWriteStream|file_put_contents|truncateSync|write_text|write_bytes)$/.test(last)
    )
      return [{ path, appends: false }];
    return last === "open" && /^[wx+>r]b?\+?/.test(second?.text ?? "") && /[wx+>]/.test(second?.text ?? "")
      ? [{ path, appends: false }]
      : [];
  });
  return [...redirected, ...(read?.(command) ?? []), ...(called ?? [])];
}

function last(command: SimpleCommand): Write[] {
  const { options, operands } = argumentsOf(command, {
    short: "tSmog",
    long: ["target-directory", "suffix", "mode", "owner", "group"],
  });
  const given = options.find(({ name }) => name === "-t" || name === "--target-directory")?.value;
  const path = given ?? (operands.length > 1 ? operands[operands.length - 1] : undefined);
  return path == null ? [] : [{ path, appends: false }];
}

/** A file of PowerShell's commands: by its parameter, or by its place. */
function named({ argv }: SimpleCommand, place: number): Write[] {
  const parameter = place === 0 ? /^-(literal)?(path|filepath)$/i : /^-dest/i;
  const at = argv.findIndex(({ text }) => parameter.test(text ?? ""));
  const operands = argv
    .slice(1)
    .filter(({ text }, index) => !/^[-/]\w/.test(text ?? "") && !/^-\w/.test(argv[index]?.text ?? ""));
  const path = at === -1 ? operands[place] : argv[at + 1];
  return path === undefined ? [] : [{ path, appends: false }];
}

type Reader = (command: SimpleCommand) => Write[];

const WRITERS = new Map<string, Reader>([
  [
    "tee",
    (command) => {
      const { options, operands } = argumentsOf(command);
      const appends = has(options, "-a", "--append");
      return operands.map((path) => ({ path, appends }));
    },
  ],
  ["cp", last],
  ["mv", last],
  ["install", last],
  ["ln", last],
  ["dd", copied],
  ["dcfldd", copied],
  ["dc3dd", copied],
  [
    "truncate",
    (command) =>
      argumentsOf(command, { short: "sr", long: ["size", "reference"] }).operands.map((path) => ({
        path,
        appends: false,
      })),
  ],
  [
    "fallocate",
    (command) =>
      argumentsOf(command, { short: "lo", long: ["length", "offset"] }).operands.map((path) => ({
        path,
        appends: false,
      })),
  ],
  ["find", ({ argv }) => argv.flatMap(({ text }, index) => printedTo(text, argv[index + 1]))],
  ...["set-content", "clear-content", "out-file"].map((name): [string, Reader] => [
    name,
    (command) => named(command, 0),
  ]),
  ["copy-item", (command) => named(command, 1)],
  ["move-item", (command) => named(command, 1)],
  ["copy", (command) => named(command, 1)],
  ["sponge", (command) => argumentsOf(command).operands.map((path) => ({ path, appends: false }))],
  ["shred", (command) => argumentsOf(command, { short: "ns" }).operands.map((path) => ({ path, appends: false }))],
  [
    "sed",
    (command) => {
      const { options, operands } = argumentsOf(command, { short: "ef", long: ["expression", "file"] });
      if (!options.some(({ name }) => name === "-i" || name === "--in-place")) return [];
      const isGiven = options.some(({ name }) => /^(-e|-f|--expression|--file)$/.test(name));
      return operands.slice(isGiven ? 0 : 1).map((path) => ({ path, appends: true }));
    },
  ],
]);

/** `find -fprint file`. */
function printedTo(test: string | null, path: Word | undefined): Write[] {
  return path !== undefined && /^-(fprint0?|fprintf|fls)$/.test(test ?? "") ? [{ path, appends: false }] : [];
}

/** `dd of=...`. */
function copied({ argv }: SimpleCommand): Write[] {
  return argv.flatMap((word) => {
    const [first, ...rest] = word.pieces;
    if (first?.kind !== "text" || !first.text.startsWith("of=")) return [];
    const text = first.text.slice(3);
    const pieces = text === "" ? rest : [{ kind: "text" as const, text }, ...rest];
    return [{ path: { pieces, text: word.text === null ? null : text }, appends: false }];
  });
}
