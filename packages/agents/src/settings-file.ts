import type { JsonObject } from "@hooks/core";
import {
  applyEdits,
  findNodeAtLocation,
  type JSONPath,
  modify,
  type Node,
  type ParseError,
  parse,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import type { Installation } from "./agent.js";

/** How Harn's own entries are known: by the command they run. */
const OWN =
  /\bharn\b[^|&;]*\bhook (claude|codex|gemini|copilot|opencode|cursor)\b|[/\\]bin\.js["']? hook (claude|codex|gemini|copilot|opencode|cursor)\b/;

const BOM = "\uFEFF";

/** What a settings file cannot be: Harn adds to what a person wrote, and never replaces it. */
export class UnusableSettings extends Error {}

/** Adds an entry for each event to the text of a settings file; comments, order and style stay as they are. */
export function addEntries(
  text: string,
  installation: Installation,
  commands: ReadonlyMap<string, [string, number]>,
): string {
  if (text.startsWith(BOM)) return `${BOM}${addEntries(text.slice(1), installation, commands)}`;
  const { head = {}, entry } = installation;
  const entries = [...commands].map(
    ([event, [command, seconds]]) => [event, entry?.(event, command, seconds)] as const,
  );
  if (hasExactly(text, entries)) return text;
  const before = removeEntries(text);
  let next = before.trim() === "" ? "{}\n" : before;
  const root = parseSettings(next);
  for (const [key, value] of Object.entries(head)) if (!(key in root)) next = insert(next, [], key, value);
  if (root.hooks === undefined) next = insert(next, [], "hooks", {});
  else if (!isRecord(root.hooks)) throw new UnusableSettings('"hooks" is not an object');
  for (const [event, added] of entries) {
    const listed = isRecord(root.hooks) ? root.hooks[event] : undefined;
    if (listed !== undefined && !Array.isArray(listed)) throw new UnusableSettings(`"hooks.${event}" is not a list`);
    next = listed === undefined ? insert(next, ["hooks"], event, [added]) : insert(next, ["hooks", event], null, added);
  }
  return next;
}

/** Whether these entries, and no other ones of Harn, are there already. */
function hasExactly(text: string, entries: readonly (readonly [string, JsonObject | undefined])[]): boolean {
  const hooks = text.trim() === "" ? undefined : parseSettings(text).hooks;
  if (!isRecord(hooks)) return false;
  const own = Object.entries(hooks).flatMap(([event, list]) =>
    Array.isArray(list) ? list.filter(isOwn).map((group) => JSON.stringify([event, group])) : [],
  );
  const wanted = entries.map((entry) => JSON.stringify(entry));
  return own.length === wanted.length && wanted.every((entry) => own.includes(entry));
}

/** Takes Harn's entries out again, and what held nothing but them. */
export function removeEntries(text: string): string {
  if (text.startsWith(BOM)) return `${BOM}${removeEntries(text.slice(1))}`;
  if (text.trim() === "") return text;
  let next = text;
  const hooks = parseSettings(text).hooks;
  if (!isRecord(hooks)) return text;
  for (const [event, list] of Object.entries(hooks)) {
    if (!Array.isArray(list)) continue;
    const own = list.flatMap((group, place) => (isOwn(group) ? [place] : []));
    if (own.length === 0) continue;
    if (own.length === list.length) next = remove(next, ["hooks", event]);
    else for (const place of own.reverse()) next = remove(next, ["hooks", event, place]);
  }
  const left = parseSettings(next).hooks;
  if (next !== text && isRecord(left) && Object.keys(left).length === 0) next = remove(next, ["hooks"]);
  return next;
}

/** Every command of Harn in a settings file, by event. */
export function ownCommands(text: string): ReadonlyMap<string, readonly string[]> {
  const hooks = text.trim() === "" ? undefined : parseSettings(text).hooks;
  if (!isRecord(hooks)) return new Map();
  return new Map(
    Object.entries(hooks).flatMap(([event, list]): [string, string[]][] => {
      const commands = Array.isArray(list) ? list.filter(isOwn).flatMap(commandsOf) : [];
      return commands.length === 0 ? [] : [[event, commands]];
    }),
  );
}

export function parseSettings(text: string): JsonObject {
  const errors: ParseError[] = [];
  const value: unknown = parse(text.startsWith(BOM) ? text.slice(1) : text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error !== undefined) {
    const line = text.slice(0, error.offset).split("\n").length;
    throw new UnusableSettings(`it is not JSON: ${printParseErrorCode(error.error)} on line ${line}`);
  }
  if (!isRecord(value)) throw new UnusableSettings("it does not hold an object");
  return value as JsonObject;
}

// A group belongs to Harn when all of its commands do; a person may have put another command beside ours.
export function isOwn(group: unknown): boolean {
  const commands = commandsOf(group);
  return commands.length > 0 && commands.every((command) => OWN.test(command));
}

function commandsOf(group: unknown): string[] {
  if (!isRecord(group)) return [];
  const own = [group.command, group.bash].filter((command): command is string => typeof command === "string");
  return [...own, ...(Array.isArray(group.hooks) ? group.hooks.flatMap(commandsOf) : [])];
}

/** Takes out one value, and nothing around it. */
function remove(text: string, path: JSONPath): string {
  return applyEdits(text, modify(text, path, undefined, {}));
}

/** Puts a value behind the last one of an object or a list. What is there, and every comment, stays where it is. */
function insert(text: string, path: JSONPath, key: string | null, value: unknown): string {
  const tree = parseTree(text, [], { allowTrailingComma: true }) as Node;
  const { offset, length, children = [] } = findNodeAtLocation(tree, path) as Node;
  const { step, eol } = styleOf(text);
  const indent = step.repeat(path.length + 1);
  const rendered = JSON.stringify(value, null, step).replaceAll("\n", `${eol}${indent}`);
  const line = `${eol}${indent}${key === null ? "" : `${JSON.stringify(key)}: `}${rendered}`;
  const close = offset + length - 1;
  const last = children.at(-1);
  const inside = text.slice(offset + 1, close);
  const end = offset + 1 + inside.trimEnd().length;
  const tail = text.slice(end, close).includes("\n")
    ? text.slice(end)
    : `${eol}${step.repeat(path.length)}${text.slice(close)}`;
  if (last === undefined) return `${text.slice(0, end)}${line}${tail}`;
  const after = last.offset + last.length;
  const comma = hasComma(text.slice(after, end)) ? "" : ",";
  return `${text.slice(0, after)}${comma}${text.slice(after, end)}${line}${tail}`;
}

/** Whether there is a comma outside of the comments. */
function hasComma(text: string): boolean {
  return text.replace(/\/\/.*|\/\*[\s\S]*?\*\//g, "").includes(",");
}

function styleOf(text: string): { step: string; eol: string } {
  return { step: /^([ \t]+)\S/m.exec(text)?.[1] ?? "  ", eol: text.includes("\r\n") ? "\r\n" : "\n" };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
