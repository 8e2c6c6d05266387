import { type Dialect, type EventName, type OnError, type Pattern, typeName } from "@hooks/core";
import type { Path } from "../document.js";
import type { Place } from "../problem.js";
import { type Command, commandMistake } from "../process/command.js";
import { headerMistakes, readHeader, stemOf } from "../process/header.js";
import { scriptOf } from "../process/program.js";
import { isTable, type Report, type Table } from "../report.js";
import { fieldsOf } from "./agent.js";
import { type Matched, objectMatcher, textMatcher } from "./matcher.js";

/** An executable hook of a settings file. */
export interface SettingsHook {
  readonly name: string;
  /** What runs, as it is written. */
  readonly handlerName: string;
  readonly event: EventName;
  readonly dialect: Dialect;
  readonly matches: Pattern | undefined;
  readonly command: Command;
  readonly on_error: OnError | undefined;
  readonly place: Place;
}

/** What reading a settings file needs, and where its complaints go. */
export interface Reading {
  readonly report: Report;
  readonly root: string;
  /** Environment variables its programs get. */
  readonly env: readonly string[];
  /** Variables the file itself sets, for the programs of coding agents. */
  readonly variables: Readonly<Record<string, string>>;
  /** How coding agents speak here. */
  readonly agent: Dialect;
}

/** The event an entry stands under, and the way to the entry. */
export interface Under {
  readonly name: string;
  readonly event: EventName;
  readonly path: Path;
}

/** A program of an entry, before it is a hook. */
export interface Program {
  readonly command: Command;
  readonly handlerName: string;
  /** The words it consists of, where no shell makes more of them. */
  readonly words: readonly string[] | undefined;
  readonly matcher: unknown;
  readonly matches: Pattern | undefined;
  readonly dialect: Dialect;
  readonly on_error?: OnError | undefined;
  /** The way to where it is named. */
  readonly path: Path;
}

/** Holds a program against the world, and against what its script says of itself. */
export function toHook(program: Program, { name, event }: Under, { report, root }: Reading): SettingsHook {
  const { command, handlerName, words, matches, dialect, on_error, path } = program;
  const mistake = words === undefined ? undefined : commandMistake({ ...command, argv: words });
  if (mistake !== undefined) {
    report.add({ code: "HARN_W_NOT_RUNNABLE", severity: report.isStrict ? "error" : "warning", path, ...mistake });
  }
  const script = words === undefined ? undefined : scriptOf(words, root);
  if (script !== undefined) {
    const shown = words?.[0]?.includes("/") === true ? words[0] : (words?.[1] ?? "");
    const conditions = conditionsOf(program.matcher, fieldsOf(event).subject);
    for (const message of headerMistakes(readHeader(script), { script: shown, event: name, conditions })) {
      report.add({ code: "HARN_W_HEADER", severity: "warning", path, message, help: "correct one of the two" });
    }
  }
  return {
    name: stemOf(script ?? handlerName).slice(0, LONGEST_NAME),
    handlerName,
    event,
    dialect,
    matches,
    command,
    on_error,
    place: report.placeOf({ path }),
  };
}

const LONGEST_NAME = 80;

/** A matcher in the terms of a header; undefined where it says more than a header can. */
function conditionsOf(matcher: unknown, subject: string | undefined): Readonly<Record<string, string>> | undefined {
  if (typeof matcher === "string") {
    return /^\*?$/.test(matcher.trim()) || subject === undefined ? {} : { [subject]: matcher.trim() };
  }
  if (matcher === undefined) return {};
  if (!isTable(matcher)) return undefined;
  const entries = Object.entries(matcher);
  return entries.every(([, value]) => typeof value !== "object")
    ? Object.fromEntries(entries.map(([key, value]) => [key, String(value)]))
    : undefined;
}

/** The matcher of an entry, of either kind its shape takes; what is wrong with it is reported. */
export function readMatcher(table: Table, matched: Matched, path: Path, { report }: Reading): Pattern | undefined {
  const { matcher } = table;
  if (matcher === undefined || matcher === null) return undefined;
  const at = [...path, "matcher"];
  const compiled = isTable(matcher)
    ? objectMatcher(matcher, matched, at)
    : typeof matcher === "string" && matched.takesText
      ? textMatcher(matcher, matched, at)
      : { findings: [wrongMatcher(matcher, matched, at)] };
  if ("pattern" in compiled) return compiled.pattern;
  for (const finding of compiled.findings) report.add(finding);
  return undefined;
}

function wrongMatcher(matcher: unknown, { takesText }: Matched, path: Path) {
  const expected = takesText ? "a text or an object" : "an object";
  const got = typeof matcher === "string" ? JSON.stringify(matcher) : typeName(matcher);
  const tool = typeof matcher === "string" ? matcher : "Bash";
  return {
    code: "HARN_E_KEY_TYPE" as const,
    path,
    message: `"matcher" must be ${expected}, got ${got}`,
    help: `write "matcher": {"tool_name": ${JSON.stringify(tool)}}`,
  };
}
