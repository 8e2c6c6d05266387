import { attribute } from "../library/attributes.js";
import type { Expression } from "../syntax/tree.js";
import { UNITS } from "../values/allocation.js";
import { repr } from "../values/repr.js";
import { getItem } from "../values/sequence.js";
import { slice } from "../values/slice.js";
import { Bytes, Dict, Float, isTrue, List, Tuple, type Value } from "../values/values.js";
import { type Activation, type CompileContext, type Evaluate, RETURN } from "./activation.js";
import { callOf } from "./calls.js";
import { comprehensionOf } from "./comprehensions.js";
import { functionOf } from "./function.js";
import { binaryOf, unaryOf } from "./operators.js";

type Of<K extends Expression["kind"]> = Extract<Expression, { readonly kind: K }>;

/** Turns an expression into a closure: walking the tree and looking up names happens here, once, and never while running. */
export function expressionOf(context: CompileContext, expression: Expression): Evaluate {
  switch (expression.kind) {
    case "literal":
      return constant(expression.value);
    case "float":
      return constant(new Float(expression.value));
    case "bytes":
      return constant(new Bytes(expression.value));
    case "name":
      return nameOf(context, expression);
    case "list":
      return listOf(context, expression.items);
    case "tuple":
      return tupleOf(context, expression.items);
    case "dict":
      return dictOf(context, expression);
    case "comprehension":
      return comprehensionOf(context, expression);
    case "conditional": {
      const test = expressionOf(context, expression.test);
      const then = expressionOf(context, expression.then);
      const otherwise = expressionOf(context, expression.otherwise);
      return (frame) => (isTrue(test(frame)) ? then(frame) : otherwise(frame));
    }
    case "unary":
      return unaryOf(context, expression);
    case "binary":
      return binaryOf(context, expression);
    case "lambda": {
      const body = expressionOf(context, expression.body);
      return functionOf(context, "lambda", expression, expression.parameters, (frame) => {
        frame.result = body(frame);
        return RETURN;
      });
    }
    case "dot": {
      const object = expressionOf(context, expression.object);
      return (frame) => {
        const value = object(frame);
        frame.at = expression;
        return attribute(frame.thread, value, expression.name);
      };
    }
    case "index": {
      const object = expressionOf(context, expression.object);
      const index = expressionOf(context, expression.index);
      return (frame) => {
        const container = object(frame);
        const key = index(frame);
        frame.at = expression;
        return getItem(frame.thread, container, key);
      };
    }
    case "slice":
      return sliceOf(context, expression);
    case "call":
      return callOf(context, expression);
  }
}

function constant(value: Value): Evaluate {
  return () => value;
}

function nameOf(context: CompileContext, expression: Of<"name">): Evaluate {
  const binding = context.resolution.names.get(expression);
  if (binding?.kind !== "variable") return constant(context.predeclared.get(expression.name) as Value);
  const { depth, index } = binding;
  const isGlobal = context.resolution.globals[index] === expression.name;
  if (depth === 0) {
    return (frame) => {
      const value = frame.variables[index];
      return value === undefined ? unassigned(frame, expression, isGlobal && frame.parent === null) : value;
    };
  }
  return (frame) => {
    let scope = frame;
    for (let i = 0; i < depth; i++) scope = scope.parent as Activation;
    const value = scope.variables[index];
    return value === undefined ? unassigned(frame, expression, isGlobal && scope.parent === null) : value;
  };
}

function unassigned(frame: Activation, expression: Of<"name">, isGlobal: boolean): never {
  frame.at = expression;
  return frame.thread.fail(`${isGlobal ? "global" : "local"} variable ${expression.name} referenced before assignment`);
}

function itemsOf(context: CompileContext, items: readonly Expression[]): (frame: Activation) => Value[] {
  if (items.every((item) => item.kind === "literal")) {
    const values = items.map((item) => (item as Of<"literal">).value);
    return () => values.slice();
  }
  const evaluates = items.map((item) => expressionOf(context, item));
  const [first, second] = evaluates as [Evaluate, Evaluate];
  // An array that grows has room for more than it holds.
  if (evaluates.length === 1) return (frame) => [first(frame)];
  if (evaluates.length === 2) return (frame) => [first(frame), second(frame)];
  return (frame) => {
    const values: Value[] = [];
    for (let i = 0; i < evaluates.length; i++) values.push((evaluates[i] as Evaluate)(frame));
    return values;
  };
}

function listOf(context: CompileContext, items: readonly Expression[]): Evaluate {
  const units = UNITS.list + 8 * items.length;
  const evaluate = itemsOf(context, items);
  return (frame) => {
    frame.thread.allocate(units);
    return new List(evaluate(frame));
  };
}

function tupleOf(context: CompileContext, items: readonly Expression[]): Evaluate {
  const units = UNITS.tuple + 8 * items.length;
  const evaluate = itemsOf(context, items);
  // Tuples do not change, so one of literals is always the same.
  if (items.every((item) => item.kind === "literal")) {
    return constant(new Tuple(items.map((item) => (item as Of<"literal">).value)));
  }
  return (frame) => {
    frame.thread.allocate(units);
    return new Tuple(evaluate(frame));
  };
}

function dictOf(context: CompileContext, { entries }: Of<"dict">): Evaluate {
  const pairs = entries.map(({ key, value }) => ({
    node: key,
    key: expressionOf(context, key),
    value: expressionOf(context, value),
  }));
  return (frame) => {
    const { thread } = frame;
    thread.allocate(UNITS.dict);
    const dict = new Dict();
    for (let i = 0; i < pairs.length; i++) {
      const { node, key, value } = pairs[i] as (typeof pairs)[number];
      const k = key(frame);
      const v = value(frame);
      frame.at = node;
      const before = dict.entries.size;
      dict.put(thread, k, v);
      if (dict.entries.size === before) thread.fail(`duplicate key: ${repr(thread, k)}`);
    }
    return dict;
  };
}

function sliceOf(context: CompileContext, expression: Of<"slice">): Evaluate {
  const part = (node: Expression | null) => (node === null ? constant(null) : expressionOf(context, node));
  const object = expressionOf(context, expression.object);
  const [start, stop, step] = [part(expression.start), part(expression.stop), part(expression.step)];
  return (frame) => {
    const value = object(frame);
    const [from, to, by] = [start(frame), stop(frame), step(frame)];
    frame.at = expression;
    return slice(frame.thread, value, from, to, by);
  };
}
