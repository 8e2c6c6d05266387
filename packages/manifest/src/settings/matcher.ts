import {
  type Dialect,
  type EventName,
  isJsonObject,
  type Json,
  type JsonObject,
  messageOf,
  nearest,
  type Pattern,
  type Payload,
} from "@hooks/core";
import { RE2JS } from "re2js";
import type { Finding, Path } from "../document.js";
import { type Table, valueText } from "../report.js";

/** What a matcher is held against: the payload of an event as its hook sees it. */
export interface Matched {
  readonly event: EventName;
  readonly dialect: Dialect;
  readonly fields: readonly string[];
  /** The field a text selects by; absent where the event has nothing to select. */
  readonly subject?: string;
  /** Whether the shape of the file takes a text as a matcher. */
  readonly takesText: boolean;
}

type Compiled = { readonly pattern: Pattern } | { readonly findings: readonly Finding[] };

/**
 * A matcher that is an object: every field it names must be as it says. A text, a number, true, false and null are
 * themselves, a list is any of its items, an object has to be found inside, and `a.b` is the way to a field inside.
 */
export function objectMatcher(matcher: Table, matched: Matched, path: Path): Compiled {
  const entries = Object.entries(matcher);
  const findings = entries.flatMap(([key, value]) => fieldMistakes(key, value, matched, [...path, key]));
  if (findings.length > 0) return { findings };
  const source = JSON.stringify(matcher);
  const conditions = entries.map(([key, value]) => ({ keys: key.split("."), value }));
  const [only] = conditions;
  if (conditions.length === 1 && only?.keys.join() === "tool_name") {
    return { pattern: { source, subject: (name) => isAs(name, only.value) } };
  }
  const test = (payload: JsonObject): boolean => {
    const view = matched.dialect.view(payload as unknown as Payload);
    return conditions.every(({ keys, value }) => isAs(valueAt(view, keys), value));
  };
  return { pattern: entries.length === 0 ? { source } : { source, payload: test } };
}

function fieldMistakes(key: string, value: unknown, { event, fields }: Matched, path: Path): Finding[] {
  const [first = ""] = key.split(".");
  if (!fields.includes(first)) {
    const near = nearest(first, fields);
    const message = `the payload of ${event} has no "${first}", so this could never match`;
    const hint = near === undefined ? undefined : `did you mean "${near}"?`;
    return [
      { code: "HARN_E_PATTERN", path, atKey: true, message, hint, help: `fields of ${event}: ${fields.join(", ")}` },
    ];
  }
  if (key === "hook_event_name" || (TEXTS.includes(key) && !isTextual(value))) {
    const message =
      key === "hook_event_name"
        ? `the event is ${event} here, whatever a matcher says`
        : `"${key}" is always a text, so ${valueText(value)} could never match`;
    const help = key === "hook_event_name" ? "take it out" : `write "${key}": "Bash"`;
    return [{ code: "HARN_E_PATTERN", path, message, help }];
  }
  return [];
}

const TEXTS: readonly string[] = ["tool_name", "prompt", "session_id", "transcript_path", "cwd"];

function isTextual(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 && value.every(isTextual) : typeof value === "string";
}

function valueAt(view: Json | undefined, keys: readonly string[]): Json | undefined {
  return keys.reduce<Json | undefined>(
    (value, key) => (isJsonObject(value) && Object.hasOwn(value, key) ? (value as JsonObject)[key] : undefined),
    view,
  );
}

/** Whether a value is as a matcher says. */
function isAs(value: Json | undefined, expected: unknown): boolean {
  if (Array.isArray(expected)) return expected.some((one) => isAs(value, one));
  if (typeof expected !== "object" || expected === null) return value === expected;
  return isJsonObject(value) && Object.entries(expected).every(([key, inner]) => isAs(valueAt(value, [key]), inner));
}

const NAMES = /^[A-Za-z0-9_|, -]+$/;
/** `Bash(git push:*)`, as lists of permissions have it. */
const RULE = /^\w+\((?!\?)[^()]*[:\s][^()]*\)$/;
const LONGEST = 1_000;

/**
 * A matcher that is a text, as coding agents read it: nothing and `*` are everything; names, with `|` or `,` between
 * them, are these names; anything else is an expression that is found anywhere in the name.
 */
export function textMatcher(text: string, { event, subject, dialect }: Matched, path: Path): Compiled {
  const source = text.trim();
  if (source === "" || source === "*") return { pattern: { source: "*" } };
  if (subject === undefined) {
    const message = `${event} has nothing to select by: the hook runs on every ${event}`;
    return {
      findings: [{ code: "HARN_W_NO_EFFECT", severity: "warning", path, message, help: "take the matcher out" }],
    };
  }
  if (RULE.test(source)) {
    const message = `matcher ${JSON.stringify(source)} is a permission rule: a matcher selects by the name alone, so this would match nothing`;
    const help = `write "matcher": "${source.slice(0, source.indexOf("("))}", and let the script look at the rest`;
    return { findings: [{ code: "HARN_E_PATTERN", path, message, help }] };
  }
  const test = NAMES.test(source) ? nameTest(source) : expressionTest(source);
  if (typeof test === "string") {
    const help = "the syntax is RE2's: no lookaround, no backreferences; `*` alone is every tool";
    return {
      findings: [{ code: "HARN_E_PATTERN", path, message: `matcher ${JSON.stringify(source)}: ${test}`, help }],
    };
  }
  if (subject === "tool_name") return { pattern: { source, subject: test } };
  const subjectOf = (payload: JsonObject) => valueAt(dialect.view(payload as unknown as Payload), [subject]);
  return { pattern: { source, payload: (payload) => test(String(subjectOf(payload) ?? "")) } };
}

function nameTest(source: string): (name: string) => boolean {
  const names = new Set(source.split(/[|,]/).map((name) => name.trim()));
  return (name) => names.has(name);
}

function expressionTest(source: string): ((name: string) => boolean) | string {
  if (source.length > LONGEST) return `longer than ${LONGEST} characters`;
  try {
    const expression = RE2JS.compile(source);
    return (name) => expression.matcher(name).find();
  } catch (error) {
    return `invalid regular expression: ${messageOf(error)}`;
  }
}
