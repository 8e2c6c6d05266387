import type { Thread } from "../evaluator/thread.js";
import { hintFor } from "../nearest.js";
import { UNITS } from "../values/allocation.js";
import { Bytes, Dict, List, Namespace, StarSet, typeName, type Value } from "../values/values.js";
import { BoundMethod, type Method, type Methods } from "./builtin.js";
import { bytesMethods } from "./bytes-methods.js";
import { dictMethods } from "./dict-methods.js";
import { listMethods } from "./list-methods.js";
import { setMethods } from "./set-methods.js";
import { stringMethods } from "./string-methods.js";

function methodsOf(value: Value): Methods<never> | undefined {
  if (typeof value === "string") return stringMethods;
  if (value instanceof List) return listMethods;
  if (value instanceof Dict) return dictMethods;
  if (value instanceof StarSet) return setMethods;
  return value instanceof Bytes ? bytesMethods : undefined;
}

/** `value.name`; undefined where there is no such thing. */
export function findAttribute(value: Value, name: string): Value | undefined {
  if (value instanceof Namespace) return value.members.get(name);
  const method = methodsOf(value)?.get(name) as Method<Value> | undefined;
  return method && new BoundMethod(method, value);
}

/** The names a value has, sorted. */
export function attributeNames(value: Value): string[] {
  const names = value instanceof Namespace ? value.members.keys() : (methodsOf(value)?.keys() ?? []);
  return [...names].sort();
}

/** `value.name` */
export function attribute(thread: Thread, value: Value, name: string): Value {
  thread.allocate(UNITS.method);
  const found = findAttribute(value, name);
  return found === undefined ? missingAttribute(thread, value, name) : found;
}

export function missingAttribute(thread: Thread, value: Value, name: string): never {
  const what = value instanceof Namespace ? value.name : typeName(value);
  return thread.fail(`${what} has no .${name} field or method${hintFor(name, attributeNames(value))}`);
}

/** Finds the method of one name on a value of any type, without a map to look into while running. */
export function methodFinder(name: string): (value: Value) => Method<Value> | undefined {
  const find = (table: Methods<never>) => table.get(name) as Method<Value> | undefined;
  const [ofString, ofList, ofDict] = [find(stringMethods), find(listMethods), find(dictMethods)];
  const [ofSet, ofBytes] = [find(setMethods), find(bytesMethods)];
  return (value) => {
    if (typeof value === "string") return ofString;
    if (value instanceof Dict) return ofDict;
    if (value instanceof List) return ofList;
    if (value instanceof StarSet) return ofSet;
    return value instanceof Bytes ? ofBytes : undefined;
  };
}
