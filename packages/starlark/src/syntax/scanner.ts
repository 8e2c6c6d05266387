import { StarlarkSyntaxError } from "../errors.js";
import { type Literal, readEscape, readNumber } from "./literals.js";
import { FOREIGN, KEYWORDS, RESERVED } from "./words.js";

export type TokenKind =
  | "name"
  | "int"
  | "float"
  | "string"
  | "bytes"
  | "operator"
  | "keyword"
  | "newline"
  | "indent"
  | "outdent"
  | "end";

export interface Token {
  readonly kind: TokenKind;
  /** What stands in the source; the value of a string literal, decoded. */
  readonly text: string;
  readonly value: number | bigint | Uint8Array | null;
  readonly line: number;
  readonly column: number;
}

const LETTER = /^\p{L}$/u;
const DIGIT = /^\p{Nd}$/u;
const OPERATORS: ReadonlySet<string> = new Set(
  "**= //= <<= >>= -> := != ** // << >> <= >= == += -= *= /= %= &= |= ^= + - * / % & | ^ < > = :".split(" "),
);
/** Operators that no longer one starts with. */
const PUNCTUATION = "()[]{},.;~@";
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const BACKSLASH = 92;
const LITERAL_PREFIX = /(?:[rR]?[bB]?|[bB][rR])(?=["'])/y;
const FORMAT_PREFIX = /(?:[fFtT][rR]?|[rR][fFtT]|[uU])(?=["'])/y;
const MAX_NESTING = 200;
const ENCODER = new TextEncoder();

/** Splits a source into tokens, with the indentation made visible. */
export class Scanner {
  private index = 0;
  private line = 1;
  private lineStart = 0;
  /** The brackets that are open; lines do not end inside of them. */
  private readonly open: Token[] = [];
  private readonly indents: number[] = [0];
  private readonly pending: Token[] = [];
  private isLineStart = true;

  constructor(
    private readonly source: string,
    private readonly file: string,
  ) {
    if (source.charCodeAt(0) === 0xfeff) this.index = this.lineStart = 1;
  }

  /** Refuses the source at a place in it. */
  refuse(message: string, { line, column }: { readonly line: number; readonly column: number }): never {
    throw new StarlarkSyntaxError(message, { file: this.file, line, column }, this.source);
  }

  next(): Token {
    for (;;) {
      if (this.pending.length > 0) return this.pending.shift() as Token;
      if (this.isLineStart && this.open.length === 0 && this.index < this.source.length) {
        this.indent();
        continue;
      }
      this.skipBlanks();
      const character = this.source[this.index];
      if (character === undefined) return this.finish();
      if (character !== "\n") return this.scan(character);
      const token = this.token("newline", "\n");
      this.newLine();
      if (this.open.length > 0) continue;
      this.isLineStart = true;
      return token;
    }
  }

  private fail(message: string, index = this.index): never {
    this.refuse(message, { line: this.line, column: index - this.lineStart + 1 });
  }

  private token(kind: TokenKind, text: string, start = this.index, value: Token["value"] = null): Token {
    return { kind, text, value, line: this.line, column: start - this.lineStart + 1 };
  }

  private newLine(): void {
    this.index++;
    this.line++;
    this.lineStart = this.index;
  }

  private skipBlanks(): void {
    for (;;) {
      const character = this.source[this.index];
      if (character === " " || character === "\t" || character === "\r") this.index++;
      else if (character === "\\" && this.isLineEnd(this.index + 1)) {
        this.index += this.source[this.index + 1] === "\r" ? 2 : 1;
        this.newLine();
      } else if (character === "#") this.skipComment();
      else return;
    }
  }

  private isLineEnd(index: number): boolean {
    return this.source[index] === "\n" || this.source.startsWith("\r\n", index);
  }

  private skipComment(): void {
    const end = this.source.indexOf("\n", this.index);
    this.index = end === -1 ? this.source.length : end;
  }

  /** Measures the indentation of a line that has something on it. */
  private indent(): void {
    let width = 0;
    let tab: number | undefined;
    for (;;) {
      const character = this.source[this.index];
      if (character === " ") width++;
      else if (character === "\t") tab ??= this.index;
      else if (character === "#") {
        this.skipComment();
        continue;
      } else if (character === "\n") {
        this.newLine();
        width = 0;
        tab = undefined;
        continue;
      } else if (character !== "\r") break;
      this.index++;
    }
    if (this.source[this.index] === undefined) return;
    // How wide a tab is depends on who looks at it.
    if (tab !== undefined) this.fail("tabs are not allowed for indentation; use spaces", tab);
    this.isLineStart = false;
    if (width > (this.indents.at(-1) as number)) {
      this.indents.push(width);
      if (this.indents.length > MAX_NESTING) this.fail("nested too deeply");
      this.pending.push(this.token("indent", ""));
      return;
    }
    while (width < (this.indents.at(-1) as number)) {
      this.indents.pop();
      this.pending.push(this.token("outdent", ""));
    }
    if (width !== this.indents.at(-1)) this.fail("unindent does not match any outer indentation level");
  }

  private finish(): Token {
    const open = this.open.at(-1);
    if (open !== undefined) this.refuse(`syntax error: this ${open.text} is not closed`, open);
    if (!this.isLineStart) {
      this.isLineStart = true;
      return this.token("newline", "");
    }
    if (this.indents.length > 1) {
      this.indents.pop();
      return this.token("outdent", "");
    }
    return this.token("end", "");
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.index;
    return pattern.exec(this.source)?.[0];
  }

  private scan(character: string): Token {
    if (character === '"' || character === "'") return this.string("");
    if (isDigit(character) || (character === "." && isDigit(this.source[this.index + 1]))) return this.number();
    const end = endOfName(this.source, this.index);
    if (end > this.index) return this.word(this.source.slice(this.index, end));
    const start = this.index;
    const operator = this.operator(character);
    if (operator === undefined) this.fail(`unexpected character ${this.shown()}`);
    this.index += operator.length;
    const token = this.token("operator", operator, start);
    if (operator === "(" || operator === "[" || operator === "{") {
      this.open.push(token);
      if (this.open.length > MAX_NESTING) this.refuse("nested too deeply", token);
    } else if (operator === ")" || operator === "]" || operator === "}") this.open.pop();
    return token;
  }

  /** The longest operator that stands here. */
  private operator(character: string): string | undefined {
    if (PUNCTUATION.includes(character)) return character;
    for (let length = 3; length > 0; length--) {
      const text = this.source.slice(this.index, this.index + length);
      if (OPERATORS.has(text)) return text;
    }
    return undefined;
  }

  /** The character at this place, and what to write instead of it where that is known. */
  private shown(): string {
    const character = String.fromCodePoint(this.source.codePointAt(this.index) as number);
    const printed = /^[\p{C}\p{Z}]$/u.test(character)
      ? `U+${(character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, "0")}`
      : `"${character}"`;
    return `${printed}${FOREIGN.get(character) ?? ""}`;
  }

  private word(word: string): Token {
    const start = this.index;
    const quote = this.source[start + word.length];
    if (word.length <= 2 && (quote === '"' || quote === "'")) {
      const prefix = this.match(LITERAL_PREFIX);
      if (prefix !== undefined) return this.string(prefix.toLowerCase());
      if (this.match(FORMAT_PREFIX) !== undefined) {
        this.fail(/u/i.test(word) ? "strings need no u in front" : "Starlark has no f-strings; use % or format()");
      }
    }
    const advice = RESERVED.get(word);
    if (advice !== undefined) this.fail(`"${word}" is a reserved word${advice}`);
    this.index += word.length;
    return this.token(KEYWORDS.has(word) ? "keyword" : "name", word, start);
  }

  private literal<T>(literal: Literal<T>): T {
    if ("problem" in literal) return this.fail(literal.problem, literal.at);
    this.index = literal.end;
    return literal.value;
  }

  private number(): Token {
    const start = this.index;
    const { kind, number } = this.literal(readNumber(this.source, start));
    return this.token(kind, this.source.slice(start, this.index), start, number);
  }

  private string(prefix: string): Token {
    const { line, column } = this.token("string", "");
    const isBytes = prefix.includes("b");
    this.index += prefix.length;
    const quote = this.source[this.index] as string;
    const isTriple = this.source.startsWith(quote.repeat(3), this.index);
    this.index += isTriple ? 3 : 1;
    const parts = this.parts({ line, column }, isTriple ? quote.repeat(3) : quote, prefix.includes("r"), isBytes);
    if (!isBytes) return { kind: "string", text: parts.join(""), value: null, line, column };
    const bytes: number[] = [];
    for (const part of parts) {
      if (typeof part === "number") bytes.push(part);
      else for (const byte of ENCODER.encode(part)) bytes.push(byte);
    }
    return { kind: "bytes", text: "", value: Uint8Array.from(bytes), line, column };
  }

  /** What stands up to the closing quotes: text, and the bytes of escapes. */
  private parts(
    opening: { readonly line: number; readonly column: number },
    close: string,
    isRaw: boolean,
    isBytes: boolean,
  ): (string | number)[] {
    const parts: (string | number)[] = [];
    let from = this.index;
    const take = () => {
      if (from < this.index) parts.push(this.source.slice(from, this.index));
    };
    const quote = close.charCodeAt(0);
    for (;;) {
      const code = this.source.charCodeAt(this.index);
      if (code === quote && (close.length === 1 || this.source.startsWith(close, this.index))) break;
      if (Number.isNaN(code)) this.refuse("a string is not closed", opening);
      if (code === LINE_FEED) {
        if (close.length === 1) this.refuse("a string is not closed at the end of its line", opening);
        this.newLine();
      } else if (code === CARRIAGE_RETURN && this.source[this.index + 1] === "\n") {
        // Lines end with \n, however the file was saved.
        take();
        from = ++this.index;
      } else if (code !== BACKSLASH) this.index++;
      else if (isRaw) {
        // In a raw string a backslash stays, and keeps a quote or the end of a line from ending it.
        this.index++;
        if (this.isLineEnd(this.index)) {
          take();
          if (this.source[this.index] === "\r") this.index++;
          from = this.index;
          this.newLine();
        } else this.index++;
      } else {
        take();
        this.escape(parts, isBytes);
        from = this.index;
      }
    }
    take();
    this.index += close.length;
    return parts;
  }

  private escape(parts: (string | number)[], isBytes: boolean): void {
    if (this.isLineEnd(this.index + 1)) {
      this.index += this.source[this.index + 1] === "\r" ? 2 : 1;
      this.newLine();
      return;
    }
    const meaning = this.literal(readEscape(this.source, this.index, isBytes));
    parts.push("byte" in meaning ? meaning.byte : meaning.text);
  }
}

/** Whether a text is a name, and no word of the language's own. */
export function isName(text: string): boolean {
  return text !== "" && endOfName(text, 0) === text.length && !KEYWORDS.has(text) && !RESERVED.has(text);
}

/** Where the name that starts here has ended; here, where none starts. ASCII is told apart without the tables of Unicode. */
function endOfName(source: string, start: number): number {
  let at = start;
  for (;;) {
    const code = source.charCodeAt(at);
    const isLetter = (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95;
    if (isLetter || (at > start && code >= 48 && code <= 57)) at++;
    else if (code >= 128) {
      const character = String.fromCodePoint(source.codePointAt(at) as number);
      if (!LETTER.test(character) && !(at > start && DIGIT.test(character))) return at;
      at += character.length;
    } else return at;
  }
}

function isDigit(character: string | undefined): boolean {
  return character !== undefined && character >= "0" && character <= "9";
}
