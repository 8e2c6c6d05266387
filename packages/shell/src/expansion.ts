import { type Word as AstWord, forEachChild, type ParsedScript, parse, type SyntaxNode, type WordPart } from "unbash";
import { expandBraces } from "./braces.js";
import { type Evaluation, type Scope, within } from "./evaluation.js";
import { Fields } from "./fields.js";
import { expandParameter, valuesOf } from "./parameter.js";
import { isShallow, noteErrors } from "./parser.js";
import type { Value } from "./state.js";
import { literal, type Piece, producersOf, type Word, wordOf } from "./word.js";

const MOST_ALTERNATIVES = 64;

/** What one word of a script becomes: for each way it may go, its fields. */
export function expandWord(evaluation: Evaluation, word: AstWord, scope: Scope): readonly (readonly Word[])[] {
  evaluation.spend(1);
  const { parts } = word;
  if (parts !== undefined) evaluation.spend(parts.length);
  if (parts === undefined) return [[simpleWord(evaluation, word)]];
  if (parts.some(({ type }) => type === "BraceExpansion")) {
    const texts = expandBraces(word.text);
    if (texts !== null && !(texts.length === 1 && texts[0] === word.text)) return expandTexts(evaluation, texts, scope);
  }
  return expandParts(evaluation, parts, word, scope, true).map((fields) => fields.finish());
}

/** What a word becomes where the shell does not split it: assignments, redirections, here-documents. */
export function expandWhole(
  evaluation: Evaluation,
  word: { readonly text: string; readonly value?: string; readonly parts?: readonly WordPart[] | undefined },
  scope: Scope,
): readonly Word[] {
  evaluation.spend(1);
  const { parts } = word;
  if (parts === undefined) return [simpleWord(evaluation, { text: word.text, value: word.value ?? word.text })];
  return expandParts(evaluation, parts, word, scope, false).map((fields) => fields.finish()[0] ?? literal(""));
}

/** Runs the substitutions inside of a node that is no word: arithmetic, tests, subscripts. */
export function runInside(evaluation: Evaluation, node: SyntaxNode, scope: Scope): void {
  const open: SyntaxNode[] = [node];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    evaluation.spend(1);
    if ("script" in next) substitute(evaluation, next, "$(...)", scope);
    else forEachChild(next, (child) => void open.push(child));
  }
}

function simpleWord(evaluation: Evaluation, word: { readonly text: string; readonly value: string }): Word {
  if (word.text.charCodeAt(0) !== 126) {
    // bash expands it in arguments that look like assignments, too: `of=~/x`.
    const equals = word.text.indexOf("=~");
    if (equals === -1 || !/^[A-Za-z_]\w*$/.test(word.text.slice(0, equals))) return evaluation.wordOfText(word.value);
    const tail = expandTilde(evaluation.piecesOf(word.value.slice(equals + 1)), word.text.slice(equals + 1));
    return wordOf([{ kind: "text", text: word.text.slice(0, equals + 1) }, ...tail]);
  }
  const pieces = evaluation.piecesOf(word.value);
  return wordOf(expandTilde(pieces, word.text));
}

/** `~` at the start of a word, when it was written without quotes. */
function expandTilde(pieces: Piece[], source: string): Piece[] {
  const [first, ...rest] = pieces;
  if (first?.kind !== "text") return pieces;
  const [, user] = /^~([^/]*)/.exec(first.text) ?? [];
  if (user === undefined || !/^~[\w.+-]*(\/|$)/.test(source)) return pieces;
  const name = user === "" ? "HOME" : user === "+" ? "PWD" : user === "-" ? "OLDPWD" : `~${user}`;
  const tail = first.text.slice(user.length + 1);
  return [
    { kind: "variable", name, required: true },
    ...(tail === "" ? [] : [{ kind: "text", text: tail } as const]),
    ...rest,
  ];
}

function expandTexts(evaluation: Evaluation, texts: readonly string[], scope: Scope): readonly (readonly Word[])[] {
  const source = `_ ${texts.join(" ")}`;
  evaluation.spendText(source.length);
  // An opening in a word of braces stands in every word they become.
  const [statement] = isShallow(evaluation, source) ? parse(source).commands : [];
  if (statement?.command.type !== "Command") return [[evaluation.wordOfText(texts.join(" "))]];
  let alternatives: readonly (readonly Word[])[] = [[]];
  for (const word of statement.command.args) {
    if (word.type !== "Word") continue;
    const next = expandWord(evaluation, word, within(scope, {}));
    alternatives = product(evaluation, alternatives, next).map(([before, added]) => [...before, ...added]);
  }
  return alternatives;
}

/** Every pair of two lists of alternatives; too many are an overflow, and noted. */
export function product<A, B>(evaluation: Evaluation, left: readonly A[], right: readonly B[]): [A, B][] {
  if (left.length * right.length > MOST_ALTERNATIVES) evaluation.note("too-large", "too many ways a command may go");
  evaluation.spend(Math.min(left.length * right.length, MOST_ALTERNATIVES));
  return left.flatMap((a) => right.map((b): [A, B] => [a, b])).slice(0, MOST_ALTERNATIVES);
}

function expandParts(
  evaluation: Evaluation,
  parts: readonly WordPart[],
  word: { readonly text: string },
  scope: Scope,
  splits: boolean,
): Fields[] {
  const ifs = scope.state.get("IFS")?.[0]?.[0]?.text ?? undefined;
  let alternatives = [new Fields(ifs)];

  function addValues(values: readonly Value[], quoted: boolean, joined: boolean): void {
    const [only] = values;
    if (values.length > 1) {
      alternatives = product(evaluation, alternatives, values).map(([fields, value]) => {
        const copy = fields.fork();
        addValue(copy, value, quoted, joined);
        return copy;
      });
    } else for (const fields of alternatives) addValue(fields, only ?? [], quoted, joined);
  }

  function addValue(fields: Fields, value: Value, quoted: boolean, joined: boolean): void {
    const whole = !splits || (quoted && joined);
    if (quoted && value.length === 0 && joined) fields.add([]);
    for (const [index, word] of value.entries()) {
      evaluation.spendValue(word);
      if (index > 0) whole ? fields.add([{ kind: "text", text: " " }]) : fields.cut();
      if (quoted || !splits) fields.add(word.pieces);
      else fields.addSplit(word.pieces);
    }
  }

  function add(pieces: readonly Piece[]): void {
    for (const fields of alternatives) fields.add(pieces);
  }

  function addPart(part: WordPart, quoted: boolean, first: boolean): void {
    switch (part.type) {
      case "Literal": {
        const pieces = evaluation.piecesOf(part.value);
        return add(first && !quoted ? expandTilde(pieces, word.text) : pieces);
      }
      case "SingleQuoted":
      case "AnsiCQuoted":
        return add(evaluation.piecesOf(part.value));
      case "DoubleQuoted":
      case "LocaleString":
        if (part.parts.length === 0) add([]);
        for (const child of part.parts) addPart(child, true, false);
        return;
      case "Glob":
        return add([quoted ? { kind: "text", text: part.text } : { kind: "glob", text: part.text }]);
      case "ExtendedGlob":
      case "BraceExpansion":
        for (const child of part.parts ?? []) if ("script" in child) substitute(evaluation, child, "$(...)", scope);
        return add([{ kind: "glob", text: part.text }]);
      case "SimpleExpansion": {
        const name = part.text.slice(1);
        return addValues(valuesOf(scope.state, name), quoted, name !== "@");
      }
      case "ParameterExpansion": {
        const values = expandParameter(part, scope.state, (operand) => expandWhole(evaluation, operand, scope));
        if (part.index !== undefined) runInside(evaluation, part.index, scope);
        return addValues(values, quoted, !(part.parameter === "@" || part.index?.text === "@"));
      }
      case "CommandExpansion":
        return addValues([[substitute(evaluation, part, "$(...)", scope)]], quoted, true);
      case "ProcessSubstitution": {
        const content = substitute(evaluation, part, `${part.operator}(...)`, scope);
        return add([{ kind: "unknown", source: part.text, from: producersOf(content), content }]);
      }
      case "ArithmeticExpansion":
        if (part.expression !== undefined) runInside(evaluation, part.expression, scope);
        return add([{ kind: "unknown", source: part.text }]);
    }
  }

  for (const [index, part] of parts.entries()) addPart(part, false, index === 0);
  return alternatives;
}

interface Substitution {
  readonly text: string;
  readonly script: ParsedScript | undefined;
}

/** Runs a substitution's script in a shell of its own; what it prints, without the last line's end. */
function substitute(evaluation: Evaluation, part: Substitution, via: string, scope: Scope): Word {
  evaluation.spend(4);
  const inner = within(scope, { state: scope.state.fork(), via: [...scope.via, via] });
  if (!evaluation.isWithin(inner.depth) || part.script === undefined)
    return wordOf([{ kind: "unknown", source: part.text }]);
  noteErrors(evaluation, part.script);
  const start = evaluation.commands.length;
  const output = evaluation.walkScript(evaluation, part.script, inner);
  if (output.some(({ kind }) => kind === "unknown")) {
    return wordOf([{ kind: "unknown", source: part.text, from: evaluation.commands.slice(start) }]);
  }
  const last = output[output.length - 1];
  if (last?.kind !== "text") return wordOf(output);
  return wordOf([...output.slice(0, -1), { kind: "text", text: last.text.replace(/\n+$/, "") }]);
}
