import { type AnyNode, type DocumentNode, type MemberNode, parse } from "@humanwhocodes/momoa";
import type { Path } from "../document.js";
import type { Located, Spot } from "../report.js";

export type JsonMistake = { readonly message: string; readonly spot: Spot };

/** A JSON document whose values know where they stand. */
export interface JsonDocument extends Located {
  readonly value: unknown;
  /** Keys that stand twice in one object, of which one would be lost. */
  readonly repeated: readonly Path[];
}

/** Parses JSON, nothing more and nothing less; what is no JSON is one mistake at its place. */
export function parseJson(text: string): JsonDocument | { readonly mistake: JsonMistake } {
  const lines = text.split("\n");
  let root: DocumentNode;
  try {
    root = parse(text, { mode: "json" });
    JSON.parse(text);
  } catch (error) {
    return { mistake: mistakeOf(error, lines) };
  }
  const reader = new Reader();
  const value = reader.read(root.body, []);
  return {
    value,
    repeated: reader.repeated,
    locate: (path, atKey = false) => spotOf(find(root.body, path, atKey), lines),
  };
}

/** Turns nodes into plain values, in which no key is special. */
class Reader {
  readonly repeated: Path[] = [];

  read(node: AnyNode, path: Path): unknown {
    if (node.type === "Array") return node.elements.map(({ value }, index) => this.read(value, [...path, index]));
    if (node.type !== "Object") return "value" in node ? node.value : null;
    const table: Record<string, unknown> = Object.create(null);
    for (const member of node.members) {
      const key = keyOf(member);
      const own = [...path, key];
      if (key in table) this.repeated.push(own);
      table[key] = this.read(member.value, own);
    }
    return table;
  }
}

function keyOf({ name }: MemberNode): string {
  return name.type === "String" ? name.value : name.name;
}

/** The part of the document a path leads to: of the last step that is there. */
function find(body: AnyNode, path: Path, atKey: boolean): AnyNode {
  let node = body;
  for (const [depth, step] of path.entries()) {
    const isLast = depth === path.length - 1;
    if (node.type === "Array") {
      const element = node.elements[Number(step)];
      if (element === undefined) return node;
      node = element.value;
    } else if (node.type === "Object") {
      const member = node.members.findLast((candidate) => keyOf(candidate) === step);
      if (member === undefined) return node;
      if (isLast && atKey) return member.name;
      node = member.value;
    } else return node;
  }
  return node;
}

// What covers several lines is shown on its first.
function spotOf({ loc: { start, end } }: AnyNode, lines: readonly string[]): Spot {
  const last = start.line === end.line ? end.column : (lines[start.line - 1] ?? "").trimEnd().length + 1;
  return { line: start.line, column: start.column, length: Math.max(1, last - start.column) };
}

const TOKENS: Readonly<Record<string, string>> = {
  LBrace: "{",
  RBrace: "}",
  LBracket: "[",
  RBracket: "]",
  Colon: ":",
  Comma: ",",
};

function mistakeOf(error: unknown, lines: readonly string[]): JsonMistake {
  if (error instanceof RangeError) return { message: "nested too deeply", spot: { line: 1, column: 1, length: 1 } };
  const { message, line = lines.length, column = 1 } = error as Error & { line?: number; column?: number };
  const fact = message
    .replace(/ found\. \(\d+:\d+\)$/, "")
    .replace(/^Unexpected token (\w+)/, (_, token: string) => `unexpected ${JSON.stringify(TOKENS[token] ?? token)}`);
  return { message: `${fact.charAt(0).toLowerCase()}${fact.slice(1)}`, spot: { line, column, length: 1 } };
}
