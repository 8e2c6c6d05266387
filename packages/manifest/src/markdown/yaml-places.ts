import { type Document, isMap, isSeq, type Pair, type ParsedNode, type YAMLMap } from "yaml";
import type { Path } from "../document.js";
import { isMergeKey, keyText } from "./yaml-reader.js";

export type Range = readonly [start: number, end: number];

/** Where the values of a document stand in its text. */
export class Places {
  private readonly indexes = new Map<YAMLMap, ReadonlyMap<string, Pair>>();

  constructor(private readonly document: Document.Parsed) {}

  /** The part of the text a path leads to: of the last step that is there. */
  find(path: Path, atKey: boolean): Range | undefined {
    let found: Range | undefined;
    let node: unknown = this.document.contents;
    for (const [depth, step] of path.entries()) {
      const isLast = depth === path.length - 1;
      if (isSeq(node) && typeof step === "number") {
        node = node.items[step];
        found = rangeOf(node) ?? found;
      } else if (isMap(node)) {
        const pair = this.indexOf(node).get(String(step));
        if (pair === undefined) return found;
        node = pair.value;
        const key = rangeOf(pair.key);
        found = (isLast && !atKey ? rangeOf(node) : undefined) ?? key ?? found;
      } else return found;
    }
    return found;
  }

  private indexOf(map: YAMLMap): ReadonlyMap<string, Pair> {
    let index = this.indexes.get(map);
    if (index === undefined) {
      index = new Map(map.items.filter(({ key }) => !isMergeKey(key)).map((pair) => [keyText(pair.key), pair]));
      this.indexes.set(map, index);
    }
    return index;
  }
}

export function rangeOf(node: unknown): Range | undefined {
  const range = (node as ParsedNode | null | undefined)?.range;
  // A value that was left out stands nowhere.
  return range && range[1] > range[0] ? [range[0], range[1]] : undefined;
}
