import { StarlarkSyntaxError } from "./errors.js";

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
  readonly value?: number | bigint | Uint8Array;
  readonly line: number;
  readonly column: number;
}

const KEYWORDS = new Set("and break continue def elif else for if in lambda load not or pass return while".split(" "));
/** Words of Python that Starlark keeps for itself, with what to do instead. */
const RESERVED: Readonly<Record<string, string>> = {
  as: "",
  async: "",
  await: "",
  class: "; Starlark has no classes, use dicts or functions",
  del: "; use dict.pop() or list.pop()",
  except: "; Starlark has no exceptions, test before you act",
  finally: "; Starlark has no exceptions",
  from: "; there are no imports",
  global: "; a function cannot change a global",
  import: "; there are no imports, use load() where the host offers it",
  is: "; use ==",
  nonlocal: "; a function cannot change a variable of another",
  raise: "; use fail()",
  try: "; Starlark has no exceptions, test before you act",
  with: "",
  yield: "; Starlark has no generators, return a list",
};
const OPERATORS = [
  "**=",
  "//=",
  "<<=",
  ">>=",
  "**",
  "//",
  "<<",
  ">>",
  "<=",
  ">=",
  "==",
  "!=",
  "+=",
  "-=",
  "*=",
  "/=",
  "%=",
  "&=",
  "|=",
  "^=",
  "->",
  ..."+-*/%&|^~<>=.,:;()[]{}@",
];
const NAME = /[\p{L}_][\p{L}\p{Nd}_]*/uy;
const NUMBER = /(?:0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+|(?:\d+\.\d*|\.\d+)(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\d+)/y;
const MAX_NESTING = 200;

/** Splits a source into tokens, with the indentation made visible. */
export class Scanner {
  private index = 0;
  private line = 1;
  private lineStart = 0;
  private depth = 0;
  private readonly indents: number[] = [0];
  private readonly pending: Token[] = [];
  private isLineStart = true;

  constructor(
    private readonly source: string,
    private readonly file: string,
  ) {}

  /** Refuses the source at a place in it. */
  refuse(message: string, { line, column }: { readonly line: number; readonly column: number }): never {
    throw new StarlarkSyntaxError(message, { file: this.file, line, column }, this.source);
  }

  next(): Token {
    for (;;) {
      const waiting = this.pending.shift();
      if (waiting !== undefined) return waiting;
      if (this.isLineStart && this.depth === 0 && this.index < this.source.length) {
        this.indent();
        continue;
      }
      this.skipBlanks();
      const character = this.source[this.index];
      if (character === undefined) return this.finish();
      if (character === "\n") {
        this.newLine();
        if (this.depth > 0) continue;
        this.isLineStart = true;
        return this.token("newline", "\n", this.line - 1);
      }
      return this.scan(character);
    }
  }

  private fail(message: string, index = this.index): never {
    this.refuse(message, { line: this.line, column: index - this.lineStart + 1 });
  }

  private token(kind: TokenKind, text: string, line = this.line, start = this.index): Token {
    return { kind, text, line, column: Math.max(1, start - this.lineStart + 1) };
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
      else if (character === "\\" && /^\r?\n/.test(this.source.slice(this.index + 1, this.index + 3))) {
        this.index += this.source[this.index + 1] === "\r" ? 2 : 1;
        this.newLine();
      } else if (character === "#") this.skipComment();
      else return;
    }
  }

  private skipComment(): void {
    while (this.index < this.source.length && this.source[this.index] !== "\n") this.index++;
  }

  /** Measures the indentation of a line that has something on it. */
  private indent(): void {
    let width = 0;
    for (;;) {
      const character = this.source[this.index];
      if (character === " ") width++;
      else if (character === "\t") width += 8 - (width % 8);
      else if (character === "\r") width += 0;
      else if (character === "#") {
        this.skipComment();
        continue;
      } else if (character === "\n") {
        this.newLine();
        width = 0;
        continue;
      } else break;
      this.index++;
    }
    if (this.source[this.index] === undefined) return;
    this.isLineStart = false;
    const current = this.indents.at(-1) ?? 0;
    if (width > current) {
      this.indents.push(width);
      if (this.indents.length > MAX_NESTING) this.fail("nested too deeply");
      this.pending.push(this.token("indent", ""));
      return;
    }
    while (width < (this.indents.at(-1) ?? 0)) {
      this.indents.pop();
      this.pending.push(this.token("outdent", ""));
    }
    if (width !== this.indents.at(-1)) this.fail("indentation does not match any enclosing block");
  }

  private finish(): Token {
    if (this.depth > 0) this.fail("a bracket is not closed at the end of the file");
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

  private scan(character: string): Token {
    const start = this.index;
    const literal = /^(?:[rR]?[bB]?|[bB][rR])(?=["'])/.exec(this.source.slice(start, start + 3));
    if (literal !== null) return this.string(literal[0].toLowerCase());
    if (/[fF]/.test(character) && /["']/.test(this.source[start + 1] ?? "")) {
      this.fail("Starlark has no f-strings; use % or format()");
    }
    NAME.lastIndex = start;
    const word = NAME.exec(this.source)?.[0];
    if (word !== undefined) return this.word(word);
    if (/[0-9]/.test(character) || (character === "." && /[0-9]/.test(this.source[start + 1] ?? "")))
      return this.number();
    const operator = OPERATORS.find((candidate) => this.source.startsWith(candidate, start));
    if (operator === undefined) this.fail(`unexpected character ${JSON.stringify(character)}`);
    if ("([{".includes(operator)) this.depth++;
    if (")]}".includes(operator)) this.depth = Math.max(0, this.depth - 1);
    if (this.depth > MAX_NESTING) this.fail("nested too deeply");
    this.index += operator.length;
    return this.token("operator", operator, this.line, start);
  }

  private word(word: string): Token {
    const start = this.index;
    const advice = Object.hasOwn(RESERVED, word) ? RESERVED[word] : undefined;
    if (advice !== undefined) this.fail(`"${word}" is a reserved word${advice}`);
    this.index += word.length;
    return this.token(KEYWORDS.has(word) ? "keyword" : "name", word, this.line, start);
  }

  private number(): Token {
    const start = this.index;
    NUMBER.lastIndex = start;
    const text = NUMBER.exec(this.source)?.[0] ?? "";
    if (text === "") this.fail("invalid number");
    this.index += text.length;
    if (/^\d*\.|^\d+[eE]/.test(text)) {
      const value = Number(text);
      if (!Number.isFinite(value)) this.fail("floating-point literal is too large", start);
      return { ...this.token("float", text, this.line, start), value };
    }
    if (/^0\d/.test(text) && !/^0+$/.test(text)) this.fail("an octal number starts with 0o", start);
    return { ...this.token("int", text, this.line, start), value: toInt(text) };
  }

  private string(prefix: string): Token {
    const token = this.token("string", "");
    const isRaw = prefix.includes("r");
    const isBytes = prefix.includes("b");
    this.index += prefix.length;
    const quote = this.source[this.index] ?? "";
    const isTriple = this.source.startsWith(quote.repeat(3), this.index);
    const close = isTriple ? quote.repeat(3) : quote;
    this.index += close.length;
    const parts: (string | Uint8Array)[] = [];
    for (;;) {
      if (this.source.startsWith(close, this.index)) break;
      const character = this.source[this.index];
      if (character === undefined) this.fail("a string is not closed");
      if (character === "\n") {
        if (!isTriple) this.fail("a string is not closed at the end of its line");
        parts.push("\n");
        this.newLine();
      } else if (character === "\r" && this.source[this.index + 1] === "\n") this.index++;
      else if (character === "\\") parts.push(isRaw ? this.rawEscape() : this.escape(isBytes));
      else {
        const whole = String.fromCodePoint(this.source.codePointAt(this.index) ?? 0);
        parts.push(whole);
        this.index += whole.length;
      }
    }
    this.index += close.length;
    if (!isBytes) return { ...token, text: parts.join("") };
    const encoder = new TextEncoder();
    const bytes = parts.flatMap((part) => [...(typeof part === "string" ? encoder.encode(part) : part)]);
    return { ...token, kind: "bytes", value: Uint8Array.from(bytes) };
  }

  private rawEscape(): string {
    const next = this.source[this.index + 1];
    if (next === undefined) this.fail("a string is not closed");
    this.index += 1;
    if (next === "\n") {
      this.newLine();
      return "\\\n";
    }
    this.index += 1;
    return `\\${next}`;
  }

  private escape(isBytes: boolean): string | Uint8Array {
    const start = this.index;
    const next = this.source[start + 1] ?? "";
    const simple: Readonly<Record<string, string>> = {
      a: "\x07",
      b: "\b",
      f: "\f",
      n: "\n",
      r: "\r",
      t: "\t",
      v: "\v",
      "\\": "\\",
      "'": "'",
      '"': '"',
    };
    if (next === "\n") {
      this.index++;
      this.newLine();
      return "";
    }
    const plain = Object.hasOwn(simple, next) ? simple[next] : undefined;
    if (plain !== undefined) {
      this.index += 2;
      return plain;
    }
    const rest = this.source.slice(start + 1, start + 10);
    const octal = /^[0-7]{1,3}/.exec(rest)?.[0];
    if (octal !== undefined) return this.byte(Number.parseInt(octal, 8), octal.length + 1, isBytes, start);
    const hex = /^x([0-9a-fA-F]{2})/.exec(rest)?.[1];
    if (hex !== undefined) return this.byte(Number.parseInt(hex, 16), 4, isBytes, start);
    const unicode = /^u([0-9a-fA-F]{4})|^U([0-9a-fA-F]{8})/.exec(rest);
    if (unicode === null) this.fail(`invalid escape sequence \\${next}; write \\\\ for a backslash`, start);
    const code = Number.parseInt(unicode[1] ?? unicode[2] ?? "", 16);
    if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) this.fail("invalid Unicode code point", start);
    this.index += unicode[0].length + 1;
    return String.fromCodePoint(code);
  }

  private byte(code: number, length: number, isBytes: boolean, start: number): string | Uint8Array {
    if (code > 255) this.fail("escape sequence is larger than a byte", start);
    if (!isBytes && code > 127) this.fail("a string holds text: write \\u00XX for a character above \\x7f", start);
    this.index += length;
    return isBytes ? Uint8Array.of(code) : String.fromCharCode(code);
  }
}

function toInt(text: string): number | bigint {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : BigInt(text);
}
