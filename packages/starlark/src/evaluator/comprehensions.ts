import type { Clause, Expression } from "../syntax/tree.js";
import { UNITS } from "../values/allocation.js";
import { iterableOf, iterate } from "../values/sequence.js";
import { Dict, isTrue, List, type Value } from "../values/values.js";
import type { Activation, CompileContext, Evaluate } from "./activation.js";
import { expressionOf } from "./expressions.js";
import { storeOf } from "./targets.js";

/** Puts what one round of a comprehension gives where it belongs. */
type Emit<Sink> = (frame: Activation, sink: Sink) => void;

export function comprehensionOf(
  context: CompileContext,
  { body, clauses }: Extract<Expression, { readonly kind: "comprehension" }>,
): Evaluate {
  if (body.kind === "entry") {
    const [key, value] = [expressionOf(context, body.key), expressionOf(context, body.value)];
    const fill = roundsOf<Dict>(context, clauses, (frame, dict) => {
      const k = key(frame);
      const v = value(frame);
      frame.at = body.key;
      dict.put(frame.thread, k, v);
    });
    return (frame) => {
      const dict = new Dict();
      frame.thread.allocate(UNITS.dict);
      fill(frame, dict);
      return dict;
    };
  }
  const item = expressionOf(context, body);
  const fill = roundsOf<Value[]>(context, clauses, (frame, items) => {
    frame.thread.allocate(8);
    items.push(item(frame));
  });
  return (frame) => {
    const items: Value[] = [];
    frame.thread.allocate(UNITS.list);
    fill(frame, items);
    return new List(items);
  };
}

function roundsOf<Sink>(context: CompileContext, clauses: readonly Clause[], emit: Emit<Sink>): Emit<Sink> {
  const rounds = clauses.reduceRight((inner, clause) => roundOf(context, clause, inner), emit);
  const later = clauses
    .slice(1)
    .flatMap((clause) => (clause.kind === "for" ? variablesOf(context, clause.target) : []));
  if (later.length === 0) return rounds;
  return (frame, sink) => {
    // An earlier clause may name the variable of a later one, and must not see what the last comprehension left in it.
    for (const index of later) frame.variables[index] = undefined;
    rounds(frame, sink);
  };
}

function variablesOf(context: CompileContext, target: Expression): number[] {
  if (target.kind === "list" || target.kind === "tuple")
    return target.items.flatMap((item) => variablesOf(context, item));
  const binding = target.kind === "name" ? context.resolution.names.get(target) : undefined;
  return binding?.kind === "variable" ? [binding.index] : [];
}

function roundOf<Sink>(context: CompileContext, clause: Clause, inner: Emit<Sink>): Emit<Sink> {
  if (clause.kind === "if") {
    const test = expressionOf(context, clause.test);
    return (frame, sink) => {
      if (isTrue(test(frame))) inner(frame, sink);
    };
  }
  const values = expressionOf(context, clause.iterable);
  const store = storeOf(context, clause.target);
  return (frame, sink) => {
    const value = values(frame);
    frame.at = clause;
    iterate(frame.thread, iterableOf(frame.thread, value), (item) => {
      store(frame, item);
      inner(frame, sink);
      return false;
    });
  };
}
