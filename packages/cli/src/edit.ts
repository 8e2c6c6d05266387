import { keysOf, parseTree, type TomlTree } from "@hooks/manifest";

type Statement = TomlTree["body"][0]["body"][number];
type Table = Extract<Statement, { type: "TOMLTable" }>;
type Pair = Extract<Statement, { type: "TOMLKeyValue" }>;
type List = Extract<Pair["value"], { type: "TOMLArray" }>;
type Node = { readonly range: readonly [number, number] };

/** What an edit works on: the text as it is, and what stands where in it. */
interface Draft {
  readonly text: string;
  readonly statements: readonly Statement[];
}

type Change = (draft: Draft) => string;

/** Applies changes to a TOML text one after another. What they do not touch keeps its bytes: comments, order, line ends. */
export async function editToml(text: string, ...changes: readonly Change[]): Promise<string> {
  const mark = text.startsWith("\uFEFF") ? "\uFEFF" : "";
  const isWindows = text.includes("\r\n");
  let now = text.slice(mark.length).replaceAll("\r\n", "\n");
  for (const change of changes) {
    const tree = await parseTree(now);
    now = change({ text: now, statements: tree.body[0].body });
  }
  return mark + (isWindows ? now.replaceAll("\n", "\r\n") : now);
}

/** Sets a key of a section: `setKey("dependencies", "@acme/guards", "^1.2.0")`. */
export function setKey(section: string, key: string, value: string): Change {
  return (draft) => {
    const { text } = draft;
    const found = pairsOf(draft, section).find(({ name }) => name === key);
    if (found !== undefined) return splice(text, found.pair.value.range, quote(value));
    const line = `${keyText(key)} = ${quote(value)}`;
    const inline = inlineOf(draft, section);
    if (inline !== undefined) {
      const last = inline.body.at(-1);
      if (last === undefined) return splice(text, inline.range, `{ ${line} }`);
      return splice(text, [last.range[1], last.range[1]], `, ${line}`);
    }
    const table = tableOf(draft, section);
    if (table !== undefined) return insertLine(text, (table.body.at(-1) ?? table.key).range[1], line);
    const dotted = pairsOf(draft, section).at(-1);
    if (dotted !== undefined) return insertLine(text, dotted.pair.range[1], `${section}.${line}`);
    return insertSection(draft, `[${section}]\n${line}\n`);
  };
}

/** Takes a key out of a section, and the section with the last of its keys. */
export function dropKey(section: string, key: string): Change {
  return (draft) => {
    const { text } = draft;
    const inline = inlineOf(draft, section);
    if (inline !== undefined) {
      const index = inline.body.findIndex((pair) => keysOf(pair.key).join(".") === key);
      return index === -1 ? text : dropItem(text, inline.body, index);
    }
    const found = pairsOf(draft, section).find(({ name }) => name === key);
    if (found === undefined) return text;
    const table = tableOf(draft, section);
    return dropLines(text, table?.body.length === 1 ? table : found.pair);
  };
}

/** Adds a text to a list at the top of the file. */
export function addItem(key: string, item: string): Change {
  return (draft) => {
    const { text } = draft;
    const list = listOf(draft, key);
    if (list === undefined) return insertAtTop(draft, `${key} = [${quote(item)}]\n`);
    return insertItem(text, list, quote(item));
  };
}

/** Takes a text out of a list at the top of the file. */
export function dropItemOf(key: string, item: string): Change {
  return (draft) => {
    const list = listOf(draft, key);
    const index = list?.elements.findIndex((node) => node.type === "TOMLValue" && node.value === item) ?? -1;
    if (list === undefined || index === -1) return draft.text;
    if (list.elements.length > 1) return dropItem(draft.text, list.elements, index);
    return dropLines(
      draft.text,
      draft.statements.find((node) => node.type === "TOMLKeyValue" && node.value === list),
    );
  };
}

/** Adds a `[[hooks]]` entry behind the last one. */
export function addHook(entry: Readonly<Record<string, string | number>>): Change {
  return (draft) => {
    const pairs = Object.entries(entry).map(([key, value]) => `${keyText(key)} = ${quote(value)}`);
    const list = listOf(draft, "hooks");
    if (list !== undefined) return insertItem(draft.text, list, `{ ${pairs.join(", ")} }`);
    const block = `[[hooks]]\n${pairs.join("\n")}\n`;
    const last = draft.statements.findLast((node) => isHook(node) || isPartOfHook(node));
    if (last === undefined) return `${paragraphs(draft.text)}${block}`;
    const end = endOfLine(draft.text, last.range[1]);
    return `${withBreak(draft.text.slice(0, end))}\n${block}${draft.text.slice(end)}`;
  };
}

/** Takes out every hook whose handler is one of theirs, with the comment directly above it. */
export function dropHooks(isTheirs: (handler: string) => boolean): Change {
  const isGone = (pairs: readonly Pair[]) =>
    pairs.some(
      ({ key, value }) =>
        keysOf(key).join(".") === "handler" && value.type === "TOMLValue" && isTheirs(String(value.value)),
    );
  return (draft) => {
    let { text } = draft;
    // From the end, so that the places of the others stay where they are.
    for (const [index, node] of [...draft.statements.entries()].reverse()) {
      if (!isHook(node) || !isGone(node.body)) continue;
      const parts = draft.statements.slice(index + 1);
      const next = parts.findIndex((part) => !isPartOfHook(part));
      for (const part of parts.slice(0, next === -1 ? parts.length : next).reverse()) text = dropLines(text, part);
      text = dropLines(text, { range: [aboveOwnComments(text, node.range[0]), node.range[1]] });
    }
    const list = listOf(draft, "hooks");
    for (const [index, node] of [...(list?.elements.entries() ?? [])].reverse()) {
      if (list !== undefined && node.type === "TOMLInlineTable" && isGone(node.body))
        text = dropItem(text, list.elements, index);
    }
    return text;
  };
}

function isHook(node: Statement): node is Table {
  return node.type === "TOMLTable" && node.kind === "array" && keysOf(node.key).join(".") === "hooks";
}

/** `[hooks.options]` below a `[[hooks]]`. */
function isPartOfHook(node: Statement): boolean {
  return node.type === "TOMLTable" && node.resolvedKey[0] === "hooks" && node.resolvedKey.length > 2;
}

function tableOf({ statements }: Draft, section: string): Table | undefined {
  return statements.find(
    (node): node is Table =>
      node.type === "TOMLTable" && node.kind === "standard" && keysOf(node.key).join(".") === section,
  );
}

function topPairs({ statements }: Draft): Pair[] {
  return statements.filter((node): node is Pair => node.type === "TOMLKeyValue");
}

function inlineOf(draft: Draft, section: string) {
  const value = topPairs(draft).find(({ key }) => keysOf(key).join(".") === section)?.value;
  return value?.type === "TOMLInlineTable" ? value : undefined;
}

function listOf(draft: Draft, key: string): List | undefined {
  const value = topPairs(draft).find((pair) => keysOf(pair.key).join(".") === key)?.value;
  return value?.type === "TOMLArray" ? value : undefined;
}

/** The keys of a section, however it is written. */
function pairsOf(draft: Draft, section: string): { name: string; pair: Pair }[] {
  const inside = [...(tableOf(draft, section)?.body ?? []), ...(inlineOf(draft, section)?.body ?? [])];
  const dotted = topPairs(draft).filter(({ key }) => key.keys.length > 1 && keysOf(key)[0] === section);
  return [
    ...inside.map((pair) => ({ name: keysOf(pair.key).join("."), pair })),
    ...dotted.map((pair) => ({ name: keysOf(pair.key).slice(1).join("."), pair })),
  ];
}

function insertItem(text: string, list: List, item: string): string {
  const last = list.elements.at(-1);
  if (last === undefined) return splice(text, list.range, `[${item}]`);
  const end = last.range[1];
  const before = text.slice(0, last.range[0]);
  const indent = /\n([ \t]*)$/.exec(before)?.[1];
  if (indent === undefined) return splice(text, [end, end], `, ${item}`);
  const comma = /^[ \t]*,/.exec(text.slice(end))?.[0].length ?? 0;
  const at = endOfLine(text, end + comma);
  const missing = comma === 0 ? "," : "";
  return `${text.slice(0, end)}${missing}${withBreak(text.slice(end, at))}${indent}${item},\n${text.slice(at)}`;
}

function dropItem(text: string, items: readonly Node[], index: number): string {
  const [start, end] = (items[index] as Node).range;
  const next = items[index + 1];
  if (next !== undefined) return splice(text, [start, next.range[0]], "");
  const before = items[index - 1];
  return splice(text, [before?.range[1] ?? start, end], "");
}

/** Takes out the lines of a node, and the blank ones that would be left over. */
function dropLines(text: string, node: Node | undefined): string {
  if (node === undefined) return text;
  const start = text.lastIndexOf("\n", node.range[0] - 1) + 1;
  const end = endOfLine(text, node.range[1]);
  const before = text.slice(0, start);
  const after = text.slice(end);
  const isOnItsOwn = before === "" || before.endsWith("\n\n");
  return before + (isOnItsOwn ? after.replace(/^\n+/, "") : after);
}

function insertLine(text: string, after: number, line: string): string {
  const end = endOfLine(text, after);
  return `${withBreak(text.slice(0, end))}${line}\n${text.slice(end)}`;
}

/** A new section stands before the hooks, where people look for it. */
function insertSection(draft: Draft, block: string): string {
  const first = draft.statements.find(isHook);
  if (first === undefined) return `${paragraphs(draft.text)}${block}`;
  const at = aboveComments(draft.text, first.range[0]);
  return `${draft.text.slice(0, at)}${block}\n${draft.text.slice(at)}`;
}

/** Keys of the whole file stand before its first section, below what introduces the file. */
function insertAtTop(draft: Draft, line: string): string {
  const first = draft.statements[0];
  if (first === undefined) return `${paragraphs(draft.text)}${line}`;
  if (first.type === "TOMLKeyValue") return splice(draft.text, [first.range[0], first.range[0]], line);
  const place = aboveOwnComments(draft.text, first.range[0]);
  return `${draft.text.slice(0, place)}${line}\n${draft.text.slice(place)}`;
}

/** Where the comment lines directly above a place begin. */
function aboveComments(text: string, place: number): number {
  const lines = text.slice(0, place).split("\n");
  let at = text.lastIndexOf("\n", place - 1) + 1;
  for (const line of lines.slice(0, -1).reverse()) {
    if (!line.trimStart().startsWith("#")) break;
    at -= line.length + 1;
  }
  return at;
}

/** The same, but for a comment that begins the file: it speaks of all of it. */
function aboveOwnComments(text: string, place: number): number {
  const at = aboveComments(text, place);
  return at === 0 ? text.lastIndexOf("\n", place - 1) + 1 : at;
}

function endOfLine(text: string, from: number): number {
  const at = text.indexOf("\n", from);
  return at === -1 ? text.length : at + 1;
}

function withBreak(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

function paragraphs(text: string): string {
  const kept = text.trimEnd();
  return kept === "" ? "" : `${kept}\n\n`;
}

function splice(text: string, [start, end]: readonly [number, number], by: string): string {
  return text.slice(0, start) + by + text.slice(end);
}

function keyText(key: string): string {
  return /^[\w-]+$/.test(key) ? key : quote(key);
}

/** A TOML value. JSON's escapes are TOML's, but for one character. */
function quote(value: string | number): string {
  return JSON.stringify(value).replaceAll("\u007f", "\\u007F");
}
