/** A mistake in the syntax, in words for whoever wrote the file. */
export interface SyntaxMistake {
  readonly message: string;
  readonly help: string;
}

type Row = readonly [parsers: RegExp, message: string, help: string];

// What the two parsers call each mistake, what it is, and what to do.
const ROWS: readonly Row[] = [
  [
    /^Unterminated (?:multi-line )?string/,
    "a text is not closed",
    'close it with the quote it begins with; a text of several lines stands between """ and """',
  ],
  [/^Unterminated (?:inline )?array/, "a list is not closed", "close it with ]"],
  [/^Unterminated inline table/, "an inline table is not closed", "close it with }"],
  [
    /^Unterminated table-key|expected whitespace, \. or \]/,
    "the header of a table is not closed",
    "write [policy], or [[hooks]] for a hook",
  ],
  [/^Empty bare keys|^Unspecified key/, "a key is missing", "write key = value"],
  [
    /^Must be a newline|till end of line$/,
    "there is more on this line than belongs there",
    "begin a new line, or take it out",
  ],
  [/^Expected equal|expected "="$|^Key (?:ended )?without value/, "a key has no value", "write key = value"],
  [/^Expected comma/, "a comma is missing", "put , between the two"],
  [
    /^Defining a key multiple times|redefine|^Can't extend/,
    "this key or table is there already",
    "take one of the two out, or rename it",
  ],
  [
    /^Unspecified values|expecting string, number/,
    "a value is missing",
    'write a "text", a number, true, false, a [list] or a { table = 1 }',
  ],
  [/^Control characters/, "a control character", "take it out; in a text it is written as an escape, such as \\u0000"],
  [
    /escape (?:sequence|character)|unicode/,
    "no escape begins like this",
    "write \\\\ for a backslash, or put the text in single quotes, where it means itself",
  ],
  [
    /^No newlines are allowed between/,
    "an inline table stands on one line",
    "write it on one line, or as a table of its own, such as [hooks.options]",
  ],
  [/must be on the same line$/, "key, = and value stand on one line", "write them on one line"],
  [/^nested more than/, "nested more than 100 levels deep", "nest less: no key of a manifest needs it"],
  [/^a carriage return/, "a carriage return stands alone", "save the file with line feeds, or with both"],
  [/^Leading zeros/, "a number with a leading zero", "take the zero out, or write it as a text in quotes"],
  [/^Underscores/, "an underscore that is not between digits", "take it out"],
  [/^Three or more quotes/, "three quotes in a row end a text", 'escape one of them: \\"'],
  [/^Invalid code point/, "no character has this number", "write the number of one, or the character itself"],
  [/^Trailing comma/, "a comma with nothing behind it", "take it out: an inline table ends without one"],
  [
    /invalid (?:date|time)|datetime|\b(?:year|Years|Months|Days|Hours|time|milliseconds)\b/,
    "no date or time looks like this",
    "write it as a text in quotes",
  ],
  [/number$|expected digit$/, "no number looks like this", "correct the number, or write it as a text in quotes"],
  [/dots? (?:are not|.*in keys)|with a dot$/, "a dot in a key stands between two names", "take the dot out"],
];

// Held against the end of what may be a very long line.
const KEY = /([^\s={,[]{1,80})\s{0,20}=\s{0,20}$/;
const NEAR = 200;
const LONGEST_SHOWN = 80;

/** Says what is wrong at a place of a text that is not TOML, from what a parser says of it. */
export function describeSyntax(reported: string, line: string, column: number): SyntaxMistake {
  if (/^\s*\[+\s*hooks\s*\]/.test(line) && /multiple times|redefine|extend/.test(reported)) {
    return {
      message: '"hooks" is there already, as something else',
      help: "write [[hooks]], with two brackets, for each hook",
    };
  }
  const found = ROWS.find(([parsers]) => parsers.test(reported));
  const [character = ""] = line.slice(column - 1);
  const [, key] = KEY.exec(line.slice(Math.max(0, column - 1 - NEAR), column - 1)) ?? [];
  if (key !== undefined && /[\p{L}@./_~*-]/u.test(character)) return unquoted(key, line, column);
  if (found !== undefined) return { message: found[1], help: found[2] };
  if (character === "") return { message: "the line ends too early", help: "complete it" };
  if (/^Unexpected|^Unknown character/.test(reported)) {
    return {
      message: `${JSON.stringify(character)} is not expected here`,
      help: "take it out; a text stands in quotes",
    };
  }
  return { message: reported, help: "correct it" };
}

function unquoted(key: string, line: string, column: number): SyntaxMistake {
  const rest = line.slice(column - 1);
  const [value = ""] = rest.split(line.lastIndexOf("{", column) === -1 ? /#/ : /[,}#]/, 1).map((text) => text.trim());
  if (/^(?:true|false)$/i.test(value)) {
    return { message: "true and false are written in small letters", help: `write ${key} = ${value.toLowerCase()}` };
  }
  const isShort = value.length <= LONGEST_SHOWN;
  const help = isShort ? `write ${key} = ${JSON.stringify(value.replace(/"$/, ""))}` : "put it in quotes";
  return { message: "a text stands without quotes", help };
}
