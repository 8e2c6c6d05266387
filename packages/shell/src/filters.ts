import type { SimpleCommand } from "./analysis.js";
import { readOptions } from "./options.js";
import { replaceMatch } from "./patterns.js";
import { startOf, type Word } from "./word.js";

/** What a program makes of a text it reads; null where the text of its arguments does not say. */
export type Filter = (text: string, command: SimpleCommand) => string | null;

/** Programs that hand on what they read, or some lines of it, changed in a way that can be followed. */
export const FILTERS = new Map<string, Filter>([
  ["head", (text, { argv }) => ends(text, argv, "head")],
  ["tail", (text, { argv }) => ends(text, argv, "tail")],
  ["tac", (text) => joinLines(linesOf(text).reverse())],
  ["sort", (text) => joinLines(linesOf(text).sort())],
  ["uniq", (text, { argv }) => (argv.length > 1 ? null : text)],
  ["cut", cut],
  ["sed", (text, { argv }) => substitute(text, argv)],
  ["gsed", (text, { argv }) => substitute(text, argv)],
  ["dd", (text, { argv }) => (argv.some((word) => /^(of|if|skip|count|conv)=/.test(startOf(word))) ? null : text)],
  ["grep", select],
  ["egrep", select],
  ["fgrep", select],
  ["rg", select],
  ["awk", printFields],
  ["gawk", printFields],
  ["mawk", printFields],
  ["rev", (text) => joinLines(linesOf(text).map((line) => [...line].reverse().join("")))],
  ...[
    "pv",
    "sponge",
    "buffer",
    "mbuffer",
    "dos2unix",
    "iconv",
    "ts",
    "unbuffer",
    "expand",
    "strings",
    "less",
    "more",
  ].map((name): [string, Filter] => [name, (text) => text]),
]);

function linesOf(text: string): string[] {
  return (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
}

function joinLines(lines: readonly string[]): string {
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`;
}

/** `head -2`, `tail -n 1`, `tail -n +2`, `head -n -1`. */
function ends(text: string, argv: readonly Word[], which: "head" | "tail"): string | null {
  const short = /^-(\d+)$/.exec(argv[1]?.text ?? "")?.[1];
  const { options, operands } = readOptions(argv.slice(short === undefined ? 1 : 2), {
    short: "nc",
    long: ["lines", "bytes"],
  });
  if (operands.length > 0 || options.some(({ name }) => /^(-c|--bytes|-f|-z)$/.test(name))) return null;
  const given = short ?? options.find(({ name }) => name === "-n" || name === "--lines")?.value?.text ?? "10";
  const count = Number(given);
  if (!Number.isInteger(count)) return null;
  const lines = linesOf(text);
  if (which === "head") return joinLines(lines.slice(0, count));
  return joinLines(
    given.startsWith("+") ? lines.slice(Math.max(0, count - 1)) : lines.slice(-Math.abs(count) || lines.length),
  );
}

/** `cut -d' ' -f2-`, `cut -c3-`. */
function cut(text: string, { argv }: SimpleCommand): string | null {
  const { options, operands } = readOptions(argv.slice(1), {
    short: "dfcb",
    long: ["delimiter", "fields", "characters", "bytes"],
  });
  const textOf = (...names: string[]) => options.find(({ name }) => names.includes(name))?.value?.text;
  const list = textOf("-f", "--fields") ?? textOf("-c", "-b", "--characters", "--bytes");
  const ranges = list?.split(",").map(rangeOf);
  if (operands.length > 0 || ranges === undefined || ranges.includes(null)) return null;
  const by = textOf("-f", "--fields") == null ? "" : (textOf("-d", "--delimiter") ?? "\t");
  const isChosen = (place: number) => ranges.some((range) => range !== null && place >= range[0] && place <= range[1]);
  return joinLines(
    linesOf(text).map((line) => {
      if (by !== "" && !line.includes(by)) return line;
      return line
        .split(by)
        .filter((_, index) => isChosen(index + 1))
        .join(by);
    }),
  );
}

function rangeOf(text: string): [number, number] | null {
  const match = /^(\d*)(-?)(\d*)$/.exec(text);
  if (match === null || text === "" || text === "-") return null;
  const from = match[1] === "" ? 1 : Number(match[1]);
  return [from, match[2] === "" ? from : match[3] === "" ? Number.POSITIVE_INFINITY : Number(match[3])];
}

/** `s/a/b/g` and its like, where what is looked for is a plain text. */
function substitute(text: string, argv: readonly Word[]): string | null {
  const { options, operands } = readOptions(argv.slice(1), { short: "ef", long: ["expression", "file"] });
  const given = options.flatMap(({ name, value }) => (/^(-e|--expression)$/.test(name) ? [value?.text ?? null] : []));
  if (options.some(({ name }) => !/^(-e|--expression|-E|-r|-u)$/.test(name))) return null;
  const scripts = given.length > 0 ? given : operands.slice(0, 1).map(({ text: script }) => script);
  if (operands.length > (given.length > 0 ? 0 : 1)) return null;
  let lines = linesOf(text);
  for (const script of scripts) {
    for (const part of script === null ? [""] : script.split(/[;\n](?=\s*s\W)/)) {
      const match = /^\s*s([^\w\s\\])((?:\\.|(?!\1)[^\\])*)\1((?:\\.|(?!\1)[^\\])*)\1(g?)\s*$/.exec(part);
      const [, , pattern, replacement, flags] = match ?? [];
      if (pattern === undefined || replacement === undefined) return null;
      const [plain, by] = [literalOf(pattern), replacement.includes("&") ? null : literalOf(replacement, "")];
      if (plain === null || by === null) return null;
      const replaced = lines.map((line) => replaceIn(line, plain, by, flags === "g"));
      if (replaced.includes(null)) return null;
      lines = replaced as string[];
    }
  }
  return joinLines(lines);
}

/** The text a pattern of sed stands for, anchors left in place; null where it is more than a text. */
function literalOf(pattern: string, special = "[.*[\\]+?(){}|]"): string | null {
  if (special !== "" && new RegExp(special).test(pattern.replace(/\\./g, ""))) return null;
  return /\\[\w]/.test(pattern) ? null : pattern.replace(/\\(.)/g, "$1");
}

function replaceIn(line: string, pattern: string, by: string, everywhere: boolean): string | null {
  if (pattern.startsWith("^")) return replaceMatch(line, "/#", escapeGlob(pattern.slice(1)), by);
  if (pattern.endsWith("$")) return replaceMatch(line, "/%", escapeGlob(pattern.slice(0, -1)), by);
  return everywhere ? line.split(pattern).join(by) : line.replace(pattern, () => by);
}

function escapeGlob(pattern: string): string {
  return pattern.replace(/[*?[\]\\]/g, "\\$&");
}

/** `grep` hands on some lines of its input: which, only where it looks for a plain text. */
function select(text: string, { argv }: SimpleCommand): string | null {
  const { options, operands } = readOptions(argv.slice(1), { short: "eABCm", long: ["regexp", "max-count"] });
  if (operands.length > 1 || options.some(({ name }) => /^-[clLoqnHAB]$/.test(name))) return null;
  const pattern = options.find(({ name }) => name === "-e" || name === "--regexp")?.value?.text ?? operands[0]?.text;
  if (pattern == null) return null;
  const isInverted = options.some(({ name }) => name === "-v" || name === "--invert-match");
  const isPlain = !/[.*[\]\\^$+?(){}|]/.test(pattern) && !options.some(({ name }) => name === "-i");
  if (!isPlain) return text;
  return joinLines(linesOf(text).filter((line) => line.includes(pattern) !== isInverted));
}

/** `{print}`, `{print $2}`: any other program of awk is left to its run. */
function printFields(text: string, { argv }: SimpleCommand): string | null {
  const { options, operands } = readOptions(argv.slice(1), { short: "Fv" });
  const match = /^\s*\{\s*print(?:\s+\$(\d+|NF))?\s*;?\s*\}\s*$/.exec(operands[0]?.text ?? "");
  const separator = options.find(({ name }) => name === "-F")?.value?.text;
  if (match === null || operands.length > 1 || (separator != null && separator.length > 1)) return null;
  if (match[1] === undefined || match[1] === "0") return text;
  return joinLines(
    linesOf(text).map((line) => {
      const fields = separator == null ? line.trim().split(/\s+/) : line.split(separator);
      return (match[1] === "NF" ? fields[fields.length - 1] : fields[Number(match[1]) - 1]) ?? "";
    }),
  );
}
