import type { Thread } from "../evaluator/thread.js";

/** A text that is known to be JSON, with every element on a line of its own. Empty lists and objects stay together. */
export function indentJson(thread: Thread, text: string, prefix: string, indent: string): string {
  let result = "";
  let depth = 0;
  const add = (part: string) => {
    thread.text(part.length);
    result += part;
  };
  const line = () => {
    thread.text(prefix.length + indent.length * depth);
    result += `\n${prefix}${indent.repeat(depth)}`;
  };
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === '"') {
      const end = endOfString(text, at);
      add(text.slice(at, end));
      at = end - 1;
    } else if (character === "{" || character === "[") {
      add(character);
      depth++;
      const next = skipSpace(text, at + 1);
      if (text[next] === "}" || text[next] === "]") {
        depth--;
        add(text.charAt(next));
        at = next;
      } else line();
    } else if (character === "}" || character === "]") {
      depth--;
      line();
      add(character);
    } else if (character === ",") {
      add(character);
      line();
    } else if (character === ":") add(": ");
    else if (!isSpace(character)) add(character);
  }
  return result;
}

/** Where the string that starts here has ended: after the first quote that no backslash stands before. */
export function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const character = text[at];
    if (character === '"') return at + 1;
    if (character === "\\") at++;
  }
  return text.length + 1;
}

function isSpace(character: string | undefined): boolean {
  return character === " " || character === "\t" || character === "\n" || character === "\r";
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (isSpace(text[at])) at++;
  return at;
}
