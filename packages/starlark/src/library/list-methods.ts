import type { Thread } from "../evaluator/thread.js";
import { equals } from "../values/equality.js";
import { elements } from "../values/sequence.js";
import type { List, Value } from "../values/values.js";
import { type Methods, methods } from "./builtin.js";

function position(thread: Thread, self: List, wanted: Value, start: number, end: number): number {
  for (let i = start; i < end; i++) {
    thread.step();
    if (equals(thread, self.items[i] as Value, wanted)) return i;
  }
  return thread.fail("value not in list: element not found");
}

/** A place in a list of this length: negative ones count from its end, and none lies outside. */
function place(at: Value | undefined, fallback: number, length: number): number {
  if (at === undefined) return fallback;
  const index = Number(at);
  return Math.min(Math.max(index < 0 ? index + length : index, 0), length);
}

export const listMethods: Methods<List> = methods<List>({
  append: [
    "x /",
    (thread, self, args) => {
      self.change(thread, "append to");
      thread.allocate(8);
      self.items.push(args[0] as Value);
      return null;
    },
  ],
  clear: [
    "",
    (thread, self) => {
      self.change(thread, "clear");
      self.items.length = 0;
      return null;
    },
  ],
  extend: [
    "iterable /",
    (thread, self, [iterable]) => {
      self.change(thread, "extend");
      for (const item of elements(thread, iterable as Value)) self.items.push(item);
      return null;
    },
  ],
  index: [
    "x start:int?~ end:int?~ /",
    (thread, self, [item, start, end]) => {
      const { length } = self.items;
      return position(thread, self, item as Value, place(start, 0, length), place(end, length, length));
    },
  ],
  insert: [
    "index:int x /",
    (thread, self, [at, item]) => {
      self.change(thread, "insert into");
      thread.charge(self.items.length >> 3, 8);
      self.items.splice(place(at, 0, self.items.length), 0, item as Value);
      return null;
    },
  ],
  pop: [
    "index:int? /",
    (thread, self, [at = -1]) => {
      const { length } = self.items;
      const index = Number(at) < 0 ? Number(at) + length : Number(at);
      self.change(thread, "pop from");
      if (index < 0 || index >= length) {
        thread.fail(`index ${Number(at)} out of range: index is ${Number(at)}, length is ${length}`);
      }
      if (index === length - 1) return self.items.pop() as Value;
      thread.step(length >> 3);
      return self.items.splice(index, 1)[0] as Value;
    },
  ],
  remove: [
    "x /",
    (thread, self, [item]) => {
      self.change(thread, "remove from");
      const at = position(thread, self, item as Value, 0, self.items.length);
      thread.step(self.items.length >> 3);
      self.items.splice(at, 1);
      return null;
    },
  ],
});
