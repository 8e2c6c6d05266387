import type { Thread } from "../evaluator/thread.js";
import { repr, toText } from "../values/repr.js";
import type { Arguments, Keywords, Value } from "../values/values.js";

/** `"{} {name!r}".format(...)`. */
export function formatBraces(thread: Thread, format: string, args: Arguments, keywords: Keywords): string {
  return new BraceFormat(thread, format, args, keywords).text();
}

class BraceFormat {
  private result = "";
  private nextArgument = 0;
  private isNumbered: boolean | undefined;

  constructor(
    private readonly thread: Thread,
    private readonly format: string,
    private readonly args: Arguments,
    private readonly keywords: Keywords,
  ) {}

  text(): string {
    const { format, thread } = this;
    thread.step(format.length >> 6);
    let literal = 0;
    for (let at = 0; at < format.length; at++) {
      const character = format[at];
      if (character !== "{" && character !== "}") continue;
      this.add(format.slice(literal, at));
      thread.step();
      if (format[at + 1] === character) {
        this.add(character);
        at++;
      } else if (character === "}") thread.fail("single '}' in format");
      else at = this.field(at + 1);
      literal = at + 1;
    }
    this.add(format.slice(literal));
    return this.result;
  }

  private add(part: string): void {
    this.thread.text(part.length);
    this.result += part;
  }

  /** One replacement field; the place of the brace that closes it. */
  private field(start: number): number {
    const { format, thread } = this;
    const end = format.indexOf("}", start);
    if (end === -1) return thread.fail("unmatched '{' in format");
    const field = format.slice(start, end);
    if (field.includes("{")) thread.fail("nested replacement fields are not supported");
    const colon = field.indexOf(":");
    if (colon !== -1 && colon < field.length - 1) {
      thread.fail(`format specifications are not supported: ${field.slice(colon + 1)}`);
    }
    const [name = "", ...rest] = (colon === -1 ? field : field.slice(0, colon)).split("!");
    const conversion = rest.length === 0 ? "s" : rest.join("!");
    const value = this.value(name);
    if (conversion === "s") this.add(toText(thread, value));
    else if (conversion === "r") this.add(repr(thread, value));
    else thread.fail(`unknown conversion ${JSON.stringify(conversion)}; there are !s and !r`);
    return end;
  }

  private value(name: string): Value {
    const { thread } = this;
    if (/^\d*$/.test(name)) return this.positional(name);
    if (name.includes(".")) thread.fail(`syntax x.y is not supported in replacement fields: ${name}`);
    if (name.includes("[")) thread.fail(`syntax a[i] is not supported in replacement fields: ${name}`);
    const value = this.keywords.get(name);
    return value === undefined ? thread.fail(`keyword ${name} not found`) : value;
  }

  private positional(name: string): Value {
    const isNumbered = name !== "";
    if (this.isNumbered !== undefined && this.isNumbered !== isNumbered) {
      const change = isNumbered
        ? "automatic field numbering to manual field specification"
        : "manual field specification to automatic field numbering";
      this.thread.fail(`cannot switch from ${change}`);
    }
    this.isNumbered = isNumbered;
    const index = isNumbered ? Number(name) : this.nextArgument++;
    const value = this.args[index];
    return value === undefined ? this.thread.fail(`tuple index out of range: no argument ${index}`) : value;
  }
}
