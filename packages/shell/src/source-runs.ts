import type { Code, CodeCall, Language } from "./analysis.js";
import { readCalls } from "./source-calls.js";
import { type Nested, readable, unread } from "./started.js";
import { literal, render, unknownWord, type Word } from "./word.js";

/** Functions whose first argument is a line for a shell, by the last part of their names. */
const LINES = new Set([
  "`",
  "system",
  "popen",
  "popen2",
  "popen3",
  "getoutput",
  "getstatusoutput",
  "execSync",
  "shell_exec",
  "passthru",
  "proc_open",
  "pcntl_exec",
  "execute",
  "capture2",
  "capture2e",
  "capture3",
  "pipeline",
  "execaCommand",
  "execaCommandSync",
  "create_subprocess_shell",
  "$",
  "script",
  "shell",
]);
/** Functions that take a program and its arguments, as a list or one by one; some take a line as well. */
const PROGRAMS = new Set([
  "run",
  "call",
  "check_call",
  "check_output",
  "Popen",
  "spawn",
  "spawnSync",
  "execFile",
  "execFileSync",
  "execa",
  "execaSync",
  "create_subprocess_exec",
  "execv",
  "execve",
  "execvp",
  "execvpe",
  "execl",
  "execlp",
  "execle",
  "spawnv",
  "spawnl",
  "spawnvp",
  "spawnlp",
  "posix_spawn",
  "Command",
  "exec",
  "fork_exec",
  "ProcessBuilder",
  "cmd",
]);
/** Functions that run a text of the same language. */
const SOURCES = new Set([
  "eval",
  "exec",
  "Function",
  "runInNewContext",
  "runInThisContext",
  "instance_eval",
  "class_eval",
  "compile",
]);

const MOST_LEVELS = 4;

/** What a program in another language starts, and the calls it makes itself. */
export function readSource(
  language: Language,
  source: string,
): { calls: readonly CodeCall[]; runs: readonly Nested[] } {
  const calls: CodeCall[] = [];
  const runs: Nested[] = [];
  const open: { readonly text: string; readonly level: number }[] = [{ text: source, level: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { calls: found, isWhole } = readCalls(next.text, language);
    if (!isWhole) runs.push(unread(`a program in ${language}`));
    for (const call of found) {
      calls.push(call);
      const name = lastPart(call.name);
      const text = call.args[0]?.text ?? null;
      if (SOURCES.has(name) && text !== null && next.level < MOST_LEVELS && !startsPrograms(call, language)) {
        open.push({ text, level: next.level + 1 });
      } else runs.push(...startedBy(call, name, language));
    }
  }
  if (language === "awk" || language === "perl") runs.push(...pipesIn(source, language));
  return { calls, runs };
}

/** The name of a function without what it belongs to. */
export function lastPart(name: string): string {
  return name.slice(Math.max(name.lastIndexOf("."), name.lastIndexOf(":"), name.lastIndexOf(">")) + 1);
}

function startsPrograms(call: CodeCall, language: Language): boolean {
  const name = lastPart(call.name);
  return name === "exec" && language !== "python" && !/^RegExp|regex|re\.exec/i.test(call.name);
}

function startedBy(call: CodeCall, name: string, language: Language): Nested[] {
  const [first] = call.args;
  if (first === undefined) return [];
  const via = `${language} ${call.name}`;
  const isLine = LINES.has(name) || (name === "exec" && startsPrograms(call, language));
  if (!isLine && !PROGRAMS.has(name)) return [];
  if (name === "execute" && language !== "lua" && language !== "java") return [];
  if (
    (name === "run" || name === "call" || name === "Command" || name === "cmd") &&
    !/subprocess|Deno|sh\b|Open3|^os\.cmd|^exec\.Command/.test(call.name) &&
    call.list === null
  )
    return [];
  if (call.list !== null) {
    // `run(["rm", "x"])` and `spawn("rm", ["x"])`; `execvp("rm", ["rm", "x"])` names the program twice.
    const isFirst = first.text === null && first.pieces.length === 1 && first.pieces[0]?.kind === "unknown";
    const list = /^(exec|spawn)[vlpe]+$/.test(name) ? call.list.slice(1) : call.list;
    return [{ kind: "argv", argv: isFirst ? call.list : [first, ...list] }];
  }
  if (isOpen(first)) return [];
  if (call.args.length > 1 && !isLine) return [{ kind: "argv", argv: trimmed(call.args) }];
  if (call.args.length > 1 && (language === "ruby" || language === "perl"))
    return [{ kind: "argv", argv: trimmed(call.args) }];
  return [{ kind: "script", script: first, via }];
}

/** The leading arguments that are texts: after them come options. */
function trimmed(args: readonly Word[]): readonly Word[] {
  const end = args.findIndex(isOpen);
  return end === -1 ? args : args.slice(0, end);
}

/** A value nothing is known of: somebody else's function result, an object. */
function isOpen(word: Word): boolean {
  return word.pieces.length === 1 && word.pieces[0]?.kind === "unknown";
}

const AWK_PIPE = /(?:print\s+"((?:[^"\\]|\\.)*)"\s*)?\|&?\s*"((?:[^"\\]|\\.)*)"|"((?:[^"\\]|\\.)*)"\s*\|\s*getline/g;
const PERL_PIPE = /open\s*\(?[^;]{0,80}?["'](?:\s*\|\s*([^"'|]{2,200}?)|\s*([^"'|]{2,200}?)\s*\|)\s*["']/g;

/** `print | "sh"`, `"cmd" | getline` of awk, and `open(F, "cmd|")` of perl. */
function pipesIn(source: string, language: Language): Nested[] {
  const via = `${language} pipe`;
  const { text, unread } = readable(source, `a program in ${language}`);
  if (language === "perl")
    return [...unread, ...[...text.matchAll(PERL_PIPE)].map((found) => line(found[1] ?? found[2] ?? "", via))];
  const piped = [...text.matchAll(AWK_PIPE)].flatMap(([, printed, target, source]): Nested[] => {
    if (source !== undefined) return [line(source, via)];
    if (!/^\s*\S*\b(ba|z|da|k|a)?sh\b/.test(target ?? "")) return [line(target ?? "", via)];
    return [printed === undefined ? { kind: "script", script: unknownWord("print"), via } : line(printed, via)];
  });
  return [...unread, ...piped];
}

function line(text: string, via: string): Nested {
  return { kind: "script", script: literal(text.replace(/\\(.)/g, "$1")), via };
}

/** `\\! command` of psql and mysql, `.shell command` of sqlite. */
function shellLines({ text }: Word): Nested[] {
  if (text === null) return [];
  const lines = [...text.matchAll(/(?:^|[\n;])[ \t]*(?:\\!|\.shell\b|\.system\b|system\b)\s*([^\n]+)/g)];
  const programs = [...text.matchAll(/\b(?:from|to)\s+program\s+'((?:[^']|'')*)'/gi)];
  return [...lines, ...programs].map((found) => ({
    kind: "script",
    script: literal((found[1] ?? "").replaceAll("''", "'")),
    via: "sql shell",
  }));
}

/** A program's text with its calls. */
export function codeWith(code: Omit<Code, "calls">): { readonly code: Code; readonly runs: readonly Nested[] } {
  if (code.language === "sql") return { code: { ...code, calls: [] }, runs: shellLines(code.source) };
  if (code.language === "cmd" || code.language === "powershell") return { code: { ...code, calls: [] }, runs: [] };
  if (code.language === "tcl") return readTcl(code);
  const text =
    code.source.text ?? code.source.pieces.map((piece) => (piece.kind === "text" ? piece.text : "_")).join("");
  const { calls, runs } = readSource(code.language, text);
  return { code: { ...code, calls }, runs: code.language === "python" ? [...runs, ...magicLines(text)] : runs };
}

const MAGIC = /^[ \t]*(?:\w{1,80}[ \t]*=[ \t]*)?(?:!{1,2}[ \t]*|%sx[ \t]+|%system[ \t]+)([^=\s].*)$/gm;

/** `!ls` of IPython: no line of Python begins so. */
function magicLines(source: string): Nested[] {
  const { text, unread } = readable(source, "a program in python");
  return [...unread, ...[...text.matchAll(MAGIC)].map((found) => line(found[1] ?? "", "ipython !"))];
}

const TCL_RUN = /(?:^|[;\n[{"])[ \t]*(?:exec|spawn|system)\s+((?:-\w+\s+)*(?:--\s+)?)([^;\n\]}]+)/g;
const TCL_DELETE = /(?:^|[;\n[{"])[ \t]*file\s+delete\s+((?:-force\s+|--\s+)*)([^;\n\]}]+)/g;

/** Tcl is made of words as a shell is; `exec` runs some, and `file delete` is its own `rm`. */
function readTcl(code: Omit<Code, "calls">): { readonly code: Code; readonly runs: readonly Nested[] } {
  const { text, unread } = readable(render(code.source), "a program in tcl");
  const runs = [...unread, ...[...text.matchAll(TCL_RUN)].map((found) => line(found[2] ?? "", "tcl exec"))];
  const calls = [...text.matchAll(TCL_DELETE)].map((found): CodeCall => {
    const paths = (found[2] ?? "")
      .trim()
      .split(/\s+/)
      .map((path) => literal(path.replace(/^["{]|["}]$/g, "")));
    return { name: "rmtree", args: paths, list: paths };
  });
  return { code: { ...code, calls }, runs };
}
