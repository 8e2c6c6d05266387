import type { Code, Language, Stdin } from "./analysis.js";
import { type OptionSpec, readOptions } from "./options.js";
import { literal, type Word, wordOf } from "./word.js";

type Source = Omit<Code, "calls">;

interface Interpreter extends OptionSpec {
  readonly language: Language;
  /** Options whose value is source text. */
  readonly code: readonly string[];
  /** Whether the first operand is source text when no option says so, as with awk. */
  readonly operand?: boolean;
}

const python: Interpreter = { language: "python", short: "cmWX", code: ["-c"] };
const javascript: Interpreter = {
  language: "javascript",
  short: "eprC",
  long: ["eval", "print", "require", "import"],
  code: ["-e", "-p", "--eval", "--print"],
};
const perl: Interpreter = { language: "perl", short: "eEIMmF", code: ["-e", "-E"] };
const awk: Interpreter = {
  language: "awk",
  short: "vFf",
  long: ["assign", "field-separator", "file"],
  code: ["-e", "--source"],
  operand: true,
};
const mysql: Interpreter = {
  language: "sql",
  short: "ehuPDS",
  long: ["execute", "host", "user", "port", "database"],
  code: ["-e", "--execute"],
};

const tcl: Interpreter = { language: "tcl", code: [] };

const INTERPRETERS: Readonly<Record<string, Interpreter>> = {
  python,
  python2: python,
  py: python,
  python3: python,
  ipython: python,
  ipython3: python,
  pypy: python,
  pypy3: python,
  node: javascript,
  nodejs: javascript,
  bun: javascript,
  deno: { ...javascript, code: ["-e", "--eval"], operand: false },
  tsx: javascript,
  "ts-node": javascript,
  "babel-node": javascript,
  esno: javascript,
  perl,
  ruby: { language: "ruby", short: "eIrECFW", code: ["-e"] },
  php: { language: "php", short: "rcdBREF", code: ["-r", "-B", "-R", "-E"] },
  lua: { language: "lua", short: "el", code: ["-e"] },
  luajit: { language: "lua", short: "el", code: ["-e"] },
  rscript: { language: "r", short: "e", code: ["-e"] },
  julia: { language: "julia", short: "eEJCptL", long: ["eval", "print"], code: ["-e", "-E", "--eval", "--print"] },
  elixir: { language: "elixir", short: "er", long: ["eval"], code: ["-e", "--eval"] },
  jshell: { language: "java", long: ["startup", "feedback"], code: [] },
  groovy: { language: "java", short: "e", code: ["-e"] },
  scala: { language: "java", short: "e", code: ["-e"] },
  kotlin: { language: "java", short: "e", code: ["-e"] },
  tclsh: tcl,
  wish: tcl,
  expect: { ...tcl, short: "c", code: ["-c"] },
  osascript: { language: "applescript", short: "el", code: ["-e"] },
  awk,
  gawk: awk,
  mawk: awk,
  nawk: awk,
  psql: {
    language: "sql",
    short: "cdfhpUvLo",
    long: ["command", "dbname", "file", "host", "port", "username", "variable"],
    code: ["-c", "--command"],
  },
  mysql,
  mariadb: mysql,
  sqlite3: { language: "sql", long: ["cmd"], code: ["--cmd"] },
  "clickhouse-client": { language: "sql", short: "qhu", long: ["query", "host", "user"], code: ["-q", "--query"] },
  sqlcmd: { language: "sql", short: "QqSUPd", code: ["-Q", "-q"] },
};

/** The source text a program hands to an interpreter, in its arguments or its input. */
export function codeOf(
  program: string,
  argv: readonly Word[],
  stdin: Stdin,
  /** The content of a file, where the command itself wrote it. */
  contentOf: (path: Word) => Word | null,
): Source | null {
  const windows = windowsCode(program, argv, stdin, contentOf);
  if (windows !== null) return windows;
  if (program === "go") return goCode(argv, contentOf);
  const name = /^(python|pypy|perl|ruby|php|lua|node)[\d.]+$/.exec(program)?.[1] ?? program;
  const interpreter = Object.hasOwn(INTERPRETERS, name) ? INTERPRETERS[name] : undefined;
  if (interpreter === undefined) return null;
  const args = program === "deno" && argv[1]?.text === "eval" ? [literal("-e"), ...argv.slice(2)] : argv.slice(1);
  const { options, operands } = readOptions(
    args,
    interpreter,
    interpreter.operand !== true && interpreter.language !== "sql",
  );
  const given = options.flatMap(({ name, value }) =>
    interpreter.code.includes(name) && value !== null ? [value] : [],
  );
  if (given.length > 0) return { language: interpreter.language, source: joinLines(given) };
  if (interpreter.operand) {
    const file = options.find(({ name }) => name === "-f" || name === "--file")?.value;
    const source = file == null ? operands[0] : contentOf(file);
    return source == null ? null : { language: interpreter.language, source };
  }
  if (name === "sqlite3" && operands.length > 1) return { language: "sql", source: joinLines(operands.slice(1)) };
  const [script] = operands;
  if (script !== undefined && interpreter.language !== "sql") {
    const content = contentOf(script);
    if (content !== null) return { language: interpreter.language, source: content };
    if (script.text !== "-" && script.text !== "/dev/stdin") return null;
  }
  return stdin.kind === "text" ? { language: interpreter.language, source: stdin.text } : null;
}

/** `go run x.go`, where the command itself wrote the file. */
function goCode(argv: readonly Word[], contentOf: (path: Word) => Word | null): Source | null {
  if (argv[1]?.text !== "run") return null;
  const source = argv
    .slice(2)
    .map(contentOf)
    .find((content) => content !== null);
  return source == null ? null : { language: "go", source };
}

function joinLines(words: readonly Word[]): Word {
  return wordOf(
    words.flatMap((word, index) =>
      index === 0 ? word.pieces : [{ kind: "text" as const, text: "\n" }, ...word.pieces],
    ),
  );
}

function joinSpaces(words: readonly Word[]): Word {
  return wordOf(
    words.flatMap((word, index) =>
      index === 0 ? word.pieces : [{ kind: "text" as const, text: " " }, ...word.pieces],
    ),
  );
}

function windowsCode(
  program: string,
  argv: readonly Word[],
  stdin: Stdin,
  contentOf: (path: Word) => Word | null,
): Source | null {
  const name = program.toLowerCase();
  const at = (test: RegExp) => argv.findIndex(({ text }, index) => index > 0 && text !== null && test.test(text));
  if (name === "cmd") {
    const index = at(/^\/{1,2}[ckr]$/i);
    return index === -1 ? null : { language: "cmd", source: joinSpaces(argv.slice(index + 1)) };
  }
  if (name !== "powershell" && name !== "pwsh") return null;
  const encoded = at(/^[-/]e(c|n|nc|nco|ncod|ncode|ncoded\w*)?$/i);
  if (encoded !== -1) {
    const text = argv[encoded + 1]?.text;
    return { language: "powershell", source: text == null ? literal("") : literal(decodeUtf16(text)) };
  }
  const index = at(/^[-/]c(o|om|omm|omma|omman|ommand)?$/i);
  const isInput =
    index === -1
      ? argv.every(({ text }, place) => place === 0 || /^[-/]/.test(text ?? ""))
      : argv[index + 1]?.text === "-";
  if (isInput) return stdin.kind === "text" ? { language: "powershell", source: stdin.text } : null;
  if (index !== -1) return { language: "powershell", source: joinSpaces(argv.slice(index + 1)) };
  const file = at(/^[-/]f(ile)?$/i);
  const path = argv[file === -1 ? argv.length : file + 1];
  if (path !== undefined) {
    const content = contentOf(path);
    return content === null ? null : { language: "powershell", source: content };
  }
  const first = argv.findIndex(
    ({ text }, place) => place > 0 && !/^[-/]/.test(text ?? "") && !VALUED.test(argv[place - 1]?.text ?? ""),
  );
  return first === -1 || /\.ps1$/i.test(argv[first]?.text ?? "")
    ? null
    : { language: "powershell", source: joinSpaces(argv.slice(first)) };
}

/** Parameters of PowerShell itself that take the next word. */
const VALUED =
  /^[-/](ex|ep|executionpolicy|w|windowstyle|wd|workingdirectory|version|v|inputformat|outputformat|o|psconsolefile|configurationname|settingsfile|custompipename)$/i;

function decodeUtf16(text: string): string {
  try {
    return new TextDecoder("utf-16le").decode(Uint8Array.from(atob(text), (char) => char.charCodeAt(0)));
  } catch {
    return "";
  }
}

/** Words of one command line, joined as a person would type them. */
export { joinSpaces };
