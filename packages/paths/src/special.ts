import { type OptionSpec, readOptions, type SimpleCommand, startOf, type Word, wordOf } from "@hooks/shell";
import { cpio, tar, unzip } from "./archives.js";
import { isDirectory, readText } from "./disk.js";
import { gitUses } from "./git.js";
import { arrivals, patchUses } from "./operands.js";
import type { Collector } from "./shell.js";
import { textWord, valueUses, withoutStart } from "./values.js";

type Special = (args: readonly Word[], collector: Collector, command: SimpleCommand) => void;

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
function ln(args: readonly Word[], collector: Collector): void {
  const { take, placesOf } = collector;
  const { options, operands } = readOptions(args, { short: "tS", long: ["target-directory", "suffix"] });
  const has = (...names: string[]) => options.some(({ name }) => names.includes(name));
  const into = options.find(({ name }) => name === "-t" || name === "--target-directory")?.value ?? null;
  const isSymbolic = has("-s", "--symbolic") && !has("-r", "--relative");
  const targets = into !== null || operands.length === 1 ? operands : operands.slice(0, -1);
  const place = into ?? (operands.length > 1 ? operands.at(-1) : undefined);
  if (place !== undefined) take(place, "write", "ln");
  if (place !== undefined) arrivals(targets, place, false, "ln", collector);
  for (const target of targets) {
    // What a relative link leads to depends on where it stands, and not on where it is made.
    const isRelative = isSymbolic && target.text !== null && !/^[/~]/.test(target.text);
    if (!isRelative || place === undefined) take(target, "write", "ln", "tree");
    else if (place.text === null)
      take(wordOf([...place.pieces, ...textWord(`/../${target.text}`).pieces]), "write", "ln", "tree");
    else {
      const isInside = into !== null || targets.length > 1 || (!has("-n", "-T") && isDirectory(placesOf(place)[0]));
      const directory = isInside ? place.text : place.text.replace(/[^/]*\/*$/, "");
      take(textWord(`${directory === "" ? "." : directory}/${target.text}`), "write", "ln", "tree");
    }
  }
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
      // GNU's needs no space before the name; without one it is a name where it leads somewhere by itself.
      /(?:^|[;{}\n/\d$,|#!])\s*[gpIiMm\d]*([rRwW])(?:\s+|(?=\/|~\/|\.\.\/))([^\n;}]+)/g,
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

/** Whether a program of awk reads or writes files that a variable names, or may: its text is elsewhere. */
function opensByName({ code }: SimpleCommand): boolean {
  return (
    code === null ||
    />\s*\(?\w|getline\s*<|\|\s*getline|\|\s*\w|ARGV|close\s*\(|system\s*\(/.test(code.source.text ?? ">x")
  );
}

/** Of awk and its like: what comes after the program text are files. */
function awk(args: readonly Word[], collector: Collector, command: SimpleCommand): void {
  const { take } = collector;
  const { options, operands } = readOptions(args, {
    short: "vFfEli",
    long: ["assign", "field-separator", "file", "exec", "load", "include"],
  });
  const files = options.filter(({ name }) => /^(?:-[fE]|--file|--exec)$/.test(name));
  for (const { name, value } of options) {
    if (value === null || /^(?:-F|--field-separator)$/.test(name)) continue;
    if (/^(?:-v|--assign)$/.test(name)) {
      if (opensByName(command)) valueUses(value, "write", "awk -v", collector);
    } else if (value.text !== "inplace") take(value, "read", `awk ${name}`);
  }
  const isInPlace = args.some(({ text }) => text === "inplace");
  for (const word of files.length > 0 ? operands : operands.slice(1)) {
    if (/^\w+=/.test(startOf(word))) {
      if (opensByName(command)) valueUses(word, "write", "awk", collector);
    } else take(word, isInPlace ? "write" : "read", "awk");
  }
}

/** Directories of this machine that a container gets. */
function docker(args: readonly Word[], collector: Collector): void {
  const { take, give } = collector;
  const isOpen = args.some(({ text }) => /^--(?:privileged(?:=true)?|pid=host|device\b.*)$/.test(text ?? ""));
  if (isOpen) give("docker", "a container with these rights reaches every file of the machine");
  for (const [place, word] of args.entries()) {
    const start = startOf(word);
    const [, name = "", joined] = /^(-v(?=[/~.])|--?[\w-]+)(?:=|(?<=^-v))?(.*)/s.exec(start) ?? [];
    const value =
      joined === undefined || joined === "" ? args[place + 1] : withoutStart(word, start.length - joined.length);
    if (value === undefined) continue;
    if (["-v", "--volume", "--mount"].includes(name)) mountUse(value, take);
    if (["-f", "--file", "--env-file", "--build-context"].includes(name)) take(value, "read", `docker ${name}`);
    if (/^(?:-i|--(?:input|project-directory|config|tls\w+|secret|ssh|cache-\w+))$/.test(name))
      valueUses(value, "read", `docker ${name}`, collector);
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
  if (given.text === null) return take(given, "write", "docker -v");
  if (!/^[/~.]/.test(path)) return;
  take(textWord(path), "write", "docker -v");
  // What is below it is there to be read, and nothing says that it will be.
  take(textWord(path), "read", "docker -v", "tree");
}

/** Of jq what comes after the program are files, and so are two kinds of variables. */
function jq(args: readonly Word[], { take }: Collector): void {
  const rest: Word[] = [];
  for (let place = 0; place < args.length; place++) {
    const { text } = args[place] as Word;
    if (text === "--args" || text === "--jsonargs") break;
    const isPair = /^--(?:arg|argjson|slurpfile|rawfile|argfile)$/.test(text ?? "");
    const value = args[place + 2];
    if (isPair && !/^--arg(?:json)?$/.test(text ?? "") && value !== undefined) take(value, "read", `jq ${text}`);
    if (isPair) place += 2;
    else rest.push(args[place] as Word);
  }
  const { options, operands } = readOptions(rest, { short: "fL", long: ["from-file", "indent", "tab"] });
  const files = options.filter(({ name }) => ["-f", "--from-file", "-L"].includes(name));
  for (const { name, value } of files) if (value !== null) take(value, "read", `jq ${name}`);
  const hasProgram = files.some(({ name }) => name !== "-L");
  for (const word of hasProgram ? operands : operands.slice(1)) take(word, "read", "jq");
}

/** A patch writes to the files it names, and it may be at hand: on its input, or in a file. */
function patch(args: readonly Word[], { take, give, placesOf }: Collector, { stdin }: SimpleCommand): void {
  const { options, operands } = readOptions(args, {
    short: "idopBrDFVYzg",
    long: ["input", "output", "directory", "strip", "reject-file", "prefix", "backup-dir"],
  });
  const given = (...names: string[]) => options.find(({ name }) => names.includes(name))?.value ?? null;
  for (const name of ["-o", "--output", "-d", "--directory", "-r", "--reject-file", "-B", "--prefix"]) {
    const value = given(name);
    if (value !== null) take(value, "write", `patch ${name}`);
  }
  const input = given("-i", "--input") ?? operands[1] ?? (stdin.kind === "file" ? stdin.path : null);
  if (input !== null) take(input, "read", "patch");
  const [target] = operands;
  if (target !== undefined) return take(target, "write", "patch");
  const text = input !== null ? readText(placesOf(input)[0]) : stdin.kind === "text" ? stdin.text.text : null;
  if (text === null) return give("patch", "what it writes to stands in the patch, and that cannot be read");
  const strip = Number(given("-p", "--strip")?.text ?? 0);
  const directory = given("-d", "--directory")?.text ?? "";
  patchUses(text, Number.isNaN(strip) ? 0 : strip, directory, "patch", take);
}

/** The command by which some agents edit files: the patch is an argument, or on the input. */
function applyPatch(args: readonly Word[], { take }: Collector, { stdin }: SimpleCommand): void {
  for (const { text } of args) if (text !== null) patchUses(text, null, "", "apply_patch", take);
  if (stdin.kind === "text" && stdin.text.text !== null) patchUses(stdin.text.text, null, "", "apply_patch", take);
}

function openssl(args: readonly Word[], { take, guess }: Collector): void {
  // What is left after options and their values are files: of `dgst`, `verify` and others.
  for (const [place, word] of args.entries()) {
    const isValue = /^-/.test(startOf(args[place - 1] ?? word));
    if (place > 0 && !isValue && !startOf(word).startsWith("-")) guess(word, "read", "openssl");
  }
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
  jq,
  patch,
  apply_patch: applyPatch,
  applypatch: applyPatch,
  unzip,
  cpio,
};
