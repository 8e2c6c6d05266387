import { ANYTHING, alphabetOf, isGiven } from "./alphabet.js";
import { badPattern, messageOf } from "./errors.js";
import { catalogueNames, type EventSpec } from "./events.js";
import { compileGlob } from "./glob.js";
import { conditionMistake, deadExpression, globMistake } from "./impossible.js";
import { type Json, type JsonObject, valueAt } from "./json.js";
import { nearest } from "./nearest.js";
import { compileRegex, DeadExpression } from "./regex.js";
import { keysAt } from "./schema.js";

/** A compiled pattern: a test on the subject, which a route may cache, or on the whole payload, or neither: always. */
export interface Pattern {
  readonly source: string;
  /** `native` is the agent's own name for the subject, where it has one. */
  readonly subject?: (subject: string, native?: string) => boolean;
  readonly payload?: (payload: JsonObject) => boolean;
}

const CONDITION = /^([A-Za-z_]\w*(?:\.[\w-]+)*)\s*(=~|==|!=)\s*(.*)$/s;
const DOTTED = /^[A-Za-z_]\w*(?:\.[\w-]+)+$/;
const NEGATION = /^(not)\s+[A-Za-z_]/;
const OPERATION = /^[A-Za-z_]\w*(?:\.[\w-]+)*(?:\s*([<>=!~&|]+|[[(])|\s+([A-Za-z]\w*))/;
const WORDS = ["in", "is", "not", "and", "or"];
const MAX_LENGTH = 1_000;

/**
 * Compiles a pattern for an event: empty or `*`; a glob on the event's subject; `path =~ "regex"`, `path == value`,
 * `path != value`; or a bare dotted path, true when the payload has something truthy there. What can never match is
 * an error here, not a hook that silently does nothing.
 */
export function compilePattern(source: string, event: string, spec: EventSpec): Pattern {
  const key = `${event} ${source}`;
  const known = compiled.get(key) ?? compile(source, event, spec);
  if (compiled.size >= MAX_COMPILED) compiled.clear();
  compiled.set(key, known);
  return known;
}

// Checking a manifest and registering its hooks ask for the same patterns, and compiling one costs more than matching.
const compiled = new Map<string, Pattern>();
const MAX_COMPILED = 1_000;

function compile(source: string, event: string, spec: EventSpec): Pattern {
  const text = source.trim();
  if (text.length > MAX_LENGTH) {
    throw badPattern(
      `${text.slice(0, 40)}...`,
      `longer than ${MAX_LENGTH} characters`,
      "Decide in the handler instead.",
    );
  }
  if (text === "" || text === "*") return { source };
  const condition = CONDITION.exec(text);
  if (condition !== null) {
    const [, path = "", operator = "", right = ""] = condition;
    refuseMore(source, operator, right);
    refuseImpossible(source, path, operator, right, event, spec);
    return onPath(source, path, event, spec, compareWith(source, operator, right, path, spec));
  }
  refuseOperator(source, text, spec);
  if (DOTTED.test(text) && startsInPayload(text, spec)) return onPath(source, text, event, spec, isTruthy);
  return onSubject(source, text, event, spec);
}

/** Refuses what begins with a path of the payload and goes on with an operator there is not. */
function refuseOperator(source: string, text: string, spec: EventSpec): void {
  const [, not] = NEGATION.exec(text) ?? [];
  const [, sign, word] = OPERATION.exec(text) ?? [];
  if (!startsInPayload(text.replace(/^not\s+/, ""), spec)) return;
  // A name that people give may have blanks: only behind a path is a word an operator for certain.
  const isOperator = word !== undefined && (WORDS.includes(word) || DOTTED.test(text.slice(0, text.search(/\s/))));
  const operator = not ?? sign ?? (isOperator ? word : undefined);
  if (operator === undefined) return;
  const what = operator === "=" ? "is not a comparison" : "is not part of a pattern";
  throw badPattern(
    source,
    `\`${operator}\` ${what}, so this could never match`,
    "Use `==`, `!=` or `=~`, or decide in the handler.",
  );
}

function onSubject(source: string, glob: string, event: string, spec: EventSpec): Pattern {
  if (spec.subject === null) {
    throw badPattern(
      source,
      `${event} has no subject for a glob, so this could never match`,
      'Use "*", or a condition on the payload such as `session.agent == "main"`.',
    );
  }
  const kind = spec.subject === "path" ? "path" : "name";
  const mistake = globMistake(glob, kind === "name" && isGiven(spec) ? "given" : kind);
  if (mistake !== undefined) throw badPattern(source, mistake.why, mistake.help);
  let subject: (text: string) => boolean;
  try {
    // Whoever escapes a character means it.
    subject = compileGlob(glob, kind, glob.includes("\\") ? ANYTHING : alphabetOf(spec));
  } catch (error) {
    if (error instanceof DeadExpression) {
      const help = "Correct it, or use a condition on the payload.";
      throw badPattern(source, `no ${spec.subject} is like this, so this could never match`, help);
    }
    const why = messageOf(error);
    throw badPattern(
      source,
      why,
      why.startsWith("Missing")
        ? "Escape a literal bracket with a backslash."
        : 'Use a condition such as `tool.name =~ "..."`.',
    );
  }
  if (spec.subject === "event" && !/(custom|meta)\./.test(glob) && !catalogueNames.some(subject)) {
    throw badPattern(
      source,
      "on every event a glob selects events by their names, and none has this one, so this could never match",
      'Name events ("{Pre,Post}ToolUse"), or use a condition such as `tool.name == "Bash"`.',
    );
  }
  return { source, subject: onEitherName(subject, glob) };
}

// A tool is meant by its name and by the agent's own name for it, and what excludes either excludes it.
function onEitherName(matches: (name: string) => boolean, glob: string): NonNullable<Pattern["subject"]> {
  const excludes = glob.startsWith("!") && !glob.startsWith("!(");
  return excludes
    ? (name, native) => matches(name) && (native === undefined || matches(native))
    : (name, native) => matches(name) || (native !== undefined && matches(native));
}

function onPath(
  source: string,
  path: string,
  event: string,
  spec: EventSpec,
  test: (value: Json | undefined) => boolean,
): Pattern {
  const keys = path.split(".");
  checkPath(source, keys, event, spec);
  // Only a subject that is always a text may be tested as one.
  if (path === spec.subject && keysAt(spec, keys) !== "any") return { source, subject: (subject) => test(subject) };
  return { source, payload: (payload) => test(valueAt(payload, keys)) };
}

function compareWith(
  source: string,
  operator: string,
  right: string,
  path: string,
  spec: EventSpec,
): (value: Json | undefined) => boolean {
  const expected = unquote(source, right.trim());
  if (operator === "==") return (value) => textOf(value) === expected;
  if (operator === "!=") return (value) => textOf(value) !== expected;
  try {
    const matches = compileRegex(expected, { within: path === spec.subject ? alphabetOf(spec) : ANYTHING });
    return (value) => matches(textOf(value));
  } catch (error) {
    if (error instanceof DeadExpression) {
      const { why, help } = deadExpression(expected, path);
      throw badPattern(source, why, help);
    }
    throw badPattern(
      source,
      `invalid regular expression: ${messageOf(error)}`,
      "The syntax is RE2's: no lookaround, no backreferences.",
    );
  }
}

const JOINT = /&&|\|\||\s(?:and|or)\s+(?:not\s+)?[A-Za-z_][\w.]*\s*(?:==|!=|=~)/;

function refuseMore(source: string, operator: string, right: string): void {
  const [sign] = /^[=~]/.exec(right) ?? [];
  if (sign !== undefined) {
    throw badPattern(
      source,
      `\`${operator}${sign}\` is not a comparison, so this could never match`,
      "Use `==`, `!=` or `=~`.",
    );
  }
  if (operator === "=~" && /^\/.*\/[a-z]*$/.test(right.trim())) {
    const why = "an expression stands in quotes, and slashes around it are a part of it";
    throw badPattern(
      source,
      why,
      `Write =~ ${JSON.stringify(right.trim().replace(/^\/|\/[a-z]*$/g, ""))}, and (?i) in front of it for any case.`,
    );
  }
  const open = right.replace(/"[^"]*"|'[^']*'/g, "");
  const [joint] = JOINT.exec(open) ?? (/^["']/.test(right) ? (/^\s*(?:and|or)\b/.exec(open) ?? []) : []);
  if (joint === undefined) return;
  throw badPattern(
    source,
    `\`${/^\s*(\S+)/.exec(joint)?.[1]}\` is not part of a condition, so this could never match`,
    'Write one condition, such as `tool.name =~ "^(a|b)$"`, or two hooks.',
  );
}

function refuseImpossible(
  source: string,
  path: string,
  operator: string,
  right: string,
  event: string,
  spec: EventSpec,
): void {
  const value = unquote(source, right.trim());
  const mistake = conditionMistake({ path, operator, value, event, spec });
  if (mistake !== undefined) throw badPattern(source, mistake.why, mistake.help);
}

function unquote(source: string, text: string): string {
  const quote = text[0];
  if (quote !== '"' && quote !== "'") {
    if (text === "") throw badPattern(source, "nothing stands on the right side", 'Compare with "" for an empty text.');
    return text;
  }
  if (text.length < 2 || !text.endsWith(quote)) {
    throw badPattern(source, `a quote (${quote}) is not closed`, "Close it at the end.");
  }
  const inner = text.slice(1, -1);
  if (inner.includes(quote))
    throw badPattern(source, `a quote (${quote}) ends too early`, "Use the other kind of quote around it.");
  return inner;
}

// A missing value compares as the empty text, and what is not a text as its JSON.
function textOf(value: Json | undefined): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function isTruthy(value: Json | undefined): boolean {
  return value !== undefined && value !== null && value !== false && value !== 0 && value !== "";
}

// `read.file` is a tool's name; `tool.args` is a path, because PreToolUse has a `tool`.
function startsInPayload(path: string, spec: EventSpec): boolean {
  return keysAt(spec, [])?.includes(/^\w+/.exec(path)?.[0] ?? "") === true;
}

function checkPath(source: string, path: readonly string[], event: string, spec: EventSpec): void {
  for (const [index, key] of path.entries()) {
    const keys = keysAt(spec, path.slice(0, index)) ?? [];
    if (keys === "any") return;
    if (keys.includes(key)) continue;
    const near = index === 0 && key === "payload" ? path.slice(1).join(".") : nearest(key, keys);
    const parent = path.slice(0, index).join(".") || `the payload of ${event}`;
    throw badPattern(
      source,
      `${parent} has no "${key}", so this could never match.${near === undefined || near === "" ? "" : ` Did you mean "${near}"?`}`,
      `docs/events.md has the payload of ${event}.`,
    );
  }
}
