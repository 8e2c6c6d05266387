import { literal, type Piece, type Word, wordOf } from "@hooks/shell";

/** What a Windows script has set so far, by name in capitals; a loop's variable has every value it takes. */
export type Values = Map<string, readonly Word[]>;

const VARIABLE =
  /\$(?:(?:env|global|script|local|private):)?(\w+)(?:\.(?:FullName|Name|Path|PSPath))?|\$\{(?:env:)?([\w()]+)\}|%(\w+)%|!(\w+)!|(%%?~?\w+)\b/gi;
const NO_VALUES: Values = new Map();

/** A text with its variables as pieces, one word for each way they may go. */
export function expanded(text: string, values: Values = NO_VALUES): Piece[][] {
  let ways: Piece[][] = [[]];
  let last = 0;
  const add = (pieces: readonly Piece[]) => {
    for (const way of ways) way.push(...pieces);
  };
  for (const found of text.matchAll(VARIABLE)) {
    const [whole, plain, braced, percent, delayed, loop] = found;
    const name = (plain ?? braced ?? percent ?? delayed ?? loop?.replace(/^%%?~?/, "%") ?? "").toUpperCase();
    const known = values.get(name);
    // A percent sign without a loop around it, and an exclamation mark, are what they are.
    if (known === undefined && (loop !== undefined || delayed !== undefined)) continue;
    if (found.index > last) add(literal(text.slice(last, found.index)).pieces);
    if (known === undefined) add([{ kind: "variable", name, required: name === "HOME" || name === "USERPROFILE" }]);
    else ways = known.flatMap((word) => ways.map((way) => [...way, ...word.pieces])).slice(0, MOST_WAYS);
    last = found.index + whole.length;
  }
  if (last < text.length) add([{ kind: "text", text: text.slice(last) }]);
  return ways;
}

const MOST_WAYS = 16;

/** A word as the rules know words: slashes forward, `~` and variables as pieces, stars as patterns. */
export function normalised({ pieces: given }: Word): Word {
  const pieces = given.flatMap((piece): Piece[] => {
    if (piece.kind === "variable")
      return [Object.hasOwn(WELL_KNOWN, piece.name) ? (WELL_KNOWN[piece.name] as Piece) : piece];
    if (piece.kind !== "text") return [piece];
    return piece.text
      .replaceAll("\\", "/")
      .split(/([*?]+)/)
      .flatMap((part, index): Piece[] =>
        part === "" ? [] : [{ kind: index % 2 === 1 ? "glob" : "text", text: part }],
      );
  });
  const [first, second] = pieces;
  // `%HOMEDRIVE%%HOMEPATH%` says in two what one variable says.
  if (first?.kind === "text" && first.text === "C:" && second === HOME) return wordOf(pieces.slice(1));
  if (first?.kind === "text" && /^~(\/|$)/.test(first.text)) {
    const rest = first.text.slice(1);
    return wordOf([HOME, ...(rest === "" ? [] : [{ kind: "text" as const, text: rest }]), ...pieces.slice(1)]);
  }
  return wordOf(pieces);
}

const HOME: Piece = { kind: "variable", name: "HOME", required: true };
const WELL_KNOWN: Readonly<Record<string, Piece>> = {
  HOME,
  USERPROFILE: HOME,
  HOMEPATH: HOME,
  HOMEDRIVE: { kind: "text", text: "C:" },
  SYSTEMDRIVE: { kind: "text", text: "C:" },
  SYSTEMROOT: { kind: "text", text: "C:/Windows" },
  WINDIR: { kind: "text", text: "C:/Windows" },
  PROGRAMFILES: { kind: "text", text: "C:/Program Files" },
  PROGRAMDATA: { kind: "text", text: "C:/ProgramData" },
  COMSPEC: { kind: "text", text: "cmd" },
};

/** Variables of Windows in a word that a POSIX shell read: `%USERPROFILE%`, `$env:SystemDrive`. */
export function windowsVariables(word: Word): Word {
  const [first, second, ...rest] = word.pieces;
  if (first?.kind === "text" && first.text.startsWith("%") && word.text !== null)
    return normalised(wordOf(expanded(word.text)[0] ?? []));
  if (first?.kind !== "variable" || first.name !== "env" || second?.kind !== "text") return word;
  const name = /^:(\w+)/.exec(second.text);
  if (name === null) return word;
  const value = normalised(wordOf(expanded(`%${name[1]}%${second.text.slice(name[0].length)}`)[0] ?? []));
  return wordOf([...value.pieces, ...rest]);
}
