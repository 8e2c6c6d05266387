import type { Dialect } from "../tools.js";

/** A stretch of a word as it was written. */
export interface Part {
  /** `group` is what stands in `(...)` or `$(...)`, `block` what stands in `{...}`. */
  readonly kind: "text" | "group" | "block";
  readonly text: string;
  readonly isQuoted: boolean;
  /** Whether variables in it are expanded: not in single quotes. */
  readonly expands: boolean;
}

export type RawWord = readonly Part[];

export interface Statement {
  readonly words: readonly RawWord[];
  /** What `>` and its like write to. */
  readonly targets: readonly RawWord[];
  /** Whether it reads from the statement before it. */
  readonly isPiped: boolean;
  /** As it was written. */
  readonly text: string;
}

/** Words after which a bracket is not a part of the word. */
const KEYWORDS = /^(foreach|while|if|elseif|for|switch|catch|until|return|in|param|trap|do|try|else|finally)$/i;

/** Characters that part nothing and quote nothing. */
const PLAIN = /[\w\-.:\\/=*?~!%+]+/y;

/** Splits a text at what parts statements and words, outside of quotes and brackets. */
export function statementsOf(text: string, dialect: Dialect): Statement[] {
  const isCmd = dialect === "cmd";
  const escaping = isCmd ? "^" : "`";
  const statements: Statement[] = [];
  let words: RawWord[] = [];
  let targets: RawWord[] = [];
  let parts: Part[] | null = null;
  let isTarget = false;
  let isPiped = false;
  let start = 0;

  function endWord(): void {
    if (parts !== null) (isTarget ? targets : words).push(parts);
    if (parts !== null) isTarget = false;
    parts = null;
  }
  function endStatement(at: number, pipes: boolean): void {
    endWord();
    if (words.length > 0 || targets.length > 0)
      statements.push({ words, targets, isPiped, text: text.slice(start, at) });
    words = [];
    targets = [];
    isTarget = false;
    isPiped = pipes;
    start = at + 1;
  }
  function add(kind: Part["kind"], value: string, isQuoted = false, expands = !isQuoted): void {
    const last = parts?.[parts.length - 1];
    if (
      parts !== null &&
      last?.kind === "text" &&
      kind === "text" &&
      !isQuoted &&
      !last.isQuoted &&
      last.expands === expands
    )
      parts[parts.length - 1] = { ...last, text: last.text + value };
    else {
      parts ??= [];
      parts.push({ kind, text: value, isQuoted, expands });
    }
  }

  for (let i = 0; i < text.length; i++) {
    const char = text[i] as string;
    if (char === escaping && i + 1 < text.length) {
      const next = text[++i] as string;
      if (next !== "\n" && next !== "\r") add("text", next, false, false);
      continue;
    }
    const hereEnd = !isCmd && parts === null ? hereString(text, i) : null;
    if (hereEnd !== null) {
      add("text", hereEnd.text, true, char === "@" && text[i + 1] === '"');
      i = hereEnd.end;
    } else if (char === '"' || (char === "'" && !isCmd)) {
      const end = quoteEnd(text, i, isCmd ? "" : escaping);
      const inner = text.slice(i + 1, end).replaceAll(char + char, char);
      add("text", isCmd ? inner : inner.replace(/`(.)/g, "$1"), true, char === '"');
      i = end;
    } else if (!isCmd && text.startsWith("<#", i)) {
      const end = text.indexOf("#>", i);
      i = end === -1 ? text.length : end + 1;
    } else if (!isCmd && char === "#" && parts === null) {
      const end = text.indexOf("\n", i);
      i = end === -1 ? text.length : end - 1;
    } else if (!isCmd && (char === "(" || (char === "{" && text[i - 1] !== "$"))) {
      const end = closing(text, i);
      const written = lastText(parts);
      if (char === "{" || (parts?.length === 1 && KEYWORDS.test(written))) endWord();
      else if (/[$@]$/.test(written) && parts !== null) parts = withoutLast(parts);
      add(char === "(" ? "group" : "block", text.slice(i + 1, end));
      if (char === "{") endWord();
      i = end;
    } else if (isCmd && (char === "(" || char === ")")) endStatement(i, false);
    else if (char === "|" && text[i + 1] !== "|") endStatement(i, true);
    else if (char === ";" && !isCmd) endStatement(i, false);
    else if (char === "\n" || char === "\r" || char === "|") endStatement(i, false);
    else if (char === "&" && (isCmd || text[i + 1] === "&")) endStatement(i, false);
    else if (char === ">") {
      if (parts?.length === 1 && /^[\d*]$/.test(lastText(parts))) parts = null;
      endWord();
      if (text[i + 1] === ">") i++;
      if (text[i + 1] !== "&") isTarget = true;
    } else if (/\s/.test(char)) endWord();
    else if (char === "," && !isCmd) endWord();
    else {
      PLAIN.lastIndex = i;
      const run = PLAIN.exec(text)?.[0] ?? char;
      add("text", run);
      i += run.length - 1;
    }
  }
  endStatement(text.length, false);
  return statements;
}

/** What stands last in a word, outside of quotes. */
function lastText(parts: readonly Part[] | null): string {
  const last = parts?.[parts.length - 1];
  return last === undefined || last.isQuoted || last.kind !== "text" ? "" : last.text;
}

/** A word without the sign before a bracket. */
function withoutLast(parts: Part[]): Part[] | null {
  const last = parts.pop() as Part;
  const text = last.text.slice(0, -1);
  if (text !== "") parts.push({ ...last, text });
  return parts.length === 0 ? null : parts;
}

/** `@'` up to a line that begins with `'@`. */
function hereString(text: string, at: number): { readonly text: string; readonly end: number } | null {
  const quote = text[at + 1];
  if (text[at] !== "@" || (quote !== "'" && quote !== '"')) return null;
  const line = text.indexOf("\n", at);
  const end = line === -1 ? -1 : text.indexOf(`\n${quote}@`, line);
  return end === -1 ? null : { text: text.slice(line + 1, Math.max(line + 1, end)), end: end + 2 };
}

function quoteEnd(text: string, from: number, escaping: string): number {
  const quote = text[from];
  for (let i = from + 1; i < text.length; i++) {
    if (text[i] === escaping && quote === '"') i++;
    else if (text[i] === quote) {
      if (escaping === "" || text[i + 1] !== quote) return i;
      i++;
    }
  }
  return text.length;
}

function closing(text: string, from: number): number {
  let depth = 0;
  for (let i = from; i < text.length; i++) {
    const char = text[i];
    if (char === "'" || char === '"') i = quoteEnd(text, i, "`");
    else if (char === "(" || char === "{") depth++;
    else if ((char === ")" || char === "}") && --depth === 0) return i;
  }
  return text.length;
}
