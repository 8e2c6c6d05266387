import { type GivenOption, readOptions, type SimpleCommand, startOf, type Word } from "@hooks/shell";
import { isDirectory, isThere, namesBelow } from "./disk.js";
import { accessOfOption } from "./guess.js";
import { filesOfPatch } from "./patch.js";
import type { Program } from "./programs.js";
import type { Collector, Reach } from "./shell.js";
import { rootedWords, textWord, valueUses, withoutStart } from "./values.js";

const HERE = textWord(".");

/** The paths among the arguments of a program that is known. */
export function operandUses(
  known: Program,
  by: string,
  args: readonly Word[],
  collector: Collector,
  stdin: SimpleCommand["stdin"],
): void {
  const { take } = collector;
  const { options, operands } = readOptions(args, known, known.stops === true);
  const has = (names: readonly string[] | undefined) => options.some(({ name }) => names?.includes(name) === true);
  for (const option of options) optionUse(option, known, by, collector);
  if (known.stops === true) return;
  const skipped = has(known.instead) ? 0 : (known.skip ?? 0);
  const paths = operands.slice(skipped);
  const isTree = known.isTree === true || has(known.treeWith);
  const reach: Reach = has(known.followsWith) ? "links" : isTree ? "tree" : "one";
  const each = (words: readonly Word[], access: "read" | "write") => {
    for (const word of words) {
      if (!isRemote(word)) take(word, access, by, reach);
      // gcc @arguments
      if (startOf(word).startsWith("@")) collector.guess(withoutStart(word, 1), "read", by);
    }
  };
  for (const word of args) joinedUse(word, known, by, collector);
  const isHere = known.looksHere === "list" || (known.looksHere === "tree" && isTree && stdin.kind === "inherited");
  if (isHere && paths.length === 0) take(HERE, "read", by, reach);
  if (known.scripts !== undefined) scriptUses(operands, stdin, by, collector);
  switch (known.operands) {
    case "none":
      // What a pattern finds is printed, or handed on.
      for (const word of operands) if (word.pieces.some(({ kind }) => kind === "glob")) take(word, "read", by);
      return;
    case "values":
      return valuesAmong(args, known, by, collector);
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
      const into = options.find(({ name }) => known.into?.includes(name) === true)?.value;
      for (const word of paths.slice(sources.length)) if (!isRemote(word)) take(word, "write", by);
      const place = into ?? paths.at(-1);
      const isWhole = known.copiesWhole === true || isTree;
      if (place != null && sources.length > 0 && !isRemote(place)) arrivals(sources, place, isWhole, by, collector);
    }
  }
}

/** What is copied into a directory stands below it under its own name, and what is in a directory with it. */
export function arrivals(
  sources: readonly Word[],
  place: Word,
  isWhole: boolean,
  by: string,
  collector: Collector,
): void {
  const { take, placesOf } = collector;
  const [target] = placesOf(place);
  if (target === undefined) return;
  const isInside = sources.length > 1 || isDirectory(target) || /\/$/.test(place.text ?? "");
  for (const source of sources.filter((word) => !isRemote(word)).flatMap(placesOf)) {
    const name = /([^/]*)\/*$/.exec(source)?.[1] ?? "";
    // `cp -r x/. y` and `rsync x/ y` bring what is in x.
    const isContent = name === "." || name === ".." || (by === "rsync" && source.endsWith("/"));
    const arrived: string = isInside && !isContent ? `${target}/${name}` : target;
    if (arrived !== target) take(textWord(arrived), "write", by);
    // What is not there yet may be anything when it is copied.
    if (isContent && isWhole && !isThere(source)) take(place, "write", by, "names");
    if (!isWhole || !isDirectory(source)) continue;
    for (const below of namesBelow(source)) take(textWord(`${arrived}/${below}`), "write", by);
  }
}

/** Of a program whose operands are no files: what stands behind an option that no table has, and URLs of this machine. */
function valuesAmong(args: readonly Word[], known: Program, by: string, collector: Collector): void {
  const { operands } = readOptions(args, known);
  for (const word of operands) {
    const start = startOf(word);
    const option = startOf(args[args.indexOf(word) - 1] ?? HERE);
    if (/^file:/i.test(start)) collector.take(word, "read", by);
    else if (/^[A-Za-z_][\w.]*=/.test(start)) valueUses(word, accessOfOption(start), by, collector);
    else if (option.startsWith("-")) collector.guess(word, accessOfOption(option), `${by} ${option}`);
  }
}

/** The commands of an editor, behind a plus sign or on its input: where they lead is written to. */
function scriptUses(
  operands: readonly Word[],
  stdin: SimpleCommand["stdin"],
  by: string,
  { take, give }: Collector,
): void {
  const scripts = operands.flatMap((word) => (startOf(word).startsWith("+") ? [word.text ?? ""] : []));
  if (stdin.kind === "text" && stdin.text.text !== null) scripts.push(stdin.text.text);
  else if (stdin.kind !== "inherited" && /^(?:ed|ex)$/.test(by))
    give(by, "what it is told to do is not in the command");
  for (const script of scripts) for (const path of editedPaths(script)) take(textWord(path), "write", by);
}

/** `w file`, `r !cat file`, and whatever else leads somewhere in the script of an editor. */
function editedPaths(script: string): string[] {
  const named = [
    ...script.matchAll(/(?:^|[\n|+:;])\s*[\d,$%.]*(?:w|wq|r|e|f|sav|saveas|edit|write|read)!?\s+([^\s|!]+)/g),
  ];
  return [...rootedWords(script), ...named.map(([, path = ""]) => path)];
}

/** A value that is joined to an option nobody knows: `-Wl,-Map=../x`. */
function joinedUse(word: Word, { short = "" }: Program, by: string, collector: Collector): void {
  const [, letter = "", key = ""] = /^-([A-Za-z])([\w,-]*=)/.exec(startOf(word)) ?? [];
  if (key !== "" && !short.includes(letter))
    valueUses(withoutStart(word, key.length + 2), accessOfOption(key), by, collector);
}

function optionUse({ name, value }: GivenOption, known: Program, by: string, collector: Collector): void {
  const { take } = collector;
  if (value === null) return;
  if (known.writes?.includes(name) === true || known.into?.includes(name) === true)
    return take(value, "write", `${by} ${name}`);
  if (known.reads?.includes(name) === true) return take(value, "read", `${by} ${name}`);
  if (known.scripts?.includes(name) === true) {
    for (const path of editedPaths(value.text ?? "")) take(textWord(path), "write", `${by} ${name}`);
    return;
  }
  if (by === "curl") return curlValue(name, value, take);
  if (known.texts?.includes(name) !== true) valueUses(value, accessOfOption(name), `${by} ${name}`, collector);
}

/** `-d @file`, `-F part=@file`, `-F part=<file`, and cookies, which are a file where no `=` is in them. */
function curlValue(name: string, value: Word, take: Collector["take"]): void {
  const start = startOf(value);
  const by = `curl ${name}`;
  const [mark = ""] = /^[\w.-]*=?[@<]"?/.exec(start) ?? [];
  if (mark !== "") {
    const rest = withoutStart(value, mark.length);
    return take(rest.text === null ? rest : textWord(rest.text.replace(/"?(?:;.*)?$/, "")), "read", by);
  }
  if (/^(?:-b|--cookie)$/.test(name) ? !start.includes("=") : !CURL_TEXTS.has(name)) {
    if (/^(?!file:)[a-z][a-z0-9+.-]*:\/\//i.test(start)) return;
    take(value, accessOfOption(name), by);
  }
}

const CURL_TEXTS: ReadonlySet<string> = new Set(
  "-d --data --data-raw --data-binary --data-urlencode --data-ascii --json -F --form --form-string -H --header -X --request -u --user -A --user-agent -e --referer -m --max-time --retry -w --write-out -x --proxy -r --range -y -Y -z -Q --quote --resolve --connect-to --connect-timeout --retry-delay --retry-max-time --limit-rate --max-filesize --interface --dns-servers --ciphers --oauth2-bearer --proxy-user --aws-sigv4 -C --continue-at --request-target --url-query --variable --expand-data -U --noproxy --tls-max".split(
    " ",
  ),
);

/** The files a patch touches, where its text is known. */
export function patchUses(
  text: string,
  strip: number | null,
  directory: string,
  by: string,
  take: Collector["take"],
): void {
  for (const file of filesOfPatch(text, strip))
    take(textWord(file.startsWith("/") || directory === "" ? file : `${directory}/${file}`), "write", by);
}

/** `host:path`, which is on another machine. */
function isRemote(word: Word): boolean {
  return /^(?:[\w.-]+@)?[\w.-]+:(?!\\)|^rsync:\/\//.test(startOf(word)) && !/^[./~]/.test(startOf(word));
}
