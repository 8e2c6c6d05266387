import { type Alias, type Document, isAlias, isMap, isScalar, isSeq, Scalar, type YAMLMap } from "yaml";

/** What is wrong with a document that could be parsed, and the part that shows it. */
export interface ReaderMistake {
  readonly message: string;
  readonly node: unknown;
}

class Unreadable extends Error {
  constructor(
    message: string,
    readonly node: unknown,
  ) {
    super(message);
  }
}

const MAX_NODES = 100_000;
const MAX_DEPTH = 100;

/** Turns the nodes of a document into plain values; aliases count each time they are used, so that ten lines cannot become ten million. */
export class YamlReader {
  readonly mistakes: ReaderMistake[] = [];
  private readonly anchors = new Map<string, unknown>();
  private readonly targets = new Map<Alias, unknown>();
  /** The collections that are being read: an alias of one of them would have no end. */
  private readonly open = new Set<unknown>();
  private nodes = 0;
  private following = 0;

  constructor(private readonly document: Document.Parsed) {}

  /** The value; undefined where it is too large to be one. */
  read(): unknown {
    try {
      return this.valueOf(this.document.contents, 0);
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      this.mistakes.push(error);
      return undefined;
    }
  }

  private valueOf(node: unknown, depth: number): unknown {
    if (++this.nodes > MAX_NODES) throw new Unreadable("too large once its aliases are filled in", null);
    if (depth > MAX_DEPTH) throw new Unreadable("nested too deeply", node);
    if (isAlias(node)) return this.follow(node, depth);
    this.anchor(node);
    if (isScalar(node)) return node.value;
    if (!isSeq(node) && !isMap(node)) return null;
    this.open.add(node);
    const value = isSeq(node) ? node.items.map((item) => this.valueOf(item, depth + 1)) : this.table(node, depth);
    this.open.delete(node);
    return value;
  }

  private table(map: YAMLMap, depth: number): Readonly<Record<string, unknown>> {
    const table: Record<string, unknown> = Object.create(null);
    const merged: unknown[] = [];
    for (const { key, value } of map.items) {
      if (isMergeKey(key)) merged.push(...this.merge(key, this.valueOf(value, depth + 1)));
      else {
        const name = keyText(key);
        if (!isScalar(key)) this.mistakes.push({ message: "a key is a text, and not a value of its own", node: key });
        else if (name in table) this.mistakes.push({ message: `the key "${name}" stands twice`, node: key });
        this.anchor(key);
        table[name] = this.valueOf(value, depth + 1);
      }
    }
    // What stands in the mapping itself comes first, and then what is merged first.
    return merged.length === 0 ? table : Object.assign(Object.create(null), ...merged.reverse(), table);
  }

  private merge(key: unknown, value: unknown): unknown[] {
    const sources = Array.isArray(value) ? value : [value];
    if (sources.every((source) => typeof source === "object" && source !== null && !Array.isArray(source)))
      return sources;
    this.mistakes.push({ message: "<< takes a mapping, or a list of mappings", node: key });
    return [];
  }

  private anchor(node: unknown): void {
    const { anchor } = (node ?? {}) as { readonly anchor?: string };
    // Below an alias nothing is new: an anchor there would hide a later one of its name.
    if (anchor !== undefined && this.following === 0) this.anchors.set(anchor, node);
  }

  private follow(alias: Alias, depth: number): unknown {
    if (this.following === 0) this.targets.set(alias, this.anchors.get(alias.source));
    const target = this.targets.get(alias);
    if (target === undefined) {
      this.mistakes.push({ message: `nothing above is called &${alias.source}`, node: alias });
      return undefined;
    }
    if (this.open.has(target)) throw new Unreadable(`*${alias.source} is an alias of what it stands in`, alias);
    this.following++;
    const value = this.valueOf(target, depth + 1);
    this.following--;
    return value;
  }
}

/** A key that takes over what another mapping holds: `<<` as it stands, and not in quotes. */
export function isMergeKey(key: unknown): boolean {
  return isScalar(key) && key.value === "<<" && key.type === Scalar.PLAIN;
}

/** The text of a key. One that is a collection has none: its own keys may be collections, without an end. */
export function keyText(key: unknown): string {
  return isScalar(key) ? String(key.value) : "";
}
