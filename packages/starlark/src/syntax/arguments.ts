import { TokenReader } from "./token-reader.js";
import type { Argument, Expression, Parameter } from "./tree.js";

export const NO_GENERATORS = "Starlark has no generator expressions; use a list comprehension, in brackets";

const RANKS = { positional: 0, named: 1, args: 2, kwargs: 3 } as const;
const TITLES = {
  positional: "positional argument",
  named: "keyword argument",
  args: "*args",
  kwargs: "**kwargs",
} as const;

/** The part of the parser that reads what a call is given and what a function takes. */
export abstract class ArgumentParser extends TokenReader {
  protected abstract test(): Expression;

  protected arguments(): Argument[] {
    const args: Argument[] = [];
    while (!this.is(")")) {
      const { line, column } = this.token;
      if (this.accept("*")) args.push({ kind: "args", value: this.test(), line, column });
      else if (this.accept("**")) args.push({ kind: "kwargs", value: this.test(), line, column });
      else {
        const value = this.test();
        if (value.kind === "name" && this.accept("=")) {
          args.push({ kind: "named", name: value.name, value: this.test(), line, column });
        } else {
          if (this.is("for")) this.fail(NO_GENERATORS);
          args.push({ kind: "positional", value, line, column });
        }
      }
      if (!this.accept(",")) break;
    }
    this.checkArguments(args);
    return args;
  }

  /** Positional, named, *args, **kwargs: in this order, and the last two at most once. */
  private checkArguments(args: readonly Argument[]): void {
    const names = new Set<string>();
    let last: Argument["kind"] = "positional";
    for (const arg of args) {
      const isLate = RANKS[arg.kind] < RANKS[last];
      if (isLate) this.fail(`${TITLES[arg.kind]} may not follow ${last === "named" ? "named" : TITLES[last]}`, arg);
      if (arg.kind === last && RANKS[last] >= RANKS.args) this.fail(`multiple ${TITLES[last]} not allowed`, arg);
      last = arg.kind;
      if (arg.kind !== "named") continue;
      if (names.has(arg.name)) this.fail(`keyword argument "${arg.name}" is repeated`, arg);
      names.add(arg.name);
    }
  }

  protected parameters(end: string): Parameter[] {
    const parameters: Parameter[] = [];
    while (!this.is(end)) {
      const { line, column } = this.token;
      if (this.accept("**")) parameters.push({ kind: "kwargs", name: this.name().text, fallback: null, line, column });
      else if (this.accept("*")) {
        const isBare = !this.isKind("name");
        const name = isBare ? "" : this.name().text;
        parameters.push({ kind: isBare ? "star" : "args", name, fallback: null, line, column });
      } else {
        const { text: name } = this.name();
        if (end === ")" && this.is(":")) this.fail("Starlark has no type annotations");
        parameters.push({ kind: "plain", name, fallback: this.accept("=") ? this.test() : null, line, column });
      }
      if (!this.accept(",")) break;
    }
    this.checkParameters(parameters);
    return parameters;
  }

  private checkParameters(parameters: readonly Parameter[]): void {
    const names = new Set<string>();
    let hasDefault = false;
    let hasStar = false;
    for (const [index, parameter] of parameters.entries()) {
      const { kind, name, fallback } = parameter;
      if (name !== "" && names.has(name)) this.fail(`duplicate parameter: ${name}`, parameter);
      names.add(name);
      if (index > 0 && parameters[index - 1]?.kind === "kwargs")
        this.fail("parameter may not follow **kwargs", parameter);
      if (kind === "star" || kind === "args") {
        if (hasStar) this.fail("multiple * parameters not allowed", parameter);
        hasStar = true;
        if (kind === "star" && parameters[index + 1]?.kind !== "plain")
          this.fail("bare * must be followed by keyword-only parameters", parameter);
      }
      if (kind !== "plain") continue;
      if (fallback === null && hasDefault && !hasStar) {
        this.fail(`required parameter may not follow optional: ${name}`, parameter);
      }
      hasDefault ||= fallback !== null;
    }
  }
}
