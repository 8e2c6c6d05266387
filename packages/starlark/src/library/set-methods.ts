import type { Thread } from "../evaluator/thread.js";
import { UNITS } from "../values/allocation.js";
import { isSubset } from "../values/equality.js";
import { keyOf } from "../values/key.js";
import { iterableOf, iterate } from "../values/sequence.js";
import { copySet, difference, intersection, symmetricDifference, union } from "../values/union.js";
import { type Keywords, StarSet, type Value } from "../values/values.js";
import { type MethodBody, type Methods, methods } from "./builtin.js";

/** The set of what is iterable; a set is itself. */
export function toSet(thread: Thread, value: Value): StarSet {
  if (value instanceof StarSet) return value;
  thread.allocate(UNITS.set);
  const set = new StarSet();
  iterate(thread, iterableOf(thread, value), (item) => {
    set.put(thread, item);
    return false;
  });
  return set;
}

type Operation = (thread: Thread, x: StarSet, y: StarSet) => StarSet;

function fold(operation: Operation, thread: Thread, self: StarSet, args: readonly (Value | undefined)[]): StarSet {
  let result = self;
  for (const arg of args) result = operation(thread, result, toSet(thread, arg as Value));
  // What is returned is never the set itself.
  return result === self ? copySet(thread, self) : result;
}

function refuseNames(thread: Thread, keywords: Keywords): void {
  for (const name of keywords.keys()) thread.fail(`unexpected keyword argument "${name}"`);
}

/** A method that makes a set of this one and any number of iterables. */
function making(operation: Operation): MethodBody<StarSet> {
  return (thread, self, args, keywords) => {
    refuseNames(thread, keywords);
    return fold(operation, thread, self, args);
  };
}

/** The same, kept in the set itself. */
function changing(operation: Operation): MethodBody<StarSet> {
  return (thread, self, args, keywords) => {
    refuseNames(thread, keywords);
    return assignTo(thread, self, fold(operation, thread, self, args));
  };
}

function assignTo(thread: Thread, self: StarSet, next: StarSet): null {
  self.change(thread, "update");
  self.assign(next);
  return null;
}

export const setMethods: Methods<StarSet> = methods<StarSet>({
  add: [
    "x /",
    (thread, self, [item]) => {
      self.change(thread, "insert into");
      self.put(thread, item as Value);
      return null;
    },
  ],
  clear: [
    "",
    (thread, self) => {
      self.change(thread, "clear");
      self.entries.clear();
      return null;
    },
  ],
  difference: [null, making(difference)],
  difference_update: [null, changing(difference)],
  discard: [
    "x /",
    (thread, self, [item]) => {
      const key = keyOf(thread, item as Value);
      self.change(thread, "discard from");
      self.entries.delete(key);
      return null;
    },
  ],
  intersection: [null, making(intersection)],
  intersection_update: [null, changing(intersection)],
  isdisjoint: [
    "other /",
    (thread, self, [other]) => intersection(thread, self, toSet(thread, other as Value)).entries.size === 0,
  ],
  issubset: ["other /", (thread, self, [other]) => isSubset(thread, self, toSet(thread, other as Value))],
  issuperset: ["other /", (thread, self, [other]) => isSubset(thread, toSet(thread, other as Value), self)],
  pop: [
    "",
    (thread, self) => {
      self.change(thread, "pop from");
      const first = self.takeFirst();
      return first === undefined ? thread.fail("empty set") : first;
    },
  ],
  remove: [
    "x /",
    (thread, self, [item]) => {
      const key = keyOf(thread, item as Value);
      self.change(thread, "remove from");
      return self.entries.delete(key) ? null : thread.fail("missing key: element not found in set");
    },
  ],
  symmetric_difference: [
    "other /",
    (thread, self, [other]) => symmetricDifference(thread, self, toSet(thread, other as Value)),
  ],
  symmetric_difference_update: [
    "other /",
    (thread, self, [other]) => assignTo(thread, self, symmetricDifference(thread, self, toSet(thread, other as Value))),
  ],
  union: [null, making(union)],
  update: [null, changing(union)],
});
