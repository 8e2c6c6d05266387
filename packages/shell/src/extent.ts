const NEWLINE = 10;
const SPACE = 32;
const TAB = 9;
const DOUBLE_QUOTE = 34;
const DOLLAR = 36;
const AMPERSAND = 38;
const SINGLE_QUOTE = 39;
const SEMICOLON = 59;
const LESS = 60;
const BACKSLASH = 92;
const BACKTICK = 96;
const PIPE = 124;

interface Heredoc {
  readonly delimiter: string;
  readonly quoted: boolean;
}

/**
 * Where a script has more syntax in it than the budget allows, counted before anything is parsed; null where it has not.
 * What stands in quotes and here-documents is text and counts little, however long it is. A text that hides its
 * syntax from this count costs time and nothing else: the analysis has budgets of its own.
 */
export function overrunOf(text: string, budget: number): number | null {
  // Every count is of at least one character.
  if (text.length <= budget) return null;
  let count = 0;
  let boundary = 0;
  let space = 0;
  let isWord = false;
  let isQuoted = false;
  let heredocs: Heredoc[] = [];
  const endless = new Set<string>();
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === BACKSLASH) {
      count++;
      i++;
    } else if (code === DOUBLE_QUOTE) {
      isQuoted = !isQuoted;
      count++;
    } else if (isQuoted) {
      if (code === DOLLAR || code === BACKTICK) count++;
    } else if (code === SINGLE_QUOTE) {
      const end = text.indexOf("'", i + 1);
      count++;
      if (end !== -1) i = end;
      isWord = true;
    } else if (code === SPACE || code === TAB) {
      isWord = false;
      space = i;
    } else if (code === NEWLINE) {
      count++;
      isWord = false;
      for (const heredoc of heredocs) {
        // What has no end from here has none further on.
        if (endless.has(heredoc.delimiter)) continue;
        const [end, inside] = skipBody(text, i, heredoc);
        if (end === i) endless.add(heredoc.delimiter);
        i = end;
        count += inside;
      }
      heredocs = [];
      boundary = i + 1;
    } else if (!isWordCode(code)) {
      count++;
      isWord = false;
      if (code === SEMICOLON || code === AMPERSAND || code === PIPE) boundary = i + 1;
      if (code === LESS && text.charCodeAt(i + 1) === LESS) {
        const heredoc = text.charCodeAt(i + 2) === LESS ? null : readHeredoc(text, i + 2);
        if (heredoc !== null) heredocs.push(heredoc);
        i++;
      }
    } else if (!isWord) {
      count++;
      isWord = true;
    }
    if (count > budget) return boundary > 0 ? boundary : space > 0 ? space : i;
  }
  return null;
}

/** Letters, digits and what names and paths are made of. */
function isWordCode(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 45 && code <= 57) ||
    code === 95 ||
    code === 58 ||
    code > 126
  );
}

function readHeredoc(text: string, from: number): Heredoc | null {
  const match = /^-?[ \t]*(?:'([^'\n]+)'|"([^"\n]+)"|(\\?[\w.-]+))/.exec(text.slice(from, from + 80));
  if (match === null) return null;
  const plain = match[3];
  if (plain !== undefined) return { delimiter: plain.replace("\\", ""), quoted: plain.startsWith("\\") };
  return { delimiter: match[1] ?? match[2] ?? "", quoted: true };
}

/** The end of a here-document's body, and how much syntax is inside; a body without an end is no body. */
function skipBody(text: string, from: number, { delimiter, quoted }: Heredoc): [end: number, inside: number] {
  let start = from + 1;
  let inside = 0;
  while (start < text.length) {
    const newline = text.indexOf("\n", start);
    const end = newline === -1 ? text.length : newline;
    if (end - start < delimiter.length + 80 && text.slice(start, end).replace(/^\t+/, "") === delimiter) {
      return [end - 1, inside];
    }
    if (!quoted) for (let i = start; i < end; i++) if (isExpansion(text.charCodeAt(i))) inside++;
    start = end + 1;
  }
  return [from, 0];
}

function isExpansion(code: number): boolean {
  return code === DOLLAR || code === BACKTICK;
}
