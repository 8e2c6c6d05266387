import type { JsonObject } from "@hooks/core";
import {
  findNodeAtLocation,
  type JSONPath,
  type Node,
  type ParseError,
  parse,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import { agentNames, type Installation } from "./agent.js";

const VERB = `\\bhook (?:${agentNames.join("|")})\\b`;

/** How Harn's own entries are known: by the flags that `init` writes, whatever runs them, or by the name of what runs. */
const OWN = new RegExp(`${VERB} --event \\S+ --budget \\d|\\bharn\\b[^|&;]*${VERB}|[/\\\\]bin\\.js["']? ${VERB}`);

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
  // A key that stands twice is one thing to whoever writes, and another to the agent.
  if (!hasExactly(next, entries)) throw new UnusableSettings("a key stands twice in it");
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

/** Takes Harn's entries out again, and what held nothing but them. What a person wrote stays, comments included. */
export function removeEntries(text: string): string {
  if (text.startsWith(BOM)) return `${BOM}${removeEntries(text.slice(1))}`;
  if (text.trim() === "") return text;
  let next = text;
  const { hooks } = parseSettings(text);
  if (!isRecord(hooks)) return text;
  for (const [event, list] of Object.entries(hooks)) {
    if (!Array.isArray(list)) continue;
    const own = list.flatMap((group, place) => ownPlaces(group).map((inside): JSONPath => [place, ...inside]));
    if (own.length > 0 && list.every(isOwn)) next = remove(next, ["hooks", event]);
    else for (const place of own.reverse()) next = remove(next, ["hooks", event, ...place]);
  }
  return next !== text && isBare(next, ["hooks"]) ? remove(next, ["hooks"]) : next;
}

/** What of a group is Harn's: all of it, or the commands a person has put others beside. */
function ownPlaces(group: unknown): JSONPath[] {
  if (isOwn(group)) return [[]];
  if (!isRecord(group) || !Array.isArray(group.hooks)) return [];
  return group.hooks.flatMap((handler, place) => (isOwn(handler) ? [["hooks", place]] : []));
}

/** Every command of Harn in a settings file, by event. */
export function ownCommands(text: string): ReadonlyMap<string, readonly string[]> {
  const hooks = text.trim() === "" ? undefined : parseSettings(text).hooks;
  if (!isRecord(hooks)) return new Map();
  return new Map(
    Object.entries(hooks).flatMap(([event, list]): [string, string[]][] => {
      const commands = Array.isArray(list) ? list.flatMap(commandsOf).filter((command) => OWN.test(command)) : [];
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

/** Takes out one value with the line it stands on and its comma: what `insert` put there, and no comment of anybody. */
function remove(text: string, path: JSONPath): string {
  const node = findNodeAtLocation(parseTree(text, [], { allowTrailingComma: true }) as Node, path) as Node;
  const own = typeof path.at(-1) === "string" ? (node.parent as Node) : node;
  const { offset, length, children = [] } = own.parent as Node;
  const place = children.indexOf(own);
  const before = children[place - 1];
  const floor = before === undefined ? offset + 1 : before.offset + before.length;
  const ceiling = children[place + 1]?.offset ?? offset + length - 1;
  const end = own.offset + own.length;
  const behind = commaIn(text, end, ceiling);
  // The last one has the comma before it, unless it is written with one behind.
  const ahead = behind === undefined && before !== undefined ? commaIn(text, floor, own.offset) : undefined;
  const line = lineStart(text, Math.max(floor, (ahead ?? 0) + 1), own.offset);
  const head = ahead === undefined ? text.slice(0, line) : text.slice(0, ahead) + text.slice(ahead + 1, line);
  const tail = behind === undefined ? text.slice(end) : text.slice(end, behind) + text.slice(behind + 1);
  const inside = text.slice(offset + 1, line) + text.slice((behind ?? end - 1) + 1, offset + length - 1);
  return children.length === 1 && inside.trim() === ""
    ? `${text.slice(0, offset + 1)}${text.slice(offset + length - 1)}`
    : head + tail;
}

/** Where the blank before a value begins: at the end of the line before, or of what stands on the same line. */
function lineStart(text: string, floor: number, offset: number): number {
  const blank = /\s*$/.exec(text.slice(floor, offset))?.[0] ?? "";
  const newline = blank.search(/\r?\n[^\n]*$/);
  return offset - blank.length + Math.max(0, newline);
}

/** Whether a value is an object or a list with nothing in it, not even a comment. */
function isBare(text: string, path: JSONPath): boolean {
  const node = findNodeAtLocation(parseTree(text, [], { allowTrailingComma: true }) as Node, path);
  return node !== undefined && text.slice(node.offset + 1, node.offset + node.length - 1).trim() === "";
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
  const comma = commaIn(text, after, end) === undefined ? "," : "";
  return `${text.slice(0, after)}${comma}${text.slice(after, end)}${line}${tail}`;
}

/** Where the comma is between two places, outside of the comments. */
function commaIn(text: string, from: number, to: number): number | undefined {
  const blanked = text.slice(from, to).replace(/\/\/.*|\/\*[\s\S]*?\*\//g, (comment) => " ".repeat(comment.length));
  const found = blanked.indexOf(",");
  return found === -1 ? undefined : from + found;
}

function styleOf(text: string): { step: string; eol: string } {
  return { step: /^([ \t]+)\S/m.exec(text)?.[1] ?? "  ", eol: text.includes("\r\n") ? "\r\n" : "\n" };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
