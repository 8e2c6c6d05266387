import { type OptionSpec, readOptions, startOf, type Word, wordOf } from "@hooks/shell";
import { membersOf } from "./archive-names.js";
import { guessUses } from "./guess.js";
import type { Collector } from "./shell.js";
import { textWord, valueUses } from "./values.js";

const CWD = textWord(".");
const ANYWHERE = "an archive that is unpacked with absolute names may write anywhere";

const TAR: OptionSpec = {
  short: "fCTXKNbgHVIFL",
  long: [
    "file",
    "directory",
    "files-from",
    "exclude-from",
    "exclude",
    "transform",
    "xform",
    "listed-incremental",
    "use-compress-program",
    "index-file",
    "to-command",
  ],
};
const TAR_TEXTS: ReadonlySet<string> = new Set(
  "-K -N -b -H -V --exclude --transform --xform --strip-components --owner --group --mode --mtime --format --label --checkpoint".split(
    " ",
  ),
);

export function tar(args: readonly Word[], collector: Collector): void {
  const { take, give } = collector;
  const words = withoutBundle(args);
  const { options, operands } = readOptions(words, TAR);
  const has = (...names: string[]) => options.some(({ name }) => names.includes(name));
  const isExtracting = has("-x", "--extract", "--get");
  const isListing = has("-t", "--list");
  let target: Word = CWD;
  for (const { name, value } of options) {
    if (value === null || TAR_TEXTS.has(name)) continue;
    if (name === "-f" || name === "--file") take(value, isExtracting || isListing ? "read" : "write", "tar -f");
    else if (name === "-C" || name === "--directory") target = below(target, value);
    else if (["-T", "--files-from", "-X", "--exclude-from"].includes(name)) take(value, "read", `tar ${name}`);
    else if (["-g", "--listed-incremental", "--index-file", "--one-top-level"].includes(name))
      take(value, "write", `tar ${name}`);
    else valueUses(value, "read", `tar ${name}`, collector);
  }
  if (isExtracting) {
    const renames = options.some(({ name, value }) => /^--(?:transform|xform)$/.test(name) && leadsAway(value));
    if (renames || has("-P", "--absolute-names", "--absolute-paths")) give("tar", ANYWHERE);
    const file = options.find(({ name }) => name === "-f" || name === "--file")?.value ?? null;
    const strip = Number(options.find(({ name }) => name === "--strip-components")?.value?.text ?? 0);
    return unpacked(file, target, "tar -x", collector, strip);
  }
  take(target, "read", "tar");
  if (isListing) return;
  const reach = has("-h", "--dereference") ? "links" : "tree";
  // What stands behind -C is below it, what stands before it is not.
  const moved = words.findIndex((word) => /^(?:-\w*C|--directory)/.test(startOf(word)));
  for (const word of operands) {
    const isMoved = moved !== -1 && words.indexOf(word) > moved;
    take(isMoved ? below(target, word) : word, has("--remove-files") ? "write" : "read", "tar", reach);
  }
}

/** A path from a directory on; each `-C` goes on from where the one before it led. */
function below(directory: Word, path: Word): Word {
  if (directory === CWD || /^[/~]/.test(startOf(path)) || path.pieces[0]?.kind === "variable") return path;
  return wordOf([...directory.pieces, { kind: "text", text: "/" }, ...path.pieces]);
}

/** `s,^,/etc/,`: whether names may come out of it that begin with the root, or go upwards. */
function leadsAway(expression: Word | null): boolean {
  const [, , to = "/"] = /^s(.)(?:\\.|(?!\1).)*\1((?:\\.|(?!\1).)*)/.exec(expression?.text ?? "") ?? [];
  return to.startsWith("/") || to.includes("..");
}

/** The old style: `xfC a.tar ..`, letters in one word and their values behind it in the same order. */
function withoutBundle(args: readonly Word[]): readonly Word[] {
  const [first, ...rest] = args;
  if (first === undefined || !/^[a-zA-Z]+$/.test(first.text ?? "")) return args;
  const words: Word[] = [];
  for (const letter of first.text ?? "") {
    words.push(textWord(`-${letter}`));
    const value = TAR.short?.includes(letter) === true ? rest.shift() : undefined;
    if (value !== undefined) words.push(value);
  }
  return [...words, ...rest];
}

export function unzip(args: readonly Word[], collector: Collector): void {
  const { take, give } = collector;
  const { options, operands } = readOptions(args, { short: "dP" });
  if (options.some(({ name }) => name === "-:")) give("unzip", ANYWHERE);
  const isLooking = options.some(({ name }) => ["-l", "-t", "-v", "-z", "-Z", "-p", "-c"].includes(name));
  const target = options.find(({ name }) => name === "-d")?.value ?? CWD;
  for (const word of operands.slice(0, 1)) take(word, "read", "unzip");
  if (!isLooking) unpacked(operands[0] ?? null, target, "unzip", collector);
}

/** Everything that comes out of an archive, where it can be looked at; else something does, and nobody knows what. */
function unpacked(archive: Word | null, target: Word, by: string, { take, placesOf }: Collector, strip = 0): void {
  const [path] = archive === null ? [] : placesOf(archive);
  const [directory] = placesOf(target);
  const members = path === undefined || directory === undefined ? null : membersOf(path);
  take(target, "write", by, members === null ? "names" : "one");
  for (const { name, target: leads, isHard } of members ?? []) {
    const rest = name.split("/").slice(strip).join("/");
    const own = `${directory}/${rest}`;
    take(textWord(own), "write", by);
    if (leads === null) continue;
    // A link that comes out of it is a way for what comes out after it.
    const from = leads.startsWith("/") ? leads : `${isHard ? directory : own.slice(0, own.lastIndexOf("/"))}/${leads}`;
    take(textWord(from), "write", by);
  }
}

/** It takes names as the archive has them, from the root as well unless it is told otherwise. */
export function cpio(args: readonly Word[], collector: Collector): void {
  guessUses("cpio", args, collector);
  const has = (pattern: RegExp) => args.some((word) => pattern.test(startOf(word)));
  const isUnpacking = has(/^-[a-zA-Z]*i|^--extract$/) && !has(/^-[a-zA-Z]*t|^--list$/);
  if (isUnpacking && !has(/^--no-absolute-filenames$/)) collector.give("cpio", ANYWHERE);
  else if (isUnpacking) collector.take(CWD, "write", "cpio", "names");
}
