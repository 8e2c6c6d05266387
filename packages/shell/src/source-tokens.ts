import type { Language } from "./analysis.js";
import { literal, type Piece } from "./word.js";

/** One token of a program in another language. */
export type Token =
  /** `os.system` is one name; so are `Foo::bar` and `$obj->call`. */
  | { readonly kind: "name"; readonly text: string }
  | { readonly kind: "string"; readonly pieces: readonly Piece[] }
  /** Text in backticks, where the language runs it. */
  | { readonly kind: "shell"; readonly pieces: readonly Piece[] }
  | { readonly kind: "number"; readonly text: string }
  | { readonly kind: "mark"; readonly text: string }
  | { readonly kind: "end" };

const RUNS_BACKTICKS: ReadonlySet<Language> = new Set(["perl", "ruby", "php", "julia"]);
const SLASH_COMMENTS: ReadonlySet<Language> = new Set(["javascript", "php", "java", "go"]);
const HASH_COMMENTS: ReadonlySet<Language> = new Set([
  "python",
  "perl",
  "ruby",
  "php",
  "awk",
  "r",
  "powershell",
  "julia",
  "elixir",
]);
const NAME = /[A-Za-z_$@][\w$]*(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]*[!?]?)*/y;
const NUMBER = /\d[\w.]*/y;
const QUOTE_LIKE = /(?:qx|qq|q|%x|%q|%Q|%w)\s?([([{</|!])/y;
/** `</etc/*>`: what the files are called, and not a handle. */
const PERL_GLOB = /<([~/.\w-]*[*/~][^<>\n]*)>/y;
const CLOSERS: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}", "<": ">" };
const PREFIX = /^[rbfuRBFU]{1,2}$/;

/** Splits source text into tokens: as much as is needed to find calls and the texts they get. */
export function readTokens(
  source: string,
  language: Language,
  most: number,
): { readonly tokens: readonly Token[] /** Whether there were no more of them. */; readonly isWhole: boolean } {
  const tokens: Token[] = [];
  let at = 0;

  function match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = at;
    return pattern.exec(source);
  }

  function readString(prefix: string): void {
    const quote = source.charAt(at);
    const triple = source.startsWith(quote.repeat(3), at) && language === "python";
    const close = triple ? quote.repeat(3) : quote;
    const isRaw = /r/i.test(prefix) || (quote === "'" && (language === "perl" || language === "php"));
    const interpolates = quote !== "'" || /f/i.test(prefix);
    const start = at + close.length;
    const end = endOf(source, start, close);
    at = Math.min(source.length, end + close.length);
    const inner = source.slice(start, end);
    const pieces = piecesOf(inner, { isRaw, interpolates, language, format: /f/i.test(prefix) });
    const runs = quote === "`" && RUNS_BACKTICKS.has(language);
    tokens.push({ kind: runs ? "shell" : "string", pieces });
  }

  while (at < source.length && tokens.length < most) {
    const char = source.charAt(at);
    if (char === "\n") {
      tokens.push({ kind: "end" });
      at++;
    } else if (/\s/.test(char)) at++;
    else if (char === "#" && HASH_COMMENTS.has(language)) at = endOfLine(source, at);
    else if (char === "-" && source.startsWith("--", at) && language === "lua") at = endOfLine(source, at);
    else if (SLASH_COMMENTS.has(language) && source.startsWith("//", at)) at = endOfLine(source, at);
    else if (SLASH_COMMENTS.has(language) && source.startsWith("/*", at)) {
      const end = source.indexOf("*/", at + 2);
      at = end === -1 ? source.length : end + 2;
    } else if (char === "<" && language === "perl" && match(PERL_GLOB) !== null) {
      const found = match(PERL_GLOB) as RegExpExecArray;
      tokens.push({ kind: "name", text: "glob" }, { kind: "mark", text: "(" });
      tokens.push({ kind: "string", pieces: literal(found[1] ?? "").pieces }, { kind: "mark", text: ")" });
      at += found[0].length;
    } else if (char === '"' || char === "'" || char === "`") readString("");
    else if ((language === "perl" || language === "ruby") && match(QUOTE_LIKE) !== null) {
      const found = match(QUOTE_LIKE) as RegExpExecArray;
      const open = found[1] as string;
      const end = endOf(source, at + found[0].length, CLOSERS[open] ?? open);
      const pieces = piecesOf(source.slice(at + found[0].length, end), {
        isRaw: false,
        interpolates: true,
        language,
        format: false,
      });
      tokens.push({ kind: /^(qx|%x)/.test(found[0]) ? "shell" : "string", pieces });
      at = end + 1;
    } else {
      const name = match(NAME);
      if (name !== null) {
        at += name[0].length;
        if (language === "python" && PREFIX.test(name[0]) && /["']/.test(source.charAt(at))) readString(name[0]);
        else tokens.push({ kind: "name", text: name[0] });
        continue;
      }
      const number = match(NUMBER);
      if (number !== null) {
        tokens.push({ kind: "number", text: number[0] });
        at += number[0].length;
      } else {
        tokens.push(char === ";" ? { kind: "end" } : { kind: "mark", text: char });
        at++;
      }
    }
  }
  return { tokens, isWhole: at >= source.length };
}

function endOfLine(source: string, from: number): number {
  const end = source.indexOf("\n", from);
  return end === -1 ? source.length : end;
}

/** Where a string ends: the first closing mark that is not escaped. */
function endOf(source: string, from: number, close: string): number {
  for (let i = from; i < source.length; i++) {
    if (source.charCodeAt(i) === 92) i++;
    else if (source.startsWith(close, i)) return i;
  }
  return source.length;
}

interface Style {
  readonly isRaw: boolean;
  readonly interpolates: boolean;
  /** Whether a bare `{x}` is an expression, as in Python's f-strings. */
  readonly format: boolean;
  readonly language: Language;
}

const HOLES: Readonly<Partial<Record<Language, RegExp>>> = {
  javascript: /\$\{[^}]*\}/g,
  ruby: /#\{[^}]*\}/g,
  perl: /[$@]\{?\w+\}?/g,
  php: /\{?\$\w+(?:->\w+|\[[^\]]*\])*\}?/g,
};

/** A string's text with what is put into it at run time as unknown pieces. */
function piecesOf(inner: string, { isRaw, interpolates, format, language }: Style): Piece[] {
  const hole = format ? /\{[^{}]*\}/g : interpolates ? HOLES[language] : undefined;
  const decode = (text: string) => (isRaw ? text : decodeEscapes(text));
  if (hole === undefined) return inner === "" ? [] : [{ kind: "text", text: decode(inner) }];
  const pieces: Piece[] = [];
  let last = 0;
  for (const found of inner.matchAll(hole)) {
    if (found.index > last) pieces.push({ kind: "text", text: decode(inner.slice(last, found.index)) });
    pieces.push({ kind: "unknown", source: found[0] });
    last = found.index + found[0].length;
  }
  if (last < inner.length) pieces.push({ kind: "text", text: decode(inner.slice(last)) });
  return pieces;
}

function decodeEscapes(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replace(/\\(x[0-9a-fA-F]{2}|u\{?[0-9a-fA-F]{1,6}\}?|[0-7]{1,3}|[\s\S])/g, (_, code: string) => {
    if (/^[xu]./.test(code)) return fromCode(Number.parseInt(code.replace(/[xu{}]/g, ""), 16));
    if (/^[0-7]/.test(code)) return fromCode(Number.parseInt(code, 8));
    return { n: "\n", t: "\t", r: "\r", "\n": "" }[code] ?? code;
  });
}

function fromCode(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : "";
}
