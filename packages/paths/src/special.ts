import { type OptionSpec, readOptions, type SimpleCommand, startOf, type Word, wordOf } from "@hooks/shell";
import { gitUses } from "./git.js";
import { type Collector, withoutStart } from "./shell.js";

type Special = (args: readonly Word[], collector: Collector, command: SimpleCommand) => void;

const CWD: Word = wordOf([{ kind: "text", text: "." }]);

/** Programs whose arguments no table describes. True when this was one of them. */
export function specialUses(
  program: string,
  args: readonly Word[],
  collector: Collector,
  command: SimpleCommand,
): boolean {
  const special = Object.hasOwn(SPECIALS, program) ? SPECIALS[program] : undefined;
  special?.(args, collector, command);
  return special !== undefined;
}

function dd(args: readonly Word[], { take }: Collector): void {
  for (const word of args) {
    const [, key] = /^(if|of)=/.exec(startOf(word)) ?? [];
    if (key !== undefined) take(withoutStart(word, 3), key === "of" ? "write" : "read", `dd ${key}=`);
  }
}

/** A link is another name for its target: whoever makes one is about to use that. */
function ln(args: readonly Word[], { take }: Collector): void {
  const { options, operands } = readOptions(args, { short: "tS", long: ["target-directory", "suffix"] });
  const into = options.find(({ name }) => name === "-t" || name === "--target-directory")?.value ?? null;
  const isSymbolic = options.some(({ name }) => name === "-s" || name === "--symbolic");
  const targets = into !== null || operands.length === 1 ? operands : operands.slice(0, -1);
  const place = into ?? (operands.length > 1 ? operands.at(-1) : undefined);
  if (place !== undefined) take(place, "write", "ln");
  for (const target of targets) {
    take(target, "write", "ln", "tree");
    // What a relative link leads to depends on where it stands.
    const isRelative = isSymbolic && place?.text != null && target.text !== null && !/^[/~]/.test(target.text);
    if (isRelative && place.text.includes("/")) {
      take(textWord(`${place.text}/../${target.text}`), "write", "ln", "tree");
      take(textWord(`${place.text}/${target.text}`), "write", "ln", "tree");
    }
  }
}

function textWord(text: string): Word {
  return wordOf([{ kind: "text", text }]);
}

const SED: OptionSpec = { short: "efl", long: ["expression", "file", "line-length"] };

function sed(args: readonly Word[], { take }: Collector): void {
  const { options, operands } = readOptions(args, SED);
  const isInPlace = args.some((word) => /^(?:-[nrEsuz]*i|--in-place)/.test(startOf(word)));
  const scripts = options.flatMap(({ name, value }) =>
    /^(?:-e|--expression)$/.test(name) && value !== null ? [value] : [],
  );
  for (const { name, value } of options)
    if (/^(?:-f|--file)$/.test(name) && value !== null) take(value, "read", "sed -f");
  const hasScript = options.some(({ name }) => /^(?:-[ef]|--expression|--file)$/.test(name));
  const files = hasScript ? operands : operands.slice(1);
  for (const file of files) take(file, isInPlace ? "write" : "read", "sed");
  for (const script of hasScript ? scripts : operands.slice(0, 1)) {
    for (const [, command = "", path = ""] of (script.text ?? "").matchAll(
      /(?:^|[;{}\n/\d$,|#!])\s*[gpIiMm\d]*([rRwW])\s+([^\n;}]+)/g,
    )) {
      take(textWord(path.trim()), /w/i.test(command) ? "write" : "read", `sed ${command}`);
    }
  }
}

function perl(args: readonly Word[], collector: Collector, command: SimpleCommand): void {
  const isInPlace = args.some((word) => /^-[a-zA-Z0-9]*i/.test(startOf(word)) && !startOf(word).startsWith("-I"));
  const { operands } = readOptions(args, { short: "eEIMmF" });
  const files = command.code === null ? operands.slice(1) : operands;
  if (command.code === null && operands[0] !== undefined) collector.take(operands[0], "read", "perl");
  for (const file of files) collector.take(file, isInPlace ? "write" : "read", "perl");
}

/** Of awk and its like: what comes after the program text are files. */
function awk(args: readonly Word[], { take }: Collector): void {
  const { options, operands } = readOptions(args, { short: "vFf", long: ["assign", "field-separator", "file"] });
  const files = options.filter(({ name }) => name === "-f" || name === "--file");
  for (const { value } of files) if (value !== null) take(value, "read", "awk -f");
  const isInPlace = args.some(({ text }) => text === "inplace");
  for (const word of files.length > 0 ? operands : operands.slice(1)) {
    if (!/^\w+=/.test(startOf(word))) take(word, isInPlace ? "write" : "read", "awk");
  }
}

function tar(args: readonly Word[], { take }: Collector): void {
  const [first, ...rest] = args;
  const isBundle = first !== undefined && /^[a-zA-Z]+$/.test(first.text ?? "");
  const words = isBundle ? [textWord(`-${first.text}`), ...rest] : args;
  const spec: OptionSpec = {
    short: "fCTXKNbgHV",
    long: ["file", "directory", "files-from", "exclude-from", "exclude", "transform", "listed-incremental"],
  };
  const { options, operands } = readOptions(words, spec);
  const has = (...names: string[]) => options.some(({ name }) => names.includes(name));
  const isExtracting = has("-x", "--extract", "--get");
  const isListing = has("-t", "--list");
  let target: Word = CWD;
  for (const { name, value } of options) {
    if (value === null) continue;
    if (name === "-f" || name === "--file") take(value, isExtracting || isListing ? "read" : "write", "tar -f");
    if (name === "-C" || name === "--directory") target = value;
    if (["-T", "--files-from", "-X", "--exclude-from"].includes(name)) take(value, "read", `tar ${name}`);
  }
  if (isExtracting) return take(target, "write", "tar -x");
  take(target, "read", "tar");
  if (isListing) return;
  const isRemoving = has("--remove-files");
  const reach = has("-h", "--dereference") ? "links" : "tree";
  for (const word of operands) take(word, isRemoving ? "write" : "read", "tar", reach);
}

/** Directories of this machine that a container gets. */
function docker(args: readonly Word[], { take }: Collector): void {
  for (const [place, word] of args.entries()) {
    const start = startOf(word);
    const [, name = "", joined] = /^(-v(?=[/~.])|--?[\w-]+)(?:=|(?<=^-v))?(.*)/s.exec(start) ?? [];
    const value =
      joined === undefined || joined === "" ? args[place + 1] : withoutStart(word, start.length - joined.length);
    if (value === undefined) continue;
    if (["-v", "--volume", "--mount"].includes(name)) mountUse(value, take);
    if (["-f", "--file", "--env-file", "--build-context"].includes(name)) take(value, "read", `docker ${name}`);
    if (["--iidfile", "--cidfile", "-o", "--output"].includes(name) && startOf(value).match(/^[/~.]/))
      take(value, "write", `docker ${name}`);
  }
  const [first, ...rest] = args;
  const paths = rest.filter((word) => !/^(?:-|[\w.-]+:)/.test(startOf(word)));
  if (first?.text === "cp") for (const word of paths) take(word, "write", "docker cp");
  const context = paths.at(-1);
  if (
    (first?.text === "build" || rest[0]?.text === "build") &&
    context !== undefined &&
    !/^https?:/.test(startOf(context))
  ) {
    take(context, "read", "docker build");
  }
}

function mountUse(given: Word, take: Collector["take"]): void {
  const [, source] = /(?:^|[,=])(?:source|src)=([^,]*)/.exec(startOf(given)) ?? [];
  const path = source ?? startOf(given).split(":")[0] ?? "";
  if (given.text === null) take(given, "write", "docker -v");
  else if (/^[/~.]/.test(path)) take(textWord(path), "write", "docker -v", "tree");
}

function openssl(args: readonly Word[], { take }: Collector): void {
  for (const [place, { text }] of args.entries()) {
    const value = args[place + 1];
    if (value === undefined) continue;
    if (/^-(?:out|keyout|writerand)$/.test(text ?? "")) take(value, "write", `openssl ${text}`);
    if (/^-(?:in|inkey|key|cert|CA|CAfile|config|rand|kfile)$/.test(text ?? "")) take(value, "read", `openssl ${text}`);
  }
}

const SPECIALS: Readonly<Record<string, Special>> = {
  dd,
  ln,
  link: ln,
  sed,
  gsed: sed,
  perl,
  awk,
  gawk: awk,
  mawk: awk,
  nawk: awk,
  tar,
  bsdtar: tar,
  gtar: tar,
  git: gitUses,
  docker,
  podman: docker,
  nerdctl: docker,
  openssl,
};
