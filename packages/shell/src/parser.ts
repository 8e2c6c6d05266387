import { type ParsedScript, parse } from "unbash";
import { type Evaluation, RESERVED } from "./evaluation.js";
import { overrunOf } from "./extent.js";

// The parser looks for the end of each substitution again on every level: beyond this its time is quadratic.
const DEEPEST_TEXT = 64;

/** Parses a script within its limits; null, and the reason noted, where it cannot be followed. */
export function parseScript(evaluation: Evaluation, text: string, nested: boolean): ParsedScript | null {
  if (text.length > evaluation.limits.length) {
    evaluation.note("too-large", `longer than ${evaluation.limits.length} characters`);
    return null;
  }
  if (nested) {
    evaluation.spend(1);
    evaluation.spendText(text.length);
  } else if (RESERVED.test(text)) {
    evaluation.note("unparsable", "holds characters that no text may hold");
    return null;
  }
  if (text.includes("\0")) {
    evaluation.note("unparsable", "holds a NUL character");
    return null;
  }
  if (!isShallow(evaluation, text)) return null;
  const overrun = overrunOf(text, evaluation.limits.steps / 2);
  if (overrun === null) return parseWhole(evaluation, text);
  // What stands before the overrun is still looked at: padding must not hide it.
  evaluation.note("too-large", `more than ${evaluation.limits.steps / 2} words and operators`);
  return parseTolerant(text.slice(0, overrun));
}

/** False, and noted, where openings are nested too deeply to be parsed in the time of the text's length. */
export function isShallow(evaluation: Evaluation, text: string): boolean {
  if (nestingOf(text) <= DEEPEST_TEXT) return true;
  evaluation.note("too-deep", `substitutions nested more than ${DEEPEST_TEXT} deep`);
  return false;
}

function parseWhole(evaluation: Evaluation, text: string): ParsedScript | null {
  const script = parseTolerant(text);
  if (script === null) {
    evaluation.note("too-deep", "nested deeper than the parser can follow");
    return null;
  }
  const message = script.errors?.[0]?.message;
  if (message === undefined) return script;
  const repaired = repair(text, message);
  if (repaired === null) {
    noteErrors(evaluation, script);
    return script;
  }
  if (!repaired.isFaithful) evaluation.note("unparsable", message);
  return repaired.script;
}

/** The parser calls itself for what is nested: a stack it exhausts is a depth that cannot be followed. */
function parseTolerant(text: string): ParsedScript | null {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** Whether a text is a whole script as it stands. */
export function isWellFormed(text: string): boolean {
  return nestingOf(text) <= DEEPEST_TEXT && (parseTolerant(text)?.errors?.length ?? 0) === 0;
}

interface Repaired {
  readonly script: ParsedScript;
  /** Whether a shell that got as far as running it would run just this. */
  readonly isFaithful: boolean;
}

/**
 * What a broken script most likely says. A quote that is left open holds everything after it, so closing it changes
 * nothing; an operator with nothing before it is passed over, and what follows is read.
 */
function repair(text: string, message: string): Repaired | null {
  const open = /unterminated (single|double) quote/.exec(message)?.[1];
  const changed = open === undefined ? text.replace(/^[\s;&|]+/, "") : text + (open === "single" ? "'" : '"');
  if (changed === text) return null;
  const script = parseTolerant(changed);
  if (script === null || (script.errors?.length ?? 0) > 0) return null;
  return { script, isFaithful: open !== undefined };
}

/** Scripts of substitutions are parsed when they are looked at, and have errors of their own. */
export function noteErrors(evaluation: Evaluation, script: ParsedScript): void {
  const [error] = script.errors ?? [];
  if (error !== undefined) evaluation.note("unparsable", error.message);
}

/** How deep the openings in a text are nested, whatever they turn out to be. */
function nestingOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let backticks = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 40 || code === 123) {
      // Only an opening that follows `$`, `<`, `>`, `(` or another opening nests; prose with brackets does not.
      const before = i === 0 ? 0 : text.charCodeAt(i - 1);
      if (
        before === 36 ||
        before === 60 ||
        before === 62 ||
        before === 40 ||
        before === 123 ||
        before === 32 ||
        i === 0
      )
        depth++;
      if (depth > deepest) deepest = depth;
    } else if (code === 41 || code === 125) {
      if (depth > 0) depth--;
    } else if (code === 92 && text.charCodeAt(i + 1) === 96) backticks++;
  }
  return deepest + (backticks > 512 ? DEEPEST_TEXT + 1 : 0);
}

export type { ParsedScript } from "unbash";
