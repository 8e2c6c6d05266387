import { hintFor } from "../nearest.js";
import type { Parameter } from "../syntax/tree.js";
import { UNITS } from "../values/allocation.js";
import { type Arguments, Dict, type Keywords, Tuple, type Value } from "../values/values.js";
import type { Thread } from "./thread.js";

type Variables = (Value | undefined)[];

/** A function's parameters, and how arguments are given to them. A parameter's variable has the parameter's own index. */
export class Signature {
  /** How many parameters a position can reach; they come first. */
  private readonly positional: number;
  private readonly byName = new Map<string, number>();
  private readonly args: number = -1;
  private readonly kwargs: number = -1;
  private readonly slots: readonly { readonly slot: number; readonly parameter: number; readonly name: string }[];
  private readonly isPlain: boolean;

  constructor(
    private readonly name: string,
    private readonly parameters: readonly Parameter[],
  ) {
    const slots: { slot: number; parameter: number; name: string }[] = [];
    let slot = 0;
    let positional = 0;
    let isKeywordOnly = false;
    for (const [index, { kind, name: parameter }] of parameters.entries()) {
      if (kind === "star" || kind === "args") isKeywordOnly = true;
      if (kind === "star") continue;
      if (kind === "args") this.args = slot;
      else if (kind === "kwargs") this.kwargs = slot;
      else {
        if (!isKeywordOnly) positional++;
        this.byName.set(parameter, slot);
        slots.push({ slot, parameter: index, name: parameter });
      }
      slot++;
    }
    this.slots = slots;
    this.positional = positional;
    this.isPlain = parameters.every(({ kind }) => kind === "plain");
  }

  bind(thread: Thread, into: Variables, args: Arguments, keywords: Keywords, fallbacks: Readonly<Variables>): void {
    const { positional } = this;
    const given = Math.min(args.length, positional);
    for (let i = 0; i < given; i++) into[i] = args[i] as Value;
    if (this.isPlain && args.length === positional && keywords.size === 0) return;
    if (this.args >= 0) {
      thread.allocate(UNITS.tuple + 8 * (args.length - given));
      into[this.args] = new Tuple(args.slice(given));
    } else if (args.length > given) this.tooMany(thread, args.length);
    this.bindNames(thread, into, keywords);
    this.fillIn(thread, into, fallbacks);
  }

  private bindNames(thread: Thread, into: Variables, keywords: Keywords): void {
    const rest = this.kwargs >= 0 ? new Dict() : null;
    for (const [name, value] of keywords) {
      const slot = this.byName.get(name);
      if (slot === undefined) {
        if (rest === null) {
          const hint = hintFor(name, this.byName.keys());
          thread.fail(`function ${this.name} got an unexpected keyword argument ${JSON.stringify(name)}${hint}`);
        }
        rest.put(thread, name, value);
      } else if (into[slot] !== undefined) {
        thread.fail(`function ${this.name} got multiple values for parameter ${JSON.stringify(name)}`);
      } else into[slot] = value;
    }
    if (rest !== null) {
      thread.allocate(UNITS.dict);
      into[this.kwargs] = rest;
    }
  }

  private fillIn(thread: Thread, into: Variables, fallbacks: Readonly<Variables>): void {
    let missing: string[] | undefined;
    for (const { slot, parameter, name } of this.slots) {
      if (into[slot] !== undefined) continue;
      const fallback = fallbacks[parameter];
      if (fallback === undefined) {
        missing ??= [];
        missing.push(name);
      } else into[slot] = fallback;
    }
    if (missing === undefined) return;
    const arguments_ = missing.length === 1 ? "argument" : "arguments";
    thread.fail(`function ${this.name} missing ${missing.length} ${arguments_} (${missing.join(", ")})`);
  }

  private tooMany(thread: Thread, count: number): never {
    const most = this.positional;
    const isLess = this.parameters.slice(0, most).some(({ fallback }) => fallback !== null);
    const amount = most === 0 ? "no" : `${isLess ? "at most " : ""}${most} positional`;
    return thread.fail(`function ${this.name} accepts ${amount} argument${most === 1 ? "" : "s"} (${count} given)`);
  }
}
