import { createHmac } from "node:crypto";
import {
  canonicalJson,
  type EventName,
  type Json,
  type JsonObject,
  messageOf,
  specOf,
  type TapeEntry,
} from "@hooks/core";
import { RE2JS } from "re2js";
import { detectors, HINT, SECRET_KEY } from "./detectors.js";
import { TapeError } from "./errors.js";
import { readMaskKey } from "./mask-key.js";
import { compilePaths, follow, type Trail } from "./paths.js";
import type { MaskRecord } from "./records.js";

export interface MaskOptions {
  /** Paths of payloads that are masked whatever is there: `tool.args.password`, `tool.args.*.token`, `**.pin`. */
  readonly paths?: readonly string[];
  /** Expressions by name, beside the built-in ones; they run in linear time. A first group is the secret. */
  readonly patterns?: Readonly<Record<string, string>>;
  /** What the hashes are keyed with; a key of this person, made at first use, when absent. */
  readonly key?: string | Uint8Array;
}

/** Writes records without the secrets in them. */
export interface Mask {
  readonly description: MaskRecord;
  /** A payload in canonical JSON. */
  payload(payload: Json): string;
  /** Any other record in canonical JSON. */
  entry(entry: TapeEntry): string;
}

/** What stands on the tape in place of a secret; equal secrets have equal ones. */
export const MASKED: RegExp = /\[masked:[a-z0-9-]+:[0-9a-f]{32}\]/;

// A secret that is not longer than this would be found in words that have nothing to do with it.
const MIN_REMEMBERED = 8;
const MAX_REMEMBERED = 128;
const MAX_PATTERN = 1_000;
const MAX_ROUNDS = 4;

/** Fields of a record that hold what hooks and agents say. All others are the runtime's own. */
const SPOKEN: readonly string[] = ["reason", "stop_reason", "message", "warnings", "reminders"];

/** Makes a mask. Equal secrets are masked equally wherever the key is the same. */
export function createMask({ paths = [], patterns = {}, key = readMaskKey() }: MaskOptions = {}): Mask {
  const root = compilePaths(paths);
  const own = Object.entries(patterns).map(([name, source]) => compilePattern(name, source));
  /** Texts a path has masked: a hook may well quote one of them. */
  const remembered = new Map<string, string>();

  function tokenFor(name: string, secret: string): string {
    return `[masked:${name}:${createHmac("sha256", key).update(secret).digest("hex").slice(0, 32)}]`;
  }

  function maskText(text: string): string {
    let masked = text;
    for (const [secret, token] of remembered) {
      if (masked.includes(secret)) masked = betweenMarks(masked, (part) => part.replaceAll(secret, token));
    }
    for (const { name, replace } of own) {
      masked = betweenMarks(masked, (part) => replace(part, (secret) => tokenFor(name, secret)));
    }
    if (!HINT.test(masked)) return masked;
    // A mark can end a run of characters that hid a secret behind it, so this goes on while something is found.
    for (let round = 0, before = ""; before !== masked && round < MAX_ROUNDS; round++) {
      before = masked;
      for (const { name, pattern } of detectors) masked = betweenMarks(masked, (part) => detect(part, name, pattern));
    }
    return masked;
  }

  function detect(text: string, name: string, pattern: RegExp): string {
    return text.replace(pattern, (match: string, group: unknown) => {
      if (typeof group !== "string") return tokenFor(name, match);
      const at = match.lastIndexOf(group);
      return match.slice(0, at) + tokenFor(name, group) + match.slice(at + group.length);
    });
  }

  function maskAll(value: Json): Json {
    if (value === null) return null;
    if (Array.isArray(value)) return value.map(maskAll);
    if (typeof value === "object") return mapObject(value as JsonObject, (item) => maskAll(item));
    if (typeof value !== "string") return tokenFor("path", canonicalJson(value));
    // What is masked already stays as it is: a replayed payload is recorded as it was the first time.
    if (value === "" || new RegExp(`^${MASKED.source}$`).test(value)) return value;
    const token = tokenFor("path", value);
    if (value.length >= MIN_REMEMBERED && remembered.size < MAX_REMEMBERED) remembered.set(value, token);
    return token;
  }

  function maskValue(value: Json, trail: Trail): Json {
    if (typeof value === "string") return maskText(value);
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map((item, index) => step(item, String(index), trail));
    return mapObject(value as JsonObject, (item, key) => step(item, key, trail));
  }

  function step(item: Json, key: string, trail: Trail): Json {
    const next = follow(trail, key);
    if (next === true) return maskAll(item);
    if (typeof item !== "string" || item === "" || !SECRET_KEY.test(key)) return maskValue(item, next);
    const masked = maskText(item);
    return MASKED.test(masked) ? masked : tokenFor("key-name", item);
  }

  /** Masks a part of a payload that stands at this path of it. */
  function maskAt(value: Json, path: readonly string[], trail: Trail): Json {
    const [key, ...rest] = path;
    if (key === undefined) return maskValue(value, trail);
    if (rest.length === 0) return step(value, key, trail);
    const next = follow(trail, key);
    return next === true ? maskAll(value) : maskAt(value, rest, next);
  }

  /** Whether there is anything to look for in a text of canonical JSON. */
  const isSuspect = (text: string) => root.length + own.length + remembered.size > 0 || HINT.test(text);

  return {
    description: {
      key: createHmac("sha256", key).update("harn tape").digest("hex").slice(0, 16),
      detectors: [...detectors.map(({ name }) => name), "key-name", ...own.map(({ name }) => name)],
      paths,
    },
    payload(payload) {
      const text = canonicalJson(payload);
      return isSuspect(text) ? canonicalJson(maskValue(payload, root)) : text;
    },
    entry(entry) {
      const text = canonicalJson(entry as unknown as Json);
      if (!isSuspect(text)) return text;
      const masked = mapObject(entry as unknown as JsonObject, (item, key) => {
        if (key === "change") return maskAt(item, pathOf(entry.event), root);
        return SPOKEN.includes(key) ? maskValue(item, []) : item;
      });
      return canonicalJson(masked);
    },
  };
}

function pathOf(event: string): string[] {
  return (specOf(event as EventName).modifies ?? "").split(".").filter((key) => key !== "");
}

function mapObject(value: JsonObject, map: (item: Json, key: string) => Json): JsonObject {
  // Built from entries, so that a key called __proto__ is a key.
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, map(item, key)]));
}

const MARKS = new RegExp(`(${MASKED.source})`);

/** Changes what stands between the marks of secrets that are masked already. */
function betweenMarks(text: string, change: (part: string) => string): string {
  if (!text.includes("[masked:")) return change(text);
  return text
    .split(MARKS)
    .map((part, index) => (index % 2 === 1 ? part : change(part)))
    .join("");
}

interface OwnPattern {
  readonly name: string;
  readonly replace: (text: string, tokenFor: (secret: string) => string) => string;
}

function compilePattern(name: string, source: string): OwnPattern {
  const refuse = (why: string) => new TapeError("HARN_E_TAPE_MASK", `mask pattern "${name}": ${why}`);
  if (!/^[a-z0-9-]+$/.test(name)) throw refuse("a name has small letters, digits and dashes");
  if (source.length > MAX_PATTERN) throw refuse(`longer than ${MAX_PATTERN} characters`);
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(source);
  } catch (error) {
    throw refuse(messageOf(error));
  }
  if (compiled.matcher("").matches()) throw refuse("it matches the empty text");
  return {
    name,
    replace(text, tokenFor) {
      const matcher = compiled.matcher(text);
      let masked = "";
      let done = 0;
      while (matcher.find()) {
        const group = matcher.groupCount() > 0 && matcher.start(1) >= 0 ? 1 : 0;
        const [start, end] = [matcher.start(group), matcher.end(group)];
        if (start === end) continue;
        masked += text.slice(done, start) + tokenFor(text.slice(start, end));
        done = end;
      }
      return masked + text.slice(done);
    },
  };
}
