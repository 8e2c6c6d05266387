import { attribute, methodFinder } from "../library/attributes.js";
import type { Argument, Expression } from "../syntax/tree.js";
import { elements, isIterable } from "../values/sequence.js";
import {
  type Arguments,
  Dict,
  isCallable,
  type Keywords,
  Namespace,
  NO_KEYWORDS,
  typeName,
  type Value,
} from "../values/values.js";
import type { Activation, CompileContext, Evaluate } from "./activation.js";
import { expressionOf } from "./expressions.js";
import { UserFunction } from "./function.js";
import type { Thread } from "./thread.js";

type CallNode = Extract<Expression, { readonly kind: "call" }>;

export function callOf(context: CompileContext, expression: CallNode): Evaluate {
  const { args, callee } = expression;
  if (!args.every(({ kind }) => kind === "positional")) return spreadCallOf(context, expression);
  const collect = positionalOf(context, args);
  if (callee.kind === "dot") return methodCallOf(context, expression, callee, collect);
  const evaluate = expressionOf(context, callee);
  return (frame) => {
    const value = evaluate(frame);
    const given = collect(frame);
    frame.at = expression;
    frame.thread.step();
    return call(frame.thread, value, given, NO_KEYWORDS);
  };
}

function call(thread: Thread, value: Value, args: Arguments, keywords: Keywords): Value {
  if (value instanceof UserFunction || isCallable(value)) return value.call(thread, args, keywords);
  return thread.fail(`invalid call of non-function (${typeName(value)})`);
}

/** `x.f(...)`, the commonest call: the method is called as it is, without a value that stands for `x.f`. */
function methodCallOf(
  context: CompileContext,
  expression: CallNode,
  dot: Extract<Expression, { readonly kind: "dot" }>,
  collect: (frame: Activation) => Value[],
): Evaluate {
  const object = expressionOf(context, dot.object);
  const find = methodFinder(dot.name);
  return (frame) => {
    const self = object(frame);
    const method = self instanceof Namespace ? undefined : find(self);
    if (method === undefined) {
      frame.at = dot;
      const value = attribute(frame.thread, self, dot.name);
      const given = collect(frame);
      frame.at = expression;
      frame.thread.step();
      return call(frame.thread, value, given, NO_KEYWORDS);
    }
    const given = collect(frame);
    frame.at = expression;
    frame.thread.step();
    return method.call(frame.thread, self, given, NO_KEYWORDS);
  };
}

/** The arguments of a call, in an array of their own: the function that is called may keep it. */
function positionalOf(context: CompileContext, args: readonly Argument[]): (frame: Activation) => Value[] {
  const evaluates = args.map(({ value }) => expressionOf(context, value));
  const [first, second] = evaluates as [Evaluate, Evaluate];
  switch (evaluates.length) {
    case 0:
      return () => [];
    case 1:
      return (frame) => [first(frame)];
    case 2:
      return (frame) => [first(frame), second(frame)];
    default:
      return (frame) => {
        const given: Value[] = [];
        for (let i = 0; i < evaluates.length; i++) given.push((evaluates[i] as Evaluate)(frame));
        return given;
      };
  }
}

/** A call with names, `*args` or `**kwargs`. */
function spreadCallOf(context: CompileContext, expression: CallNode): Evaluate {
  const callee = expressionOf(context, expression.callee);
  const parts = expression.args.map((arg) => ({ arg, evaluate: expressionOf(context, arg.value) }));
  return (frame) => {
    const { thread } = frame;
    const value = callee(frame);
    let positional: Value[] = [];
    const keywords = new Map<string, Value>();
    for (const { arg, evaluate } of parts) {
      const given = evaluate(frame);
      frame.at = arg;
      if (arg.kind === "positional") positional.push(given);
      else if (arg.kind === "named") keywords.set(arg.name, given);
      else if (arg.kind === "kwargs") spreadNames(thread, given, keywords);
      else if (!isIterable(given)) thread.fail(`argument after * must be iterable, not ${typeName(given)}`);
      else positional = positional.concat(elements(thread, given));
    }
    frame.at = expression;
    thread.step();
    return call(thread, value, positional, keywords);
  };
}

function spreadNames(thread: Thread, value: Value, keywords: Map<string, Value>): void {
  if (!(value instanceof Dict)) thread.fail(`argument after ** must be a mapping, not ${typeName(value)}`);
  thread.charge(value.entries.size, 48 * value.entries.size);
  for (const [key, item] of value.entries.values()) {
    if (typeof key !== "string") thread.fail(`keywords must be strings, not ${typeName(key)}`);
    if (keywords.has(key)) thread.fail(`got multiple values for keyword argument "${key}"`);
    keywords.set(key, item);
  }
}
