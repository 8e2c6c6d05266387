import type { AST } from "toml-eslint-parser";
import type { Place, Problem, ProblemCode } from "./problem.js";
import { readText } from "./text-file.js";
import { keysOf, parseToml, parseTree, TomlError, type TomlTable } from "./toml.js";
import { describeSyntax } from "./toml-mistakes.js";

/** A path of keys and indices into a document. */
export type Path = readonly (string | number)[];

/** A problem before it has a place: which value or key of the document it is about. */
export interface Finding {
  readonly code: ProblemCode;
  readonly message: string;
  readonly path: Path;
  /** Points at the key and not at its value. */
  readonly atKey?: boolean;
  readonly severity?: Problem["severity"];
  readonly hint?: string | undefined;
  readonly help?: string | undefined;
}

/** A manifest as it was read. */
export interface Document {
  /** Its name in messages. */
  readonly file: string;
  readonly text: string;
  readonly value: TomlTable;
}

/** The document, or the problem that keeps it from being one. */
export type Read = { readonly document: Document } | { readonly problem: Problem; readonly text: string };

/** Reads a TOML file. `name` is what messages call it. */
export async function readDocument(path: string, name: string): Promise<Read> {
  const read = await readText(path, name, "HARN_E_MANIFEST_READ");
  if ("problem" in read) return read;
  const { text } = read;
  try {
    return { document: { file: name, text, value: await parseToml(text) } };
  } catch (error) {
    return { problem: tomlProblem(error, name, text), text };
  }
}

function tomlProblem(error: unknown, file: string, text: string): Problem {
  if (!(error instanceof TomlError)) throw error;
  const { line, column } = error;
  const { message, help } = describeSyntax(error.message, text.split("\n")[line - 1] ?? "", column);
  return { code: "HARN_E_TOML", severity: "error", message, place: { file, line, column, length: 1 }, help };
}

/** Gives findings their places, in the order of the file. The tree is built only now, when something is wrong. */
export async function placeFindings(findings: readonly Finding[], document: Document): Promise<Problem[]> {
  if (findings.length === 0) return [];
  let locate: Locate;
  try {
    locate = await placesOf(document);
  } catch (error) {
    // The stricter of the two parsers has the last word on whether this is TOML at all.
    return [tomlProblem(error, document.file, document.text)];
  }
  const problems = findings.map(({ code, message, severity = "error", path, atKey = false, hint, help }): Problem => {
    const place = locate(path, atKey);
    return {
      code,
      severity,
      message,
      place,
      ...(hint === undefined ? {} : { hint }),
      ...(help === undefined ? {} : { help }),
    };
  });
  return problems.sort((a, b) => a.place.line - b.place.line || a.place.column - b.place.column);
}

/** Finds the place of a path, or of what is nearest around it; `atKey` points at the key and not at its value. */
export type Locate = (path: Path, atKey?: boolean) => Place;

/** Where everything in a document is. Builds the tree, so it is for those who show places to a person. */
export async function placesOf(document: Pick<Document, "file" | "text">): Promise<Locate> {
  return locator(await parseTree(document.text), document);
}

interface Located {
  readonly key: AST.SourceLocation;
  readonly value: AST.SourceLocation;
}

function locator(program: AST.TOMLProgram, document: Pick<Document, "file" | "text">): Locate {
  const lines = document.text.split("\n");
  const located = new Map<string, Located>();
  const note = (path: Path, key: AST.HasLocs, value: AST.HasLocs) => {
    const id = JSON.stringify(path);
    if (!located.has(id)) located.set(id, { key: key.loc, value: value.loc });
  };
  const visitPair = (home: Path, pair: AST.TOMLKeyValue) => {
    const keys = keysOf(pair.key);
    const path = [...home, ...keys];
    note(path, pair.key, pair.value);
    // `a.b = 1` is also where `a` is.
    for (const [index, part] of pair.key.keys.entries()) note([...home, ...keys.slice(0, index + 1)], part, part);
    visitValue(path, pair.value);
  };
  const visitValue = (path: Path, node: AST.TOMLContentNode) => {
    if (node.type === "TOMLInlineTable") for (const pair of node.body) visitPair(path, pair);
    if (node.type !== "TOMLArray") return;
    for (const [index, element] of node.elements.entries()) {
      note([...path, index], element, element);
      visitValue([...path, index], element);
    }
  };
  for (const node of program.body[0].body) {
    if (node.type === "TOMLKeyValue") visitPair([], node);
    else {
      // `[[hooks]]` is also where `hooks` itself is.
      for (let length = node.resolvedKey.length; length > 0; length--) {
        note(node.resolvedKey.slice(0, length), node.key, node.key);
      }
      for (const pair of node.body) visitPair(node.resolvedKey, pair);
    }
  }
  return (path, atKey = false) => {
    // What is missing is shown at the nearest thing around it that is there.
    for (let length = path.length; length > 0; length--) {
      const found = located.get(JSON.stringify(path.slice(0, length)));
      if (found === undefined) continue;
      return placeOf(atKey || length < path.length ? found.key : found.value, document.file, lines);
    }
    return { file: document.file, line: 1, column: 1, length: 1 };
  };
}

function placeOf({ start, end }: AST.SourceLocation, file: string, lines: readonly string[]): Place {
  const lastColumn = start.line === end.line ? end.column : (lines[start.line - 1] ?? "").length;
  return { file, line: start.line, column: start.column + 1, length: Math.max(1, lastColumn - start.column) };
}
