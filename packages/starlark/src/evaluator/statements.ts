import type { Expression, Node, Statement } from "../syntax/tree.js";
import { freeze } from "../values/freeze.js";
import { addInts } from "../values/integers.js";
import { elements, getItem, isIterable, iterate, setItem } from "../values/sequence.js";
import { copyEntries, difference, intersection, symmetricDifference, union } from "../values/union.js";
import { Dict, isTrue, isValue, List, refuseValue, StarSet, typeName, type Value } from "../values/values.js";
import {
  type Activation,
  BREAK,
  CONTINUE,
  type CompileContext,
  type Ending,
  type Evaluate,
  type Execute,
  NEXT,
  RETURN,
  type Store,
} from "./activation.js";
import { expressionOf } from "./expressions.js";
import { functionOf } from "./function.js";
import { applyBinary } from "./operators.js";
import { storeOf } from "./targets.js";
import type { Thread } from "./thread.js";

type Of<K extends Statement["kind"]> = Extract<Statement, { readonly kind: K }>;

/** Statements one after the other; each is a step, and the place where the program is. */
export function blockOf(context: CompileContext, statements: readonly Statement[]): Execute {
  const executes = statements.map((statement) => statementOf(context, statement));
  const [only, at] = [executes[0] as Execute, statements[0] as Node];
  if (executes.length === 1) {
    return (frame) => {
      frame.at = at;
      frame.thread.step();
      return only(frame);
    };
  }
  return (frame) => {
    for (let i = 0; i < executes.length; i++) {
      frame.at = statements[i] as Node;
      frame.thread.step();
      const ending = (executes[i] as Execute)(frame);
      if (ending !== NEXT) return ending;
    }
    return NEXT;
  };
}

function statementOf(context: CompileContext, statement: Statement): Execute {
  switch (statement.kind) {
    case "pass":
      return () => NEXT;
    case "break":
      return () => BREAK;
    case "continue":
      return () => CONTINUE;
    case "expression": {
      const evaluate = expressionOf(context, statement.expression);
      return (frame) => {
        evaluate(frame);
        return NEXT;
      };
    }
    case "assign":
      return assignment(context, statement);
    case "augment":
      return augmentation(context, statement);
    case "def":
      return definition(context, statement);
    case "if":
      return branching(context, statement);
    case "for":
      return loop(context, statement);
    case "while":
      return whileLoop(context, statement);
    case "return":
      return returning(context, statement);
    case "load":
      return loading(context, statement);
  }
}

function assignment(context: CompileContext, { target, value }: Of<"assign">): Execute {
  const evaluate = expressionOf(context, value);
  if (target.kind === "name") {
    const index = indexOf(context, target);
    return (frame) => {
      frame.variables[index] = evaluate(frame);
      return NEXT;
    };
  }
  const store = storeOf(context, target);
  return (frame) => {
    store(frame, evaluate(frame));
    return NEXT;
  };
}

function indexOf(context: CompileContext, name: Extract<Expression, { kind: "name" }>): number {
  const binding = context.resolution.names.get(name);
  return binding?.kind === "variable" ? binding.index : 0;
}

function definition(context: CompileContext, statement: Of<"def">): Execute {
  const make = functionOf(context, statement.name, statement, statement.parameters, blockOf(context, statement.body));
  const index = context.resolution.writes.get(statement)?.[0] ?? 0;
  return (frame) => {
    frame.variables[index] = make(frame);
    return NEXT;
  };
}

function branching(context: CompileContext, { branches, otherwise }: Of<"if">): Execute {
  const tests = branches.map(({ test }) => expressionOf(context, test));
  const bodies = branches.map(({ body }) => blockOf(context, body));
  const rest: Execute = otherwise.length === 0 ? () => NEXT : blockOf(context, otherwise);
  const [onlyTest, onlyBody] = [tests[0] as Evaluate, bodies[0] as Execute];
  if (tests.length === 1) return (frame) => (isTrue(onlyTest(frame)) ? onlyBody(frame) : rest(frame));
  return (frame) => {
    for (let i = 0; i < tests.length; i++) {
      if (i > 0) frame.thread.step();
      if (isTrue((tests[i] as Evaluate)(frame))) return (bodies[i] as Execute)(frame);
    }
    return rest(frame);
  };
}

function loop(context: CompileContext, { target, iterable, body }: Of<"for">): Execute {
  const values = expressionOf(context, iterable);
  const store = storeOf(context, target);
  const run = blockOf(context, body);
  return (frame) => {
    const value = values(frame);
    frame.at = iterable;
    if (value instanceof List) return loopOverList(frame, value, store, run);
    if (!isIterable(value)) return notIterable(frame.thread, value);
    let hasReturned = false;
    iterate(frame.thread, value, (item) => {
      store(frame, item);
      const ending = run(frame);
      hasReturned = ending === RETURN;
      return hasReturned || ending === BREAK;
    });
    return hasReturned ? RETURN : NEXT;
  };
}

/** What iterate() does, for the commonest loop there is: without a function for every round. */
function loopOverList(frame: Activation, list: List, store: Store, run: Execute): Ending {
  const { thread } = frame;
  const { items } = list;
  list.iterators++;
  try {
    for (let i = 0; i < items.length; i++) {
      thread.step();
      store(frame, items[i] as Value);
      const ending = run(frame);
      if (ending === RETURN) return RETURN;
      if (ending === BREAK) return NEXT;
    }
    return NEXT;
  } finally {
    list.iterators--;
  }
}

function notIterable(thread: Thread, value: Value): never {
  const hint = typeof value === "string" ? "; use .elems() for its characters" : "";
  return thread.fail(`${typeName(value)} value is not iterable${hint}`);
}

function whileLoop(context: CompileContext, { test, body }: Of<"while">): Execute {
  const evaluate = expressionOf(context, test);
  const run = blockOf(context, body);
  return (frame) => {
    while (isTrue(evaluate(frame))) {
      frame.thread.step();
      const ending = run(frame);
      if (ending === BREAK) break;
      if (ending === RETURN) return ending;
    }
    return NEXT;
  };
}

function returning(context: CompileContext, { value }: Of<"return">): Execute {
  if (value === null) return () => RETURN;
  const evaluate = expressionOf(context, value);
  return (frame) => {
    frame.result = evaluate(frame);
    return RETURN;
  };
}

function loading(context: CompileContext, statement: Of<"load">): Execute {
  const indices = context.resolution.writes.get(statement) ?? [];
  return (frame) => {
    const members = context.load(frame.thread, statement.module);
    for (const [i, { exported }] of statement.names.entries()) {
      const value = members.get(exported);
      if (value === undefined) return frame.thread.fail(`load: ${exported} not found in module ${statement.module}`);
      if (!isValue(value)) refuseValue(`${exported} of module ${statement.module}`);
      // What another module or the host defined is not this one's to change.
      freeze(value);
      frame.variables[indices[i] as number] = value;
    }
    return NEXT;
  };
}

function augmentation(context: CompileContext, statement: Of<"augment">): Execute {
  const { target, operator } = statement;
  const right = expressionOf(context, statement.value);
  if (target.kind === "name") {
    const read = expressionOf(context, target);
    const index = indexOf(context, target);
    return (frame) => {
      const before = read(frame);
      const by = right(frame);
      frame.at = statement;
      const isCount = operator === "+" && typeof before === "number" && typeof by === "number";
      frame.variables[index] = isCount
        ? addInts(frame.thread, before, by)
        : inPlace(frame.thread, operator, before, by);
      return NEXT;
    };
  }
  if (target.kind !== "index") {
    const refuse = storeOf(context, target);
    return (frame) => {
      refuse(frame, null);
      return NEXT;
    };
  }
  const object = expressionOf(context, target.object);
  const index = expressionOf(context, target.index);
  return (frame) => {
    const [container, key] = [object(frame), index(frame)];
    frame.at = target;
    const before = getItem(frame.thread, container, key);
    const by = right(frame);
    frame.at = statement;
    setItem(frame.thread, container, key, inPlace(frame.thread, operator, before, by));
    return NEXT;
  };
}

const SET_OPERATIONS = { "|": union, "&": intersection, "-": difference, "^": symmetricDifference } as const;

/** `x += y`: lists, dicts and sets change where they are, everything else becomes a new value. */
function inPlace(thread: Thread, operator: string, x: Value, y: Value): Value {
  if (typeof x !== "object" || x === null) return applyBinary(thread, operator, x, y);
  if (operator === "+" && x instanceof List && isIterable(y)) {
    x.change(thread, "extend");
    for (const item of elements(thread, y)) x.items.push(item);
    return x;
  }
  if (operator === "|" && x instanceof Dict && y instanceof Dict) {
    x.change(thread, "update");
    copyEntries(thread, y, x);
    return x;
  }
  if (operator in SET_OPERATIONS && x instanceof StarSet && y instanceof StarSet) {
    x.change(thread, "update");
    x.assign(SET_OPERATIONS[operator as keyof typeof SET_OPERATIONS](thread, x, y));
    return x;
  }
  return applyBinary(thread, operator, x, y);
}
