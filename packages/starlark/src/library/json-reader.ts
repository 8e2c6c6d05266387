import type { Thread } from "../evaluator/thread.js";
import { UNITS } from "../values/allocation.js";
import { negate, parseDigits } from "../values/integers.js";
import { textKey } from "../values/key.js";
import { Dict, Float, List, type Value } from "../values/values.js";
import { endOfString } from "./json-indent.js";

/** A text that is no JSON, as opposed to one the budget does not allow. */
class Malformed {
  constructor(readonly message: string) {}
}

const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;

/** Reads JSON with its depth, its elements and its memory counted, and ints exact, which JSON.parse cannot. */
export class JsonReader {
  private at = 0;

  constructor(
    private readonly thread: Thread,
    private readonly text: string,
  ) {}

  /** The value of the text; ends the run when it is no JSON. */
  document(): Value {
    const result = this.read();
    return result instanceof Malformed ? this.thread.fail(result.message) : result;
  }

  /** The value of the text; undefined when it is no JSON. */
  attempt(): Value | undefined {
    const result = this.read();
    return result instanceof Malformed ? undefined : result;
  }

  private read(): Value | Malformed {
    this.thread.step(Math.ceil(this.text.length / 64));
    try {
      const value = this.value(0);
      this.skip();
      if (this.at < this.text.length) this.refuse("something follows the value");
      return value;
    } catch (error) {
      if (error instanceof Malformed) return error;
      throw error;
    }
  }

  private refuse(what: string, at = this.at): never {
    throw new Malformed(`at offset ${at}, ${what}`);
  }

  private skip(): void {
    SPACE.lastIndex = this.at;
    SPACE.exec(this.text);
    this.at = SPACE.lastIndex;
  }

  private accept(token: string): boolean {
    this.skip();
    if (!this.text.startsWith(token, this.at)) return false;
    this.at += token.length;
    return true;
  }

  private value(depth: number): Value {
    this.thread.step();
    this.skip();
    if (depth > this.thread.maxNesting) this.thread.tooDeep();
    if (this.accept("{")) return this.dict(depth);
    if (this.accept("[")) return this.list(depth);
    if (this.text[this.at] === '"') return this.string();
    if (this.accept("true")) return true;
    if (this.accept("false")) return false;
    if (this.accept("null")) return null;
    return this.number();
  }

  private string(): string {
    const end = endOfString(this.text, this.at);
    this.thread.text(end - this.at);
    const literal = this.text.slice(this.at, end);
    try {
      const text = JSON.parse(literal) as string;
      this.at = end;
      return text;
    } catch {
      return this.refuse("a string is not closed or holds what it may not");
    }
  }

  private number(): Value {
    NUMBER.lastIndex = this.at;
    const found = NUMBER.exec(this.text);
    if (found === null) {
      const next = this.text[this.at];
      return this.refuse(next === undefined ? "the text ends too early" : `unexpected ${JSON.stringify(next)}`);
    }
    const [literal, fraction, exponent] = found;
    this.at += literal.length;
    if (fraction === undefined && exponent === undefined) return this.int(literal);
    this.thread.charge(literal.length >> 3, UNITS.float);
    const value = Number(literal);
    return Number.isFinite(value) ? new Float(value) : this.refuse("a number is too large");
  }

  private int(literal: string): Value {
    const isNegative = literal.startsWith("-");
    const size = parseDigits(this.thread, isNegative ? literal.slice(1) : literal, 10) ?? this.refuse("invalid number");
    return isNegative ? negate(this.thread, size) : size;
  }

  private list(depth: number): List {
    this.thread.allocate(UNITS.list);
    const items: Value[] = [];
    if (this.accept("]")) return new List(items);
    do {
      this.thread.allocate(8);
      items.push(this.value(depth + 1));
    } while (this.accept(","));
    if (!this.accept("]")) this.refuse("want , or ]");
    return new List(items);
  }

  private dict(depth: number): Dict {
    this.thread.allocate(UNITS.dict);
    const dict = new Dict();
    if (this.accept("}")) return dict;
    do {
      this.skip();
      if (this.text[this.at] !== '"') this.refuse("want a string as key");
      const start = this.at;
      const key = this.string();
      // Readers do not agree on which of two values counts, and a policy must not judge another one than is used.
      if (dict.entries.has(textKey(key))) this.refuse(`the key ${JSON.stringify(key)} stands twice`, start);
      if (!this.accept(":")) this.refuse("want :");
      dict.put(this.thread, key, this.value(depth + 1));
    } while (this.accept(","));
    if (!this.accept("}")) this.refuse("want , or }");
    return dict;
  }
}
