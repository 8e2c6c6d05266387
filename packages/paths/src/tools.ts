import { wordOf } from "@hooks/shell";
import { pathsInCode } from "./code.js";
import { isThere } from "./disk.js";
import { filesOfPatch } from "./patch.js";
import { placeWord } from "./place.js";
import { usesOfShell } from "./shell.js";
import {
  accessOf,
  CODE,
  FETCHES,
  GLOBS,
  INTERPRETERS,
  isPatch,
  ownName,
  PATCHES,
  PATHS,
  PATTERNS,
  SEARCHES,
  spelling,
  TAKES_AWAY,
  TEXTS,
  type ToolCall,
  WHERE,
} from "./tool-names.js";
import { shellArguments } from "./tool-shell.js";
import type { PathUse, Unclear, Uses } from "./use.js";
import { canLead, textWord } from "./values.js";
import { expandBraces, hasWildcard } from "./wildcard.js";

export interface CallOptions {
  /** The directory relative paths are relative to; absolute. */
  readonly cwd: string;
  readonly home: string;
  /** Arguments of one's own tools that hold paths, by the tool's name. */
  readonly fields?: Readonly<Record<string, readonly string[]>>;
}

const DEEPEST = 20;
const LONGEST_JSON = 100_000;

/** Every path a tool call reads or writes, in its arguments, its patch and its command. */
export function usesOfCall(call: ToolCall, options: CallOptions): Uses {
  const uses: PathUse[] = [];
  const unclear: Unclear[] = [];
  // Values that are commands, and where what stands beside them is relative to.
  const commands = new Set<unknown>();
  let cwd = options.cwd;
  for (const { text, within, values } of shellArguments(call)) {
    for (const value of values) commands.add(value);
    const place = whereOf(within, options.cwd);
    if (within === call.args) cwd = place;
    const found = usesOfShell(text, { cwd: place, home: options.home });
    uses.push(...found.uses);
    unclear.push(...found.unclear);
  }
  const access = accessOf(call);
  const own = ownName(call.name);
  const reader: Reader = { call, cwd, home: options.home, declared: options.fields?.[call.name] ?? [] };
  const isPatching = /patch/i.test(own);
  const note = (path: string, by: string, use: Partial<PathUse> = {}) =>
    void uses.push({
      path,
      base: cwd,
      access,
      by,
      isTree: false,
      followsLinks: false,
      brings: false,
      field: null,
      ...use,
    });
  const visit = (value: unknown, key: string, field: readonly (string | number)[], isText = false): void => {
    if (field.length > DEEPEST)
      return void unclear.push({ by: call.name, access, detail: "its arguments are nested too deeply" });
    if (Array.isArray(value)) {
      for (const [place, item] of value.entries()) visit(item, key, [...field, place], isText);
    } else if (typeof value === "object" && value !== null) {
      for (const [name, item] of Object.entries(value)) {
        if (!commands.has(item)) visit(item, name, [...field, name], isText);
      }
    } else if (typeof value === "string") {
      if (isPatch(call.name, value) || (isPatching && PATCHES.has(spelling(key))))
        for (const path of filesOfPatch(value)) note(path, key, { access: "write" });
      const base = WHERE.has(spelling(key)) ? options.cwd : cwd;
      for (const { path, isTree, isExact } of fieldUses(reader, key, value))
        note(path, key, { base, isTree, field: isExact && !isText ? field : null });
      if (!isText && /^\s*[{[]/.test(value) && !TEXTS.has(spelling(key))) visitJson(value, key, field);
    }
  };
  // Arguments are handed on to another tool as text sometimes.
  const visitJson = (text: string, key: string, field: readonly (string | number)[]): void => {
    if (text.length > LONGEST_JSON) return;
    try {
      visit(JSON.parse(text), key, field, true);
    } catch {
      // A text like any other.
    }
  };
  for (const [key, value] of Object.entries(call.args)) if (!commands.has(value)) visit(value, key, [key]);
  // A search that is not told where goes through everything.
  const isEverywhere = /^(?:grep|rg|ripgrep|search_file_content|grep_search|search_files?_content)$/i.test(own);
  if (isEverywhere && !Object.keys(call.args).some((key) => PATHS.has(spelling(key)) || isFilter(key)))
    note(".", call.name, { isTree: true });
  return { uses, unclear };
}

const isFilter = (key: string) => key !== "pattern" && PATTERNS.has(spelling(key));

interface Reader {
  readonly call: ToolCall;
  readonly cwd: string;
  readonly home: string;
  readonly declared: readonly string[];
}

interface FieldUse {
  readonly path: string;
  readonly isTree: boolean;
  /** Whether the argument is the path and nothing else, so that another spelling can take its place. */
  readonly isExact: boolean;
}

function fieldUses(reader: Reader, key: string, value: string): FieldUse[] {
  const spelt = spelling(key);
  const tool = ownName(reader.call.name);
  if (reader.declared.includes(key)) return [{ path: value, isTree: false, isExact: true }];
  if (value === "") return [];
  const files = FETCHES.test(tool) ? [...value.matchAll(/\bfile:\/*[^\s"'<>]+/gi)].map(([path]) => path) : [];
  if (files.length > 0 && !PATHS.has(spelt)) return files.map((path) => ({ path, isTree: false, isExact: false }));
  if (/^(?!file:)[a-z][a-z0-9+.-]+:\/\/[^/]/i.test(value)) return [];
  if (PATHS.has(spelt)) {
    const isTree = SEARCHES.test(tool) || TAKES_AWAY.test(tool);
    // Names may have brackets and braces in them; a star is a pattern.
    if (value.includes("*")) return [value, startOfPattern(value)].map((path) => ({ path, isTree, isExact: false }));
    return [{ path: value, isTree, isExact: spelt !== "relativeworkspacepath" }];
  }
  if (PATTERNS.has(spelt))
    return GLOBS.test(tool) && spelt !== "exclude" ? patternUses(reader, tool, spelt, value) : [];
  if (TEXTS.has(spelt)) return [];
  if (CODE.has(spelt) && INTERPRETERS.test(tool)) {
    return pathsInCode(value, "python").map(({ path }) => ({ path, isTree: false, isExact: false }));
  }
  return strangerUses(value, reader.cwd);
}

/** A key nobody knows whose value is a path is one: it leads somewhere by itself, or something is there. */
function strangerUses(value: string, cwd: string): FieldUse[] {
  if (value.length > 4_096 || /[\n\0]|\s{2}|[<>|;]/.test(value)) return [];
  if (/^(?:\/|~\/|\.\.\/|file:|[a-z][\w+.-]*:\/\/\/|[A-Za-z]:[\\/]|\\\\)/i.test(value))
    return canLead(value) ? [{ path: value, isTree: false, isExact: true }] : [];
  const [first = ""] = value.split("/");
  return first !== "" && isThere(`${cwd}/${first}`) ? [{ path: value, isTree: false, isExact: false }] : [];
}

/** Of a pattern what counts is where it begins to look, and what stands there now. */
function patternUses({ call, cwd, home }: Reader, tool: string, key: string, value: string): FieldUse[] {
  // The pattern of a search is an expression, and not where it searches.
  if (key === "pattern" && /grep|search|rg$/i.test(tool) && !/file/i.test(tool)) return [];
  const { path } = call.args;
  const base = textWord(typeof path === "string" ? (path.startsWith("/") ? path : `${cwd}/${path}`) : cwd);
  return expandBraces(value).flatMap((pattern) => {
    const isTree = SEARCHES.test(tool);
    const fixed = pattern.slice(0, pattern.includes("**") ? pattern.indexOf("**") : undefined);
    const placed = hasWildcard(fixed) ? placeWord(wordOf([{ kind: "glob", text: fixed }]), base, home) : undefined;
    return [startOfPattern(pattern), ...(placed?.paths ?? [])].map((one) => ({ path: one, isTree, isExact: false }));
  });
}

/** What stands before the first wildcard; a pattern that goes upwards behind it is taken as it is written. */
function startOfPattern(pattern: string): string {
  const [start = ""] = /^[^*?[{]*/.exec(pattern) ?? [];
  const rest = pattern.slice(start.length);
  if (rest === "" || rest.includes("..")) return pattern;
  return start.slice(0, start.lastIndexOf("/") + 1) || ".";
}

/** Where a command starts: in the directory that stands beside it, or in the session's. */
function whereOf(within: Readonly<Record<string, unknown>>, cwd: string): string {
  for (const [key, value] of Object.entries(within)) {
    if (WHERE.has(spelling(key)) && typeof value === "string" && value !== "")
      return value.startsWith("/") ? value : `${cwd}/${value}`;
  }
  return cwd;
}
