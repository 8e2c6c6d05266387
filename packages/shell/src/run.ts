import type { Assignment, Redirection, SimpleCommand, Stdin } from "./analysis.js";
import { applyBuiltin } from "./builtins.js";
import { type Evaluation, NO_OUTPUT, type Output, type Scope, within } from "./evaluation.js";
import { codeOf } from "./interpreters.js";
import { followLinks, keepLinks } from "./links.js";
import { nestedOf, startedByVariables } from "./nested.js";
import { contentOf, outputOf, unknownOutput } from "./output.js";
import { isWellFormed, parseScript } from "./parser.js";
import { resolvePath } from "./path.js";
import { codeWith } from "./source-runs.js";
import { textsForLater } from "./start-up.js";
import type { Nested } from "./started.js";
import type { State } from "./state.js";
import { isOpaque, literal, type Piece, producersOf, readerOf, render, type Word, wordOf } from "./word.js";
import { peel } from "./wrappers.js";
import { keepWritten } from "./written.js";

/** A simple command that is about to run, with everything expanded. */
export interface Call {
  readonly argv: readonly Word[];
  readonly assignments: readonly Assignment[];
  readonly redirections: readonly Redirection[];
  readonly cwd: Word;
}

/** Runs one command: lists it, follows what it starts, and tells what it is certain to print. */
export function runCall(evaluation: Evaluation, given: Call, scope: Scope, looksUp = true): Output {
  // A command costs whoever judges it more than a word does.
  evaluation.spend(8);
  const [first] = given.argv;
  const program = first === undefined || first.text === null ? null : programOf(first, given.cwd, scope.state);
  const call = followLinks(given, program, scope.state);
  const { argv } = call;
  const stdin = stdinOf(call, scope);
  if (first !== undefined && first.text === null) {
    noteUnknownCommand(evaluation, first);
    const without = withoutUnset(argv);
    if (without !== null) runCall(evaluation, { ...call, argv: without }, scope);
  }
  const handled =
    program === null || !looksUp || scope.state.functions.size + scope.state.aliases.size === 0
      ? null
      : runOwn(evaluation, call, stdin, scope);
  if (handled !== null) return handled;

  const inner = program === null ? null : peel(program, argv);
  if (program !== null && inner === null) evaluation.spendInput(stdin);
  const source =
    program === null ? null : codeOf(program, argv, stdin, (path) => contentOf(path, call.cwd, scope.state));
  const read = source === null ? null : codeWith(source);
  const command: { -readonly [K in keyof SimpleCommand]: SimpleCommand[K] } = {
    program,
    argv,
    assignments: call.assignments,
    redirections: call.redirections,
    cwd: call.cwd,
    stdin,
    wrappers: scope.wrappers,
    via: scope.via,
    wraps: inner !== null,
    elsewhere: scope.elsewhere,
    mounts: scope.mounts,
    code: read?.code ?? null,
  };
  evaluation.commands.push(command);
  const variables = program !== null && EXPORTS.test(program) ? argv.slice(1).map(readAssignment) : call.assignments;
  if (variables.length > 0) {
    for (const part of startedByVariables(variables, command, scope.state)) runNested(evaluation, part, command, scope);
  }
  if (program === null) return first === undefined ? NO_OUTPUT : unknownOutput(command);
  const nested = nestedOf(command, scope.state);
  if (nested.length > 0) command.wraps = true;
  let output: Output | null = null;
  if (inner !== null && evaluation.isWithin(scope.depth + 1)) {
    const assignments = inner.assignments.map(readAssignment);
    const cwd = inner.cwd === null ? null : resolvePath(inner.cwd, call.cwd);
    const deeper = within(scope, {
      stdin,
      wrappers: [...scope.wrappers, program],
      elsewhere: inner.elsewhere ? program : scope.elsewhere,
      mounts: inner.elsewhere ? inner.mounts : scope.mounts,
      ...(cwd === null ? {} : { state: startedIn(cwd, scope.state) }),
    });
    output = runCall(
      evaluation,
      {
        ...call,
        cwd: cwd ?? call.cwd,
        argv: inner.argv,
        assignments: [...call.assignments, ...assignments],
        redirections: [],
      },
      deeper,
      program === "time",
    );
  }
  for (const part of nested) output = runNested(evaluation, part, command, scope);
  for (const part of read?.runs ?? []) runNested(evaluation, part, command, scope);
  applyBuiltin(command, scope.state);
  keepWritten(command, scope.state);
  keepLinks(program, argv, call.cwd, scope.state);
  if (program === "tee") for (const part of laterOf(command)) runNested(evaluation, part, command, scope);
  return evaluation.spendOutput(output ?? outputOf(command, scope.state));
}

/** What a shell in a container begins with: the same variables, another directory. */
function startedIn(cwd: Word, before: State): State {
  const state = before.fork();
  state.set("PWD", [cwd]);
  return state;
}

/** What `tee` puts into files that run on their own, and the scripts that read what it writes: `tee >(sh)`. */
function laterOf({ argv, stdin, cwd }: SimpleCommand): Nested[] {
  const readers = argv.flatMap((word): Nested[] => {
    const reader = readerOf(word);
    return reader === null ? [] : [{ kind: "script", script: literal(reader), via: ">(...)" }];
  });
  return [...readers, ...writtenForLater(argv, stdin, cwd)];
}

function writtenForLater(argv: readonly Word[], stdin: Stdin, cwd: Word): Nested[] {
  if (stdin.kind !== "text") return [];
  return argv.slice(1).flatMap((word) => {
    const path = render(resolvePath(word, cwd));
    const texts = textsForLater(path, stdin.text).filter(isWellFormed);
    return texts.map((text): Nested => ({ kind: "script", script: literal(text), via: path, from: [] }));
  });
}

const EXPORTS = /^(export|declare|typeset|readonly)$/;

/** The name of a program without its directory, in small letters: disks of macOS and Windows know no others. */
function programOf(word: Word, cwd: Word, state: State): string {
  const path = (state.programs.size === 0 ? null : state.programs.get(render(resolvePath(word, cwd)))) ?? render(word);
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  return /\.(exe|com|cmd|bat)$/.test(name) ? name.slice(name.lastIndexOf("\\") + 1, -4) : name;
}

function readAssignment(word: Word): Assignment {
  const [first] = word.pieces;
  const text = first?.kind === "text" ? first.text : "";
  const at = text.indexOf("=");
  const rest = first?.kind === "text" ? text.slice(at + 1) : "";
  const pieces = [...(rest === "" ? [] : [{ kind: "text" as const, text: rest }]), ...word.pieces.slice(1)];
  return { name: text.slice(0, at), value: { pieces, text: word.text === null ? null : rest } };
}

function noteUnknownCommand(evaluation: Evaluation, word: Word): void {
  evaluation.note("unknown-command", `"${render(word)}" decides which program runs`, producersOf(word));
}

/**
 * What runs if variables nobody has set are empty, which most likely they are: `r${x}m`, `$SUDO rm`. Null where nothing
 * is left of a program.
 */
function withoutUnset(argv: readonly Word[]): readonly Word[] | null {
  let at = 0;
  while (at < argv.length && argv[at]?.pieces.every(isUnset)) at++;
  const first = argv[at];
  if (first === undefined) return null;
  const left = wordOf(first.pieces.filter((piece) => !isUnset(piece)));
  const isProgram = left.text !== null && !left.text.startsWith("-");
  return isProgram && (at > 0 || left.text !== first.text) ? [left, ...argv.slice(at + 1)] : null;
}

function isUnset(piece: Piece): boolean {
  return piece.kind === "variable" ? !piece.required : piece.kind === "unknown" && /^\$[@*\d]$/.test(piece.source);
}

function stdinOf(call: Call, scope: Scope): Stdin {
  for (let i = call.redirections.length - 1; i >= 0; i--) {
    const redirection = call.redirections[i] as Redirection;
    if (redirection.fd !== null && redirection.fd !== 0) continue;
    if (redirection.kind === "text") return { kind: "text", text: redirection.target, from: [] };
    if (redirection.kind === "read" || redirection.kind === "both") {
      const content = contentOf(redirection.target, call.cwd, scope.state);
      if (content === null) return { kind: "file", path: redirection.target };
      return { kind: "text", text: content, from: [...producersOf(redirection.target), ...producersOf(content)] };
    }
  }
  return scope.stdin;
}

/** Functions and aliases the script itself has defined; null where the name is neither. */
function runOwn(evaluation: Evaluation, call: Call, stdin: Stdin, scope: Scope): Output | null {
  const name = call.argv[0]?.text ?? "";
  const { state } = scope;
  if (scope.calls.includes(name)) {
    if (state.functions.has(name)) evaluation.recursive.push({ name, forks: scope.forked });
    return state.functions.has(name) ? NO_OUTPUT : null;
  }
  const body = state.functions.get(name);
  const inner = within(scope, {
    stdin,
    calls: [...scope.calls, name],
    via: [...scope.via, `${name}()`],
    forked: false,
  });
  if (body !== undefined) {
    if (!evaluation.isWithin(inner.depth)) return NO_OUTPUT;
    const before = state.positional;
    state.positional = call.argv.slice(1);
    const output = evaluation.walkNode(evaluation, body.body, inner);
    state.positional = before;
    return output;
  }
  const alias = state.aliases.get(name);
  if (alias === undefined || !evaluation.isWithin(inner.depth)) return null;
  const rest = call.argv.slice(1).map((word) => quote(evaluation.scriptText(word)));
  const script = parseScript(evaluation, [alias, ...rest].join(" "), true);
  return script === null
    ? NO_OUTPUT
    : evaluation.walkScript(evaluation, script, within(inner, { via: [...scope.via, `alias ${name}`] }));
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function runNested(evaluation: Evaluation, nested: Nested, command: SimpleCommand, scope: Scope): Output {
  if (nested.kind === "unread") {
    evaluation.note("too-large", nested.detail);
    return unknownOutput(command);
  }
  if (nested.kind === "each") {
    let last: Output = NO_OUTPUT;
    for (const [index, input] of nested.inputs.entries())
      last = runNested(evaluation, nested.runOf(input, index), command, scope);
    return last;
  }
  const name = command.program ?? "";
  const deeper = within(scope, { stdin: command.stdin });
  if (!evaluation.isWithin(deeper.depth)) return unknownOutput(command);
  const elsewhere = nested.elsewhere ? name : scope.elsewhere;
  if (nested.kind === "argv") {
    // These words were put together here: nobody has paid for them yet.
    evaluation.spend(nested.argv.length);
    const call: Call = { argv: nested.argv, assignments: command.assignments, redirections: [], cwd: command.cwd };
    return runCall(evaluation, call, { ...deeper, wrappers: [...scope.wrappers, name], elsewhere }, false);
  }
  const { script } = nested;
  const from = nested.from ?? producersOf(script);
  if (isOpaque(script)) {
    evaluation.note("unknown-script", `${nested.via} runs ${render(script)}`, from);
    return unknownOutput(command);
  }
  const parsed = parseScript(evaluation, evaluation.scriptText(script), true);
  if (parsed === null) return unknownOutput(command);
  const state = nested.here ? scope.state : scope.state.fork();
  if (!nested.here) {
    for (const { name, value } of command.assignments) state.set(name, [value]);
    if (nested.positional !== undefined) state.positional = nested.positional;
    if (nested.zero !== undefined) state.set("0", [nested.zero]);
  }
  // A script on stdin leaves nothing there for what it runs.
  const stdin: Stdin = nested.from === undefined ? command.stdin : { kind: "inherited" };
  return evaluation.walkScript(evaluation, parsed, {
    ...deeper,
    state,
    stdin,
    via: [...scope.via, nested.via],
    elsewhere,
  });
}
