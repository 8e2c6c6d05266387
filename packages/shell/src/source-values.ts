import { withGlobs } from "./fields.js";
import { bounded, literal, type Piece, type Word, wordOf } from "./word.js";

/** A value as far as the text says: one word, or the words of a list. */
export interface Value {
  readonly word: Word;
  readonly list: readonly Word[] | null;
}

export const UNKNOWN: Piece = { kind: "unknown", source: "..." };
export const UNKNOWN_VALUE: Value = { word: wordOf([UNKNOWN]), list: null };

export function isUnknown({ word, list }: Value): boolean {
  return list === null && word.pieces.length === 1 && word.pieces[0]?.kind === "unknown";
}

export function listOf(values: readonly Value[]): Value {
  const words = values.map(({ word }) => word);
  return { word: wordOf([UNKNOWN]), list: words };
}

const HOME: Value = { word: wordOf([{ kind: "variable", name: "HOME", required: true }]), list: null };

/** What every program of a language knows of itself. */
const WELL_KNOWN: Readonly<Record<string, Value>> = {
  "Dir.home": HOME,
  "Dir.tmpdir": variableValue("TMPDIR"),
  "sys.executable": { word: literal("python3"), list: null },
  "process.execPath": { word: literal("node"), list: null },
};

/** A directory that was just made, among those for temporary files. */
const TEMPORARY: Value = {
  word: wordOf([...variableValue("TMPDIR").word.pieces, { kind: "text", text: "/made" }]),
  list: null,
};

function variableValue(name: string): Value {
  return { word: wordOf([{ kind: "variable", name, required: name === "HOME" }]), list: null };
}

/** `process.env.HOME`. */
export function environmentOf(name: string): Value | null {
  const variable = /^process\.env\.(\w+)$/.exec(name)?.[1];
  if (variable === undefined) return Object.hasOwn(WELL_KNOWN, name) ? (WELL_KNOWN[name] ?? null) : null;
  return variableValue(variable);
}

/** `os.environ["HOME"]`, and Ruby's `Dir["*.o"]`. */
export function indexed(name: string, key: string): Value | null {
  if (/(^|\.)(environ|ENV|env)$/.test(name)) return variableValue(key);
  return name === "Dir" ? { word: wordOf(withGlobs(key)), list: null } : null;
}

/** What a function that lists files gives, as a pattern: `glob("*.o")`, `os.walk("/x")`, `Path("x").rglob("*")`. */
export function listing(name: string, first: Value | null, receiver: Value | null): Value | null {
  const last = name.slice(Math.max(name.lastIndexOf("."), name.lastIndexOf(":"), name.lastIndexOf(">")) + 1);
  const of = (base: Word, pattern: string): Value => ({
    word: bounded([...base.pieces, { kind: "text", text: "/" }, { kind: "glob", text: pattern }]),
    list: null,
  });
  const path = receiver ?? first;
  switch (last) {
    case "glob":
    case "iglob":
    case "globSync":
    case "bsd_glob":
    case "rglob": {
      const isMethod = receiver !== null && !isUnknown(receiver);
      const pattern = first?.word.text ?? "*";
      if (isMethod) return of(receiver.word, last === "rglob" ? "**" : pattern);
      return first?.word.text == null ? null : { word: wordOf(withGlobs(pattern)), list: null };
    }
    case "walk":
    case "fwalk":
    case "walkSync":
      return path === null || isUnknown(path) ? null : of(path.word, "**");
    case "listdir":
    case "scandir":
    case "iterdir":
    case "children":
    case "entries":
    case "readdirSync":
    case "readdir":
      return path === null || isUnknown(path) ? null : of(path.word, "*");
    default:
      return null;
  }
}

/** Functions that only make a text of a text: they are how a program hides what it runs. */
export function construct(name: string, values: readonly Value[], receiver: Value | null): Value | null {
  const last = name.slice(Math.max(name.lastIndexOf("."), name.lastIndexOf(":"), name.lastIndexOf(">")) + 1);
  const [first, second] = values;
  const given = first?.word.text ?? null;
  const own = receiver?.word.text ?? null;
  switch (last) {
    case "home":
    case "homedir":
      return values.length === 0 ? HOME : null;
    case "get":
    case "fetch":
      return given !== null && /(^|\.)(environ|ENV|env)\.(get|fetch)$/.test(name) ? variableValue(given) : null;
    case "mkdtemp":
    case "mkdtempSync":
    case "mktmpdir":
    case "tempdir":
      return TEMPORARY;
    case "gettempdir":
    case "tmpdir":
      return variableValue("TMPDIR");
    case "getenv":
      return given === null ? null : variableValue(given);
    case "expanduser":
    case "expand_path": {
      const path = first ?? receiver;
      return path?.word.text == null || !/^~(\/|$)/.test(path.word.text)
        ? (path ?? null)
        : { word: wordOf([...HOME.word.pieces, { kind: "text", text: path.word.text.slice(1) }]), list: null };
    }
    case "b64decode":
    case "urlsafe_b64decode":
    case "decode64":
    case "strict_decode64":
    case "decode_base64":
    case "base64_decode":
    case "atob":
      return textValue(given === null ? null : decode(given, "base64"));
    case "fromhex":
    case "unhexlify":
    case "hex2bin":
      return textValue(given === null ? null : decode(given, "hex"));
    case "from":
      return given !== null && /^(base64|hex)$/.test(second?.word.text ?? "")
        ? textValue(decode(given, second?.word.text === "hex" ? "hex" : "base64"))
        : null;
    case "chr":
    case "fromCharCode": {
      const codes = values.map(({ word }) => Number(word.text ?? Number.NaN));
      return codes.some((code) => !(code >= 0 && code < 0x10000))
        ? UNKNOWN_VALUE
        : textValue(String.fromCharCode(...codes));
    }
    case "decode":
    case "toString":
    case "strip":
    case "trim":
    case "encode":
    case "to_s":
      return receiver;
    case "format":
    case "sprintf":
      return receiver !== null
        ? formatted(receiver, values)
        : first === undefined
          ? null
          : formatted(first, values.slice(1));
    case "lower":
    case "toLowerCase":
    case "downcase":
      return own === null ? receiver : textValue(own.toLowerCase());
    case "replace":
    case "replaceAll":
      return own === null || given === null || second?.word.text == null
        ? null
        : textValue(own.split(given).join(second.word.text));
    case "split":
      return own === null ? null : { word: wordOf([UNKNOWN]), list: own.split(given ?? /\s+/).map(literal) };
    case "implode":
    case "join": {
      // Perl and PHP: what stands between comes first.
      if (receiver === null && given !== null && (name === "join" || name === "implode"))
        return joinWords(second?.list ?? values.slice(1).map(({ word }) => word), given);
      const words = receiver?.list ?? first?.list ?? null;
      if (words === null)
        return values.length > 1
          ? joinWords(
              values.map(({ word }) => word),
              "/",
            )
          : null;
      return joinWords(words, (receiver?.list === null || receiver === null ? own : given) ?? ",");
    }
    default:
      return null;
  }
}

/** A template with values in the place of its `%s`, `{}` and `{0}`. */
export function formatted(template: Value, values: readonly Value[]): Value {
  const text = template.word.text;
  if (text === null) return template;
  let next = 0;
  const pieces = text.split(/(%[-+0-9.]*[sdrifxq]|%%|\{\d*(?::[^}]*)?\})/).flatMap((part, index): readonly Piece[] => {
    if (index % 2 === 0) return literal(part).pieces;
    if (part === "%%") return literal("%").pieces;
    const place = /^\{(\d+)/.exec(part)?.[1];
    return (place === undefined ? values[next++] : values[Number(place)])?.word.pieces ?? [UNKNOWN];
  });
  return { word: bounded(pieces), list: null };
}

function joinWords(words: readonly Word[], by: string): Value {
  const pieces = words.flatMap((word, index): readonly Piece[] =>
    index === 0 ? word.pieces : [{ kind: "text", text: by }, ...word.pieces],
  );
  return { word: bounded(pieces), list: null };
}

function textValue(text: string | null): Value {
  return text === null ? UNKNOWN_VALUE : { word: literal(text), list: null };
}

function decode(text: string, as: "base64" | "hex"): string | null {
  try {
    if (as === "base64") return atob(text.replace(/\s+/g, "").replaceAll("-", "+").replaceAll("_", "/"));
    return text
      .replace(/\s+/g, "")
      .replace(/[0-9a-fA-F]{2}/g, (byte) => String.fromCharCode(Number.parseInt(byte, 16)));
  } catch {
    return null;
  }
}
