import type { CodeCall, Language } from "./analysis.js";
import { readTokens, type Token } from "./source-tokens.js";
import {
  construct,
  environmentOf,
  formatted,
  indexed,
  isUnknown,
  listing,
  listOf,
  UNKNOWN,
  UNKNOWN_VALUE,
  type Value,
} from "./source-values.js";
import { bounded, literal, type Piece, type Word, wordOf } from "./word.js";

const MOST_TOKENS = 8_000;
const MOST_DEPTH = 24;
/** Languages in which a call needs no brackets. */
const BARE_CALLS: ReadonlySet<Language> = new Set(["ruby", "perl", "php", "lua", "applescript"]);

/** Functions that delete or run what a name stands for: `File.delete f`, `unlink glob "*"`. */
const TAKES_NAMES = /(^|\.|::)(unlink|delete|rmtree|remove_tree|rm|rm_f|rm_r|rm_rf|rmdir|system|exec)$/;

/** Functions that call the function they are handed. */
const CALLS_BACK = /^(map|filter|array_map|array_walk|call_user_func(_array)?|functools\.partial|Promise\.all)$/;

/** Every call in a program whose name is written out, with what is certain of its arguments. */
export function readCalls(
  source: string,
  language: Language,
): { readonly calls: readonly CodeCall[] /** Whether all of it was read. */; readonly isWhole: boolean } {
  const { tokens, isWhole } = readTokens(source, language, MOST_TOKENS);
  return { calls: new Reader(tokens, language).read(), isWhole };
}

class Reader {
  private at = 0;
  private depth = 0;
  /** Whether a loop gave names to what it goes through. */
  private bound = false;
  private readonly calls: CodeCall[] = [];
  private readonly values = new Map<string, Value>();
  /** Other names of functions: `from os import system as s`. */
  private readonly names = new Map<string, string>();

  constructor(
    private readonly tokens: readonly Token[],
    private readonly language: Language,
  ) {}

  read(): readonly CodeCall[] {
    this.readAll();
    if (!this.bound) return this.calls;
    // `[p.unlink() for p in ...]` says what `p` is after it is used: now it is known.
    this.at = 0;
    this.calls.length = 0;
    this.readAll();
    return this.calls;
  }

  private readAll(): void {
    while (this.at < this.tokens.length) {
      const start = this.at;
      this.statement();
      if (this.at === start) this.at++;
    }
  }

  private bind(name: string | null, value: Value): void {
    if (name === null || isUnknown(value)) return;
    this.values.set(name, value);
    this.bound = true;
  }

  /** `for x in y`, `for (const x of y)`, `foreach (y as $x)`: the names of a loop stand for what it goes through. */
  private loop(keyword: string): Value {
    this.at++;
    if (this.isMark("(")) this.at++;
    if (/^(const|let|var|my)$/.test(this.nameAt() ?? "")) this.at++;
    if (keyword === "foreach") {
      const value = this.primary() ?? UNKNOWN_VALUE;
      if (this.nameAt() === "as") this.bind(this.nameAt(1), value);
      return UNKNOWN_VALUE;
    }
    const names: string[] = [];
    for (let name = this.nameAt(); name !== null && name !== "in" && name !== "of"; name = this.nameAt()) {
      names.push(name);
      this.at++;
      if (this.isMark(",")) this.at++;
    }
    if (this.nameAt() === null) return UNKNOWN_VALUE;
    this.at++;
    const value = this.peek() === undefined ? null : this.primary();
    for (const name of names) this.bind(name, value ?? UNKNOWN_VALUE);
    return UNKNOWN_VALUE;
  }

  /** `.each { |x| ... }`, `.forEach(x => ...)`: the first name of the block stands for each of them. */
  private bindBlock(value: Value): void {
    const opening = this.isMark("{") || this.isMark("(") || this.nameAt() === "do" ? 1 : 0;
    const further = this.isMark("|", opening) || this.isMark("(", opening) ? 1 : 0;
    if (opening > 0) this.bind(this.nameAt(opening + further), value);
  }

  private peek(ahead = 0): Token | undefined {
    return this.tokens[this.at + ahead];
  }

  private isMark(text: string, ahead = 0): boolean {
    const token = this.peek(ahead);
    return token?.kind === "mark" && token.text === text;
  }

  private nameAt(ahead = 0): string | null {
    const token = this.peek(ahead);
    return token?.kind === "name" ? token.text : null;
  }

  private statement(): void {
    const name = this.nameAt();
    if (name === "import" || name === "from") return this.imports();
    if (name !== null && /^(const|let|var|local|my|our)$/.test(name)) {
      this.at++;
      if (this.isMark("{")) return this.destructure();
    }
    const target = this.nameAt();
    if (target !== null && this.isMark("=", 1) && !this.isMark("=", 2) && !this.isMark(">", 2)) {
      this.at += 2;
      const start = this.at;
      const only = this.nameAt();
      const value = this.expression();
      if (only !== null && this.at === start + 1) this.names.set(target, this.resolve(only));
      this.values.set(target, value);
      return;
    }
    this.expression();
  }

  /** `import os as o`, `from os import system as s`; JavaScript's are read as what they are: names and texts. */
  private imports(): void {
    const words: string[] = [];
    while (this.at < this.tokens.length && this.peek()?.kind === "name") words.push(this.nameAt(this.skip()) ?? "");
    const from = words[0] === "from" ? (words[1] ?? "") : "";
    for (let i = words.indexOf("import") + 1; i < words.length; i++) {
      if (words[i] === "as") this.names.set(words[++i] ?? "", join(from, words[i - 2] ?? ""));
      else if (from !== "") this.names.set(words[i] ?? "", join(from, words[i] ?? ""));
    }
    if (words.length === 0) this.at++;
    while (this.isMark(",")) {
      this.at++;
      const [name, as, alias] = [this.nameAt(), this.nameAt(1), this.nameAt(2)];
      if (name === null) return;
      this.names.set(as === "as" ? (alias ?? name) : name, join(from, name));
      this.at += as === "as" ? 3 : 1;
    }
  }

  /** Takes one token; the place it had, from where the reader now stands. */
  private skip(): number {
    this.at++;
    return -1;
  }

  /** `const { execSync: run } = require("child_process")`. */
  private destructure(): void {
    this.at++;
    for (let name = this.nameAt(); name !== null; name = this.nameAt()) {
      this.at++;
      if (this.isMark(":")) {
        this.at++;
        this.names.set(this.nameAt() ?? "", name);
        this.at++;
      }
      if (this.isMark(",")) this.at++;
    }
    if (this.isMark("}")) this.at++;
    if (this.isMark("=")) this.at++;
  }

  /** Reads up to what ends an expression, joining texts that are joined. */
  private expression(): Value {
    if (this.depth >= MOST_DEPTH) {
      this.at++;
      return UNKNOWN_VALUE;
    }
    this.depth++;
    let value: Value | null = null;
    for (let token = this.peek(); token !== undefined && !isEnd(token); token = this.peek()) {
      if (token.kind === "mark" && value !== null && this.isJoint(token.text)) {
        this.at++;
        continue;
      }
      if (value !== null && this.language === "python" && this.isMark("%")) {
        this.at++;
        value = formatted(value, this.formatArguments());
        continue;
      }
      const start = this.at;
      const next = this.primary();
      if (this.at === start) this.at++;
      if (next === null) value = UNKNOWN_VALUE;
      else if (value === null) value = next;
      else value = { word: bounded([...value.word.pieces, ...next.word.pieces]), list: value.list };
    }
    this.depth--;
    return value ?? { word: literal(""), list: null };
  }

  /** What follows `%` in Python: one value, or several in brackets. */
  private formatArguments(): readonly Value[] {
    if (this.isMark("(")) return this.group().values;
    const value = this.primary();
    return value === null ? [] : [value];
  }

  /** A text with what is put into it, where a name it was given is all that is put in. */
  private interpolated(pieces: readonly Piece[]): Word {
    if (pieces.every(({ kind }) => kind === "text")) return wordOf(pieces);
    return bounded(
      pieces.flatMap((piece): readonly Piece[] => {
        if (piece.kind !== "unknown") return [piece];
        const name = /^[$#@]?\{?\s*([$@]?\w+)\s*\}?$/.exec(piece.source)?.[1] ?? "";
        return (this.values.get(name) ?? this.values.get(`$${name}`))?.word.pieces ?? [piece];
      }),
    );
  }

  private isJoint(mark: string): boolean {
    return (
      mark === "+" || (mark === "." && (this.language === "php" || this.language === "perl" || this.language === "lua"))
    );
  }

  private primary(): Value | null {
    const token = this.peek();
    if (token === undefined) return null;
    if (token.kind === "string") {
      this.at++;
      return this.methods({ word: this.interpolated(token.pieces), list: null });
    }
    if (token.kind === "shell") {
      this.at++;
      this.calls.push({ name: "`", args: [this.interpolated(token.pieces)], list: null });
      return UNKNOWN_VALUE;
    }
    if (token.kind === "number") {
      this.at++;
      return { word: literal(token.text), list: null };
    }
    const negated = this.peek(1);
    if (this.isMark("-") && negated?.kind === "number") {
      this.at += 2;
      return { word: literal(`-${negated.text}`), list: null };
    }
    if (token.kind === "name") return this.named(token.text);
    if (token.kind === "mark" && (token.text === "[" || token.text === "(" || token.text === "{")) {
      const { values } = this.group();
      if (token.text === "[") return this.methods(listOf(values));
      // `a(...)(...)`, `(x)["y"](...)`: what stands in brackets may be called.
      return this.methods(values.length === 1 && token.text === "(" ? (values[0] as Value) : UNKNOWN_VALUE);
    }
    return null;
  }

  private resolve(name: string): string {
    const [head = "", ...rest] = name.split(/\.|::|->|\?\./);
    const known = this.names.get(name) ?? this.names.get(head);
    if (known === undefined) return name;
    return this.names.has(name) || rest.length === 0 ? known : join(known, rest.join("."));
  }

  private named(text: string): Value {
    if (text === "for" || text === "foreach") {
      if (this.depth >= MOST_DEPTH) {
        this.at++;
        return UNKNOWN_VALUE;
      }
      this.depth++;
      const value = this.loop(text);
      this.depth--;
      return value;
    }
    this.at++;
    const name = this.resolve(text);
    const variable = environmentOf(text);
    if (variable !== null) return this.methods(variable);
    const dot = text.lastIndexOf(".");
    const owner = dot === -1 ? undefined : this.values.get(text.slice(0, dot));
    if (this.isMark("(")) return owner === undefined ? this.call(name, null) : this.call(text.slice(dot + 1), owner);
    if (owner !== undefined && /^(each|forEach)$/.test(text.slice(dot + 1))) this.bindBlock(owner);
    const next = this.peek();
    if (
      next?.kind === "string" &&
      (BARE_CALLS.has(this.language) ||
        this.language === "javascript" ||
        (this.language === "awk" && /^printf?$/.test(name))) &&
      !isKeyword(name)
    ) {
      return this.methods(this.bareCall(name));
    }
    if (next?.kind === "name" && BARE_CALLS.has(this.language) && TAKES_NAMES.test(name) && !isKeyword(next.text)) {
      // `unlink for glob "*"` takes what the loop goes through.
      if (/^for(each)?$/.test(next.text)) this.at++;
      return this.methods(this.bareCall(name));
    }
    if (this.language === "applescript" && next?.kind === "name") return this.named(this.lastOfNames(next.text));
    const known = this.values.get(text);
    return this.methods(known ?? UNKNOWN_VALUE, name);
  }

  /** Of names in a row, the one that takes what follows: the `script` of `do shell script "ls"`. */
  private lastOfNames(first: string): string {
    let last = first;
    for (let next = this.nameAt(1); next !== null; next = this.nameAt(1)) {
      if (TAKES_NAMES.test(last) || /^for(each)?$/.test(last)) break;
      this.at++;
      last = next;
    }
    return last;
  }

  /** `system "rm", "x"`: arguments without brackets, up to the end of the statement. */
  private bareCall(name: string): Value {
    const values = [this.expression()];
    while (this.isMark(",")) {
      this.at++;
      values.push(this.expression());
    }
    return this.finish(name, values, null);
  }

  private call(name: string, receiver: Value | null): Value {
    const handed = CALLS_BACK.test(name) ? this.handedFunction() : null;
    const { values } = this.group();
    if (handed !== null) this.finish(handed, values.slice(1), null);
    return this.methods(this.finish(name, values, receiver));
  }

  /** The function that is handed to another by its name: `map(os.remove, ...)`, `array_map("unlink", ...)`. */
  private handedFunction(): string | null {
    const first = this.peek(1);
    if (!(this.isMark(",", 2) || this.isMark(")", 2))) return null;
    if (first?.kind === "name") return this.resolve(first.text);
    const [only] = first?.kind === "string" ? first.pieces : [];
    return only?.kind === "text" && /^\w+$/.test(only.text) ? only.text : null;
  }

  private finish(name: string, values: readonly Value[], receiver: Value | null): Value {
    const [first, second] = values;
    if (/(^|\.)getattr$/.test(name) && second?.word.text != null && this.isMark("(")) {
      return this.call(second.word.text, null);
    }
    const made = construct(name, values, receiver);
    if (made !== null) return made;
    const args = values.map(({ word }) => word);
    const list = first?.list ?? values.find((value) => value.list !== null)?.list ?? null;
    this.calls.push({ name, args: receiver === null || isUnknown(receiver) ? args : [receiver.word, ...args], list });
    const listed = listing(name, first ?? null, receiver);
    if (listed !== null) return listed;
    // What wraps a path is still that path: `Path("/x").unlink()`, `require("fs")`.
    return /(^|\.)(Path|PurePath|PosixPath|Pathname|File|Dir|str|String|fspath|expanduser|resolve|abspath|glob|Fileglob)$/i.test(
      name,
    )
      ? (first ?? receiver ?? UNKNOWN_VALUE)
      : UNKNOWN_VALUE;
  }

  /** What follows a value: `.name(...)`, `["name"](...)`, `(...)`. */
  private methods(value: Value, name: string | null = null): Value {
    let current = value;
    for (;;) {
      const method = this.isMark(".") ? this.nameAt(1) : null;
      if (method !== null && ((this.language !== "php" && this.language !== "perl") || this.isMark("(", 2))) {
        this.at += 2;
        if (/^(each|forEach|map|each_with_index)$/.test(method)) {
          this.bindBlock(current);
          const handed = this.isMark("(") ? this.handedFunction() : null;
          if (handed !== null) this.finish(handed, [current], null);
        }
        if (this.isMark("(")) current = this.finish(method, this.group().values, current);
        else current = UNKNOWN_VALUE;
        name = method;
      } else if (this.isMark("[")) {
        const { values } = this.group();
        const key = values.length === 1 ? values[0]?.word.text : null;
        const found = key == null || name === null ? null : indexed(name, key);
        if (found !== null) current = found;
        else if (key != null && this.isMark("("))
          current = this.finish(name === null ? key : join(name, key), this.group().values, null);
        else if (current.list !== null && key != null && /^\d+$/.test(key)) {
          current = { word: current.list[Number(key)] ?? wordOf([UNKNOWN]), list: null };
        } else current = UNKNOWN_VALUE;
      } else if (name === "$ENV" && this.isMark("{")) {
        const key = this.nameAt(1);
        const { values } = this.group();
        current = indexed("ENV", key ?? values[0]?.word.text ?? "") ?? UNKNOWN_VALUE;
      } else if (this.isMark("(")) current = this.finish(name ?? "", this.group().values, null);
      else return current;
    }
  }

  /** What stands between brackets, value by value. */
  private group(): { readonly values: readonly Value[] } {
    const values: Value[] = [];
    const isBlock = this.isMark("{");
    this.at++;
    while (this.at < this.tokens.length) {
      const token = this.peek() as Token;
      if (token.kind === "mark" && /^[)\]}]$/.test(token.text)) {
        this.at++;
        break;
      }
      if (token.kind === "end" || (token.kind === "mark" && token.text === ",")) this.at++;
      else {
        const start = this.at;
        if (isBlock || (this.nameAt() !== null && this.isMark("=", 1))) this.statement();
        else values.push(this.expression());
        if (this.at === start) this.at++;
      }
    }
    return { values };
  }
}

function isKeyword(name: string): boolean {
  return /^(return|and|or|not|in|if|unless|else|elif|then|do|case|when|typeof|new|await|of|yield|p|warn|die|raise|throw|require|use|from|as|default|export)$/.test(
    name,
  );
}

function isEnd(token: Token): boolean {
  return token.kind === "end" || (token.kind === "mark" && /^[,)\]}]$/.test(token.text));
}

function join(left: string, right: string): string {
  return left === "" ? right : `${left}.${right}`;
}
