import type { Expression } from "../syntax/tree.js";
import { elements, isIterable, lengthOf, setItem } from "../values/sequence.js";
import { typeName, type Value } from "../values/values.js";
import type { Activation, CompileContext, Store } from "./activation.js";
import { expressionOf } from "./expressions.js";

/** What gives a value to the left side of an assignment, or to the variables of a loop. */
export function storeOf(context: CompileContext, target: Expression): Store {
  switch (target.kind) {
    case "name": {
      const binding = context.resolution.names.get(target);
      const index = binding?.kind === "variable" ? binding.index : 0;
      return (frame, value) => {
        frame.variables[index] = value;
      };
    }
    case "index": {
      const object = expressionOf(context, target.object);
      const index = expressionOf(context, target.index);
      return (frame, value) => {
        const [container, key] = [object(frame), index(frame)];
        frame.at = target;
        setItem(frame.thread, container, key, value);
      };
    }
    case "list":
    case "tuple": {
      const stores = target.items.map((item) => storeOf(context, item));
      return (frame, value) => {
        frame.at = target;
        unpack(frame, value, stores);
      };
    }
    case "dot": {
      const object = expressionOf(context, target.object);
      return (frame) => {
        const owner = object(frame);
        frame.at = target;
        // No value of the language or of a host has a field that can be set.
        frame.thread.fail(`cannot assign to .${target.name} field of ${typeName(owner)}`);
      };
    }
    default:
      throw new TypeError(`the parser takes no ${target.kind} for a target`);
  }
}

function unpack(frame: Activation, value: Value, stores: readonly Store[]): void {
  const { thread } = frame;
  if (!isIterable(value)) return thread.fail(`got ${typeName(value)} in sequence assignment`);
  const length = lengthOf(value) as number;
  if (length !== stores.length) {
    thread.fail(
      `too ${length > stores.length ? "many" : "few"} values to unpack (got ${length}, want ${stores.length})`,
    );
  }
  const items = elements(thread, value);
  for (let i = 0; i < stores.length; i++) (stores[i] as Store)(frame, items[i] as Value);
}
