import { literal, type Piece, type Word, wordOf } from "@hooks/shell";

const VARIABLE = /\$(?:env:)?(\w+)|\$\{(?:env:)?([\w()]+)\}|%(\w+)%/gi;

/** A text with its variables as pieces. */
export function expanded(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let last = 0;
  for (const found of text.matchAll(VARIABLE)) {
    if (found.index > last) pieces.push({ kind: "text", text: text.slice(last, found.index) });
    const name = (found[1] ?? found[2] ?? found[3] ?? "").toUpperCase();
    pieces.push({ kind: "variable", name, required: name === "HOME" || name === "USERPROFILE" });
    last = found.index + found[0].length;
  }
  if (last < text.length) pieces.push({ kind: "text", text: text.slice(last) });
  return pieces;
}

/** A word as the rules know words: slashes forward, `~` and variables as pieces, stars as patterns. */
export function expandWord(word: Word): Word[] {
  if (word.text === null) return [word];
  const pieces = expanded(
    word.text.replace(/%HOMEDRIVE%%HOMEPATH%|\$env:HOMEDRIVE\$env:HOMEPATH/i, "%USERPROFILE%"),
  ).flatMap((piece): Piece[] => {
    if (piece.kind !== "text") return [WELL_KNOWN[piece.kind === "variable" ? piece.name : ""] ?? piece];
    const text = piece.text.replaceAll("\\", "/");
    return text
      .split(/([*?]+)/)
      .flatMap((part, index): Piece[] =>
        part === "" ? [] : [{ kind: index % 2 === 1 ? "glob" : "text", text: part }],
      );
  });
  const [first] = pieces;
  if (first?.kind === "text" && /^~(\/|$)/.test(first.text)) {
    const rest = first.text.slice(1);
    return [wordOf([HOME, ...(rest === "" ? [] : [{ kind: "text" as const, text: rest }]), ...pieces.slice(1)])];
  }
  return [wordOf(pieces)];
}

const HOME: Piece = { kind: "variable", name: "HOME", required: true };
const WELL_KNOWN: Readonly<Record<string, Piece>> = {
  USERPROFILE: HOME,
  HOMEPATH: HOME,
  HOMEDRIVE: { kind: "text", text: "C:" },
  SYSTEMDRIVE: { kind: "text", text: "C:" },
  SYSTEMROOT: { kind: "text", text: "C:/Windows" },
  WINDIR: { kind: "text", text: "C:/Windows" },
  PROGRAMFILES: { kind: "text", text: "C:/Program Files" },
  PROGRAMDATA: { kind: "text", text: "C:/ProgramData" },
};

/** Variables of Windows in a word that a POSIX shell read: `%USERPROFILE%`, `$env:SystemDrive`. */
export function windowsVariables(word: Word): Word {
  const [first, second, ...rest] = word.pieces;
  if (first?.kind === "text" && first.text.startsWith("%") && word.text !== null) return expandWord(word)[0] ?? word;
  if (first?.kind !== "variable" || first.name !== "env" || second?.kind !== "text") return word;
  const name = /^:(\w+)/.exec(second.text);
  if (name === null) return word;
  const [value] = expandWord(literal(`%${name[1]}%${second.text.slice(name[0].length)}`));
  return wordOf([...(value?.pieces ?? []), ...rest]);
}
