// What hides a command is short; matching every part of a long text would be slow.
const LONGEST_PATTERN = 64;
const LONGEST_TEXT = 128;

/** Removes the shortest or longest start or end of a text that matches a pattern, as `${X#...}` and `${X%...}` do. */
export function removeMatch(text: string, operator: string, pattern: string): string | null {
  const matches = matcherOf(pattern, text);
  if (matches === null) return null;
  const isLongest = operator.length === 2;
  for (let i = 0; i <= text.length; i++) {
    const size = isLongest ? text.length - i : i;
    if (operator.startsWith("#")) {
      if (matches(text.slice(0, size))) return text.slice(size);
    } else if (matches(text.slice(text.length - size))) return text.slice(0, text.length - size);
  }
  return text;
}

/** Replaces what matches a pattern, as `${X/a?/b}` does. */
export function replaceMatch(text: string, operator: string, pattern: string, replacement: string): string | null {
  const source = sourceOf(pattern, text);
  if (source === null) return null;
  const anchored = operator === "/#" ? `^(?:${source})` : operator === "/%" ? `(?:${source})$` : source;
  return text.replace(new RegExp(anchored, operator === "//" ? "gs" : "s"), () => replacement);
}

function matcherOf(pattern: string, text: string): ((part: string) => boolean) | null {
  const source = sourceOf(pattern, text);
  if (source === null) return null;
  const expression = new RegExp(`^(?:${source})$`, "s");
  return (part) => expression.test(part);
}

/** A glob as an expression; null where it is too long, or has more than one star. */
function sourceOf(pattern: string, text: string): string | null {
  if (pattern.length > LONGEST_PATTERN || text.length > LONGEST_TEXT) return null;
  if ((pattern.match(/\*/g)?.length ?? 0) > 1 || /[?*+@!]\(/.test(pattern)) return null;
  const tokens = pattern.match(/\\[\s\S]|\[[!^]?\]?[^\]]*\]|[\s\S]/g) ?? [];
  try {
    const source = tokens.map(translate).join("");
    new RegExp(source);
    return source;
  } catch {
    return null;
  }
}

function translate(token: string): string {
  if (token === "*") return ".*";
  if (token === "?") return ".";
  if (token.length > 2 && token.startsWith("[")) {
    const inner = token.slice(1, -1).replace(/^[!^]/, "");
    const set = inner.replace(/\[:(\w+):\]?/g, (_, name: string) => CLASSES[name] ?? "").replace(/[\\\]^]/g, "\\$&");
    return `[${/^\[[!^]/.test(token) ? "^" : ""}${set}]`;
  }
  const char = token.startsWith("\\") && token.length > 1 ? token.slice(1) : token;
  return char.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}

const CLASSES: Readonly<Record<string, string>> = {
  alpha: "a-zA-Z",
  digit: "0-9",
  alnum: "a-zA-Z0-9",
  lower: "a-z",
  upper: "A-Z",
  space: " \t\n",
};
