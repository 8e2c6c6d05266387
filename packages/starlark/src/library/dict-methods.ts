import type { Thread } from "../evaluator/thread.js";
import { UNITS } from "../values/allocation.js";
import { keyOf } from "../values/key.js";
import { elements, isIterable } from "../values/sequence.js";
import { copyEntries } from "../values/union.js";
import { Dict, List, Tuple, typeName, type Value } from "../values/values.js";
import { type Methods, methods } from "./builtin.js";

/** Puts what dict(x) and dict.update(x) take into a dict: the entries of another, or pairs. */
export function putAll(thread: Thread, source: Value, into: Dict): void {
  if (source instanceof Dict) return copyEntries(thread, source, into);
  if (!isIterable(source)) return thread.fail(`got ${typeName(source)}, want iterable`);
  for (const [i, pair] of elements(thread, source).entries()) {
    if (!isIterable(pair)) return thread.fail(`element #${i} is not iterable (${typeName(pair)})`);
    const parts = elements(thread, pair);
    if (parts.length !== 2) thread.fail(`element #${i} has length ${parts.length}, want 2`);
    into.put(thread, parts[0] as Value, parts[1] as Value);
  }
}

export const dictMethods: Methods<Dict> = methods<Dict>({
  clear: [
    "",
    (thread, self) => {
      self.change(thread, "clear");
      self.entries.clear();
      return null;
    },
  ],
  get: [
    "key default? /",
    (thread, self, args) => {
      const found = self.get(thread, args[0] as Value);
      // None is null, so `??` would take a None that is there for one that is not.
      return found !== undefined ? found : (args[1] ?? null);
    },
  ],
  items: [
    "",
    (thread, self) => {
      thread.charge(self.entries.size, UNITS.list + (UNITS.tuple + 24) * self.entries.size);
      const items: Value[] = [];
      for (const [key, value] of self.entries.values()) items.push(new Tuple([key, value]));
      return new List(items);
    },
  ],
  keys: ["", (thread, self) => new List(elements(thread, self))],
  pop: [
    "key default? /",
    (thread, self, [key, fallback]) => {
      self.change(thread, "pop from");
      const hashed = keyOf(thread, key as Value);
      const entry = self.entries.get(hashed);
      self.entries.delete(hashed);
      if (entry !== undefined) return entry[1];
      return fallback === undefined ? thread.fail("missing key") : fallback;
    },
  ],
  popitem: [
    "",
    (thread, self) => {
      self.change(thread, "popitem from");
      thread.allocate(UNITS.tuple + 16);
      const first = self.takeFirst();
      return first === undefined ? thread.fail("empty dict") : new Tuple(first);
    },
  ],
  setdefault: [
    "key default? /",
    (thread, self, [key, fallback = null]) => {
      self.change(thread, "insert into");
      const known = self.get(thread, key as Value);
      if (known !== undefined) return known;
      self.put(thread, key as Value, fallback);
      return fallback;
    },
  ],
  update: [
    null,
    (thread, self, args, keywords) => {
      if (args.length > 1) thread.fail(`got ${args.length} arguments, want at most 1`);
      self.change(thread, "update");
      if (args[0] !== undefined) putAll(thread, args[0], self);
      for (const [name, value] of keywords) self.put(thread, name, value);
      return null;
    },
  ],
  values: [
    "",
    (thread, self) => {
      thread.charge(self.entries.size, UNITS.list + 8 * self.entries.size);
      const items: Value[] = [];
      for (const [, value] of self.entries.values()) items.push(value);
      return new List(items);
    },
  ],
});
