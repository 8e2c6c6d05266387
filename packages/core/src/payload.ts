import * as z from "zod/mini";
import { invalidPayload, typeName, wrongType } from "./errors.js";
import { type EventName, type EventSpec, type Payload, type SessionRef, specOf } from "./events.js";
import { copyJson, isJsonObject, type JsonLimits, type JsonObject } from "./json.js";
import { nearest } from "./nearest.js";
import { keysAt } from "./schema.js";

/**
 * Takes a payload across the border: a frozen copy with the event's name and a session in it, checked once against
 * the schema of the event and trusted from there on.
 */
export function readPayload(event: EventName, input: unknown, session: SessionRef, limits: JsonLimits): Payload {
  const spec = specOf(event, "fire");
  if (!isJsonObject(input)) throw wrongType("fire", "payload", "an object", input);
  const { session: own = session, ...rest } = input;
  const payload = prepared(copyJson({ ...rest, session: own, event }, limits) as JsonObject);
  const problems = checkPayload(spec, payload);
  if (problems.length > 0) throw invalidPayload(event, problems);
  return payload;
}

const PREPARED = Symbol("prepared");

/** Marks a payload that crossed the border; the mark is lost by copying, and nobody else can make one. */
export function prepared(payload: JsonObject): Payload {
  const marked = Object.defineProperty({ ...payload }, PREPARED, { value: true });
  return Object.freeze(Object.setPrototypeOf(marked, null)) as Payload;
}

export function isPrepared(payload: object): boolean {
  return (payload as { [PREPARED]?: true })[PREPARED] === true;
}

/** What is wrong with a payload, in words; nothing when it fits. */
export function checkPayload(spec: EventSpec, payload: unknown): string[] {
  const parsed = z.safeParse(spec.payload, payload);
  if (parsed.success) return [];
  return problemsOf(parsed.error, payload, "the payload", (path) => keysAt(spec, path));
}

/** The issues of a value in words; `keysOf` says which keys there are at a path. */
export function problemsOf(
  { issues }: z.core.$ZodError,
  root: unknown,
  whole: string,
  keysOf: (path: readonly string[]) => readonly string[] | "any" | undefined = () => undefined,
): string[] {
  return issues.flatMap((issue) => describeIssue(issue, root, whole, keysOf));
}

function describeIssue(
  issue: z.core.$ZodIssue,
  root: unknown,
  whole: string,
  keysOf: (path: readonly string[]) => readonly string[] | "any" | undefined,
): string[] {
  const path = issue.path.join(".");
  const place = path === "" ? whole : path;
  if (issue.code === "unrecognized_keys") {
    const known = keysOf(issue.path.map(String));
    return issue.keys.map((key) => {
      const near = nearest(key, known ?? []);
      return `unknown key "${path === "" ? key : `${path}.${key}`}"${near === undefined ? "" : `, did you mean "${near}"?`}`;
    });
  }
  const value = issue.path.reduce<unknown>(
    (parent, key) => (typeof parent === "object" && parent !== null ? Reflect.get(parent, key) : undefined),
    root,
  );
  if (value === undefined) return [`${place} is missing`];
  if (issue.code === "invalid_type") return [`${place} must be ${article(issue.expected)}, got ${typeName(value)}`];
  if (issue.code === "invalid_value") return [`${place} must be one of ${issue.values.join(", ")}`];
  if (issue.code === "too_small") return [`${place} must be ${issue.minimum} or more`];
  return [`${place} is not valid: ${typeName(value)}`];
}

function article(expected: string): string {
  return expected === "int"
    ? "a whole number"
    : expected === "array"
      ? "a list"
      : /^[aeio]/.test(expected)
        ? `an ${expected}`
        : `a ${expected}`;
}
