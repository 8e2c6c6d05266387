import type { BinaryOperator, Expression } from "../syntax/tree.js";
import { add, bitwise, divide, divideFloor, modulo, multiply, shift, subtract, unary } from "../values/arithmetic.js";
import { equals } from "../values/equality.js";
import { contains } from "../values/membership.js";
import { order } from "../values/order.js";
import { isTrue, type Value } from "../values/values.js";
import type { CompileContext, Evaluate } from "./activation.js";
import { expressionOf } from "./expressions.js";
import type { Thread } from "./thread.js";

type Binary = Extract<Expression, { readonly kind: "binary" }>;
type Operation = (thread: Thread, x: Value, y: Value) => Value;

/** What every operator does that evaluates both of its sides. */
const OPERATIONS: Readonly<Record<Exclude<BinaryOperator, "and" | "or">, Operation>> = {
  "+": add,
  "-": subtract,
  "*": multiply,
  "/": divide,
  "//": divideFloor,
  "%": modulo,
  "&": (thread, x, y) => bitwise(thread, "&", x, y),
  "|": (thread, x, y) => bitwise(thread, "|", x, y),
  "^": (thread, x, y) => bitwise(thread, "^", x, y),
  "<<": (thread, x, y) => shift(thread, "<<", x, y),
  ">>": (thread, x, y) => shift(thread, ">>", x, y),
  "==": equals,
  "!=": (thread, x, y) => !equals(thread, x, y),
  "<": (thread, x, y) => order(thread, "<", x, y),
  "<=": (thread, x, y) => order(thread, "<=", x, y),
  ">": (thread, x, y) => order(thread, ">", x, y),
  ">=": (thread, x, y) => order(thread, ">=", x, y),
  in: contains,
  "not in": (thread, x, y) => !contains(thread, x, y),
};

/** `x op y`, where the operator is not known before it runs. */
export function applyBinary(thread: Thread, operator: string, x: Value, y: Value): Value {
  return OPERATIONS[operator as keyof typeof OPERATIONS](thread, x, y);
}

/** A chain such as `a + b + c` leans to the left as deeply as it is long. It is run as a list, not as nested calls. */
const LONGEST_NESTED = 4;

export function binaryOf(context: CompileContext, expression: Binary): Evaluate {
  const chain: Binary[] = [];
  let first: Expression = expression;
  for (; first.kind === "binary"; first = first.left) chain.push(first);
  if (chain.length > LONGEST_NESTED) return chainOf(context, first, chain.reverse());
  return pairOf(context, expression, expressionOf(context, expression.left));
}

function chainOf(context: CompileContext, first: Expression, chain: readonly Binary[]): Evaluate {
  const start = expressionOf(context, first);
  const links = chain.map((link) => ({ link, right: expressionOf(context, link.right) }));
  return (frame) => {
    let value = start(frame);
    for (let i = 0; i < links.length; i++) {
      const { link, right } = links[i] as (typeof links)[number];
      frame.thread.step();
      if (link.operator === "and" || link.operator === "or") {
        if (isTrue(value) === (link.operator === "and")) value = right(frame);
        continue;
      }
      const by = right(frame);
      frame.at = link;
      value = OPERATIONS[link.operator](frame.thread, value, by);
    }
    return value;
  };
}

function pairOf(context: CompileContext, expression: Binary, left: Evaluate): Evaluate {
  const right = expressionOf(context, expression.right);
  switch (expression.operator) {
    case "and":
      return (frame) => {
        const value = left(frame);
        return isTrue(value) ? right(frame) : value;
      };
    case "or":
      return (frame) => {
        const value = left(frame);
        return isTrue(value) ? value : right(frame);
      };
    default:
      return eagerOf(expression, expression.operator, left, right);
  }
}

/** Operators on small ints and strings are done here; everything else by the operation of their kind. */
function eagerOf(expression: Binary, operator: keyof typeof OPERATIONS, left: Evaluate, right: Evaluate): Evaluate {
  const operation = OPERATIONS[operator];
  switch (operator) {
    case "+":
      return (frame) => {
        const x = left(frame);
        const y = right(frame);
        if (typeof x === "number" && typeof y === "number") {
          const sum = x + y;
          if (Number.isSafeInteger(sum)) return sum;
        }
        frame.at = expression;
        return add(frame.thread, x, y);
      };
    case "==":
      return (frame) => {
        const x = left(frame);
        const y = right(frame);
        if (typeof x === "number" && typeof y === "number") return x === y;
        frame.at = expression;
        return equals(frame.thread, x, y);
      };
    case "<":
      return (frame) => {
        const x = left(frame);
        const y = right(frame);
        if (typeof x === "number" && typeof y === "number") return x < y;
        frame.at = expression;
        return order(frame.thread, "<", x, y);
      };
    case ">":
      return (frame) => {
        const x = left(frame);
        const y = right(frame);
        if (typeof x === "number" && typeof y === "number") return x > y;
        frame.at = expression;
        return order(frame.thread, ">", x, y);
      };
    case "in":
      return (frame) => {
        const x = left(frame);
        const y = right(frame);
        frame.at = expression;
        return contains(frame.thread, x, y);
      };
    default:
      return (frame) => {
        const x = left(frame);
        const y = right(frame);
        frame.at = expression;
        return operation(frame.thread, x, y);
      };
  }
}

export function unaryOf(context: CompileContext, expression: Extract<Expression, { kind: "unary" }>): Evaluate {
  const { operator } = expression;
  const operand = expressionOf(context, expression.operand);
  if (operator === "not") return (frame) => !isTrue(operand(frame));
  return (frame) => {
    const value = operand(frame);
    frame.at = expression;
    return unary(frame.thread, operator, value);
  };
}
