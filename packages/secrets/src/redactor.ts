import { RE2JS } from "re2js";
import { type Detector, detectors, isSecretName, looksRandom, NAME_WORDS } from "./detectors.js";
import { encodedIn } from "./encoded.js";
import { compileKeywords, type Keywords } from "./keywords.js";
import { shadowOf, UNSEEN } from "./shadows.js";

/** A kind of secret of one's own. */
export interface SecretPattern {
  readonly id: string;
  /** In RE2's syntax. Its first group is the secret; without one, the whole match is. */
  readonly regex: string;
}

export interface RedactorOptions {
  /** Detectors that are not to be used, by their ids. */
  readonly disable?: readonly string[];
  readonly patterns?: readonly SecretPattern[];
  /** Expressions for what is no secret: a match that fits one as a whole is left alone. */
  readonly allow?: readonly string[];
}

/** How often each kind of secret was found. */
export type Found = ReadonlyMap<string, number>;

/** A secret and its place in a text. */
export interface Secret {
  readonly start: number;
  readonly end: number;
  /** The detector that found it. */
  readonly id: string;
}

export interface Redactor {
  /** The secrets of a text, in order; they do not overlap. */
  find(text: string): readonly Secret[];
  /**
   * Whether a text of JSON can hold a secret, or a key that people keep secrets under, at all: one quick look that is
   * wrong only on the side of caution.
   */
  isSuspect(json: string): boolean;
  /** A text without its secrets; each is replaced by `[REDACTED:id]`. */
  text(text: string): { readonly text: string; readonly found: Found };
  /** The same for every text and every key of a JSON value, and for whatever stands under a key like `password`. */
  json<T>(value: T): { readonly value: T; readonly found: Found };
}

/** Keys under which a number is a secret as well, and no count of them. */
const PASSWORD = /^(?:\w*_)?(?:password|passwd|passphrase|passcode|secret|pin_?code)$/i;
const MAX_PATTERN = 1_000;
const MAX_DEPTH = 100;
const MAX_ENCODED = 1;
const MASKED = new RegExp(`\\\\u001b|%[2-7]|\\\\\\\\|[${UNSEEN}]`);
const MAX_KEY = 100;

/** Makes a redactor, or throws an error that names the pattern or the id that is wrong. */
export function createRedactor(options: RedactorOptions = {}): Redactor {
  const { disable = [], patterns = [], allow = [] } = options;
  for (const id of disable) {
    if (!detectors.some((detector) => detector.id === id)) throw new Error(`there is no detector "${id}" to disable`);
  }
  const known = detectors.filter(({ id }) => !disable.includes(id));
  const own = patterns.map(({ id, regex }) => ({ id, regex: compile(regex, `the pattern "${id}"`) }));
  const allowed = allow.map((source) => compile(source, "an allow expression"));
  const isAllowed = (secret: string) => allowed.some((regex) => regex.matches(secret));

  function spansOf(text: string): Secret[] {
    return merge([...plainSpans(text), ...shadowSpans(text), ...encodedSpans(text, 0)]);
  }

  /** What is there for whoever reads the text, and not for an expression: behind colours, escapes and codes. */
  function shadowSpans(text: string): Secret[] {
    const shadow = shadowOf(text);
    if (shadow === null) return [];
    const { places } = shadow;
    return plainSpans(shadow.text).map(({ start, end, id }) => ({
      start: places[start] ?? 0,
      end: places[end] ?? text.length,
      id,
    }));
  }

  /** What is encoded once more, or twice: all of it goes where a secret is in it. */
  function encodedSpans(text: string, depth: number): Secret[] {
    const spans: Secret[] = [];
    for (const { start, end, text: inner } of encodedIn(text)) {
      const [first] = [...plainSpans(inner), ...(depth < MAX_ENCODED ? encodedSpans(inner, depth + 1) : [])];
      if (first !== undefined && !isAllowed(text.slice(start, end))) spans.push({ start, end, id: first.id });
    }
    return spans;
  }

  function plainSpans(text: string): Secret[] {
    const spans: Secret[] = [];
    const take = (regex: RE2JS, slice: string, at: number, id: string, isGuess: boolean) => {
      const matcher = regex.matcher(slice);
      while (matcher.find()) {
        const group = groupOf(matcher);
        const start = matcher.start(group);
        const end = matcher.end(group);
        const secret = slice.slice(start, end);
        if (end === start || isAllowed(secret) || (isGuess && !looksRandom(secret))) continue;
        spans.push({ start: at + start, end: end === slice.length ? tokenEnd(text, at + end) : at + end, id });
      }
    };
    for (const [detector, ranges] of rangesOf(text, known)) {
      for (const { start, end } of ranges)
        take(compiled(detector), text.slice(start, end), start, detector.id, detector.isGuess === true);
    }
    for (const { id, regex } of own) take(regex, text, 0, id, false);
    return spans;
  }

  /** A key says what stands under it, as a name says what is assigned to it. */
  function spansUnder(key: string, text: string): Secret[] {
    if (key === "" || key.length > MAX_KEY || !indexOf(known).keywords.some(`"${key}"`, () => true)) return [];
    const start = key.length + 4;
    return plainSpans(`"${key}":"${text}"`).flatMap((span) =>
      span.end > start && span.end <= start + text.length + 1
        ? { id: span.id, start: Math.max(0, span.start - start), end: Math.min(text.length, span.end - start) }
        : [],
    );
  }

  function redactText(text: string, found: Map<string, number>, key = ""): string {
    const spans = merge([...spansOf(text), ...spansUnder(key, text)]);
    if (spans.length === 0) return text;
    let result = "";
    let from = 0;
    for (const { start, end, id } of spans) {
      result += text.slice(from, start) + label(id);
      from = end;
      count(found, id);
    }
    return result + text.slice(from);
  }

  function redactJson(value: unknown, found: Map<string, number>, key: string, depth: number): unknown {
    if (typeof value === "string") {
      const text = redactText(value, found, key);
      if (text !== value || !isSecretName(key) || value.length < 6 || !looksRandom(value) || isAllowed(value))
        return text;
      count(found, "assignment");
      return label("assignment");
    }
    if (typeof value === "number" && PASSWORD.test(key) && Math.abs(value) >= 1_000) {
      count(found, "assignment");
      return label("assignment");
    }
    if (typeof value !== "object" || value === null) return value;
    // Deeper than any payload may be: nothing below is shown to anybody.
    if (depth > MAX_DEPTH) return label("too-deep");
    if (Array.isArray(value)) return value.map((item) => redactJson(item, found, key, depth + 1));
    const entries = new Map<string, unknown>();
    for (const [name, item] of Object.entries(value)) {
      entries.set(freeKey(redactText(name, found), entries), redactJson(item, found, ownerOf(name, key), depth + 1));
    }
    return Object.fromEntries(entries);
  }

  const isSuspicious = (text: string) =>
    suspicions.some(text, (at, word) => NAME_WORDS.has(word) || isWorthALook(text, at, word, known));
  // Quotes and newlines of JSON itself are no disguise.
  const isDisguised = (json: string) => MASKED.test(json) && isSuspicious(shadowOf(json)?.text ?? "");
  const suspicions = compileKeywords([...known.flatMap(({ keywords }) => keywords), ...NAME_WORDS]);

  return {
    find: spansOf,
    isSuspect: (json) =>
      own.length > 0 || isSuspicious(json) || isDisguised(json) || encodedIn(json).next().done !== true,
    text(text) {
      const found = new Map<string, number>();
      return { text: redactText(text, found), found };
    },
    json<T>(value: T) {
      const found = new Map<string, number>();
      const redacted = redactJson(value, found, "", 0) as T;
      return { value: found.size === 0 ? value : redacted, found };
    },
  };
}

function label(id: string): string {
  return `[REDACTED:${id}]`;
}

function count(found: Map<string, number>, id: string): void {
  found.set(id, (found.get(id) ?? 0) + 1);
}

/** What stands in an object called `secrets` is one, unless its own key says that it is something about one. */
const ABOUT =
  /(?:^|_)(?:id|ids|name|type|kind|user|username|login|email|url|uri|host|path|file|description|status|state|scope|scopes|role|at|date|time|version|algorithm|alg|format)$/i;

function ownerOf(name: string, parent: string): string {
  return !isSecretName(name) && isSecretName(parent) && !ABOUT.test(name) ? parent : name;
}

function freeKey(wanted: string, taken: ReadonlyMap<string, unknown>): string {
  let key = wanted;
  for (let n = 2; taken.has(key); n++) key = `${wanted}#${n}`;
  return key;
}

function compile(source: string, what: string): RE2JS {
  if (source.length > MAX_PATTERN) throw new Error(`${what} is longer than ${MAX_PATTERN} characters`);
  try {
    const regex = RE2JS.compile(source);
    if (regex.matches("")) throw new Error("it matches nothing at all, so it would match everywhere");
    return regex;
  } catch (error) {
    throw new Error(`${what} is no regular expression: ${(error as Error).message}`);
  }
}

const cache = new Map<Detector, RE2JS>();

/** Compiled when it is first needed: most texts need none of them. */
function compiled(detector: Detector): RE2JS {
  const regex = cache.get(detector) ?? RE2JS.compile(detector.regex);
  cache.set(detector, regex);
  return regex;
}

function groupOf(matcher: ReturnType<RE2JS["matcher"]>): number {
  for (let group = 1; group <= matcher.groupCount(); group++) if (matcher.start(group) >= 0) return group;
  return 0;
}

/** Where a secret ends that is longer than what was looked at. */
function tokenEnd(text: string, from: number): number {
  let end = from;
  while (end < text.length && !/[\s"'<>]/.test(text.charAt(end))) end++;
  return end;
}

interface Range {
  readonly start: number;
  end: number;
}

interface Index {
  readonly keywords: Keywords;
  readonly of: ReadonlyMap<string, readonly Detector[]>;
}

const indexes = new WeakMap<readonly Detector[], Index>();

/**
 * Where each detector has to look: around its keywords, which one pass over the text finds. Ranges of one detector are
 * joined where they touch, so a text full of keywords is not looked at more than once.
 */
function rangesOf(text: string, known: readonly Detector[]): Map<Detector, Range[]> {
  const ranges = new Map<Detector, Range[]>();
  const { keywords, of } = indexOf(known);
  keywords.some(text, (at, word) => {
    for (const detector of of.get(word) ?? []) {
      if (detector.isPrefix === true && !startsAt(text, at, detector.keywords[0] as string)) continue;
      if (detector.isPlausible?.(text, at, word) === false) continue;
      const start = Math.max(0, at - (detector.before ?? 0) - 1);
      const end = at + (detector.reach ?? 300);
      const list = ranges.get(detector) ?? [];
      const last = list.at(-1);
      if (last !== undefined && start <= last.end) last.end = end;
      else list.push({ start, end });
      ranges.set(detector, list);
    }
    return false;
  });
  return ranges;
}

/** Whether any detector would look at a keyword here. */
function isWorthALook(text: string, at: number, word: string, known: readonly Detector[]): boolean {
  const detectors = indexOf(known).of.get(word) ?? [];
  return detectors.some(({ isPrefix, keywords }) => isPrefix !== true || startsAt(text, at, keywords[0] as string));
}

// No token is shorter than this behind its prefix, and most words that begin like one are.
const MIN_BODY = 10;

function startsAt(text: string, at: number, prefix: string): boolean {
  if (!text.startsWith(prefix, at) || /[A-Za-z0-9]/.test(text.charAt(at - 1))) return false;
  for (let i = at + prefix.length, end = i + MIN_BODY; i < end; i++) if (isBreak(text.charCodeAt(i))) return false;
  return true;
}

/** A control character, a space, a quote, or the end of the text. */
function isBreak(code: number): boolean {
  return !(code > 32) || code === 34 || code === 39;
}

function indexOf(known: readonly Detector[]): Index {
  const ready = indexes.get(known);
  if (ready !== undefined) return ready;
  const of = new Map<string, Detector[]>();
  for (const detector of known) {
    for (const keyword of detector.keywords) {
      const word = keyword.toLowerCase();
      of.set(word, [...(of.get(word) ?? []), detector]);
    }
  }
  const made = { keywords: compileKeywords(of.keys()), of };
  indexes.set(known, made);
  return made;
}

/** Joins spans that overlap; the first one gives the name. */
function merge(spans: Secret[]): Secret[] {
  spans.sort((a, b) => a.start - b.start || b.end - a.end);
  const merged: Secret[] = [];
  for (const span of spans) {
    const last = merged.at(-1);
    if (last !== undefined && span.start < last.end) {
      if (span.end > last.end) merged[merged.length - 1] = { ...last, end: span.end };
    } else merged.push(span);
  }
  return merged;
}
