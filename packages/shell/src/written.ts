import type { SimpleCommand } from "./analysis.js";
import { readOptions } from "./options.js";
import { contentOf } from "./output.js";
import { resolvePath } from "./path.js";
import type { State } from "./state.js";
import { literal, render, type Word, wordOf } from "./word.js";

/** Keeps what a command writes to files of its own accord, in case the script runs them later. */
export function keepWritten(command: SimpleCommand, state: State): void {
  if (command.program !== null) WRITERS.get(command.program)?.(command, state);
}

type Write = (command: SimpleCommand, state: State) => void;

const WRITERS = new Map<string, Write>([
  ["curl", curl],
  ["wget", wget],
  ["aria2c", aria],
  ["axel", aria],
  ["npm", setScripts],
  ["pnpm", setScripts],
  ["tee", tee],
  ["cp", copy],
  ["mv", copy],
  ["ln", copy],
  ["install", copy],
]);

const CURL = {
  short: "oHXdFuAebcKmTxrCEQPYyzwtUD",
  long: [
    "output",
    "header",
    "request",
    "data",
    "data-raw",
    "data-binary",
    "form",
    "user",
    "user-agent",
    "referer",
    "cookie",
    "max-time",
    "connect-timeout",
    "retry",
    "proxy",
    "output-dir",
    "url",
    "write-out",
  ],
};

function keep(path: Word, content: Word, { cwd }: SimpleCommand, state: State): void {
  state.files.set(render(resolvePath(path, cwd)), content);
}

/** The content is what the network answers: nobody knows it, and everybody knows where it came from. */
function downloaded(command: SimpleCommand): Word {
  return wordOf([{ kind: "unknown", source: command.argv.map(render).join(" "), from: [command] }]);
}

function nameIn(url: Word | undefined): Word | null {
  const name = /\/([^/?#]+)(?:[?#].*)?$/.exec(url?.text ?? "")?.[1];
  return name === undefined ? null : literal(name);
}

function curl(command: SimpleCommand, state: State): void {
  const { options, operands } = readOptions(command.argv.slice(1), CURL);
  const urls = [
    ...operands,
    ...options.flatMap(({ name, value }) => (name === "--url" && value !== null ? [value] : [])),
  ];
  const content = downloaded(command);
  for (const { name, value } of options)
    if ((name === "-o" || name === "--output") && value !== null) keep(value, content, command, state);
  if (!options.some(({ name }) => /^(-O|--remote-name|--remote-name-all)$/.test(name))) return;
  for (const file of urls.map(nameIn)) if (file !== null) keep(file, content, command, state);
}

function wget(command: SimpleCommand, state: State): void {
  const spec = { short: "OPUtTaoiQBe", long: ["output-document", "directory-prefix", "header", "user-agent", "tries"] };
  const { options, operands } = readOptions(command.argv.slice(1), spec);
  const into = options.find(({ name }) => name === "-O" || name === "--output-document")?.value;
  if (into != null) return keep(into, downloaded(command), command, state);
  const directory = options.find(({ name }) => name === "-P" || name === "--directory-prefix")?.value;
  const content = downloaded(command);
  for (const file of operands.map(nameIn)) {
    if (file === null) continue;
    const path = directory == null ? file : wordOf([...directory.pieces, { kind: "text", text: `/${file.text}` }]);
    keep(path, content, command, state);
  }
}

function aria(command: SimpleCommand, state: State): void {
  const { options, operands } = readOptions(command.argv.slice(1), { short: "odjxsnS", long: ["out", "dir"] });
  const into = options.find(({ name }) => name === "-o" || name === "--out")?.value;
  const content = downloaded(command);
  for (const file of into == null ? operands.map(nameIn) : [into])
    if (file !== null) keep(file, content, command, state);
}

/** `npm pkg set scripts.x=line` writes into the `package.json`. */
function setScripts(command: SimpleCommand, state: State): void {
  const [, pkg, set, ...words] = command.argv.map(({ text }) => text ?? "");
  if (pkg !== "pkg" || set !== "set") return;
  const scripts = words.flatMap((word) => {
    const [, name, line] = /^scripts\.([^=]+)=([\s\S]*)$/.exec(word) ?? [];
    return name === undefined ? [] : [[name, line] as const];
  });
  if (scripts.length === 0) return;
  keep(literal("package.json"), literal(JSON.stringify({ scripts: Object.fromEntries(scripts) })), command, state);
}

function tee(command: SimpleCommand, state: State): void {
  const { stdin } = command;
  if (stdin.kind !== "text") return;
  for (const file of readOptions(command.argv.slice(1), {}).operands) keep(file, stdin.text, command, state);
}

/** A copy, a link and a new name hold what the file held. */
function copy(command: SimpleCommand, state: State): void {
  if (state.files.size === 0) return;
  const { operands } = readOptions(command.argv.slice(1), { short: "tSmog", long: ["target-directory", "mode"] });
  const [from, to] = operands;
  if (from === undefined || to === undefined || operands.length !== 2) return;
  const content = contentOf(from, command.cwd, state);
  if (content === null) return;
  keep(to, content, command, state);
  const name = render(from).split("/").pop() ?? "";
  keep(wordOf([...to.pieces, { kind: "text", text: `/${name}` }]), content, command, state);
}
