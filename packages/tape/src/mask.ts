import { createHmac } from "node:crypto";
import {
  canonicalJson,
  type EventName,
  type EventSpec,
  type Json,
  type JsonObject,
  messageOf,
  possibleAt,
  rowOf,
  specOf,
  type TapeEntry,
} from "@hooks/core";
import { createRedactor, detectors, isSecretName, type Redactor } from "@hooks/secrets";
import { TapeError } from "./errors.js";
import { readMaskKey } from "./mask-key.js";
import { compilePaths, follow, type Trail } from "./paths.js";
import type { MaskRecord } from "./records.js";
import { Remembered, type Spelling } from "./remembered.js";

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

// A shorter text would be found in words that have nothing to do with it.
const MIN_REMEMBERED = 8;
const MAX_ROUNDS = 4;

/** Fields of a record that hold what hooks and agents say. All others are the runtime's own. */
const SPOKEN: readonly string[] = ["reason", "stop_reason", "message", "warnings", "reminders", "stderr"];

/** Parts of a payload by which a replay knows whose event it was. */
const KEPT: readonly string[] = ["event", "session.id"];

/** Where in a payload a value is. */
interface Place {
  readonly path: readonly string[];
  /** The paths of the mask, as far as they lead here. */
  readonly trail: Trail;
  readonly spec: EventSpec | undefined;
}

/** Makes a mask. Equal secrets are masked equally wherever the key is the same. */
export function createMask({ paths = [], patterns = {}, key = readMaskKey() }: MaskOptions = {}): Mask {
  const trail = compilePaths(paths);
  const redactor = redactorOf(patterns);
  const remembered = new Remembered();
  /** Of what is remembered, that which stands somewhere in the record that is being masked. */
  let near: readonly Spelling[] = [];
  /**
   * Payloads, rewrites and their parts as they were written down. A part that a hook left alone is written as before,
   * whatever was learnt since: a replay puts a rewrite into the payload it has, and has to come to the same text.
   */
  const written = new WeakMap<object, Json>();

  function markFor(name: string, secret: string): string {
    return `[masked:${name}:${createHmac("sha256", key).update(secret).digest("hex").slice(0, 32)}]`;
  }

  function hide(name: string, secret: string): string {
    const mark = markFor(name, secret);
    if (secret.length >= MIN_REMEMBERED) remembered.learn(secret, mark);
    return mark;
  }

  function maskText(text: string): string {
    let masked = text;
    for (const { text: secret, mark } of near) {
      if (masked.includes(secret)) masked = betweenMarks(masked, (part) => part.replaceAll(secret, mark));
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
      masked += text.slice(done, start) + hide(id, text.slice(start, end));
      done = end;
    }
    return done === 0 ? text : masked + text.slice(done);
  }

  /** Masks whatever stands at a path of the mask, as far as the event's schema has room for a text there. */
  function maskAll(value: Json, place: Place): Json {
    if (value === null || KEPT.includes(place.path.join("."))) return value;
    if (typeof value === "object") return mapItems(value, (item, name) => maskAll(item, below(place, name)));
    const possible = place.spec && possibleAt(place.spec, place.path);
    const isFixed = possible !== undefined && !possible.admits(ANY_MARK);
    // What is masked already stays as it is: a replayed payload is recorded as it was the first time.
    if (isFixed || value === "" || isMark(value)) return value;
    return typeof value === "string" ? hide("path", value) : markFor("path", canonicalJson(value));
  }

  function maskValue(value: Json, place: Place): Json {
    if (typeof value === "string") return KEPT.includes(place.path.join(".")) ? value : maskText(value);
    if (typeof value !== "object" || value === null) return value;
    return written.get(value) ?? mapItems(value, (item, name) => maskItem(item, name, place), maskText);
  }

  function maskItem(item: Json, name: string, place: Place): Json {
    const next = follow(place.trail, name);
    const here = { ...below(place, name), trail: next === true ? [] : next };
    if (next === true) return maskAll(item, here);
    return isSecretName(name) ? maskNamed(item, here) : maskValue(item, here);
  }

  /** Masks what stands under a telling name: a text, or a list of them. */
  function maskNamed(item: Json, place: Place): Json {
    if (Array.isArray(item)) return item.map((one: Json) => maskNamed(one, place));
    if (typeof item !== "string" || item === "") return maskValue(item, place);
    const masked = maskText(item);
    if (MASKED.test(masked)) return masked;
    // A mere word may be a password and is a word all the same: it is masked here, and left alone elsewhere.
    return /^[A-Za-z]+$/.test(item) ? markFor("key-name", item) : hide("key-name", item);
  }

  /** Masks the new value of what an event lets hooks rewrite. */
  function maskChange(value: Json, event: string): Json {
    const spec = specOf(event as EventName);
    const path = (spec.modifies ?? "").split(".");
    const name = path.at(-1) as string;
    let place: Place = { path: [], trail, spec };
    for (const key of path.slice(0, -1)) {
      const next = follow(place.trail, key);
      place = { ...below(place, key), trail: next === true ? [] : next };
      if (next === true) return maskAll(value, below(place, name));
    }
    return (typeof value === "object" && value !== null && written.get(value)) || maskItem(value, name, place);
  }

  /** A secret may become known by a later part of what is masked: this goes on while something is learnt. */
  function untilKnown<T>(text: string, mask: () => T): T {
    for (let round = 1; ; round++) {
      const { learnt } = remembered;
      near = remembered.in(text);
      const masked = mask();
      if (remembered.learnt === learnt || round === MAX_ROUNDS) return masked;
    }
  }

  /** Keeps how a value was written, and the parts a rewrite can leave alone. */
  function keep(value: Json, masked: Json): void {
    if (typeof value !== "object" || value === null) return;
    written.set(value, masked);
    for (const name in value) {
      const part = (value as JsonObject)[name];
      if (typeof part === "object" && part !== null) written.set(part, (masked as JsonObject)[name] ?? null);
    }
  }

  const isSuspect = (text: string) => redactor.isSuspect(text) || remembered.in(text).length > 0;

  return {
    description: {
      key: createHmac("sha256", key).update("harn tape").digest("hex").slice(0, 16),
      detectors: [...new Set(detectors.map(({ id }) => id)), "key-name", ...Object.keys(patterns)],
      paths,
    },
    payload(payload) {
      const known = typeof payload === "object" && payload !== null ? written.get(payload) : undefined;
      if (known !== undefined) return canonicalJson(known);
      const text = canonicalJson(payload);
      const isClear = trail.length === 0 && !isSuspect(text);
      const place = { path: [], trail, spec: specIn(payload) };
      const masked = isClear ? payload : untilKnown(text, () => maskValue(payload, place));
      keep(payload, masked);
      return isClear ? text : canonicalJson(masked);
    },
    entry(entry) {
      const { payload = null, change = null } = entry as { payload?: Json; change?: Json };
      const text = canonicalJson(entry as unknown as Json);
      const isClear = (trail.length === 0 || (payload ?? change) === null) && !isSuspect(text);
      if (isClear) {
        keep(change, change);
        return text;
      }
      const masked = untilKnown(text, () =>
        mapItems(entry as unknown as JsonObject, (item, name) => {
          if (name === "payload") return maskValue(item, { path: [], trail, spec: specIn(item) });
          if (name === "change") return maskChange(item, entry.event);
          return SPOKEN.includes(name) ? maskValue(item, NOWHERE) : item;
        }),
      );
      keep(change, (masked as JsonObject).change ?? null);
      return canonicalJson(masked);
    },
  };
}

const NOWHERE: Place = { path: [], trail: [], spec: undefined };
/** Looks like every mark: what does not admit it has no room for one. */
const ANY_MARK = `[masked:path:${"0".repeat(32)}]`;
const WHOLE_MARK = new RegExp(`^${MASKED.source}$`);

function isMark(value: Json): boolean {
  return typeof value === "string" && WHOLE_MARK.test(value);
}

function below(place: Place, name: string): Place {
  return { ...place, path: [...place.path, name] };
}

function specIn(payload: Json): EventSpec | undefined {
  const event = (payload as { event?: Json } | null)?.event;
  return typeof event === "string" && rowOf(event) !== undefined ? specOf(event) : undefined;
}

/** A copy of an object or a list with every item changed, and every key where something is to become of keys. */
function mapItems(
  value: JsonObject | readonly Json[],
  change: (item: Json, name: string) => Json,
  changeKey = (key: string) => key,
): Json {
  if (Array.isArray(value)) return value.map((item: Json, index) => change(item, String(index)));
  // Built from entries, so that a key called __proto__ is a key.
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [changeKey(key), change(item, key)]));
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
