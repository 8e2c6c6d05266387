import TOML from "@iarna/toml";
import type { AST } from "toml-eslint-parser";

export type TomlTable = { [key: string]: unknown };

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
 * Parses TOML 1.0. @iarna/toml does the work; where it is known to differ from the specification, a second parser
 * with positions decides. Dates are left as they are: no key of a manifest takes one.
 */
export async function parseToml(text: string): Promise<TomlTable> {
  refuseBareReturns(text);
  let parsed: TomlTable | undefined;
  let failure: unknown;
  try {
    parsed = TOML.parse(text) as TomlTable;
  } catch (error) {
    failure = error;
  }
  if (parsed !== undefined && !mayDiffer(text)) return parsed;
  const program = await parseTree(text, failure);
  return parsed ?? toTable(program.body[0]);
}

/** The syntax tree of a document, with positions; throws a TomlError. */
export async function parseTree(text: string, firstFailure?: unknown): Promise<AST.TOMLProgram> {
  const { ParseError, parseTOML } = await import("toml-eslint-parser");
  try {
    return parseTOML(text, { tomlVersion: "1.0.0" });
  } catch (error) {
    if (error instanceof ParseError) throw new TomlError(error.message, error.lineNumber, error.column + 1);
    if (error instanceof RangeError) throw new TomlError("nested too deeply", 1, 1);
    throw positioned(firstFailure ?? error);
  }
}

// @iarna/toml extends tables through dotted keys that TOML 1.0 closes, and takes days and hours no calendar has.
function mayDiffer(text: string): boolean {
  return /^[^\n#=[]*\.[^\n#=]*=/m.test(text) || /\d{4}-\d{2}|\d{2}:\d{2}/.test(text);
}

function refuseBareReturns(text: string): void {
  const at = text.indexOf("\r");
  if (at === -1) return;
  const before = text.slice(0, at).split("\n");
  throw new TomlError("a carriage return without a line feed", before.length, (before.at(-1)?.length ?? 0) + 1);
}

function positioned(error: unknown): Error {
  const { line, col, message } = error as { line?: number; col?: number; message?: string };
  if (line === undefined || col === undefined) return error as Error;
  return new TomlError(String(message).split(/ at row /)[0] ?? "invalid TOML", line + 1, col + 1);
}

/** The value of a syntax tree, for the few documents @iarna/toml wrongly refuses; keys are never special. */
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
