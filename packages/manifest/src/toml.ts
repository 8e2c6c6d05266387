import TOML from "@iarna/toml";
import type { AST } from "toml-eslint-parser";

export type TomlTable = { [key: string]: unknown };

/** The syntax tree of a document, with the place of everything in it. */
export type TomlTree = AST.TOMLProgram;

/** A document that is not TOML, and where. Line and column count from 1. */
export class TomlError extends Error {
  override readonly name = "TomlError";

  constructor(
    message: string,
    readonly line: number,
    readonly column: number,
  ) {
    super(message);
  }
}

/**
 * Parses TOML 1.0. @iarna/toml does the work; where it is known to differ from the specification, or where a key could
 * reach what every object inherits, a second parser does. Dates are left as they are: no key of a manifest takes one.
 */
export async function parseToml(text: string): Promise<TomlTable> {
  refuseBareReturns(text);
  const first = mayDiffer(text) ? undefined : parseFast(text);
  if (first !== undefined && "value" in first) return bounded(first.value);
  return bounded(toTable((await parseTree(text, first?.error)).body[0]));
}

function parseFast(text: string): { readonly value: TomlTable } | { readonly error: TomlError } {
  try {
    return { value: TOML.parse(text) as TomlTable };
  } catch (error) {
    const { line = 0, col = 0, message = "" } = error as { line?: number; col?: number; message?: string };
    // It counts the line break it stumbled over as one more column.
    const column = Math.min(col, text.split("\n")[line]?.length ?? 0) + 1;
    return { error: new TomlError(message.split(/ at row /)[0] ?? "", line + 1, column) };
  }
}

/** The syntax tree of a document, with positions; throws a TomlError, or the one given when that is the earlier one. */
export async function parseTree(text: string, other?: TomlError): Promise<AST.TOMLProgram> {
  const { ParseError, parseTOML } = await import("toml-eslint-parser");
  try {
    return parseTOML(text, { tomlVersion: "1.0.0" });
  } catch (error) {
    if (error instanceof RangeError) throw tooDeep();
    if (!(error instanceof ParseError)) throw other ?? error;
    const own = new TomlError(error.message, error.lineNumber, error.column + 1);
    // Each of the two sees some mistakes where they are made and others only later. The first place is the better one,
    // but for a line break in an inline table, which the other one takes for the end of a list.
    const isBreak = own.message.startsWith("No newlines");
    const isEarlier =
      other !== undefined && (other.line < own.line || (other.line === own.line && other.column < own.column));
    throw isEarlier && !isBreak ? other : own;
  }
}

const INHERITED = Object.getOwnPropertyNames(Object.prototype);

/**
 * @iarna/toml extends tables through dotted keys that TOML 1.0 closes, takes days and hours no calendar has, and follows
 * a key called `constructor` to the real one. Such a key stands in the text, or is written with an escape.
 */
function mayDiffer(text: string): boolean {
  return (
    /^[^\n#=[.]*\.[^\n#=]*=/m.test(text) ||
    /\d{4}-\d{2}|\d{2}:\d{2}/.test(text) ||
    /\\[uU]/.test(text) ||
    INHERITED.some((name) => text.includes(name))
  );
}

const MAX_DEPTH = 100;

function bounded(table: TomlTable): TomlTable {
  const isDeeper = (value: unknown, room: number): boolean => {
    if (typeof value !== "object" || value === null) return false;
    return room === 0 || Object.values(value).some((item) => isDeeper(item, room - 1));
  };
  if (isDeeper(table, MAX_DEPTH)) throw tooDeep();
  return table;
}

function tooDeep(): TomlError {
  return new TomlError(`nested more than ${MAX_DEPTH} levels deep`, 1, 1);
}

function refuseBareReturns(text: string): void {
  const at = text.indexOf("\r");
  if (at === -1) return;
  const before = text.slice(0, at).split("\n");
  throw new TomlError("a carriage return stands alone", before.length, (before.at(-1)?.length ?? 0) + 1);
}

/** The value of a syntax tree; no key is special. */
function toTable(table: AST.TOMLTopLevelTable): TomlTable {
  const root: TomlTable = Object.create(null);
  for (const node of table.body) {
    if (node.type === "TOMLKeyValue") assign(root, keysOf(node.key), toValue(node.value));
    else {
      const home = descend(root, node.resolvedKey);
      for (const pair of node.body) assign(home, keysOf(pair.key), toValue(pair.value));
    }
  }
  return root;
}

function toValue(node: AST.TOMLContentNode): unknown {
  if (node.type === "TOMLArray") return node.elements.map(toValue);
  if (node.type === "TOMLInlineTable") {
    const table: TomlTable = Object.create(null);
    for (const pair of node.body) assign(table, keysOf(pair.key), toValue(pair.value));
    return table;
  }
  if (node.kind === "integer" && !Number.isSafeInteger(node.value)) return node.bigint;
  return node.value;
}

/** The parts of a key, unquoted. */
export function keysOf(key: AST.TOMLKey): string[] {
  return key.keys.map((part) => (part.type === "TOMLBare" ? part.name : part.value));
}

function assign(table: TomlTable, keys: readonly string[], value: unknown): void {
  const last = keys.at(-1);
  if (last !== undefined) descend(table, keys.slice(0, -1))[last] = value;
}

function descend(root: TomlTable, path: readonly (string | number)[]): TomlTable {
  let here = root;
  for (const [index, key] of path.entries()) {
    here[key] ??= typeof path[index + 1] === "number" ? [] : Object.create(null);
    here = here[key] as TomlTable;
  }
  return here;
}
