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
import { createRedactor, detectors, isSecretName, type Redactor } from "@hooks/secrets";
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
  /** A whole record in canonical JSON. */
  entry(entry: TapeEntry): string;
}

/** What stands on the tape in place of a secret; equal secrets have equal ones. */
export const MASKED: RegExp = /\[masked:[a-z0-9-]+:[0-9a-f]{32}\]/;

// A secret that is not longer than this would be found in words that have nothing to do with it.
const MIN_REMEMBERED = 8;
const MAX_REMEMBERED = 128;
const MAX_ROUNDS = 4;

/** Fields of a record that hold what hooks and agents say. All others are the runtime's own. */
const SPOKEN: readonly string[] = ["reason", "stop_reason", "message", "warnings", "reminders", "stderr"];

/** Makes a mask. Equal secrets are masked equally wherever the key is the same. */
export function createMask({ paths = [], patterns = {}, key = readMaskKey() }: MaskOptions = {}): Mask {
  const root = compilePaths(paths);
  const redactor = redactorOf(patterns);
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
    // A mark can end a run of characters that hid a secret behind it, so this goes on while something is found.
    for (let round = 0, before = ""; before !== masked && round < MAX_ROUNDS; round++) {
      before = masked;
      masked = betweenMarks(masked, maskPart);
    }
    return masked;
  }

  function maskPart(text: string): string {
    let masked = "";
    let done = 0;
    for (const { start, end, id } of redactor.find(text)) {
      masked += text.slice(done, start) + tokenFor(id, text.slice(start, end));
      done = end;
    }
    return done === 0 ? text : masked + text.slice(done);
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
    if (typeof item !== "string" || item === "" || !isSecretName(key)) return maskValue(item, next);
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
  const isSuspect = (text: string) => root.length + remembered.size > 0 || redactor.isSuspect(text);

  return {
    description: {
      key: createHmac("sha256", key).update("harn tape").digest("hex").slice(0, 16),
      detectors: [...new Set(detectors.map(({ id }) => id)), "key-name", ...Object.keys(patterns)],
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
        if (key === "payload") return maskValue(item, root);
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

/** The detectors of the house, and expressions of one's own beside them. */
function redactorOf(patterns: Readonly<Record<string, string>>): Redactor {
  const refuse = (why: string) => new TapeError("HARN_E_TAPE_MASK", `mask.patterns: ${why}`);
  for (const id of Object.keys(patterns)) {
    if (!/^[a-z0-9-]+$/.test(id)) throw refuse(`"${id}" is no name: a name has small letters, digits and dashes`);
  }
  try {
    return createRedactor({ patterns: Object.entries(patterns).map(([id, regex]) => ({ id, regex })) });
  } catch (error) {
    throw refuse(messageOf(error));
  }
}
