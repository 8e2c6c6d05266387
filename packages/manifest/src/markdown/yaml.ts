import { type Document, isScalar, LineCounter, parseDocument, type Scalar } from "yaml";
import type { Path } from "../document.js";
import type { Located, Spot } from "../report.js";
import { Places, rangeOf } from "./yaml-places.js";
import { YamlReader } from "./yaml-reader.js";

export type YamlMistake = { readonly message: string; readonly spot: Spot };

/** A YAML document whose values know where they stand. Its value is data only: no key is special, no tag makes an object. */
export interface YamlDocument extends Located {
  readonly value: unknown;
  readonly mistakes: readonly YamlMistake[];
  /** Where the lines of a text stand in the file, when it is written as a literal block, the one form that keeps them. */
  blockAt(path: Path): { readonly line: number; readonly indent: number } | undefined;
}

const MOST_MISTAKES = 20;
const DEEP = "nested too deeply";

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
    // Whether keys stand twice is looked at below: the library compares each one with all others.
    const options = { lineCounter: counter, prettyErrors: false, logLevel: "error", uniqueKeys: false } as const;
    document = parseDocument(text, options);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return unreadable(DEEP);
  }
  const mistakes: YamlMistake[] = [...document.errors, ...document.warnings].map(({ code, message, pos }) => ({
    message: wordsOf(code, message),
    spot: spotOf(...pos),
  }));
  const reader = new YamlReader(document);
  const value = reader.read();
  // What could not be parsed has been said; what follows from it need not be.
  if (mistakes.length === 0) {
    mistakes.push(
      ...reader.mistakes.map(({ message, node }) => ({ message, spot: spotOf(...(rangeOf(node) ?? [0, 1])) })),
    );
  }
  // What breaks one line often breaks all below it.
  mistakes.splice(MOST_MISTAKES);
  const places = new Places(document);
  return {
    value,
    mistakes,
    locate(path, atKey = false) {
      const range = places.find(path, atKey);
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

/** The words of the library, where those are not about its own functions. */
function wordsOf(code: string, message: string): string {
  if (code === "MULTIPLE_DOCS") return "a second document starts here";
  if (code === "RESOURCE_EXHAUSTION" || message.startsWith("Maximum call stack")) return DEEP;
  return message.split("\n")[0] ?? message;
}

function widthOf(line: string): number {
  return line.length - line.trimStart().length;
}
