import { closeSync, openSync, readSync } from "node:fs";
import { basename } from "node:path";

/** What a script says of itself at its top. */
export interface Header {
  readonly hook?: string;
  readonly event?: string;
  readonly description?: string;
  readonly matcher?: string;
}

const COMMENT = /^\s*(?:\/\/|\/\*+|\*|#|--|;|%)/;
const FIELD = /^\s*(?:\/\/+|\/\*+|\*|#+|--|;+|%+)\s*(Hook|Event|Description|Matcher)\s*:\s*(.*?)\s*(?:\*\/)?\s*$/i;

/** Reads the documentation header of a script: comment lines before anything else, in any language's way to write them. */
export function parseHeader(text: string): Header {
  const header: Record<string, string> = {};
  for (const line of text.split(/\r?\n/)) {
    if (line.trim() !== "" && !COMMENT.test(line)) break;
    const [, key, value] = FIELD.exec(line) ?? [];
    if (key !== undefined && value !== undefined && value !== "") header[key.toLowerCase()] ??= value;
  }
  return header;
}

const HEADER_BYTES = 8 * 1024;

/** The header of a script's file; none where it cannot be read, which is another's complaint. */
export function readHeader(file: string): Header {
  let descriptor: number;
  try {
    descriptor = openSync(file, "r");
  } catch {
    return {};
  }
  try {
    const bytes = Buffer.alloc(HEADER_BYTES);
    return parseHeader(bytes.toString("utf8", 0, readSync(descriptor, bytes, 0, HEADER_BYTES, 0)));
  } catch {
    return {};
  } finally {
    closeSync(descriptor);
  }
}

/** How a script is registered. */
export interface Registered {
  readonly script: string;
  readonly event: string;
  /** What it is registered for: every field with what it must be; undefined when that is not told in such terms. */
  readonly conditions?: Readonly<Record<string, string>> | undefined;
}

/** Where a header and what the script is registered for do not agree. */
export function headerMistakes(header: Header, registered: Registered): string[] {
  const { script, event } = registered;
  const mistakes: string[] = [];
  if (header.event !== undefined && !header.event.split(/[^A-Za-z]+/).includes(event)) {
    mistakes.push(`${script} says "Event: ${header.event}", and is registered on ${event}`);
  }
  if (header.hook !== undefined && !isSameName(header.hook, stemOf(script))) {
    mistakes.push(`${script} calls itself "${header.hook}"`);
  }
  const matcher = matcherMistake(header, registered);
  return matcher === undefined ? mistakes : [...mistakes, matcher];
}

function matcherMistake({ matcher }: Header, { script, event, conditions }: Registered): string | undefined {
  const wanted = matcher === undefined ? undefined : parseConditions(matcher);
  if (wanted === undefined || conditions === undefined) return undefined;
  const isSame =
    Object.keys(wanted).length === Object.keys(conditions).length &&
    Object.entries(wanted).every(([key, value]) => conditions[key] === value);
  if (isSame) return undefined;
  const shown = Object.entries(conditions).map(([key, value]) => `${key} = "${value}"`);
  return `${script} says "Matcher: ${matcher}", and is registered for ${shown.join(", ") || `every ${event}`}`;
}

/** `tool_name = "Bash"`, several with a comma or `and` between them; undefined for what is prose. */
function parseConditions(text: string): Record<string, string> | undefined {
  if (/^(?:\*|any|all|none|-)$/i.test(text)) return {};
  const conditions: Record<string, string> = {};
  for (const part of text.split(/\s*(?:,|&&|\band\b)\s*/)) {
    const [, key, quoted, bare] = /^([\w.]+)\s*={1,3}\s*(?:["'](.*)["']|(\S+))$/.exec(part) ?? [];
    if (key === undefined) return undefined;
    conditions[key] = quoted ?? bare ?? "";
  }
  return conditions;
}

/** The name of a script's file without what follows it: `SecurityValidator` of `hooks/SecurityValidator.hook.ts`. */
export function stemOf(script: string): string {
  return basename(script).replace(/(?:\.hook)?\.[^.]+$/, "");
}

function isSameName(one: string, other: string): boolean {
  const plain = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, "");
  return plain(one) === plain(other);
}
