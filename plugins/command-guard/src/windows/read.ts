import {
  analyseWords,
  bounded,
  literal,
  type Piece,
  type Reason,
  type Recursion,
  render,
  type SimpleCommand,
  type Word,
  wordOf,
} from "@hooks/shell";
import type { Dialect } from "../tools.js";
import { deletedByCall, downloadTo, programOf } from "./programs.js";
import { type RawWord, type Statement, statementsOf } from "./statements.js";
import { expanded, normalised, type Values } from "./words.js";

const MOST_COMMANDS = 400;
/** What a command line of Windows may hold. */
const MOST_TEXT = 32_767;
const MOST_WORDS = 4_000;
const MOST_DEPTH = 24;
/** Each of them has the budget of a whole command. */
const MOST_ANALYSED = 8;

/** What a PowerShell or cmd text would run. */
export interface Reading {
  readonly commands: readonly SimpleCommand[];
  readonly indeterminate: readonly Reason[];
  readonly recursive: readonly Recursion[];
}

/** Reads a PowerShell or cmd text, as far as its budgets go. */
export function readWindows(text: string, dialect: Dialect, cwd: Word): Reading {
  const reader = new Reader(cwd);
  try {
    reader.read(text, dialect, new Map(), 0);
  } catch (error) {
    if (!(error instanceof Overrun)) throw error;
    reader.note("too-large", "longer than the limit, or more commands than it");
  }
  return reader;
}

class Overrun extends Error {}

/** What one statement of a pipeline hands to the next. */
interface Flow {
  /** The values where they are known, as patterns for files that are listed. */
  readonly values: readonly Word[];
  readonly from: readonly SimpleCommand[];
}

const NO_FLOW: Flow = { values: [], from: [] };

class Reader implements Reading {
  readonly commands: SimpleCommand[] = [];
  readonly indeterminate: Reason[] = [];
  readonly recursive: Recursion[] = [];
  /** What was downloaded into which file. */
  private readonly downloads = new Map<string, SimpleCommand>();
  private length = 0;
  private words = 0;
  private analysed = 0;

  constructor(private readonly cwd: Word) {}

  note(code: Reason["code"], detail: string, from: readonly SimpleCommand[] = []): void {
    this.indeterminate.push({ code, detail, from });
  }

  /** What stands in brackets is read once more on every level. */
  private spend(text: string, depth: number): void {
    this.length += text.length;
    if (text.length > MOST_TEXT || this.length > MOST_TEXT * 4 || depth > MOST_DEPTH) throw new Overrun();
  }

  read(text: string, dialect: Dialect, values: Values, depth: number): Flow {
    this.spend(text, depth);
    const source = dialect === "cmd" ? this.bindLoops(text, values) : text;
    const statements = statementsOf(source, dialect);
    this.words += statements.reduce((sum, { words }) => sum + words.length, 0);
    if (this.words > MOST_WORDS) throw new Overrun();
    if (dialect === "cmd" && CMD_BOMB.test(source)) this.recursive.push({ name: "%0", forks: true });
    let flow = NO_FLOW;
    for (const statement of statements) {
      const input = statement.isPiped ? flow : null;
      flow =
        dialect === "cmd"
          ? this.cmdStatement(statement, values, input, depth)
          : this.statement(statement, values, input, depth);
    }
    return flow;
  }

  /** `for %x in (a b) do`: the name stands for each of them. */
  private bindLoops(text: string, values: Values): string {
    return text.replace(FOR, (_, name: string, set: string) => {
      const words = set.split(/[\s,]+/).filter((one) => one !== "");
      values.set(
        `%${name.toUpperCase()}`,
        words.map((one) => literal(one.replaceAll('"', ""))),
      );
      return "";
    });
  }

  private cmdStatement(statement: Statement, values: Values, input: Flow | null, depth: number): Flow {
    const set = /^[\s@]*set\s+(?:\/a\s+)?"?(\w+)=([^"]*)"?\s*$/i.exec(statement.text);
    if (set !== null) {
      values.set(
        (set[1] ?? "").toUpperCase(),
        expanded((set[2] ?? "").trim(), values).map((pieces) => bounded(pieces)),
      );
      return NO_FLOW;
    }
    const condition = IF.exec(statement.text)?.[0];
    if (condition !== undefined) return this.read(statement.text.slice(condition.length), "cmd", values, depth + 1);
    const words = statement.words.filter(
      ([first], index) => index > 3 || !/^@?(call|start|\/b|\/wait|\/min|do|else)$/i.test(first?.text ?? ""),
    );
    const raw = words.flatMap((word) => this.wordsOf(word, values, depth));
    return this.command(raw, statement, "cmd", values, input, depth);
  }

  private statement(statement: Statement, values: Values, input: Flow | null, depth: number): Flow {
    const assigned = ASSIGNMENT.exec(statement.text);
    if (assigned !== null) {
      const { values: result, from } = this.expression(assigned[3] ?? "", values, depth);
      const unknown = wordOf([{ kind: "unknown", source: assigned[3] ?? "", from }]);
      values.set((assigned[1] ?? "").toUpperCase(), result.length > 0 ? result : [unknown]);
      return NO_FLOW;
    }
    const [first] = statement.words;
    const keyword =
      first?.length === 1 && first[0]?.kind === "text" && !first[0].isQuoted ? first[0].text.toLowerCase() : "";
    if (keyword === "foreach" && statement.words[1]?.[0]?.kind === "group") this.bindForeach(statement, values, depth);
    else if (keyword === "while" && statement.words.some(isEndless)) this.noteSpawning(statement);
    if (keyword === "function" || CONTROL.test(keyword) || first?.[0]?.kind === "block")
      return this.blocks(statement.words, values, depth);
    const isCalled = keyword === "&" || keyword === ".";
    const words = isCalled ? statement.words.slice(1) : statement.words;
    const isValue = !isCalled && input === null && isExpression(first);
    if (isValue) return this.expression(statement.text, values, depth);
    const inner = new Map(values);
    if (input !== null) for (const name of ["_", "PSITEM"]) inner.set(name, this.inputOf(input));
    const raw = words.flatMap((word) => this.wordsOf(word, inner, depth));
    const flow = this.command(raw, statement, "powershell", values, input, depth, isCalled);
    this.blocks(words, inner, depth);
    return flow;
  }

  private inputOf({ values, from }: Flow): readonly Word[] {
    return values.length > 0 ? values : [wordOf([{ kind: "unknown", source: "$_", from }])];
  }

  private bindForeach(statement: Statement, values: Values, depth: number): void {
    const header = /^\s*\$(\w+)\s+in\s+([\s\S]*)$/i.exec(statement.words[1]?.[0]?.text ?? "");
    if (header === null) return;
    const flow = this.expression(header[2] ?? "", values, depth);
    values.set((header[1] ?? "").toUpperCase(), this.inputOf(flow));
  }

  private noteSpawning({ words }: Statement): void {
    const body = words.flatMap((word) => word.filter(({ kind }) => kind === "block").map(({ text }) => text)).join(";");
    if (/start-process|start-job|\bsaps\b/i.test(body) && !/sleep|-wait|break|return|exit/i.test(body))
      this.recursive.push({ name: "while", forks: true });
  }

  private blocks(words: readonly RawWord[], values: Values, depth: number): Flow {
    let flow = NO_FLOW;
    for (const { kind, text } of words.flat()) {
      if (kind === "block") flow = this.read(text, "powershell", values, depth + 1);
      else if (kind === "group" && !/^\s*\$\w+\s+in\s/i.test(text)) this.expression(text, values, depth);
    }
    return flow;
  }

  /** The values of an expression: texts joined by `+`, variables, or what a command gives. */
  private expression(text: string, values: Values, depth: number): Flow {
    this.spend(text, depth);
    const statements = statementsOf(text, "powershell");
    const [only] = statements;
    if (statements.length !== 1 || only === undefined || !isExpression(only.words[0]))
      return this.read(text, "powershell", values, depth + 1);
    const isJoined = only.words.some((word) => word.some((part) => isOperator(part)));
    const words = only.words.filter((word) => !(word.length === 1 && word[0] !== undefined && isOperator(word[0])));
    const deletion = deletedByCall(only.words);
    if (deletion !== null) {
      for (const word of this.wordsOf(deletion.path, values, depth))
        this.add(
          [literal("remove-item"), word, ...(deletion.isTree ? [literal("-Recurse"), literal("-Force")] : [])],
          only,
          null,
        );
      return NO_FLOW;
    }
    const found = words.map((word) =>
      this.wordsOf(
        word.filter((part) => !isOperator(part)),
        values,
        depth,
      ),
    );
    if (!isJoined) return { values: found.flat(), from: [] };
    return { values: [bounded(found.flatMap(([word]) => word?.pieces ?? []))], from: [] };
  }

  /** A word as it was written, for each way its variables may go. */
  private wordsOf(parts: RawWord, values: Values, depth: number): Word[] {
    let ways: Piece[][] = [[]];
    for (const { kind, text, expands } of parts) {
      const next =
        kind === "block"
          ? [[{ kind: "unknown" as const, source: `{${text.slice(0, 200)}}` }]]
          : kind === "group"
            ? this.groupPieces(text, values, depth)
            : expands
              ? expanded(text, values)
              : [[...literal(text).pieces]];
      if (next.length === 1) for (const way of ways) way.push(...(next[0] ?? []));
      else ways = next.flatMap((pieces) => ways.map((way) => [...way, ...pieces])).slice(0, 16);
    }
    return ways.map((way) => bounded(way));
  }

  private groupPieces(text: string, values: Values, depth: number): Piece[][] {
    const start = this.commands.length;
    const { values: found } = this.expression(text, values, depth + 1);
    if (found.length > 0) return found.map(({ pieces }) => [...pieces]);
    return [[{ kind: "unknown", source: `(${text.slice(0, 200)})`, from: this.commands.slice(start) }]];
  }

  private command(
    raw: readonly Word[],
    statement: Statement,
    dialect: Dialect,
    values: Values,
    input: Flow | null,
    depth: number,
    isCalled = false,
  ): Flow {
    const [first, ...rest] = raw;
    if (first === undefined && statement.targets.length === 0) return NO_FLOW;
    const program = first === undefined ? null : programOf(normalised(first).text, dialect);
    if (
      isCalled &&
      program === null &&
      first !== undefined &&
      !statement.words.some((word) => word.some(({ kind }) => kind === "block"))
    )
      this.note("unknown-command", `"${render(first)}" decides which program runs`);
    const line = program === null ? null : lineFor(program, rest, input);
    if (program !== null && SAME_EVERYWHERE.test(program)) return this.elsewhere(raw);
    const command = this.add(raw, statement, input, dialect, line !== null, values, depth);
    if (line !== null) this.read(line.text, line.dialect ?? dialect, values, depth + 1);
    if (program === "set-location" || program === "cd") return NO_FLOW;
    const listed = program === "get-childitem" || program === "dir" ? listedBy(command.argv) : [];
    return { values: listed, from: [command] };
  }

  /** Programs that are called alike everywhere, with what they start. */
  private elsewhere(raw: readonly Word[]): Flow {
    if (this.commands.length >= MOST_COMMANDS || ++this.analysed > MOST_ANALYSED) throw new Overrun();
    const { commands, indeterminate } = analyseWords(raw, this.cwd);
    this.commands.push(...commands);
    this.indeterminate.push(...indeterminate);
    return { values: [], from: commands };
  }

  private add(
    raw: readonly Word[],
    statement: Statement,
    input: Flow | null,
    dialect: Dialect = "powershell",
    wraps = false,
    values: Values = new Map(),
    depth = 0,
  ): SimpleCommand {
    if (this.commands.length >= MOST_COMMANDS) throw new Overrun();
    const argv = raw.map(normalised);
    const [first] = argv;
    const program = first === undefined ? null : programOf(first.text, dialect);
    const targets = statement.targets.flatMap((target) => this.wordsOf(target, values, depth));
    const command: SimpleCommand = {
      program,
      argv,
      assignments: [],
      redirections: targets.map((target) => ({ fd: null, kind: "write", target: normalised(target) })),
      cwd: this.cwd,
      stdin:
        input === null
          ? { kind: "inherited" }
          : { kind: "text", text: wordOf([{ kind: "unknown", source: "input", from: input.from }]), from: input.from },
      wrappers: [],
      via: [dialect],
      wraps,
      elsewhere: null,
      mounts: [],
      code: null,
    };
    this.commands.push(command);
    const fetched = this.downloads.get(fileName(first?.text ?? ""));
    if (fetched !== undefined) this.note("unknown-script", `${render(first as Word)} was downloaded`, [fetched]);
    const file = downloadTo(command);
    if (file !== null) this.downloads.set(fileName(file), command);
    return command;
  }
}

const SAME_EVERYWHERE =
  /^(python[\d.]*|py|node|perl|ruby|php|deno|bun|wsl|bash|sh|docker|podman|kubectl|ssh|npx|npm|psql|mysql|sqlite3)$/;
const FOR = /\bfor\s+(?:\/\w{1,2}\s+(?:"[^"]{0,80}"\s+|[^%/\s("]{1,80}\s+)?){0,3}%%?(\w)\s+in\s+\(([^)]*)\)\s+do\s+/gi;
const IF =
  /^[\s@]*if\s+(?:\/i\s+)?(?:not\s+)?(?:exist\s+(?:"[^"]*"|\S+)|defined\s+\S+|errorlevel\s+\d+|(?:"[^"]*"|[^\s=]+)\s*==\s*(?:"[^"]*"|\S+)|\S+\s+(?:equ|neq|lss|leq|gtr|geq)\s+\S+)\s*/i;
/** A batch file that starts itself for ever. */
const CMD_BOMB = /%0\s*\|\s*%0|:(\w+)\s+start\s+(?:"[^"]*"\s+)?%0[\s&]+goto\s+:?\1\b/i;
const ASSIGNMENT =
  /^\s*(?:\[[\w.[\]]+\]\s*)?\$(?:(?:global|script|local|private|env):)?(\w+)\s*(\+?=)(?!=)\s*([\s\S]*)$/i;
const CONTROL =
  /^(if|elseif|else|for|foreach|while|do|until|switch|try|catch|finally|trap|begin|process|end|filter|param|return)$/;

function isEndless(word: RawWord): boolean {
  return word[0]?.kind === "group" && /^\s*(\$true|1|!\s*\$false)\s*$/i.test(word[0].text);
}

/** Whether a word begins a value and not a command: a text, a variable, a type, a bracket. */
function isExpression(word: RawWord | undefined): boolean {
  const [first] = word ?? [];
  if (first === undefined) return false;
  return first.isQuoted || first.kind === "group" || (first.kind === "text" && /^(\$|\[|@$|-?\d)/.test(first.text));
}

function isOperator({ kind, text, isQuoted }: { kind: string; text: string; isQuoted: boolean }): boolean {
  return kind === "text" && !isQuoted && text.trim() === "+";
}

function fileName(path: string): string {
  return path.replace(/^\.\//, "").toLowerCase();
}

/** What `Get-ChildItem` lists, as patterns. */
function listedBy(argv: readonly Word[]): Word[] {
  const paths = argv.slice(1).filter((word, index) => {
    const before = argv[index]?.text ?? "";
    return !/^-/.test(word.text ?? "") && !/^-(filter|include|exclude|depth|attributes)$/i.test(before);
  });
  const isDeep = argv.some(({ text }) => /^-r(e|ec|ecu|ecur|ecurs|ecurse)?$/i.test(text ?? ""));
  return (paths.length === 0 ? [literal(".")] : paths).map((path) =>
    wordOf([...path.pieces, { kind: "text", text: "/" }, { kind: "glob", text: isDeep ? "**" : "*" }]),
  );
}

/** What another shell in the line is told to run. */
function lineFor(
  program: string,
  args: readonly Word[],
  input: Flow | null,
): { readonly text: string; readonly dialect?: Dialect } | null {
  const texts = args.map(
    (word) =>
      word.text ??
      word.pieces
        .map((piece) => (piece.kind === "variable" ? `$${piece.name}` : piece.kind === "unknown" ? "" : piece.text))
        .join(""),
  );
  const after = (test: RegExp) => {
    const at = texts.findIndex((text) => test.test(text));
    return at === -1 ? null : texts.slice(at + 1).join(" ");
  };
  if (program === "cmd") {
    const text = after(/^\/[ckr]$/i);
    return text === null ? null : { text, dialect: "cmd" };
  }
  if (program === "powershell" || program === "pwsh") {
    const encoded = after(/^[-/]e(c|n|nc|nco|ncod|ncode|ncoded\w*)?$/i);
    const text = encoded === null ? after(/^[-/]c(ommand)?$/i) : decodeUtf16(encoded.split(" ")[0] ?? "");
    return text === null ? null : { text, dialect: "powershell" };
  }
  if (program === "forfiles") {
    const text = after(/^\/c$/i);
    const path = (after(/^\/p$/i) ?? ".").split(" ")[0] ?? ".";
    return text === null ? null : { text: text.replace(/@(file|path|fname|relpath)\b/gi, `${path}\\*`) };
  }
  if (program === "start-process") {
    const list = texts.filter((text) => !/^-(argumentlist|args|filepath|verb|runas|wait|nonewwindow)$/i.test(text));
    return { text: list.join(" ") };
  }
  if (program === "invoke-expression") {
    const given = texts.filter((text) => !/^-(command)?$/i.test(text));
    const text = (given.length > 0 ? given : (input?.values.map(({ text: value }) => value ?? "") ?? [])).join(" ");
    return text.trim() === "" ? null : { text };
  }
  return null;
}

function decodeUtf16(text: string): string {
  try {
    return new TextDecoder("utf-16le").decode(Uint8Array.from(atob(text), (char) => char.charCodeAt(0)));
  } catch {
    return "";
  }
}
