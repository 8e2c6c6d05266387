import type { Thread } from "../evaluator/thread.js";
import { chargeSearch, firstIndex, lastIndex } from "../values/search.js";
import { elements } from "../values/sequence.js";
import { type Elems, Tuple, typeName, type Value } from "../values/values.js";
import { formatBraces } from "./brace-format.js";
import { type MethodBody, type Methods, methods } from "./builtin.js";
import { elems, partition, split, splitFromRight, splitLines } from "./string-split.js";
import { capitalize, count, isCased, isSpace, replace, type Sides, strip, title } from "./string-text.js";

/** The part of a string that start and end select; nothing where they cross. */
function selection(text: string, start: Value | undefined, end: Value | undefined): [from: number, to: number] | null {
  const bound = (value: Value | undefined, fallback: number) => {
    if (value === undefined) return fallback;
    const at = Number(value);
    return Math.min(Math.max(at < 0 ? at + text.length : at, 0), text.length);
  };
  const [from, to] = [bound(start, 0), bound(end, text.length)];
  // A start beyond the end selects nothing, not even the empty string.
  return from > to || Number(start ?? 0) > text.length ? null : [from, to];
}

function find(thread: Thread, text: string, args: readonly (Value | undefined)[], isLast: boolean): number {
  const [part, start, end] = args as [string, Value | undefined, Value | undefined];
  const selected = selection(text, start, end);
  if (selected === null) return -1;
  const [from, to] = selected;
  const within = from === 0 && to === text.length ? text : text.slice(from, to);
  chargeSearch(thread, within, part);
  const at = isLast ? lastIndex(within, part) : firstIndex(within, part);
  return at === -1 ? -1 : at + from;
}

const FIND = "sub:string start:int?~ end:int?~ /";

function finding(isLast: boolean): readonly [string, MethodBody<string>] {
  return [FIND, (thread, self, args) => find(thread, self, args, isLast)];
}

function indexing(isLast: boolean): readonly [string, MethodBody<string>] {
  return [
    FIND,
    (thread, self, args) => {
      const at = find(thread, self, args, isLast);
      return at === -1 ? thread.fail("substring not found") : at;
    },
  ];
}

function affix(name: string, isPart: (whole: string, part: string) => boolean): readonly [string, MethodBody<string>] {
  return [
    `${name === "startswith" ? "prefix" : "suffix"} start:int?~ end:int?~ /`,
    (thread, self, args) => {
      const wanted = args[0] as Value;
      const selected = args.length === 1 ? ([0, self.length] as const) : selection(self, args[1], args[2]);
      const whole = selected === null ? null : self.slice(...selected);
      for (const part of wanted instanceof Tuple ? wanted.items : [wanted]) {
        if (typeof part !== "string") return thread.fail(`got ${typeName(part)}, want string`);
        thread.step(1 + (part.length >> 6));
        if (whole !== null && isPart(whole, part)) return true;
      }
      return false;
    },
  ];
}

function stripping(sides: Sides): readonly [string, MethodBody<string>] {
  return ["cutset:string?~ /", (thread, self, [cutset]) => strip(thread, self, cutset as string | undefined, sides)];
}

function splitting(
  run: (thread: Thread, text: string, separator: string | undefined, limit: number) => Value,
): readonly [string, MethodBody<string>] {
  return [
    "sep:string?~ maxsplit:int?~",
    (thread, self, [separator, most]) =>
      run(thread, self, separator as string | undefined, most === undefined ? -1 : Number(most)),
  ];
}

/** A method that makes a text of about the same length. */
function changing(change: (text: string) => string): readonly [string, MethodBody<string>] {
  return [
    "",
    (thread, self) => {
      thread.text(self.length);
      const changed = change(self);
      // A few letters have two or three in upper case.
      if (changed.length > self.length) thread.text(changed.length - self.length);
      return changed;
    },
  ];
}

/** A method that asks something about every character. */
function asking(ask: (text: string) => boolean): readonly [string, MethodBody<string>] {
  return [
    "",
    (thread, self) => {
      thread.step(self.length >> 5);
      return ask(self);
    },
  ];
}

function iterating(method: Elems["method"]): readonly [string, MethodBody<string>] {
  return ["", (thread, self) => elems(thread, self, method)];
}

function isAllSpace(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (!isSpace(text.charCodeAt(i))) return false;
  return text !== "";
}

export const stringMethods: Methods<string> = methods<string>({
  capitalize: changing(capitalize),
  codepoint_ords: iterating("codepoint_ords"),
  codepoints: iterating("codepoints"),
  count: [
    FIND,
    (thread, self, [part, start, end]) => {
      const selected = selection(self, start, end);
      return selected === null ? 0 : count(thread, self.slice(...selected), part as string);
    },
  ],
  elem_ords: iterating("elem_ords"),
  elems: iterating("elems"),
  endswith: affix("endswith", (whole, part) => whole.endsWith(part)),
  find: finding(false),
  format: [null, (thread, self, args, keywords) => formatBraces(thread, self, args as readonly Value[], keywords)],
  index: indexing(false),
  isalnum: asking((text) => /^[\p{L}\p{Nd}]+$/u.test(text)),
  isalpha: asking((text) => /^\p{L}+$/u.test(text)),
  isdigit: asking((text) => /^\p{Nd}+$/u.test(text)),
  islower: asking((text) => isCased(text, text.toLowerCase())),
  isspace: asking(isAllSpace),
  istitle: asking((text) => /\p{L}/u.test(text) && text === title(text)),
  isupper: asking((text) => isCased(text, text.toUpperCase())),
  join: [
    "iterable /",
    (thread, self, [iterable]) => {
      const parts = elements(thread, iterable as Value);
      let length = 0;
      for (const part of parts) {
        if (typeof part !== "string") return thread.fail(`in list, want string, got ${typeName(part)}`);
        length += part.length + self.length;
      }
      thread.text(length);
      return parts.join(self);
    },
  ],
  lower: changing((text) => text.toLowerCase()),
  lstrip: stripping("left"),
  partition: ["sep:string /", (thread, self, [separator]) => partition(thread, self, separator as string, false)],
  removeprefix: [
    "prefix:string /",
    (thread, self, [prefix]) => {
      thread.text(self.length);
      return self.startsWith(prefix as string) ? self.slice((prefix as string).length) : self;
    },
  ],
  removesuffix: [
    "suffix:string /",
    (thread, self, [suffix]) => {
      thread.text(self.length);
      return self.endsWith(suffix as string) ? self.slice(0, self.length - (suffix as string).length) : self;
    },
  ],
  replace: [
    "old:string new:string count:int?~ /",
    (thread, self, [old, next, most = -1]) =>
      replace(thread, self, old as string, next as string, Number(most) < 0 ? Number.POSITIVE_INFINITY : Number(most)),
  ],
  rfind: finding(true),
  rindex: indexing(true),
  rpartition: ["sep:string /", (thread, self, [separator]) => partition(thread, self, separator as string, true)],
  rsplit: splitting(splitFromRight),
  rstrip: stripping("right"),
  split: splitting(split),
  splitlines: ["keepends:bool?", (thread, self, [keepEnds]) => splitLines(thread, self, keepEnds === true)],
  startswith: affix("startswith", (whole, part) => whole.startsWith(part)),
  strip: stripping("both"),
  title: [
    "",
    (thread, self) => {
      thread.step(self.length >> 2);
      thread.text(self.length);
      return title(self);
    },
  ],
  upper: changing((text) => text.toUpperCase()),
});
