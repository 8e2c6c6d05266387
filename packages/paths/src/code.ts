import type { Language } from "@hooks/shell";

/** A path that a program text names in a literal. */
export interface Named {
  readonly path: string;
  readonly access: "read" | "write";
}

const LITERAL = /"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`/gs;
const WRITES =
  /\b(?:write\w*|append\w*|unlink\w*|remove\w*|rmtree|rmdir\w*|rm\w*|rename\w*|os\.replace|mkdir\w*|makedirs|copy\w*|cp\w*|move|symlink\w*|link\w*|chmod\w*|chown\w*|truncate\w*|touch|create\w*|open\w*Sync|dump|save|extractall|file_put_contents|delete\w*|spew|print(?:f)?\s*>|print\s*\{|system|exec\w*|spawn\w*|popen|Popen|run|call|check_\w+|qx)\b|open\s*\([^)]*["'](?:[wax]|r\+|[<+]*>)|>\s*["']/;
const JOIN = /\b(?:join|resolve|Path|File\.join)\s*\(\s*((?:(?:"[^"\n]*"|'[^'\n]*')\s*,?\s*)+)\)/g;
const ROOTED = /^(?:\/+[^/\s]|~\/|~$|\.\.(?:\/|$))/;
const FILE = /^(?:[\w@.+~-]+\/)*[\w@.+~-]*\.?[\w@+~-]+\/?$/;

/** The paths in the literals of a program text: as much of what it does as can be seen without running it. */
export function pathsInCode(source: string, language: Language): Named[] {
  const access = WRITES.test(source) || language === "sql" ? "write" : "read";
  const texts = [...literalsOf(source), ...joinedIn(source)];
  const paths = new Set<string>();
  for (const text of texts) {
    if (FILE.test(text) && /[./]/.test(text)) paths.add(text);
    // A literal may be a command or a list of paths.
    for (const word of rootedWords(text)) paths.add(word);
  }
  // Commands of a client take their file without quotes: .output /x, \\copy t to /x
  if (language === "sql") for (const word of rootedWords(source)) paths.add(word);
  return [...paths].map((path) => ({ path, access }));
}

/** The words of a text that lead somewhere by themselves: from the root, the home directory, or upwards. */
export function rootedWords(text: string): string[] {
  return text.split(/[\s"'`<>|;&()=,]+/).filter((word) => ROOTED.test(word));
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
