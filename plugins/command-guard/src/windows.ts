import { literal, type Piece, type SimpleCommand, type Word, wordOf } from "@hooks/shell";
import type { Dialect } from "./tools.js";
import { expanded, expandWord } from "./windows-words.js";

/** Other names of PowerShell's commands. */
const ALIASES: Readonly<Record<string, string>> = {
  ri: "remove-item",
  rm: "remove-item",
  del: "remove-item",
  erase: "remove-item",
  rd: "remove-item",
  rmdir: "remove-item",
  iex: "invoke-expression",
  iwr: "invoke-webrequest",
  irm: "invoke-restmethod",
  curl: "invoke-webrequest",
  wget: "invoke-webrequest",
  gci: "get-childitem",
  dir: "get-childitem",
  ls: "get-childitem",
  kill: "stop-process",
  spps: "stop-process",
  mi: "move-item",
  move: "move-item",
  mv: "move-item",
  rni: "rename-item",
  ren: "rename-item",
  clc: "clear-content",
  cd: "set-location",
  sl: "set-location",
  saps: "start-process",
  start: "start-process",
  icm: "invoke-command",
};

const MOST_COMMANDS = 400;
const MOST_TEXT = 65_536;

/** The commands of a PowerShell or cmd text; null where it is too long to be read. */
export function readWindows(text: string, dialect: Dialect, cwd: Word): SimpleCommand[] | null {
  if (text.length > MOST_TEXT) return null;
  const commands: SimpleCommand[] = [];
  const open = [text];
  let read = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    // What is in brackets is read once more on every level.
    read += next.length;
    if (read > MOST_TEXT * 2) return null;
    for (const { words, inner, piped } of statementsOf(next, dialect)) {
      if (commands.length >= MOST_COMMANDS) return null;
      open.push(...inner);
      const argv =
        dialect === "cmd" ? words.filter((word) => !/^@?(call|start|\/b|\/wait)$/i.test(word.text ?? "")) : words;
      const [first, ...rest] = argv[0]?.text === "&" || argv[0]?.text === "." ? argv.slice(1) : argv;
      if (first === undefined) continue;
      const name = programOf(first.text, dialect);
      const before = piped ? commands.slice(-1) : [];
      const line = commandLine(name, rest);
      if (line !== null) open.push(line);
      commands.push({
        program: name,
        argv: [first, ...rest],
        assignments: [],
        redirections: [],
        cwd,
        stdin: piped
          ? { kind: "text", text: wordOf([{ kind: "unknown", source: "input", from: before }]), from: before }
          : { kind: "inherited" },
        wrappers: [],
        via: [dialect],
        wraps: line !== null,
        elsewhere: null,
        mounts: [],
        code: null,
      });
    }
  }
  return commands;
}

function programOf(text: string | null, dialect: Dialect): string | null {
  if (text === null) return null;
  const name = text
    .slice(Math.max(text.lastIndexOf("\\"), text.lastIndexOf("/")) + 1)
    .toLowerCase()
    .replace(/\.(exe|com|cmd|bat)$/, "")
    .replace(/^@/, "");
  return dialect === "powershell" ? (ALIASES[name] ?? name) : name;
}

/** What another shell in the line is told to run. */
function commandLine(program: string | null, args: readonly Word[]): string | null {
  const texts = args.map(({ text }) => text ?? "");
  const after = (test: RegExp) => {
    const at = texts.findIndex((text) => test.test(text));
    return at === -1 ? null : texts.slice(at + 1).join(" ");
  };
  if (program === "cmd") return after(/^\/[ckr]$/i);
  if (program === "powershell" || program === "pwsh") return after(/^[-/]c(ommand)?$/i);
  if (program === "forfiles") return after(/^\/c$/i);
  if (program === "for" || program === "if") return after(/^(do|exist|not)$/i);
  if (program === "invoke-expression" || program === "invoke-command" || program === "start-process")
    return texts.filter((text) => !/^-/.test(text)).join(" ");
  return null;
}

interface Statement {
  readonly words: readonly Word[];
  /** Texts inside of `$(...)`, `{...}` and `(...)`. */
  readonly inner: readonly string[];
  readonly piped: boolean;
}

/** Splits a text at what parts statements, outside of quotes and brackets. */
function statementsOf(text: string, dialect: Dialect): Statement[] {
  const statements: Statement[] = [];
  const escaping = dialect === "cmd" ? "^" : "`";
  let words: Word[] = [];
  let inner: string[] = [];
  let pieces: Piece[] | null = null;
  let piped = false;

  function endWord(): void {
    if (pieces !== null) words.push(wordOf(pieces));
    pieces = null;
  }
  function endStatement(pipes: boolean): void {
    endWord();
    if (words.length > 0 || inner.length > 0) statements.push({ words, inner, piped });
    words = [];
    inner = [];
    piped = pipes;
  }
  function add(piece: Piece): void {
    if (pieces === null) pieces = [piece];
    else pieces.push(piece);
  }

  for (let i = 0; i < text.length; i++) {
    const char = text[i] as string;
    if (char === escaping && i + 1 < text.length) add({ kind: "text", text: text[++i] as string });
    else if (char === '"' || (char === "'" && dialect === "powershell")) {
      const end = text.indexOf(char, i + 1);
      const quoted = text.slice(i + 1, end === -1 ? text.length : end);
      add({ kind: "text", text: "" });
      for (const piece of char === '"' ? expanded(quoted) : literal(quoted).pieces) add(piece);
      i = end === -1 ? text.length : end;
    } else if (dialect === "powershell" && (char === "(" || char === "{")) {
      const end = closing(text, i);
      inner.push(text.slice(i + 1, end));
      if (text[i - 1] === "$" && pieces !== null) pieces = (pieces as Piece[]).slice(0, -1);
      add({ kind: "unknown", source: text.slice(i, Math.min(end + 1, i + 40)) });
      i = end;
    } else if (dialect === "cmd" && (char === "(" || char === ")")) endStatement(false);
    else if (char === "#" && dialect === "powershell" && pieces === null) {
      const end = text.indexOf("\n", i);
      i = end === -1 ? text.length : end - 1;
    } else if (char === "|" && text[i + 1] !== "|") endStatement(true);
    else if (char === ";" && dialect === "powershell") endStatement(false);
    else if (char === "\n" || char === "\r" || char === "|") endStatement(false);
    else if (char === "&" && (dialect === "cmd" || text[i + 1] === "&")) endStatement(false);
    else if (/\s/.test(char)) endWord();
    else if (char === "," && dialect === "powershell") endWord();
    else add({ kind: "text", text: char });
  }
  endStatement(false);
  return statements.map((statement) => ({ ...statement, words: statement.words.flatMap(expandWord) }));
}

function closing(text: string, from: number): number {
  let depth = 0;
  for (let i = from; i < text.length; i++) {
    if (text[i] === "(" || text[i] === "{") depth++;
    else if ((text[i] === ")" || text[i] === "}") && --depth === 0) return i;
  }
  return text.length;
}
