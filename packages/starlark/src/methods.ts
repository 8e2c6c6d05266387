import { elements, iterate } from "./access.js";
import { formatText } from "./format.js";
import { equals } from "./operations.js";
import type { Thread } from "./thread.js";
import { Builtin, type HostFunction, type HostParameter, parameters } from "./unpack.js";
import { Bytes, Dict, keyOf, List, StarSet, Tuple, typeName, type Value } from "./values.js";

type Method<T> = (thread: Thread, self: T, args: (Value | undefined)[], rest: Parameters<HostFunction>[2]) => Value;

interface MethodSpec<T> {
  readonly wanted: readonly HostParameter[] | null;
  readonly run: Method<T>;
}

type Methods<T> = ReadonlyMap<string, MethodSpec<T>>;

function methods<T>(table: Readonly<Record<string, readonly [string | null, Method<T>]>>): Methods<T> {
  return new Map(
    Object.entries(table).map(([name, [description, run]]) => [
      name,
      { wanted: description === null ? null : parameters(description), run },
    ]),
  );
}

/** The method of a value by its name, bound to it; undefined when there is none. */
export function methodOf(value: Value, name: string): Builtin | undefined {
  const spec = tableOf(value)?.get(name) as MethodSpec<Value> | undefined;
  return spec && new Builtin(name, spec.wanted, (thread, args, rest) => spec.run(thread, value, args, rest));
}

/** The names of a value's methods, sorted. */
export function methodNames(value: Value): string[] {
  return [...(tableOf(value)?.keys() ?? [])].sort();
}

function tableOf(value: Value): Methods<never> | undefined {
  if (typeof value === "string") return stringMethods;
  if (value instanceof List) return listMethods;
  if (value instanceof Dict) return dictMethods;
  if (value instanceof StarSet) return setMethods;
  return value instanceof Bytes ? bytesMethods : undefined;
}

// None is null, so `??` would take a None that is there for one that is not.
function orElse(value: Value | undefined, fallback: Value): Value {
  return value === undefined ? fallback : value;
}

function text(thread: Thread, value: string): string {
  thread.allocate(2 * value.length);
  thread.step(Math.ceil(value.length / 64));
  return value;
}

function strings(thread: Thread, values: readonly string[]): List {
  thread.step(values.length);
  thread.allocate(values.reduce((sum, value) => sum + 24 + 2 * value.length, 0));
  return new List([...values]);
}

/** The part of a string that start and end select, and where it begins; undefined when they select nothing. */
function range(self: string, start: Value | undefined, end: Value | undefined): [from: number, to: number] {
  const bound = (value: Value | undefined, fallback: number) => {
    if (value === undefined || value === null) return fallback;
    const at = Number(value);
    return Math.min(Math.max(at < 0 ? at + self.length : at, 0), self.length);
  };
  return [bound(start, 0), bound(end, self.length)];
}

function find(self: string, sub: string, start: Value | undefined, end: Value | undefined, isLast: boolean): number {
  const [from, to] = range(self, start, end);
  if (from > to) return -1;
  const at = isLast ? self.slice(from, to).lastIndexOf(sub) : self.slice(from, to).indexOf(sub);
  return at === -1 ? -1 : at + from;
}

const SPACE =
  " \t\n\r\f\v\u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000";

function strip(self: string, cutset: Value | undefined, sides: "both" | "left" | "right"): string {
  const set = typeof cutset === "string" ? new Set([...cutset]) : new Set([...SPACE]);
  const characters = [...self];
  let from = 0;
  let to = characters.length;
  if (sides !== "right") while (from < to && set.has(characters[from] as string)) from++;
  if (sides !== "left") while (to > from && set.has(characters[to - 1] as string)) to--;
  return characters.slice(from, to).join("");
}

function affix(
  thread: Thread,
  name: string,
  self: string,
  args: (Value | undefined)[],
  test: (part: string, of: string) => boolean,
): boolean {
  const [wanted, start, end] = args;
  const [from, to] = range(self, start, end);
  const part = from > to ? null : self.slice(from, to);
  const candidates = wanted instanceof Tuple ? wanted.items : [wanted as Value];
  return candidates.some((candidate) => {
    if (typeof candidate !== "string") thread.fail(`${name}: got ${typeName(candidate)}, want string`);
    return part !== null && test(candidate, part);
  });
}

function words(self: string, limit: number, fromRight: boolean): string[] {
  const isSpace = (character: string) => SPACE.includes(character);
  const found: string[] = [];
  if (!fromRight) {
    let at = 0;
    for (;;) {
      while (at < self.length && isSpace(self[at] as string)) at++;
      if (at === self.length) return found;
      if (limit >= 0 && found.length === limit) return [...found, strip(self.slice(at), undefined, "right")];
      const start = at;
      while (at < self.length && !isSpace(self[at] as string)) at++;
      found.push(self.slice(start, at));
    }
  }
  let at = self.length;
  for (;;) {
    while (at > 0 && isSpace(self[at - 1] as string)) at--;
    if (at === 0) return found.reverse();
    if (limit >= 0 && found.length === limit) return [strip(self.slice(0, at), undefined, "left"), ...found.reverse()];
    const end = at;
    while (at > 0 && !isSpace(self[at - 1] as string)) at--;
    found.push(self.slice(at, end));
  }
}

function split(thread: Thread, self: string, args: (Value | undefined)[], fromRight: boolean): List {
  const [separator, most] = args;
  const limit = most === undefined ? -1 : Number(most);
  if (separator === undefined) return strings(thread, words(self, limit, fromRight));
  if (separator === "") thread.fail("empty separator");
  const parts = self.split(separator as string);
  if (limit < 0 || parts.length <= limit + 1) return strings(thread, parts);
  const joint = separator as string;
  return strings(
    thread,
    fromRight
      ? [parts.slice(0, parts.length - limit).join(joint), ...parts.slice(parts.length - limit)]
      : [...parts.slice(0, limit), parts.slice(limit).join(joint)],
  );
}

function partition(thread: Thread, self: string, separator: string, isLast: boolean): Tuple {
  if (separator === "") thread.fail("empty separator");
  const at = isLast ? self.lastIndexOf(separator) : self.indexOf(separator);
  if (at === -1) return new Tuple(isLast ? ["", "", self] : [self, "", ""]);
  return new Tuple([self.slice(0, at), separator, self.slice(at + separator.length)]);
}

function replace(thread: Thread, self: string, old: string, next: string, count: number): string {
  const most = count < 0 ? Number.POSITIVE_INFINITY : count;
  const places = old === "" ? self.length + 1 : self.split(old).length - 1;
  thread.allocate(2 * (self.length + Math.min(places, most) * next.length));
  if (old === "") {
    const characters = [...self];
    const parts = characters.map((character, i) => (i < most ? next + character : character));
    return parts.join("") + (characters.length < most ? next : "");
  }
  const parts = self.split(old);
  const replaced = parts.slice(0, Math.min(most, parts.length - 1) + 1).join(next);
  const rest = parts.slice(Math.min(most, parts.length - 1) + 1);
  return rest.length === 0 ? replaced : [replaced, ...rest].join(old);
}

function splitLines(thread: Thread, self: string, keepEnds: boolean): List {
  const lines: string[] = [];
  for (const [line] of self.matchAll(/[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$/g))
    lines.push(keepEnds ? line : line.replace(/[\r\n]+$/, ""));
  return strings(thread, lines);
}

function elems(thread: Thread, self: string, isOrdinal: boolean, byPoint: boolean): List {
  thread.step(self.length);
  thread.allocate(24 * self.length);
  const parts = byPoint ? [...self] : self.split("");
  return new List(parts.map((part) => (isOrdinal ? (part.codePointAt(0) ?? 0) : part)));
}

function isCased(self: string, expected: (text: string) => string): boolean {
  return self === expected(self) && self.toLowerCase() !== self.toUpperCase();
}

function title(self: string): string {
  return self.replace(/\p{L}+/gu, (word) => {
    const [first = "", ...rest] = [...word];
    return first.toUpperCase() + rest.join("").toLowerCase();
  });
}

const stringMethods: Methods<string> = methods<string>({
  capitalize: ["", (thread, self) => text(thread, self.slice(0, 1).toUpperCase() + self.slice(1).toLowerCase())],
  codepoint_ords: ["", (thread, self) => elems(thread, self, true, true)],
  codepoints: ["", (thread, self) => elems(thread, self, false, true)],
  count: [
    "sub:string start:int?~ end:int?~ /",
    (thread, self, [sub, start, end]) => {
      const [from, to] = range(self, start, end);
      if (from > to) return 0;
      const part = self.slice(from, to);
      thread.step(Math.ceil(part.length / 64));
      return sub === "" ? part.length + 1 : part.split(sub as string).length - 1;
    },
  ],
  elem_ords: ["", (thread, self) => elems(thread, self, true, false)],
  elems: ["", (thread, self) => elems(thread, self, false, false)],
  endswith: [
    "suffix start:int?~ end:int?~ /",
    (thread, self, args) => affix(thread, "endswith", self, args, (part, of) => of.endsWith(part)),
  ],
  find: [
    "sub:string start:int?~ end:int?~ /",
    (_thread, self, [sub, start, end]) => find(self, sub as string, start, end, false),
  ],
  format: [null, (thread, self, _args, { args, keywords }) => formatText(thread, self, args, keywords)],
  index: [
    "sub:string start:int?~ end:int?~ /",
    (thread, self, [sub, start, end]) => {
      const at = find(self, sub as string, start, end, false);
      return at === -1 ? thread.fail("substring not found") : at;
    },
  ],
  isalnum: ["", (_thread, self) => /^[\p{L}\p{Nd}]+$/u.test(self)],
  isalpha: ["", (_thread, self) => /^\p{L}+$/u.test(self)],
  isdigit: ["", (_thread, self) => /^\p{Nd}+$/u.test(self)],
  islower: ["", (_thread, self) => isCased(self, (value) => value.toLowerCase())],
  isspace: ["", (_thread, self) => self !== "" && strip(self, undefined, "both") === ""],
  istitle: ["", (_thread, self) => /\p{L}/u.test(self) && self === title(self)],
  isupper: ["", (_thread, self) => isCased(self, (value) => value.toUpperCase())],
  join: [
    "iterable /",
    (thread, self, [iterable]) => {
      const parts = elements(thread, iterable as Value);
      let length = 0;
      for (const part of parts) {
        if (typeof part !== "string") return thread.fail(`in list, want string, got ${typeName(part)}`);
        length += part.length + self.length;
      }
      thread.allocate(2 * length);
      return parts.join(self);
    },
  ],
  lower: ["", (thread, self) => text(thread, self.toLowerCase())],
  lstrip: ["cutset:string?~ /", (thread, self, [cutset]) => text(thread, strip(self, cutset, "left"))],
  partition: ["sep:string /", (thread, self, [separator]) => partition(thread, self, separator as string, false)],
  removeprefix: [
    "prefix:string /",
    (thread, self, [prefix]) =>
      text(thread, self.startsWith(prefix as string) ? self.slice((prefix as string).length) : self),
  ],
  removesuffix: [
    "suffix:string /",
    (thread, self, [suffix]) => {
      const end = suffix as string;
      return text(thread, end !== "" && self.endsWith(end) ? self.slice(0, -end.length) : self);
    },
  ],
  replace: [
    "old:string new:string count:int? /",
    (thread, self, [old, next, count]) =>
      replace(thread, self, old as string, next as string, count === undefined ? -1 : Number(count)),
  ],
  rfind: [
    "sub:string start:int?~ end:int?~ /",
    (_thread, self, [sub, start, end]) => find(self, sub as string, start, end, true),
  ],
  rindex: [
    "sub:string start:int?~ end:int?~ /",
    (thread, self, [sub, start, end]) => {
      const at = find(self, sub as string, start, end, true);
      return at === -1 ? thread.fail("substring not found") : at;
    },
  ],
  rpartition: ["sep:string /", (thread, self, [separator]) => partition(thread, self, separator as string, true)],
  rsplit: ["sep:string?~ maxsplit:int?", (thread, self, args) => split(thread, self, args, true)],
  rstrip: ["cutset:string?~ /", (thread, self, [cutset]) => text(thread, strip(self, cutset, "right"))],
  split: ["sep:string?~ maxsplit:int?", (thread, self, args) => split(thread, self, args, false)],
  splitlines: ["keepends:bool?", (thread, self, [keep]) => splitLines(thread, self, keep === true)],
  startswith: [
    "prefix start:int?~ end:int?~ /",
    (thread, self, args) => affix(thread, "startswith", self, args, (part, of) => of.startsWith(part)),
  ],
  strip: ["cutset:string?~ /", (thread, self, [cutset]) => text(thread, strip(self, cutset, "both"))],
  title: ["", (thread, self) => text(thread, title(self))],
  upper: ["", (thread, self) => text(thread, self.toUpperCase())],
});

function position(thread: Thread, self: List, wanted: Value, start: number, end: number): number {
  for (let i = start; i < end; i++) {
    thread.step();
    if (equals(thread, self.items[i] as Value, wanted)) return i;
  }
  return thread.fail("value not found in list");
}

const listMethods: Methods<List> = methods<List>({
  append: [
    "x /",
    (thread, self, [item]) => {
      self.change(thread, "append to");
      thread.allocate(8);
      self.items.push(item as Value);
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
      const bound = (value: Value | undefined, fallback: number) => {
        if (value === undefined) return fallback;
        const at = Number(value);
        return Math.min(Math.max(at < 0 ? at + length : at, 0), length);
      };
      return position(thread, self, item as Value, bound(start, 0), bound(end, length));
    },
  ],
  insert: [
    "index:int x /",
    (thread, self, [at, item]) => {
      self.change(thread, "insert into");
      thread.allocate(8);
      thread.step(self.items.length);
      self.items.splice(Math.max(Math.min(Number(at), self.items.length), -self.items.length), 0, item as Value);
      return null;
    },
  ],
  pop: [
    "index:int? /",
    (thread, self, [at = -1]) => {
      const index = Number(at) < 0 ? Number(at) + self.items.length : Number(at);
      if (index < 0 || index >= self.items.length)
        thread.fail(`index ${at} out of range: index is ${at}, length is ${self.items.length}`);
      self.change(thread, "pop from");
      return self.items.splice(index, 1)[0] as Value;
    },
  ],
  remove: [
    "x /",
    (thread, self, [item]) => {
      self.change(thread, "remove from");
      self.items.splice(position(thread, self, item as Value, 0, self.items.length), 1);
      return null;
    },
  ],
});

function updateDict(thread: Thread, self: Dict, source: Value): void {
  if (source === null) thread.fail("got NoneType, want iterable");
  if (source instanceof Dict) {
    for (const [key, value] of [...source.entries.values()]) self.put(thread, key, value);
    return;
  }
  for (const [i, pair] of elements(thread, source).entries()) {
    const parts =
      typeof pair === "object"
        ? elements(thread, pair)
        : thread.fail(`element #${i} is not iterable (${typeName(pair)})`);
    if (parts.length !== 2) thread.fail(`element #${i} has length ${parts.length}, want 2`);
    self.put(thread, parts[0] as Value, parts[1] as Value);
  }
}

const dictMethods: Methods<Dict> = methods<Dict>({
  clear: [
    "",
    (thread, self) => {
      self.change(thread, "clear");
      self.entries.clear();
      return null;
    },
  ],
  get: ["key default? /", (thread, self, [key, fallback = null]) => orElse(self.get(thread, key as Value), fallback)],
  items: [
    "",
    (thread, self) => {
      thread.step(self.entries.size);
      thread.allocate(48 * self.entries.size);
      return new List([...self.entries.values()].map(([key, value]) => new Tuple([key, value])));
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
      const [first] = self.entries;
      if (first === undefined) return thread.fail("empty dict");
      self.entries.delete(first[0]);
      return new Tuple([...first[1]]);
    },
  ],
  setdefault: [
    "key default? /",
    (thread, self, [key, fallback = null]) => {
      const known = self.get(thread, key as Value);
      if (known !== undefined) return known;
      self.set(thread, key as Value, fallback);
      return fallback;
    },
  ],
  update: [
    null,
    (thread, self, _args, { args, keywords }) => {
      if (args.length > 1) thread.fail(`got ${args.length} arguments, want at most 1`);
      self.change(thread, "update");
      if (args[0] !== undefined) updateDict(thread, self, args[0]);
      for (const [name, value] of keywords) self.put(thread, name, value);
      return null;
    },
  ],
  values: [
    "",
    (thread, self) => {
      thread.step(self.entries.size);
      thread.allocate(8 * self.entries.size);
      return new List([...self.entries.values()].map(([, value]) => value));
    },
  ],
});

function unionOf(thread: Thread, self: StarSet, others: readonly Value[]): StarSet {
  const union = new StarSet();
  for (const part of [self as Value, ...others]) {
    iterate(thread, part, (item) => {
      thread.step();
      union.put(thread, item);
      return false;
    });
  }
  return union;
}

function selected(
  thread: Thread,
  self: StarSet,
  others: readonly Value[],
  keep: (isThere: boolean[]) => boolean,
): StarSet {
  const sets = others.map((other) => unionOf(thread, new StarSet(), [other]));
  const result = new StarSet();
  for (const [key, item] of self.entries) {
    thread.step();
    if (keep(sets.map((set) => set.entries.has(key)))) result.put(thread, item);
  }
  return result;
}

function assignSet(thread: Thread, self: StarSet, next: StarSet): null {
  self.change(thread, "update");
  self.entries.clear();
  for (const [key, item] of next.entries) self.entries.set(key, item);
  return null;
}

const difference = (thread: Thread, self: StarSet, others: readonly Value[]) =>
  selected(thread, self, others, (there) => !there.includes(true));
const intersection = (thread: Thread, self: StarSet, others: readonly Value[]) =>
  selected(thread, self, others, (there) => !there.includes(false));
const symmetric = (thread: Thread, self: StarSet, other: Value) => {
  const right = unionOf(thread, new StarSet(), [other]);
  return unionOf(thread, difference(thread, self, [right]), [difference(thread, right, [self])]);
};

const setMethods: Methods<StarSet> = methods<StarSet>({
  add: [
    "x /",
    (thread, self, [item]) => {
      if (self.entries.has(keyOf(thread, item as Value))) return null;
      self.change(thread, "insert into");
      self.put(thread, item as Value);
      return null;
    },
  ],
  clear: ["", (thread, self) => assignSet(thread, self, new StarSet())],
  difference: [null, (thread, self, _args, { args }) => difference(thread, self, args)],
  difference_update: [null, (thread, self, _args, { args }) => assignSet(thread, self, difference(thread, self, args))],
  discard: [
    "x /",
    (thread, self, [item]) => {
      self.change(thread, "discard from");
      self.entries.delete(keyOf(thread, item as Value));
      return null;
    },
  ],
  intersection: [null, (thread, self, _args, { args }) => intersection(thread, self, args)],
  intersection_update: [
    null,
    (thread, self, _args, { args }) => assignSet(thread, self, intersection(thread, self, args)),
  ],
  isdisjoint: ["other /", (thread, self, [other]) => intersection(thread, self, [other as Value]).entries.size === 0],
  issubset: ["other /", (thread, self, [other]) => difference(thread, self, [other as Value]).entries.size === 0],
  issuperset: [
    "other /",
    (thread, self, [other]) =>
      difference(thread, unionOf(thread, new StarSet(), [other as Value]), [self]).entries.size === 0,
  ],
  pop: [
    "",
    (thread, self) => {
      self.change(thread, "pop from");
      const [first] = self.entries;
      if (first === undefined) return thread.fail("empty set");
      self.entries.delete(first[0]);
      return first[1];
    },
  ],
  remove: [
    "x /",
    (thread, self, [item]) => {
      self.change(thread, "remove from");
      return self.entries.delete(keyOf(thread, item as Value)) ? null : thread.fail("missing key");
    },
  ],
  symmetric_difference: ["other /", (thread, self, [other]) => symmetric(thread, self, other as Value)],
  symmetric_difference_update: [
    "other /",
    (thread, self, [other]) => assignSet(thread, self, symmetric(thread, self, other as Value)),
  ],
  union: [null, (thread, self, _args, { args }) => unionOf(thread, self, args)],
  update: [null, (thread, self, _args, { args }) => assignSet(thread, self, unionOf(thread, self, args))],
});

const bytesMethods: Methods<Bytes> = methods<Bytes>({
  elems: [
    "",
    (thread, self) => {
      thread.step(self.data.length);
      thread.allocate(8 * self.data.length);
      return new List([...self.data]);
    },
  ],
});
