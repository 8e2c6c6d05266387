import type { Source } from "./errors.js";
import { Activation, type Code } from "./evaluator/activation.js";
import { expressionOf } from "./evaluator/expressions.js";
import { type RunOptions, Thread } from "./evaluator/thread.js";
import { type Predeclared, withUniverse } from "./predeclared.js";
import type { Result } from "./program.js";
import { guardSource, runWithin } from "./run.js";
import { parseExpression } from "./syntax/parser.js";
import { resolveExpression } from "./syntax/resolver.js";
import { isValue, refuseValue, type Value } from "./values/values.js";

export interface ExpressionOptions {
  /** What the values it is called with are called in it. */
  readonly names?: readonly string[];
  readonly filename?: string;
  readonly predeclared?: Predeclared;
}

/** One expression, compiled: a predicate such as `when`. */
export interface Expression {
  /** Evaluates it with a value for each of its names. */
  evaluate(values?: Readonly<Record<string, Value>>, options?: RunOptions): Result;
}

/** Compiles one expression over the names given; it may be evaluated many times. */
export function compileExpression(text: string, options: ExpressionOptions = {}): Expression {
  const { names = [], filename: file = "<expression>" } = options;
  const source: Source = { file, text };
  const predeclared = withUniverse(options.predeclared);
  const { node, resolution, evaluate } = guardSource(source, () => {
    const node = parseExpression(text, file);
    const rules = { predeclared, whileLoops: false, topLevelControl: false, globalReassign: false };
    const resolution = resolveExpression(source, node, names, rules);
    const load = () => new Map();
    const evaluate = expressionOf({ source, resolution, predeclared, recursion: false, load }, node);
    return { node, resolution, evaluate };
  });
  const code: Code = { name: "<expression>", source, ...resolution.layout };
  return {
    evaluate(values = {}, options) {
      const thread = new Thread(options);
      const frame = new Activation(thread, code, null, null, node);
      for (let i = 0; i < names.length; i++) {
        const name = names[i] as string;
        const value = Object.hasOwn(values, name) ? values[name] : undefined;
        if (value === undefined) throw new TypeError(`an expression over ${names.join(", ")} got no value for ${name}`);
        if (!isValue(value)) refuseValue(name);
        frame.variables[i] = value;
      }
      const value = runWithin(thread, frame, code.weight, evaluate);
      return { value, steps: thread.steps, memory: thread.memory };
    },
  };
}
