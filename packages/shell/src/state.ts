import type { Function as FunctionNode } from "unbash";
import { literal, render, unknownWord, type Word, wordOf } from "./word.js";

/** A variable's value: one word, or several for an array. */
export type Value = readonly Word[];

const MOST_ALTERNATIVES = 8;

/** What a running script has set so far. Where branches meet, a variable has every value it may have. */
export class State {
  private readonly variables: Map<string, readonly Value[]>;
  readonly functions: Map<string, FunctionNode>;
  readonly aliases: Map<string, string>;
  /** Files this command itself wrote, by their path. A subshell writes to the same disk. */
  readonly files: Map<string, Word>;
  /** Links this command itself made, and what each leads to. */
  readonly links: Map<string, Word>;
  /** Programs this command itself put somewhere else, by their new path. */
  readonly programs: Map<string, string>;

  private constructor(
    from: State | null,
    /** `$1` and on; null where nobody knows them. */
    public positional: readonly Word[] | null,
  ) {
    this.variables = new Map(from?.variables);
    this.functions = new Map(from?.functions);
    this.aliases = new Map(from?.aliases);
    this.files = from?.files ?? new Map();
    this.links = from?.links ?? new Map();
    this.programs = from?.programs ?? new Map();
  }

  static initial(cwd: Word): State {
    const state = new State(null, null);
    state.set("PWD", [cwd]);
    return state;
  }

  fork(): State {
    return new State(this, this.positional);
  }

  /** Every value a variable may have; undefined where this command has not set it. */
  get(name: string): readonly Value[] | undefined {
    return this.variables.get(name);
  }

  set(name: string, value: Value): void {
    this.variables.set(name, [value]);
  }

  /** Sets a variable of which several values may hold. */
  setAny(name: string, values: readonly Value[]): void {
    this.variables.set(name, union(name, values, []));
  }

  /** Sets one element of an array, which is made where there is none. */
  setElement(name: string, key: string, word: Word): void {
    this.set(elementName(name, key), [word]);
    const before = this.variables.get(name)?.[0] ?? [];
    const at = /^\d{1,3}$/.test(key) ? Number(key) : before.length;
    const gap = Array.from({ length: Math.max(0, at - before.length) }, () => literal(""));
    this.set(name, [...before.slice(0, at), ...gap, word, ...before.slice(at + 1)]);
  }

  unset(name: string): void {
    this.variables.set(name, [[literal("")]]);
  }

  append(name: string, value: Value, array: boolean): void {
    // No environment holds an array.
    const before = this.variables.get(name) ?? [
      array ? [] : [{ pieces: [{ kind: "variable", name, required: false }], text: null }],
    ];
    const added = before.map((old) => {
      if (array) return [...old, ...value];
      return [wordOf([...(old[0]?.pieces ?? []), ...(value[0]?.pieces ?? [])])];
    });
    this.variables.set(name, added);
  }

  get cwds(): readonly Word[] {
    return (this.variables.get("PWD") ?? []).map(([cwd]) => cwd ?? literal("/"));
  }

  /** Takes up what may also hold, because the code in between may not have run. */
  join(other: State): void {
    for (const [name, values] of other.variables) {
      const mine = this.variables.get(name);
      if (mine === undefined) this.variables.set(name, values);
      else if (mine !== values) this.variables.set(name, union(name, mine, values));
    }
    for (const [name, body] of other.functions) if (!this.functions.has(name)) this.functions.set(name, body);
    for (const [name, text] of other.aliases) if (!this.aliases.has(name)) this.aliases.set(name, text);
  }
}

/** Under which name one element of an array is kept; no variable can be called so. */
export function elementName(name: string, key: string): string {
  return `${name}[${key.replace(/^(["'])(.*)\1$/, "$2")}]`;
}

function union(name: string, left: readonly Value[], right: readonly Value[]): readonly Value[] {
  const byText = new Map<string, Value>();
  for (const value of [...left, ...right]) byText.set(value.map(render).join("\0"), value);
  return byText.size > MOST_ALTERNATIVES ? [[unknownWord(`$${name}`)]] : [...byText.values()];
}
