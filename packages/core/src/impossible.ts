import { alphabetOf } from "./alphabet.js";
import { ANY_EVENT, type EventSpec } from "./events.js";
import { compileGlob } from "./glob.js";
import type { Json } from "./json.js";
import type { Alphabet } from "./reach.js";
import { compileRegex } from "./regex.js";
import { type Possible, possibleAt } from "./schema.js";

/** Why a pattern could never match, and what to write instead. */
export interface Mistake {
  readonly why: string;
  readonly help: string;
}

// What no tool, model or persona is called. A glob that excludes all of these excludes everything.
const STRANGE = ["", "a", "Bash", "\n", ".", "/", "a/b", "../x", "mcp__a__b", "\u{10ffff}", `${"x9 ".repeat(99)}\0`];

/** What a glob is held against: a path, a name a program has, or one that people give, which may have blanks in it. */
export type Kind = "name" | "given" | "path";

/** What keeps a glob from ever matching a subject of its kind; nothing when it can. */
export function globMistake(glob: string, kind: Kind): Mistake | undefined {
  const habit = habitOf(glob, kind);
  if (habit !== undefined) return habit;
  const bare = glob.replace(/\\./g, "_").replace(/\[[^\]]*\]/g, "_");
  const lone = loneList(bare);
  if (lone !== undefined) {
    return {
      why: `a list in braces has two items or more, so {${lone}} would stand for itself, braces included`,
      help: `Write ${lone === "" ? "*" : lone}, or a list such as {Bash,Write}; \\{ and \\} are braces themselves.`,
    };
  }
  const outsideGroups = bare.replace(/\([^)]*\)|\{[^}]*\}/g, "");
  if (outsideGroups.includes("|")) {
    return {
      why: "`|` is not part of a glob, so this could never match",
      help: `Alternatives stand in braces: {${glob.split("|").join(",")}}`,
    };
  }
  const [stray] = STRAY[kind]?.exec(bare.replace(/\{[^}]*\}/g, "")) ?? [];
  if (stray !== undefined) {
    return {
      why: `no name has ${JSON.stringify(stray)} in it, so this could never match`,
      help:
        stray === "'" || stray === "`"
          ? "Take the quotes out."
          : "A glob is anchored by itself; alternatives stand in braces: {Bash,Write}",
    };
  }
  return excludesAll(glob, kind)
    ? { why: "it excludes everything, so this could never match", help: 'Use "*" for all, or take the hook out.' }
    : undefined;
}

const STRAY: Readonly<Record<Kind, RegExp | undefined>> = {
  name: /[\^$\s,'`]|(?<![@+?*!])\(/,
  given: /[\^$,`]|(?<![@+?*!])\(/,
  path: undefined,
};

/** What is meant as something else: an expression, a directory, a path of another system. */
function habitOf(glob: string, kind: Kind): Mistake | undefined {
  if (glob === "!") return { why: "nothing stands behind the `!`", help: 'Write what is excluded, such as "!Read".' };
  const [escaped] = /\\[A-Za-z0-9]/.exec(glob) ?? [];
  if (escaped !== undefined) {
    return {
      why: `\`${escaped}\` stands for nothing in a glob, so this could never match`,
      help:
        kind === "path"
          ? "Between directories stands a slash."
          : "Use `*`, or a condition with `=~` for an expression.",
    };
  }
  if (kind === "path") return pathHabitOf(glob);
  if (/^\/.+\/[a-z]*$/.test(glob)) {
    return {
      why: "slashes around it make no expression of a glob, so this could never match",
      help: "Leave them out, or use a condition with `=~`.",
    };
  }
  const [expression] = kind === "name" ? (/(?:^|[^A-Za-z0-9])(\.[*+])/.exec(glob) ?? []) : [];
  if (expression === undefined) return undefined;
  return {
    why: "`.*` is an expression's: in a glob the dot is a dot, and no name has one there, so this could never match",
    help: `Write ${glob.replace(/\.[*+]/g, "*")}, or a condition with \`=~\` for an expression.`,
  };
}

function pathHabitOf(glob: string): Mistake | undefined {
  if (glob.endsWith("/"))
    return { why: "the path of a file does not end with a slash, so this could never match", help: `Write ${glob}**` };
  if (!glob.startsWith("~")) return undefined;
  return {
    why: "nobody puts a directory in the place of `~`, so this could never match",
    help: "Write the whole path, or begin with **/",
  };
}

/** What stands alone in braces. */
function loneList(bare: string): string | undefined {
  let rest = bare;
  for (;;) {
    const found = /\{([^{}]*)\}/.exec(rest);
    if (found === null) return undefined;
    const [whole, inside = ""] = found;
    if (!inside.includes(",") && !inside.includes("..")) return inside;
    rest = rest.replace(whole, "_");
  }
}

function excludesAll(glob: string, kind: Kind): boolean {
  if (!glob.startsWith("!") || glob.startsWith("!(")) return false;
  try {
    const matches = compileGlob(glob, kind === "path" ? "path" : "name");
    return !STRANGE.some(matches);
  } catch {
    // What does not compile has a mistake of its own.
    return false;
  }
}

/** A condition on the payload of an event, taken apart. */
export interface Condition {
  readonly path: string;
  readonly operator: string;
  readonly value: string;
  readonly event: string;
  readonly spec: EventSpec;
}

/** What keeps a condition from ever holding; nothing when it can. */
export function conditionMistake(condition: Condition): Mistake | undefined {
  const { path, operator, value, event, spec } = condition;
  const possible = path === "event" && event !== ANY_EVENT ? exactly(event) : possibleAt(spec, path.split("."));
  const where =
    path === "event" ? "Which event it is, the hook says itself." : `docs/events.md has the payload of ${event}.`;
  const never = (what: string, help = where): Mistake => ({
    why: `${path} ${what}, so this could never match`,
    help,
  });
  if (operator === "=~") {
    return possible !== undefined && !canMatch(value, possible) ? never(`is never like ${value}`) : undefined;
  }
  if (possible === undefined) return undefined;
  if (operator === "!=") return isAlways(value, possible) ? never(`is always ${value}`) : undefined;
  if (path === spec.subject && [...value].some((character) => !isOf(character, alphabetOf(spec)))) {
    const glob = globOf(value);
    return never(
      `is never ${JSON.stringify(value)}`,
      glob === undefined ? undefined : `\`==\` compares with the whole of it; a glob stands alone: ${glob}`,
    );
  }
  if (canEqual(value, possible)) return undefined;
  const written = jsonOf(value);
  const isAlmost = written !== undefined && possible.admits(written);
  return never(
    `is never ${JSON.stringify(value)}`,
    isAlmost ? `Write ${path} == ${JSON.stringify(written)}` : undefined,
  );
}

function exactly(text: string): Possible {
  return { texts: [text], isNumber: false, isOptional: false, admits: (value) => value === text };
}

function isAlways(text: string, { texts, isOptional }: Possible): boolean {
  return !isOptional && texts !== undefined && texts.every((possible) => possible === text);
}

// A text compares as it is, anything else as its JSON, and what is missing as the empty text.
function canEqual(text: string, { isOptional, admits }: Possible): boolean {
  if (admits(text) || (text === "" && isOptional)) return true;
  const value = jsonOf(text);
  return value !== undefined && JSON.stringify(value) === text && admits(value);
}

function canMatch(expression: string, { texts, isNumber, isOptional }: Possible): boolean {
  if (texts === undefined && !isNumber) return true;
  let matches: (text: string) => boolean;
  try {
    matches = compileRegex(expression);
  } catch {
    return true;
  }
  if (isOptional && matches("")) return true;
  if (texts !== undefined) return texts.some(matches);
  // Only what is certain: a plain word is in no number, whatever the number.
  const [, word] = /^\^?([\w ]+)\$?$/.exec(expression) ?? [];
  return word === undefined || !/[^0-9e]/.test(word);
}

/** Why an expression finds no match in any text. */
export function deadExpression(expression: string, path: string): Mistake {
  const operators = expression.replace(/\\.|\[\^?(?:\\.|[^\]])*\]/g, "");
  if (!/[$^]/.test(operators)) {
    return {
      why: `no ${path} has a match of it, so this could never match`,
      help: "Correct the expression; it need not be all of the text.",
    };
  }
  return {
    why: "nothing stands before the beginning or behind the end of a text, so this could never match",
    help: "Write \\^ and \\$ for the characters themselves.",
  };
}

function isOf(character: string, alphabet: Alphabet): boolean {
  const code = character.codePointAt(0) ?? 0;
  return code > 0x7f || alphabet(code);
}

/** The glob that was probably meant by what stands behind a `==`. */
function globOf(value: string): string | undefined {
  if (/^[\w*{},.:/@-]+$/.test(value)) return value;
  const names = value.split(/[\s,|]+/).filter((name) => !/^(?:or|and|)$/.test(name));
  return names.every((name) => /^[\w*-]+$/.test(name)) ? `{${names.join(",")}}` : undefined;
}

function jsonOf(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
