import type { Thread } from "../evaluator/thread.js";
import { floatText } from "./floats.js";
import { intText } from "./integers.js";
import { quote, quoteBytes } from "./quote.js";
import {
  Bytes,
  type Callable,
  Dict,
  Elems,
  Float,
  isInt,
  List,
  Namespace,
  Range,
  StarSet,
  Tuple,
  type Value,
} from "./values.js";

/** str(): a string is itself, everything else its representation. */
export function toText(thread: Thread, value: Value): string {
  return typeof value === "string" ? value : repr(thread, value);
}

/** repr(): what a value looks like in a program. A value inside itself is shown as dots. */
export function repr(thread: Thread, value: Value): string {
  if (typeof value === "number") return String(value);
  const writer = new Writer(thread);
  writer.write(value);
  return writer.text;
}

type Container = List | Tuple | Dict | StarSet;

class Writer {
  text = "";
  private readonly inside: Container[] = [];

  constructor(private readonly thread: Thread) {}

  write(value: Value): void {
    this.thread.step();
    if (typeof value === "string") {
      this.thread.text(value.length);
      this.add(quote(value));
    } else if (isInt(value)) this.add(intText(this.thread, value));
    else if (value instanceof List || value instanceof Tuple || value instanceof Dict || value instanceof StarSet) {
      this.container(value);
    } else if (value instanceof Bytes) {
      this.thread.text(value.data.length);
      this.add(`b${quoteBytes(value.data)}`);
    } else if (value instanceof Elems) {
      this.write(value.source);
      this.add(`.${value.method}()`);
    } else this.add(simple(value));
  }

  private add(part: string): void {
    this.thread.text(part.length);
    this.text += part;
  }

  private container(value: Container): void {
    if (this.inside.includes(value)) return this.add(value instanceof Dict ? "{...}" : "[...]");
    if (this.inside.length >= this.thread.maxNesting) this.thread.tooDeep();
    this.inside.push(value);
    if (value instanceof Dict) this.dict(value);
    else if (value instanceof List) this.items("[", value.items, "]");
    else if (value instanceof Tuple) this.items("(", value.items, value.items.length === 1 ? ",)" : ")");
    else if (value.entries.size === 0) this.add("set()");
    else this.items("set([", value.entries.values(), "])");
    this.inside.pop();
  }

  private items(open: string, items: Iterable<Value>, close: string): void {
    this.add(open);
    let isFirst = true;
    for (const item of items) {
      if (!isFirst) this.add(", ");
      isFirst = false;
      this.write(item);
    }
    this.add(close);
  }

  private dict({ entries }: Dict): void {
    this.add("{");
    let isFirst = true;
    for (const [key, value] of entries.values()) {
      if (!isFirst) this.add(", ");
      isFirst = false;
      this.write(key);
      this.add(": ");
      this.write(value);
    }
    this.add("}");
  }
}

function simple(value: null | boolean | Float | Range | Callable | Namespace): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (value instanceof Float) return floatText(value.value);
  if (value instanceof Range) {
    const { start, stop, step } = value;
    if (step !== 1) return `range(${start}, ${stop}, ${step})`;
    return start === 0 ? `range(${stop})` : `range(${start}, ${stop})`;
  }
  if (value instanceof Namespace) return `<module ${value.name}>`;
  if (!value.isBuiltin) return `<function ${value.name}>`;
  const owner = "owner" in value ? value.owner : undefined;
  return owner === undefined
    ? `<built-in function ${value.name}>`
    : `<built-in method ${value.name} of ${String(owner)} value>`;
}
