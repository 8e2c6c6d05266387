/** Every code a load can end with, and the fact it stands for. */
export const problemCodes = {
  HARN_E_MANIFEST_READ: "The manifest cannot be read: missing, a directory, no permission, too large, not UTF-8.",
  HARN_E_TOML: "The manifest is not valid TOML.",
  HARN_E_KEY_UNKNOWN: "A key nobody reads.",
  HARN_E_KEY_TYPE: "A value of the wrong type or outside its range.",
  HARN_E_KEY_MISSING: "A key that is required is not there.",
  HARN_E_EVENT_UNKNOWN: "The event is not in the catalogue.",
  HARN_E_PATTERN: "A pattern cannot be compiled, or can never match.",
  HARN_E_ID_DUPLICATE: "Two hooks have the same id.",
  HARN_E_HANDLER_SYNTAX: "A handler is not written as module::export.",
  HARN_E_MODULE_NOT_FOUND: "The module of a handler is neither exported here nor installed.",
  HARN_E_MODULE_OUTSIDE: "A module lies outside of the project or package that names it.",
  HARN_E_MODULE_LOAD: "A module failed while it was loaded.",
  HARN_E_EXPORT_MISSING: "A module does not export the function a handler names.",
  HARN_E_EVENT_NOT_SERVED: "A package's hook is bound to an event it does not serve.",
  HARN_E_OPTIONS: "The options of a hook do not fit the schema of its package.",
  HARN_E_PACKAGE_INVALID: "A package describes itself in a way that cannot be read.",
  HARN_E_VERSION: "What is installed is not the version that is asked for.",
  HARN_E_API: "A package was made for another version of the hook API.",
  HARN_E_SOURCE_READ: "A file of hooks, or a directory of them, cannot be read.",
  HARN_E_FRONTMATTER: "A Markdown file has no frontmatter, or one that does not end.",
  HARN_E_YAML: "The frontmatter of a Markdown file is not valid YAML.",
  HARN_E_JSON: "A settings file is not valid JSON.",
  HARN_E_STARLARK: "A script or a condition is not valid Starlark.",
  HARN_E_NAME_DUPLICATE: "Two hooks have the same name.",
  HARN_E_PACK_NOT_FOUND: "What a manifest extends is not there, or is no pack.",
  HARN_E_PACK_CYCLE: "A pack builds on itself.",
  HARN_E_PACK_DUPLICATE: "A manifest names a pack twice.",
  HARN_E_PACK_CONFLICT: "Two different packs, or two versions of one, go by the same name.",
  HARN_E_LOCK: "What is installed is not what harn.lock says, or harn.lock cannot be used.",
  HARN_E_REGISTRY: "A package came from another registry than its scope must, or a rule about that is none.",
  HARN_E_PROVENANCE: "A package that must prove where it was built did not.",
  HARN_E_UNTRUSTED: "Nobody trusted this content on this machine, or it changed while it was loaded.",
  HARN_E_LAYER: "A manifest changes a hook it did not bring in a way that is not its to make.",
  HARN_E_WAIVER: "A waiver for a hook that cannot be waived, or with a date that is none.",
  HARN_W_WAIVER_EXPIRED: "A waiver whose day has passed: the hook counts again.",
  HARN_W_IGNORED: "A hook that is ignored because only managed ones count here.",
  HARN_W_NO_EFFECT: "A setting that changes nothing.",
  HARN_W_KEY_UNKNOWN: "A key nobody reads, in a file that is also read by others.",
  HARN_W_NO_SCRIPT: "A hook without a script: it does nothing.",
  HARN_W_NO_HANDLE: "A script without handle(event, payload): every call of it is a fault.",
  HARN_W_NOT_RUNNABLE: "A program that cannot be run as things are: every call of it is a fault.",
  HARN_W_HEADER: "A script's documentation header says something else than the settings do.",
  HARN_W_UNIT: "A duration that is probably meant in another unit.",
  HARN_W_NOT_LOADED: "Something that looks like a hook and is not loaded.",
} as const;

/** What `lintStack` can say of a policy that loads. */
export const lintCodes = {
  HARN_W_DEAD: "A hook that can never run, or an export or a package that no hook uses.",
  HARN_W_DUPLICATE: "Two hooks bind the same handler to the same event in the same way.",
  HARN_W_SHADOWED: "A hook whose subjects have all been through the same handler already.",
  HARN_W_VETO_ADVISORY: "A handler that can veto is bound to an event that honours no veto.",
  HARN_W_PRIORITY_MISSING: "Several hooks answer an event, and one of them says no priority.",
} as const;

export type ProblemCode = keyof typeof problemCodes | keyof typeof lintCodes;

/** Where in a file a problem is; lines and columns count from 1. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** How many characters of the line it covers. */
  readonly length: number;
}

/** One thing that is wrong with a manifest. Errors keep it from loading, warnings do not. */
export interface Problem {
  readonly code: ProblemCode;
  readonly severity: "error" | "warning";
  readonly message: string;
  readonly place: Place;
  /** Said at the place itself: what was probably meant. */
  readonly hint?: string;
  /** What to do about it. */
  readonly help?: string;
}

/** The texts problems are in: of one file, or of several by the name their places have. */
export type Texts = string | ReadonlyMap<string, string>;

/** Prints a problem with the line it is on, the way compilers do. */
export function renderProblem(problem: Problem, texts: Texts): string {
  return render(problem, linesOf(problem.place.file, texts));
}

const MOST_SHOWN = 50;

/** Prints problems one below the other; of a great many, the first. */
export function renderProblems(problems: readonly Problem[], texts: Texts): string {
  const split = new Map<string, readonly string[]>();
  const shown = problems.slice(0, MOST_SHOWN).map((problem) => {
    const { file } = problem.place;
    const lines = split.get(file) ?? linesOf(file, texts);
    split.set(file, lines);
    return render(problem, lines);
  });
  const rest = problems.length - shown.length;
  return [...shown, ...(rest === 0 ? [] : [`and ${rest} more`])].join("\n\n");
}

function linesOf(file: string, texts: Texts): readonly string[] {
  const text = typeof texts === "string" ? texts : (texts.get(file) ?? "");
  return text === "" ? [] : text.split("\n");
}

function render(problem: Problem, lines: readonly string[]): string {
  const { code, severity, place } = problem;
  const [message = "", hint, help] = [problem.message, problem.hint, problem.help].map(escaped);
  const head = `${severity}[${code}]: ${message}`;
  const where = `  --> ${place.file}:${place.line}:${place.column}`;
  const remedy = help === undefined ? [] : [`help: ${help}`];
  const source = lines[place.line - 1];
  if (source === undefined) {
    return [head, where, ...(hint === undefined ? [] : [`   = ${hint}`]), ...remedy].join("\n");
  }
  const number = String(place.line);
  const gutter = " ".repeat(number.length);
  const [shown, column] = excerpt(pictured(source), place.column);
  const carets = "^".repeat(Math.max(1, Math.min(place.length, shown.length - column + 1)));
  return [
    head,
    `${gutter} ${where.trimStart()}`,
    `${gutter} |`,
    `${number} | ${shown}`.trimEnd(),
    `${gutter} | ${" ".repeat(column - 1)}${carets}${hint === undefined ? "" : ` ${hint}`}`,
    ...remedy,
  ].join("\n");
}

const WIDEST = 160;

function excerpt(line: string, column: number): [shown: string, column: number] {
  if (line.length <= WIDEST) return [line, column];
  const start = wholeAt(line, Math.max(0, column - 1 - WIDEST / 2));
  return [line.slice(start, wholeAt(line, start + WIDEST)), column - start];
}

/** The same index, or the one before it where it would cut a character in two. */
function wholeAt(line: string, index: number): number {
  return /[\udc00-\udfff]/.test(line[index] ?? "") && index > 0 ? index - 1 : index;
}

const CONTROLS = /\p{Cc}/gu;

// A manifest may hold anything, and what it holds is printed on somebody's terminal.
function escaped(text: string | undefined): string | undefined {
  return text?.replace(CONTROLS, (character) => {
    const short = JSON.stringify(character).slice(1, -1);
    return short === character ? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}` : short;
  });
}

// One column each, so that the carets stay below what they point at.
function pictured(line: string): string {
  return line.replace(CONTROLS, (character) => {
    const code = character.charCodeAt(0);
    return character === "\t"
      ? " "
      : code < 0x20
        ? String.fromCharCode(0x2400 + code)
        : code === 0x7f
          ? "\u2421"
          : "\ufffd";
  });
}
