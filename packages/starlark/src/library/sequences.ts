import type { Thread } from "../evaluator/thread.js";
import { hintFor } from "../nearest.js";
import { UNITS } from "../values/allocation.js";
import { addInts, type Int } from "../values/integers.js";
import { compare, sortBy } from "../values/order.js";
import { elements, iterableOf, iterate, lengthOf } from "../values/sequence.js";
import {
  type Callable,
  isCallable,
  type Keywords,
  List,
  NO_KEYWORDS,
  Range,
  Tuple,
  typeName,
  type Value,
} from "../values/values.js";
import type { HostFunction } from "./builtin.js";

function keyFrom(thread: Thread, keywords: Keywords): Callable | null {
  for (const name of keywords.keys()) {
    if (name !== "key") thread.fail(`unexpected keyword argument "${name}"${hintFor(name, ["key"])}`);
  }
  const key = keywords.get("key") ?? null;
  if (key === null || isCallable(key)) return key;
  return thread.fail(`for parameter key: got ${typeName(key)}, want callable`);
}

function keyOf(thread: Thread, key: Callable | null, item: Value): Value {
  if (key === null) return item;
  thread.step();
  return key.call(thread, [item], NO_KEYWORDS);
}

/** min and max: the first of the items that no other one goes beyond. */
export function extreme(sign: 1 | -1): HostFunction {
  return (thread, args, keywords) => {
    const key = keyFrom(thread, keywords);
    if (args.length === 0) thread.fail("got no arguments, want at least one item");
    const items = args.length === 1 ? iterableOf(thread, args[0] as Value) : new Tuple(args as readonly Value[]);
    // A loop over all of them would only end there.
    thread.step(lengthOf(items));
    let best: { readonly item: Value; readonly key: Value } | undefined;
    iterate(thread, items, (item) => {
      const itemKey = keyOf(thread, key, item);
      if (best === undefined || compare(thread, itemKey, best.key) * sign > 0) best = { item, key: itemKey };
      return false;
    });
    return best === undefined ? thread.fail("argument is an empty sequence") : (best as { item: Value }).item;
  };
}

/** sorted(x, key, reverse): a new list; equals keep their order, also in reverse. */
export function sorted(thread: Thread, iterable: Value, key: Callable | null, isReversed: boolean): List {
  const items = elements(thread, iterable);
  thread.allocate(UNITS.list + 40 * items.length);
  const keyed = items.map((item) => ({ item, key: keyOf(thread, key, item) }));
  const sign = isReversed ? -1 : 1;
  const inOrder = sortBy(keyed, (a, b) => {
    thread.step();
    return sign * compare(thread, a.key, b.key);
  });
  return new List(inOrder.map(({ item }) => item));
}

export function enumerate(thread: Thread, iterable: Value, start: Int): List {
  const items = elements(thread, iterable);
  thread.allocate(UNITS.list + (UNITS.tuple + 24) * items.length);
  return new List(items.map((item, i) => new Tuple([addInts(thread, start, i), item])));
}

export const zip: HostFunction = (thread, args, keywords) => {
  for (const name of keywords.keys()) thread.fail(`unexpected keyword argument "${name}"`);
  const lengths = args.map((arg) => lengthOf(iterableOf(thread, arg as Value)) as number);
  const length = lengths.reduce((least, own) => Math.min(least, own), lengths[0] ?? 0);
  thread.charge(length * args.length, UNITS.list + length * (UNITS.tuple + 8 + 8 * args.length));
  const columns = args.map((arg) => first(thread, arg as Value, length));
  const rows: Value[] = [];
  for (let i = 0; i < length; i++) rows.push(new Tuple(columns.map((column) => column[i] as Value)));
  return new List(rows);
};

/** The first few elements: a range of any length may stand beside a short list. */
function first(thread: Thread, value: Value, count: number): Value[] {
  const items: Value[] = [];
  if (count === 0) return items;
  iterate(thread, iterableOf(thread, value), (item) => items.push(item) === count);
  return items;
}

export function rangeOf(thread: Thread, start: Value, stop: Value | undefined, step: Value | undefined): Range {
  for (const value of [start, stop, step]) {
    if (typeof value === "bigint") return thread.fail("an argument is too large");
  }
  if (step === 0) return thread.fail("step argument must not be zero");
  thread.allocate(UNITS.range);
  const stride = (step ?? 1) as number;
  return stop === undefined
    ? new Range(0, start as number, stride)
    : new Range(start as number, stop as number, stride);
}
