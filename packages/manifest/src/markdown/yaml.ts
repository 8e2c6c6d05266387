import {
  type Document,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type ParsedNode,
  parseDocument,
  type Scalar,
  type YAMLMap,
} from "yaml";
import type { Path } from "../document.js";
import type { Located, Spot } from "../report.js";

export type YamlMistake = { readonly message: string; readonly spot: Spot };

/** A YAML document whose values know where they stand. Its value is data only: no key is special, no tag makes an object. */
export interface YamlDocument extends Located {
  readonly value: unknown;
  readonly mistakes: readonly YamlMistake[];
  /** Where the lines of a text stand in the file, when it is written as a literal block, the one form that keeps them. */
  blockAt(path: Path): { readonly line: number; readonly indent: number } | undefined;
}

/** Parses YAML 1.2. Every mistake is collected; with any, `value` is what could be read. */
export function parseYaml(text: string): YamlDocument {
  const counter = new LineCounter();
  const lines = text.split("\n");
  const spotOf = (start: number, end: number): Spot => {
    const { line, col } = counter.linePos(start);
    const last = (lines[line - 1] ?? "").trimEnd().length;
    // What covers several lines is shown on its first.
    return { line, column: col, length: Math.max(1, Math.min(end - start, last - col + 1)) };
  };
  let document: Document.Parsed;
  try {
    document = parseDocument(text, { lineCounter: counter, prettyErrors: false, logLevel: "error" });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return unreadable("nested too deeply");
  }
  const mistakes: YamlMistake[] = [...document.errors, ...document.warnings].map(({ message, pos: [start, end] }) => ({
    message: message.split("\n")[0] ?? message,
    spot: spotOf(start, end),
  }));
  const reader = new Reader(document);
  let value: unknown;
  try {
    value = reader.read(document.contents, 0);
  } catch (error) {
    if (!(error instanceof TooMuch)) throw error;
    if (mistakes.length === 0) mistakes.push({ message: error.message, spot: { line: 1, column: 1, length: 1 } });
  }
  return {
    value,
    mistakes,
    locate(path, atKey = false) {
      const range = find(document, path, atKey);
      return range === undefined ? { line: 1, column: 1, length: 1 } : spotOf(range[0], range[1]);
    },
    blockAt(path) {
      const node = document.getIn(path, true) as Scalar | undefined;
      if (!isScalar(node) || node.type !== "BLOCK_LITERAL" || !node.range) return undefined;
      const header = counter.linePos(node.range[0]).line;
      const content = String(node.value).split("\n");
      const at = content.findIndex((line) => line.trim() !== "");
      const [written = "", read = ""] = [lines[header + at], content[at]];
      return { line: header + 1, indent: at === -1 ? 0 : widthOf(written) - widthOf(read) };
    },
  };
}

function unreadable(message: string): YamlDocument {
  const spot = { line: 1, column: 1, length: 1 };
  return { value: undefined, mistakes: [{ message, spot }], locate: () => spot, blockAt: () => undefined };
}

function widthOf(line: string): number {
  return line.length - line.trimStart().length;
}

class TooMuch extends Error {}

const MAX_NODES = 100_000;
const MAX_DEPTH = 100;

/** Turns nodes into plain values; aliases count each time they are used, so that ten lines cannot become ten million. */
class Reader {
  private nodes = 0;

  constructor(private readonly document: Document.Parsed) {}

  read(node: unknown, depth: number): unknown {
    if (++this.nodes > MAX_NODES) throw new TooMuch("too large once its aliases are filled in");
    if (depth > MAX_DEPTH) throw new TooMuch("nested too deeply");
    if (isAlias(node)) return this.read(node.resolve(this.document), depth + 1);
    if (isScalar(node)) return node.value;
    if (isSeq(node)) return node.items.map((item) => this.read(item, depth + 1));
    if (!isMap(node)) return null;
    const table: Record<string, unknown> = Object.create(null);
    for (const { key, value } of node.items) table[keyText(key)] = this.read(value, depth + 1);
    return table;
  }
}

function keyText(key: unknown): string {
  return isScalar(key) ? String(key.value) : String(key);
}

/** The part of the text a path leads to: of the last step that is there. */
function find(document: Document.Parsed, path: Path, atKey: boolean): readonly [number, number] | undefined {
  let found: readonly [number, number] | undefined;
  let node: unknown = document.contents;
  for (const [depth, step] of path.entries()) {
    const isLast = depth === path.length - 1;
    if (isSeq(node) && typeof step === "number") {
      node = node.items[step];
      found = rangeOf(node) ?? found;
    } else if (isMap(node)) {
      const pair = (node as YAMLMap<unknown, unknown>).items.find((item) => isPair(item) && keyText(item.key) === step);
      if (pair === undefined) return found;
      node = pair.value;
      const key = rangeOf(pair.key);
      found = (isLast && !atKey ? rangeOf(node) : undefined) ?? key ?? found;
    } else return found;
  }
  return found;
}

function rangeOf(node: unknown): readonly [number, number] | undefined {
  const range = (node as ParsedNode | null | undefined)?.range;
  // A value that was left out stands nowhere.
  return range && range[1] > range[0] ? [range[0], range[1]] : undefined;
}
