import { defineFunction, defineModule } from "./host.js";
import { JsonReader } from "./json-reader.js";
import { formatFloat } from "./text.js";
import type { Thread } from "./thread.js";
import { Dict, Float, isInt, List, Range, StarSet, Tuple, typeName, type Value } from "./values.js";

/** Writes a value as JSON, keys sorted and nothing between the tokens: equal values have equal texts. */
class JsonWriter {
  private text = "";

  constructor(private readonly thread: Thread) {}

  write(value: Value): string {
    this.value(value, 0);
    return this.text;
  }

  private add(part: string): void {
    this.thread.allocate(2 * part.length);
    this.text += part;
  }

  private value(value: Value, depth: number): void {
    this.thread.step();
    if (depth > this.thread.maxNesting) this.thread.tooDeep();
    if (value === null || typeof value === "boolean" || isInt(value)) this.add(String(value));
    else if (typeof value === "string") this.add(quoted(value));
    else if (value instanceof Float) {
      if (!Number.isFinite(value.value)) this.thread.fail(`cannot encode the float ${formatFloat(value.value)}`);
      this.add(formatFloat(value.value));
    } else if (value instanceof Dict) this.dict(value, depth);
    else if (value instanceof List || value instanceof Tuple) this.list(value.items, depth);
    else if (value instanceof StarSet) this.list([...value.entries.values()], depth);
    else if (value instanceof Range) this.list(numbers(this.thread, value), depth);
    else this.thread.fail(`cannot encode ${typeName(value)} as JSON`);
  }

  private list(items: readonly Value[], depth: number): void {
    this.add("[");
    for (let i = 0; i < items.length; i++) {
      if (i > 0) this.add(",");
      this.value(items[i] as Value, depth + 1);
    }
    this.add("]");
  }

  private dict(dict: Dict, depth: number): void {
    const entries: [string, Value][] = [];
    this.thread.step(dict.entries.size);
    for (const [key, value] of dict.entries.values()) {
      if (typeof key !== "string") return this.thread.fail(`cannot encode a dict with a ${typeName(key)} as key`);
      entries.push([key, value]);
    }
    entries.sort(([a], [b]) => (a < b ? -1 : 1));
    this.add("{");
    for (const [i, [key, value]] of entries.entries()) {
      this.add(`${i > 0 ? "," : ""}${quoted(key)}:`);
      this.value(value, depth + 1);
    }
    this.add("}");
  }
}

function quoted(text: string): string {
  return JSON.stringify(text);
}

function numbers(thread: Thread, { start, step, length }: Range): number[] {
  thread.step(length);
  thread.allocate(8 * length);
  return Array.from({ length }, (_, i) => start + i * step);
}

/** `json`: `encode` writes a value with its keys sorted, `decode` reads one; ints stay exact at any size. */
export const json: Value = defineModule("json", {
  encode: defineFunction("encode", { x: "any" }, ({ x }, thread) => new JsonWriter(thread).write(x)),
  decode: defineFunction("decode", { x: "string", default: "any?" }, ({ x, default: fallback }, thread) => {
    const reader = new JsonReader(thread, x);
    if (fallback === undefined) return reader.document();
    const value = reader.attempt();
    return value === undefined ? fallback : value;
  }),
});
