import { type Code, type CodeCall, type Language, startOf, type Word, wordOf } from "@hooks/shell";
import type { Collector } from "./shell.js";
import { canLead, rootedWords, textWord } from "./values.js";

/** A path that a program text names in a literal. */
export interface Named {
  readonly path: string;
  readonly access: "read" | "write";
}

const LITERAL = /"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`/gs;
const WRITES =
  /\b(?:write\w*|append\w*|unlink\w*|remove\w*|rmtree|rmdir\w*|rm\w*|rename\w*|os\.replace|mkdir\w*|makedirs|copy\w*|cp\w*|move|symlink\w*|link\w*|chmod\w*|chown\w*|truncate\w*|touch|create\w*|open\w*Sync|dump|save|extractall|file_put_contents|delete\w*|spew|print(?:f)?\s*>|print\s*\{|system|exec\w*|spawn\w*|popen|Popen|run|call|check_\w+|qx)\b|open\s*\([^)]*["'](?:[wax]|r\+|[<+]*>)|>\s*["']/;
const JOIN = /\b(?:join|resolve|Path|File\.join)\s*\(\s*((?:(?:"[^"\n]*"|'[^'\n]*')\s*,?\s*)+)\)/g;
const FILE = /^(?:[\w@.+~-]+\/)*[\w@.+~-]*\.?[\w@+~-]+\/?$/;

/** Functions that take a path first. */
const OPENS =
  /^(?:f?open\w*|File|read(?:_?(?:file|text|bytes|lines|link|dir|csv|json))\w*|(?:write|append)_?(?:file|text|bytes)\w*|create(?:Read|Write)Stream|Path|PurePath|chdir|listdir|scandir|walk|i?glob\w*|unlink\w*|remove\w*|rmtree\w*|rm|rmSync|rmdir\w*|mkdir\w*|makedirs|stat\w*|lstat\w*|exists\w*|truncate\w*|chmod\w*|chown\w*|require|import|import_module|run_path|file_get_contents|file_put_contents|readfile|include|ZipFile|TarFile|opendir|touch|utime\w*|access\w*|slurp|spew|require_once|dofile|loadfile)$/i;
/** Functions that take two. */
const PAIRS = /^(?:copy\w*|cp\w*|move|rename\w*|replace|symlink\w*|link\w*)$/;
/** Functions that show or compare a text, and give none back. */
const TALKS =
  /^(?:startsWith|endsWith|startswith|endswith|start_with\?|end_with\?|includes|include\?|indexOf|index|lastIndexOf|test|print|println|puts|p|echo|printf|log|info|warn|debug|strpos|count|assert\w*|equal|strictEqual)$/;
/** Functions that make a text of a text: what comes out may be a path. */
const TURNS =
  /^(?:g?sub!?|replace\w*|split|rsplit|match\w*|search|findall|finditer|fullmatch|sprintf|strip|lstrip|rstrip|trim\w*|RegExp|preg_\w+|str_replace|explode|partition|rpartition)$/;
/** What makes a text that nobody reads in the program: there, a path that is not written out is hidden on purpose. */
const HIDES =
  /\bbytes\s*\(\s*\[|\b(?:chr|fromCharCode|fromCodePoint|b64decode|base64|atob|unhexlify|fromhex|hex2bin|rot13|reversed?|codecs|pack|getattr|globals|__import__)\b|\[::-1\]|\bjoin\s*\(|%\s*\(|\.decode\s*\(/;
/** The directory above, without a name. */
const UPWARDS =
  /\bos\.pardir\b|dirname\s*\(\s*(?:os\.getcwd|process\.cwd|Dir\.pwd|getcwd)|\b(?:cwd|resolve|absolute|pwd)\s*\(\s*\)\s*\.\s*parents?\b/;
const HOME = /\b(?:environ|env|ENV|getenv)\b\W{0,4}HOME\b/;

/** The paths a program text uses: those it writes out, and of the calls it makes those whose arguments are certain. */
export function codeUses(code: Code, collector: Collector, by: string): void {
  const { language, calls } = code;
  const source = code.source.text ?? code.source.pieces.map((piece) => ("text" in piece ? piece.text : " ")).join("");
  for (const { path, access } of pathsInCode(source, language, calls)) collector.take(textWord(path), access, by);
  if (UPWARDS.test(source)) collector.give(by, "it looks above the working directory");
  const isHiding = HIDES.test(source);
  for (const call of calls) callUses(call, isHiding, source, collector, by);
}

function callUses({ name, args }: CodeCall, isHiding: boolean, source: string, collector: Collector, by: string): void {
  const count = pathsOf(name);
  const access = accessOf(source);
  const isHome = /^(?:home|homedir)$/.test(lastPart(name)) && args.every(isBlank);
  if (isHome || (count > 0 && HOME.test(source))) collector.take(home(), access, by);
  // Of a method what it belongs to comes first: `require("fs").readFileSync(path)`.
  const [first] = args;
  const paths = args.length > count && first !== undefined && isBlank(first) ? args.slice(1) : args;
  for (const word of paths.slice(0, count)) {
    if (word.text === null ? !isBlank(word) || isHiding : isOneLine(word.text)) collector.take(word, access, by);
  }
}

const isBlank = (word: Word) => word.pieces.length > 0 && word.pieces.every(({ kind }) => kind === "unknown");

const isOneLine = (text: string) => text !== "" && text.length < 4_096 && !/[\n\0]/.test(text);

function home(): Word {
  return wordOf([{ kind: "variable", name: "HOME", required: true }]);
}

function lastPart(name: string): string {
  return /[^.:>]*$/.exec(name)?.[0] ?? name;
}

const accessOf = (source: string) => (WRITES.test(source) ? "write" : "read");

/** Statements by which a database reads or writes files of its own. */
const SQL_FILES =
  /\b(?:COPY|ATTACH|OUTFILE|DUMPFILE|INFILE|LOAD_FILE|load_extension|readfile|writefile|lo_import|lo_export|pg_read_\w+|read_\w+|VACUUM\s+INTO|EXPORT|IMPORT|BACKUP|RESTORE|TABLESPACE|glob)\b/i;

/** The paths in the literals of a program text: as much of what it does as can be seen without running it. */
export function pathsInCode(source: string, language: Language, calls: readonly CodeCall[] = []): Named[] {
  const access = WRITES.test(source) || language === "sql" ? "write" : "read";
  const paths = new Set<string>();
  // Commands of a client take their file without quotes: .output /x, \\copy t to /x
  if (language === "sql") {
    for (const line of source.split("\n")) {
      if (/^\s*(?:[.\\]|source\s|tee\s|pager\s)/i.test(line)) for (const word of rootedWords(line)) paths.add(word);
    }
    if (!SQL_FILES.test(source)) return [...paths].map((path) => ({ path, access }));
  }
  for (const text of [...spoken(literalsOf(source), calls), ...joinedIn(source)]) {
    if (FILE.test(text) && /[./]/.test(text)) paths.add(text);
    // A literal may be a command or a list of paths.
    for (const word of rootedWords(text)) if (canLead(word)) paths.add(word);
  }
  return [...paths].map((path) => ({ path, access }));
}

/** Literals without those that only calls get which do nothing to files: as often as they get them. */
function spoken(literals: readonly string[], calls: readonly CodeCall[]): string[] {
  const isOpenKnown = calls.every(({ name, args }) => !isOpening(name) || args[0]?.text != null);
  const harmless = calls
    .filter(({ name }) => TALKS.test(lastPart(name)) || (isOpenKnown && TURNS.test(lastPart(name)) && !isOpening(name)))
    .flatMap(({ args }) => args.flatMap(({ text }) => text ?? []));
  const left = new Map<string, number>();
  for (const text of harmless) left.set(text, (left.get(text) ?? 0) + 1);
  return literals.filter((text) => {
    const count = left.get(text) ?? 0;
    left.set(text, count - 1);
    return count <= 0;
  });
}

function isOpening(name: string): boolean {
  return pathsOf(name) > 0;
}

/** How many of a function's arguments are paths. */
function pathsOf(name: string): number {
  const last = lastPart(name);
  if (last === "replace") return /(?:^|\.)(?:os|Path)\b/.test(name) ? 2 : 0;
  return OPENS.test(last) ? 1 : PAIRS.test(last) ? 2 : 0;
}

function literalsOf(source: string): string[] {
  return [...source.matchAll(LITERAL)].map(([, double, single, back]) => unescaped(double ?? single ?? back ?? ""));
}

/** `os.path.join("/", "etc")` is one path, though its parts are two. */
function joinedIn(source: string): string[] {
  return [...source.matchAll(JOIN)].map(([, inner = ""]) => literalsOf(inner).join("/"));
}

function unescaped(text: string): string {
  return text
    .replace(/\\x([0-9a-fA-F]{2})|\\u\{?([0-9a-fA-F]{4,6})\}?/g, (_, byte: string, unit: string) => {
      const code = Number.parseInt(byte ?? unit, 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : "";
    })
    .replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)))
    .replace(/\\(.)/gs, "$1");
}

/** What an interpreter is given besides its program: files it may read, and options. */
export function scriptFiles(code: Code, args: readonly Word[], collector: Collector, by: string): void {
  for (const word of args) {
    const start = startOf(word);
    if (/[\s()'"`;]/.test(start)) continue;
    // What a module takes behind -c is no program, and where it leads somewhere it is none either.
    if (word.text === code.source.text && !/^(?:\/|~|\.\.)/.test(start)) continue;
    const [, named] = /^(--?[\w-]+=)/.exec(start) ?? [];
    if (named !== undefined) collector.guess(textWord(start.slice(named.length)), "read", by);
    else if (!start.startsWith("-") && word.text !== null) collector.guess(word, "read", by);
  }
}
