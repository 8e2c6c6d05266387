import type { SimpleCommand } from "./analysis.js";
import type { Output } from "./evaluation.js";
import { FILTERS, type Filter } from "./filters.js";
import { readOptions } from "./options.js";
import { resolvePath } from "./path.js";
import type { State } from "./state.js";
import { literal, type Piece, render, type Word, wordOf } from "./word.js";

/** What a command is certain to print, or one unknown piece that says whose output it is. */
export function outputOf(command: SimpleCommand, state: State): Output {
  const { program } = command;
  if (program === null) return unknownOutput(command);
  const filter = FILTERS.get(program);
  if (filter !== undefined) return filtered(command, filter) ?? printedBy(command) ?? unknownOutput(command);
  return PRINTERS.get(program)?.(command, state) ?? printedBy(command) ?? unknownOutput(command);
}

/** Longer texts are not what hides a command. */
const LONGEST_FILTERED = 16_384;

function filtered(command: SimpleCommand, filter: Filter): Output | null {
  const { stdin } = command;
  if (stdin.kind !== "text" || stdin.text.text === null || stdin.text.text.length > LONGEST_FILTERED) return null;
  const text = filter(stdin.text.text, command);
  return text === null ? null : literal(text).pieces;
}

/** Functions that print their arguments, in the languages of one-liners. */
const PRINTS =
  /^(print|puts|echo|say|printf|console\.(log|error)|(process|sys)\.stdout\.write|io\.write|Console\.WriteLine)$/;

/** What a one-liner prints, where it prints nothing but texts. */
function printedBy({ code }: SimpleCommand): Output | null {
  const calls = code?.calls.filter(({ name }) => PRINTS.test(name)) ?? [];
  if (calls.length === 0 || calls.some(({ args }) => args.some(({ text }) => text === null))) return null;
  return literal(calls.map(({ args }) => `${args.map(({ text }) => text).join(" ")}\n`).join("")).pieces;
}

export function unknownOutput(command: SimpleCommand): Output {
  return [{ kind: "unknown", source: command.argv.map(render).join(" "), from: [command] }];
}

type Print = (command: SimpleCommand, state: State) => Output | null;

const silent: Print = () => [];

const PRINTERS = new Map<string, Print>([
  ["echo", echo],
  ["printf", ({ argv }) => (argv[1]?.text === "-v" ? [] : printf(argv.slice(1)))],
  ["cat", cat],
  ["tee", ({ stdin }) => (stdin.kind === "text" ? stdin.text.pieces : null)],
  ["base64", decodeBase64],
  ["base32", () => null],
  ["openssl", decodeBase64],
  ["xxd", decodeHex],
  ["tr", translate],
  ["pwd", ({ cwd }) => [...cwd.pieces, { kind: "text", text: "\n" }]],
  ["which", locate],
  ["command", locate],
  ["type", locate],
  ["basename", ({ argv }) => mapText(argv[1], (text) => text.replace(/\/+$/, "").replace(/^.*\//, ""))],
  [
    "dirname",
    ({ argv }) => mapText(argv[1], (text) => /^(.+)\/[^/]+\/*$/.exec(text)?.[1] ?? (text.startsWith("/") ? "/" : ".")),
  ],
  [
    "realpath",
    ({ argv, cwd }) =>
      argv[1] === undefined ? null : [...resolvePath(argv[1], cwd).pieces, { kind: "text", text: "\n" }],
  ],
  ...[
    "cd",
    "export",
    "declare",
    "local",
    "typeset",
    "readonly",
    "unset",
    "set",
    "alias",
    "true",
    "false",
    ":",
    "shift",
    "test",
    "[",
    "sleep",
    "mkdir",
    "touch",
    "trap",
    "shopt",
    "pushd",
    "popd",
    "exit",
    "return",
    "break",
    "continue",
  ].map((name): [string, Print] => [name, silent]),
]);

function mapText(word: Word | undefined, change: (text: string) => string): Output | null {
  return word?.text == null ? null : [{ kind: "text", text: `${change(word.text)}\n` }];
}

function mapInput({ stdin }: SimpleCommand, change: (text: string) => string): Output | null {
  return stdin.kind === "text" && stdin.text.text !== null ? [{ kind: "text", text: change(stdin.text.text) }] : null;
}

function echo({ argv }: SimpleCommand): Output {
  let first = 1;
  let escapes = false;
  let ends = true;
  for (; /^-[neE]+$/.test(argv[first]?.text ?? ""); first++) {
    const flags = argv[first]?.text ?? "";
    if (flags.includes("e")) escapes = true;
    if (flags.includes("n")) ends = false;
  }
  const pieces: Piece[] = [];
  for (let i = first; i < argv.length; i++) {
    if (i > first) pieces.push({ kind: "text", text: " " });
    for (const piece of argv[i]?.pieces ?? []) {
      pieces.push(escapes && piece.kind === "text" ? { kind: "text", text: decodeEscapes(piece.text) } : piece);
    }
  }
  if (ends) pieces.push({ kind: "text", text: "\n" });
  return wordOf(pieces).pieces;
}

function decodeEscapes(text: string): string {
  return text.replace(
    /\\(x[0-9a-fA-F]{1,2}|0[0-7]{1,3}|[0-7]{1,3}|u[0-9a-fA-F]{1,4}|[abefnrtv\\"'])/g,
    (_, code: string) => {
      if (code.startsWith("x") || code.startsWith("u")) return String.fromCharCode(Number.parseInt(code.slice(1), 16));
      if (/^[0-7]/.test(code)) return String.fromCharCode(Number.parseInt(code, 8) & 0xff);
      return { n: "\n", t: "\t", r: "\r", a: "\x07", b: "\b", e: "\x1b", f: "\f", v: "\v" }[code] ?? code;
    },
  );
}

function printf(args: readonly Word[]): Output | null {
  const [format, ...values] = args[0]?.text === "--" ? args.slice(1) : args;
  if (format?.text == null) return null;
  const parts = decodeEscapes(format.text).split(/(%(?:-?\d*(?:\.\d+)?[sbdiqc]|%))/);
  const takes = parts.filter((part, index) => index % 2 === 1 && part !== "%%").length;
  const pieces: Piece[] = [];
  let next = 0;
  do {
    for (const [index, part] of parts.entries()) {
      if (index % 2 === 0) pieces.push({ kind: "text", text: part });
      else if (part === "%%") pieces.push({ kind: "text", text: "%" });
      else {
        const value = values[next++];
        const raw = value?.pieces ?? [];
        pieces.push(
          ...(part.endsWith("b")
            ? raw.map(
                (piece): Piece => (piece.kind === "text" ? { kind: "text", text: decodeEscapes(piece.text) } : piece),
              )
            : raw),
        );
      }
    }
  } while (takes > 0 && next < values.length);
  return wordOf(pieces).pieces;
}

function cat({ argv, stdin, cwd }: SimpleCommand, state: State): Output | null {
  const { operands } = readOptions(argv.slice(1), {});
  if (operands.length === 0 || (operands.length === 1 && operands[0]?.text === "-")) {
    return stdin.kind === "text" ? stdin.text.pieces : null;
  }
  const texts = operands.map((path) => contentOf(path, cwd, state));
  return texts.some((text) => text === null) ? null : wordOf(texts.flatMap((text) => text?.pieces ?? [])).pieces;
}

/** The content of a file, where this very command wrote it. */
export function contentOf(path: Word, cwd: Word, state: State): Word | null {
  const [piece] = path.pieces;
  if (piece?.kind === "unknown" && piece.content !== undefined) return piece.content;
  return state.files.size === 0 ? null : (state.files.get(render(resolvePath(path, cwd))) ?? null);
}

function locate({ argv }: SimpleCommand): Output | null {
  const { options, operands } = readOptions(argv.slice(1), {});
  if (argv[0]?.text !== "which" && !options.some(({ name }) => /^-[vpP]$/.test(name))) return null;
  return mapText(operands[0], (text) => text);
}

function decodeBase64(command: SimpleCommand): Output | null {
  const { argv, stdin } = command;
  const flags = argv.slice(1).map(({ text }) => text ?? "");
  const openssl = argv[0]?.text?.endsWith("openssl") === true;
  if (openssl && !flags.some((flag) => /^-?(base64|a)$/.test(flag))) return null;
  if (!flags.some((flag) => /^(-d|-D|--decode|-di|-id|-[A-Za-z]*d)$/.test(flag))) return null;
  return stdin.kind === "text" && stdin.text.text !== null ? bytesToText(fromBase64(stdin.text.text)) : null;
}

function fromBase64(text: string): string | null {
  try {
    return atob(text.replace(/\s+/g, "").replaceAll("-", "+").replaceAll("_", "/"));
  } catch {
    return null;
  }
}

function bytesToText(bytes: string | null): Output | null {
  if (bytes === null) return null;
  return [{ kind: "text", text: new TextDecoder().decode(Uint8Array.from(bytes, (char) => char.charCodeAt(0))) }];
}

function decodeHex(command: SimpleCommand): Output | null {
  const { options } = readOptions(command.argv.slice(1), { short: "clos" });
  if (!options.some(({ name }) => name === "-r") || !options.some(({ name }) => name === "-p")) return null;
  const { stdin } = command;
  const hex = stdin.kind === "text" ? stdin.text.text?.replace(/\s+/g, "") : undefined;
  if (hex === undefined || !/^([0-9a-fA-F]{2})*$/.test(hex)) return null;
  return bytesToText((hex.match(/../g) ?? []).map((byte) => String.fromCharCode(Number.parseInt(byte, 16))).join(""));
}

function translate(command: SimpleCommand): Output | null {
  const { options, operands } = readOptions(command.argv.slice(1), {});
  const [from, to] = [operands[0]?.text, operands[1]?.text];
  if (from == null) return null;
  const set = expandSet(from);
  if (options.some(({ name }) => name === "-d"))
    return mapInput(command, (text) => [...text].filter((char) => !set.includes(char)).join(""));
  if (options.length > 0 || to == null) return null;
  const target = expandSet(to);
  const map = new Map(set.map((char, index) => [char, target[Math.min(index, target.length - 1)] ?? char]));
  return mapInput(command, (text) => [...text].map((char) => map.get(char) ?? char).join(""));
}

function expandSet(set: string): string[] {
  const text = decodeEscapes(set).replace("[:lower:]", "a-z").replace("[:upper:]", "A-Z").replace("[:space:]", " \t\n");
  return [...text.matchAll(/(.)-(.)|([\s\S])/g)].flatMap(([, from, to, one]) => {
    if (one !== undefined) return [one];
    const [first, last] = [from?.charCodeAt(0) ?? 0, to?.charCodeAt(0) ?? 0];
    return Array.from({ length: Math.max(0, Math.min(256, last - first + 1)) }, (_, index) =>
      String.fromCharCode(first + index),
    );
  });
}
