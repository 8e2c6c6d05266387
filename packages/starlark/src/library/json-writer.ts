import type { Thread } from "../evaluator/thread.js";
import { floatText } from "../values/floats.js";
import { intText } from "../values/integers.js";
import { elements, isIterable } from "../values/sequence.js";
import { Dict, Float, isInt, List, Tuple, typeName, type Value } from "../values/values.js";

/** Writes a value as JSON, keys sorted and nothing between the tokens: equal values have equal texts. */
export class JsonWriter {
  private text = "";

  constructor(private readonly thread: Thread) {}

  write(value: Value): string {
    this.value(value, 0);
    return this.text;
  }

  private add(part: string): void {
    this.thread.text(part.length);
    this.text += part;
  }

  private quoted(text: string): string {
    this.thread.text(text.length);
    return JSON.stringify(text);
  }

  private value(value: Value, depth: number): void {
    this.thread.step();
    if (value === null || typeof value === "boolean") this.add(String(value));
    else if (isInt(value)) this.add(intText(this.thread, value));
    else if (typeof value === "string") this.add(this.quoted(value));
    else if (value instanceof Float) {
      if (!Number.isFinite(value.value)) this.thread.fail(`cannot encode the float ${floatText(value.value)}`);
      this.add(floatText(value.value));
    } else if (depth >= this.thread.maxNesting) this.thread.tooDeep();
    else if (value instanceof Dict) this.dict(value, depth);
    else if (value instanceof List || value instanceof Tuple) this.list(value.items, depth);
    else if (isIterable(value)) this.list(elements(this.thread, value), depth);
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
    const { size } = dict.entries;
    // Sorting looks at each key as often as the number of keys has digits.
    this.thread.charge(size * (32 - Math.clz32(size)), 32 * size);
    const entries: [string, Value][] = [];
    for (const [key, value] of dict.entries.values()) {
      if (typeof key !== "string") return this.thread.fail(`cannot encode a dict with a ${typeName(key)} as key`);
      entries.push([key, value]);
    }
    entries.sort(([a], [b]) => (a < b ? -1 : 1));
    this.add("{");
    for (const [i, [key, value]] of entries.entries()) {
      this.add(`${i > 0 ? "," : ""}${this.quoted(key)}:`);
      this.value(value, depth + 1);
    }
    this.add("}");
  }
}
