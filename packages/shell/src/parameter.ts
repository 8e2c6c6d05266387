import type { ParameterExpansionPart } from "unbash";
import { removeMatch, replaceMatch } from "./patterns.js";
import { elementName, type State, type Value } from "./state.js";
import { literal, type Piece, type Word, wordOf } from "./word.js";

/** Expands the operand of `${X:-word}`: every value it may have. */
export type ExpandOperand = (word: { readonly text: string }) => readonly Word[];

/** Variables of every environment that hold an absolute path. */
const PATHS: readonly string[] = ["HOME", "PWD", "OLDPWD", "PATH", "SHELL", "TMPDIR", "_"];

/** Every value `$NAME` may have. */
export function valuesOf(state: State, name: string): readonly Value[] {
  if (/^\d+$/.test(name) && name !== "0") return positionalOf(state, Number(name));
  if (name === "@" || name === "*") {
    return [state.positional ?? [{ pieces: [{ kind: "unknown", source: `$${name}` }], text: null }]];
  }
  const known = state.get(name);
  if (known !== undefined) return known;
  if (name === "IFS") return [[literal(" \t\n")]];
  if (/^[?#$!\-0]$/.test(name)) return [[{ pieces: [{ kind: "unknown", source: `$${name}` }], text: null }]];
  return [[{ pieces: [{ kind: "variable", name, required: false }], text: null }]];
}

function positionalOf(state: State, index: number): readonly Value[] {
  if (state.positional === null) return [[{ pieces: [{ kind: "unknown", source: `$${index}` }], text: null }]];
  return [[state.positional[index - 1] ?? literal("")]];
}

/** Every value `${...}` may have. */
export function expandParameter(part: ParameterExpansionPart, state: State, expand: ExpandOperand): readonly Value[] {
  const { parameter, prefix, index, operation } = part;
  if (operation?.type === "Names") return [[unknown(part)]];
  if (prefix === "#") return valuesOf(state, parameter).map((value) => [lengthOf(value, part)]);
  const base = prefix === "!" ? indirect(part, state) : valuesOf(state, parameter);
  const element = index === undefined ? undefined : elementOf(state, parameter, index.text);
  const selected = element ?? base.map((value) => select(value, parameter, index?.text));
  switch (operation?.type) {
    case undefined:
      return selected;
    case "Default": {
      const values = withDefault(operation.operator, selected, expand(operation.operand));
      if (operation.operator.endsWith("=") && index === undefined) state.setAny(parameter, values);
      return values;
    }
    case "Slice":
      if (isWhole(parameter) || (index !== undefined && isWhole(index.text)))
        return selected.map((value) => sliceList(value, isWhole(parameter), operation, part));
      return selected.map((value) =>
        value.map((word) => slice(word, operation.offset.text, operation.length?.text) ?? unknown(part)),
      );
    case "Replace": {
      const pattern = patternOf(expand(operation.pattern)[0]);
      const replacement = expand(operation.replacement)[0]?.text ?? null;
      return mapText(selected, part, (text) => replace(text, operation.operator, pattern, replacement));
    }
    case "Remove": {
      const pattern = patternOf(expand(operation.operand)[0]);
      // A path without its last slash is the same path.
      if (pattern === "/" && operation.operator.startsWith("%") && selected.every(([word]) => word?.text === null))
        return selected;
      return mapText(selected, part, (text) => remove(text, operation.operator, pattern));
    }
    case "CaseModification":
      return mapText(selected, part, (text) => changeCase(text, operation.operator));
    case "Transform":
      return /^[QEP]$/.test(operation.operand.text) ? selected : [[unknown(part)]];
    default:
      return [[unknown(part)]];
  }
}

function unknown(part: ParameterExpansionPart): Word {
  return { pieces: [{ kind: "unknown", source: part.text }], text: null };
}

/** `@` and `*`: every element, every argument. */
function isWhole(name: string): boolean {
  return name === "@" || name === "*";
}

/** `${a[@]:1:3}`, and `${@:2}`, in which arguments are counted from one. */
function sliceList(
  value: Value,
  isPositional: boolean,
  {
    offset,
    length,
  }: { readonly offset: { readonly text: string }; readonly length?: { readonly text: string } | undefined },
  part: ParameterExpansionPart,
): Value {
  const [from, count] = [wholeNumber(offset.text), length === undefined ? value.length : wholeNumber(length.text)];
  if (from === null || count === null || count < 0) return [unknown(part)];
  const start = from < 0 ? Math.max(0, value.length + from) : isPositional ? Math.max(0, from - 1) : from;
  return value.slice(start, start + count);
}

function wholeNumber(text: string): number | null {
  return /^\s*-?\d+\s*$/.test(text) ? Number(text) : null;
}

/** `${#X}`. */
function lengthOf(value: Value, part: ParameterExpansionPart): Word {
  if (part.index !== undefined && /^[@*]$/.test(part.index.text)) return literal(String(value.length));
  const text = value[0]?.text;
  return text == null ? unknown(part) : literal(String(text.length));
}

function indirect(part: ParameterExpansionPart, state: State): readonly Value[] {
  return valuesOf(state, part.parameter).flatMap(([name]) => {
    return name?.text == null ? [[unknown(part)]] : valuesOf(state, name.text);
  });
}

/** `${m[key]}` and `${m[$k]}`, where the element was set by itself. */
function elementOf(state: State, name: string, index: string): readonly Value[] | undefined {
  const variable = /^\$\{?(\w+)\}?$/.exec(index.replace(/^"(.*)"$/, "$1"))?.[1];
  const key = variable === undefined ? index : (valuesOf(state, variable)[0]?.[0]?.text ?? index);
  return state.get(elementName(name, key));
}

function select(value: Value, name: string, index: string | undefined): Value {
  if (isWhole(name) || (index !== undefined && isWhole(index))) return value;
  if (index === undefined) return value.slice(0, 1);
  const at = /^\d+$/.test(index) ? value[Number(index)] : undefined;
  return [at ?? { pieces: [{ kind: "unknown", source: `$${name}[${index}]` }], text: null }];
}

function withDefault(operator: string, values: readonly Value[], operands: readonly Word[]): readonly Value[] {
  const operand = operands.map((word): Value => [word]);
  if (operator.endsWith("?")) return values.map((value) => value.map(required));
  if (operator.endsWith("+")) return [...operand, [literal("")]];
  const certain = values.every((value) => value.length > 0 && value.every(({ text }) => text !== null));
  if (!certain) return [...values, ...operand];
  return values.flatMap((value) => (value.every(({ text }) => text === "") ? operand : [value]));
}

function required(word: Word): Word {
  return wordOf(word.pieces.map((piece): Piece => (piece.kind === "variable" ? { ...piece, required: true } : piece)));
}

function slice(word: Word, offset: string, length: string | undefined): Word | null {
  const from = wholeNumber(offset);
  const count = length === undefined ? null : (wholeNumber(length) ?? undefined);
  if (from === null || count === undefined) return null;
  const [first] = word.pieces;
  // `${HOME:0:1}` is a way to write a slash.
  if (first?.kind === "variable" && PATHS.includes(first.name) && from === 0 && count === 1) return literal("/");
  if (word.text === null) return null;
  const start = from < 0 ? Math.max(0, word.text.length + from) : from;
  const end = count === null ? undefined : count < 0 ? word.text.length + count : start + count;
  return literal(word.text.slice(start, end));
}

/** The text of a pattern: stars and brackets in it are its own. */
function patternOf(word: Word | undefined): string | null {
  if (word === undefined || word.pieces.some(({ kind }) => kind === "unknown" || kind === "variable")) return null;
  return word.pieces.map((piece) => (piece.kind === "text" || piece.kind === "glob" ? piece.text : "")).join("");
}

function mapText(
  values: readonly Value[],
  part: ParameterExpansionPart,
  change: (text: string) => string | null,
): readonly Value[] {
  return values.map((value) =>
    value.map((word) => {
      const changed = word.text === null ? null : change(word.text);
      return changed === null ? unknown(part) : literal(changed);
    }),
  );
}

const PATTERN = /[*?[\\]/;

function replace(text: string, operator: string, pattern: string | null, replacement: string | null): string | null {
  if (pattern === null || replacement === null) return null;
  if (pattern === "") return text;
  if (PATTERN.test(pattern)) return replaceMatch(text, operator, pattern, replacement);
  if (operator === "//") return text.split(pattern).join(replacement);
  if (operator === "/#") return text.startsWith(pattern) ? replacement + text.slice(pattern.length) : text;
  if (operator === "/%") return text.endsWith(pattern) ? text.slice(0, -pattern.length) + replacement : text;
  const at = text.indexOf(pattern);
  return at === -1 ? text : text.slice(0, at) + replacement + text.slice(at + pattern.length);
}

function remove(text: string, operator: string, pattern: string | null): string | null {
  if (pattern === null) return null;
  const start = operator.startsWith("#");
  const around = start ? /^\*([^*?[\\]+)$/.exec(pattern) : /^([^*?[\\]+)\*$/.exec(pattern);
  if (around?.[1] !== undefined) return removeUpTo(text, operator, around[1]);
  if (PATTERN.test(pattern)) return removeMatch(text, operator, pattern);
  if (start) return text.startsWith(pattern) ? text.slice(pattern.length) : text;
  return pattern !== "" && text.endsWith(pattern) ? text.slice(0, -pattern.length) : text;
}

/** `${X##*\/}` and `${X%%.*}`: everything up to, or from, a text. */
function removeUpTo(text: string, operator: string, mark: string): string {
  if (operator === "#" || operator === "##") {
    const at = operator === "#" ? text.indexOf(mark) : text.lastIndexOf(mark);
    return at === -1 ? text : text.slice(at + mark.length);
  }
  const at = operator === "%" ? text.lastIndexOf(mark) : text.indexOf(mark);
  return at === -1 ? text : text.slice(0, at);
}

function changeCase(text: string, operator: string): string {
  if (operator === "^^") return text.toUpperCase();
  if (operator === ",,") return text.toLowerCase();
  const first = operator === "^" ? text.slice(0, 1).toUpperCase() : text.slice(0, 1).toLowerCase();
  return first + text.slice(1);
}
