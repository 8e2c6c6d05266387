import type {
  AndOr,
  Assignment as AssignmentNode,
  Word as AstWord,
  Command,
  CommandArgument,
  Function as FunctionNode,
  ParsedScript,
  PipelineNode,
  Redirection as RedirectionNode,
  Statement,
  SyntaxNode,
} from "unbash";
import type { Assignment, Redirection, Stdin } from "./analysis.js";
import { type Evaluation, NO_OUTPUT, type Output, type Scope, within } from "./evaluation.js";
import { expandWhole, expandWord, product, runInside } from "./expansion.js";
import { writeFiles } from "./redirected.js";
import { type Call, runCall } from "./run.js";
import { elementName, type State } from "./state.js";
import { dropStart, literal, type Piece, render, startOf, type Word, wordOf } from "./word.js";

type Node = PipelineNode | AndOr | FunctionNode["body"];

/** Walks a whole script: every statement in order. */
export function walkScript(evaluation: Evaluation, script: ParsedScript, scope: Scope): Output {
  return walkStatements(evaluation, script.commands, scope);
}

function walkStatements(evaluation: Evaluation, statements: readonly Statement[], scope: Scope): Output {
  if (statements.length === 1) return walkStatement(evaluation, statements[0] as Statement, scope);
  const printed: Piece[] = [];
  for (const statement of statements) append(printed, walkStatement(evaluation, statement, scope));
  return printed;
}

const MOST_PIECES = 256;

function append(printed: Piece[], output: Output): void {
  if (printed.length + output.length <= MOST_PIECES) printed.push(...output);
  else printed.splice(0, printed.length, { kind: "unknown", source: "..." });
}

function walkStatement(evaluation: Evaluation, statement: Statement, scope: Scope): Output {
  if (!statement.background) return walkNode(evaluation, statement.command, scope);
  return walkNode(evaluation, statement.command, { ...scope, state: scope.state.fork(), forked: true });
}

/** Walks one command of any kind; what it is certain to print. */
export function walkNode(evaluation: Evaluation, node: Node, scope: Scope): Output {
  evaluation.spend(1);
  if (node.type === "Command") return walkCommand(evaluation, node, scope);
  const inner = within(scope, {});
  if (!evaluation.isWithin(inner.depth)) return NO_OUTPUT;
  switch (node.type) {
    case "Pipeline":
      return walkPipeline(evaluation, node.commands, inner);
    case "AndOr":
      return walkAndOr(evaluation, node, inner);
    case "Redirected":
      return walkRedirected(evaluation, node.command, node.redirects, inner);
    case "Subshell":
      return walkStatements(evaluation, node.body.commands, { ...inner, state: inner.state.fork() });
    case "BraceGroup":
      return walkStatements(evaluation, node.body.commands, inner);
    case "CompoundList":
      return walkStatements(evaluation, node.commands, inner);
    case "If":
      return walkBranches(
        evaluation,
        node.clause.commands,
        [
          node.then.commands,
          ...node.elif.flatMap(({ clause, then }) => [clause.commands, then.commands]),
          node.else?.commands ?? [],
        ],
        inner,
      );
    case "While":
      if (isEndless(node.kind, node.clause.commands)) noteSpawning(evaluation, node.kind, node.body.commands);
      return walkBranches(evaluation, node.clause.commands, [node.body.commands], inner);
    case "For":
    case "Select":
      return walkFor(evaluation, node.name, node.wordlist, node.body.commands, inner);
    case "ArithmeticFor":
      if (node.test === undefined) noteSpawning(evaluation, "for", node.body.commands);
      for (const part of [node.initialize, node.test, node.update])
        if (part !== undefined) runInside(evaluation, part, inner);
      return walkBranches(evaluation, [], [node.body.commands], inner);
    case "Case":
      expandWhole(evaluation, node.word, inner);
      return walkBranches(
        evaluation,
        [],
        node.items.map(({ body }) => body.commands),
        inner,
      );
    case "Function":
      scope.state.functions.set(node.name.value, node);
      return NO_OUTPUT;
    case "Coproc":
      return walkNode(evaluation, node.body, { ...inner, state: inner.state.fork(), forked: true });
    case "TestCommand":
    case "ArithmeticCommand":
      runInside(evaluation, node as SyntaxNode, inner);
      return NO_OUTPUT;
  }
}

/** `while true`, `until false`. */
function isEndless(kind: "while" | "until", clause: readonly Statement[]): boolean {
  const [only] = clause;
  if (clause.length !== 1 || only?.command.type !== "Command") return false;
  return (kind === "while" ? /^(true|:)$/ : /^false$/).test(only.command.name?.value ?? "");
}

/** A loop without end that starts something in the background every time, and never waits or ends. */
function noteSpawning(evaluation: Evaluation, name: string, body: readonly Statement[]): void {
  if (!body.some(({ background }) => background)) return;
  const ends = body.some(
    ({ command, background }) =>
      command.type !== "Command" ||
      (!background && /^(wait|sleep|break|exit|return|read|inotifywait)$/.test(command.name?.value ?? "")),
  );
  if (!ends) evaluation.recursive.push({ name, forks: true });
}

function walkPipeline(evaluation: Evaluation, nodes: readonly Node[], scope: Scope): Output {
  const [only] = nodes;
  if (nodes.length === 1 && only !== undefined) return walkNode(evaluation, only, scope);
  let stdin: Stdin = scope.stdin;
  let output: Output = NO_OUTPUT;
  for (const node of nodes) {
    const start = evaluation.commands.length;
    output = walkNode(evaluation, node, { ...scope, stdin, state: scope.state.fork(), forked: true });
    stdin = { kind: "text", text: wordOf(output), from: evaluation.commands.slice(start) };
  }
  return output;
}

function walkAndOr(evaluation: Evaluation, node: AndOr, scope: Scope): Output {
  const printed: Piece[] = [];
  const skipped: State[] = [];
  for (const [index, part] of node.commands.entries()) {
    const operator = index === 0 ? undefined : node.operators[index - 1];
    if (operator === "||") {
      const other = { ...scope, state: scope.state.fork() };
      append(printed, walkNode(evaluation, part, other));
      if (!leaves(part)) scope.state.join(other.state);
    } else {
      if (operator === "&&" && changesState(part)) skipped.push(scope.state.fork());
      append(printed, walkNode(evaluation, part, scope));
    }
  }
  for (const state of skipped) scope.state.join(state);
  return printed;
}

/** Whether what follows `||` ends the script: then the state after it is that of success. */
function leaves(node: Node): boolean {
  if (node.type === "BraceGroup") return node.body.commands.some(({ command }) => leaves(command));
  return node.type === "Command" && /^(exit|return|break|continue)$/.test(node.name?.value ?? "");
}

function changesState(node: Node): boolean {
  if (node.type !== "Command") return node.type !== "Subshell" && node.type !== "Pipeline";
  return (
    node.name === undefined ||
    /^(cd|pushd|popd|export|declare|local|typeset|readonly|read|set|unset|eval|source|\.)$/.test(node.name.value)
  );
}

function walkBranches(
  evaluation: Evaluation,
  clause: readonly Statement[],
  branches: readonly (readonly Statement[])[],
  scope: Scope,
): Output {
  const printed: Piece[] = [...walkStatements(evaluation, clause, scope)];
  const states: State[] = [];
  for (const branch of branches) {
    const state = scope.state.fork();
    append(printed, walkStatements(evaluation, branch, { ...scope, state }));
    states.push(state);
  }
  for (const state of states) scope.state.join(state);
  return printed;
}

function walkFor(
  evaluation: Evaluation,
  name: AstWord,
  list: readonly AstWord[] | undefined,
  body: readonly Statement[],
  scope: Scope,
): Output {
  const words =
    list === undefined
      ? (scope.state.positional ?? [wordOf([{ kind: "unknown", source: "$@" }])])
      : list.flatMap((word) => expandWord(evaluation, word, scope).flat());
  const printed: Piece[] = [];
  for (const word of words) {
    scope.state.set(name.value, [word]);
    append(printed, walkStatements(evaluation, body, scope));
  }
  return printed;
}

function walkRedirected(
  evaluation: Evaluation,
  node: Node,
  redirects: readonly RedirectionNode[],
  scope: Scope,
): Output {
  const redirections = redirects.flatMap((redirect) => expandRedirection(evaluation, redirect, scope));
  let stdin: Stdin = scope.stdin;
  for (const cwd of scope.state.cwds) {
    const start = evaluation.commands.length;
    runCall(evaluation, { argv: [], assignments: [], redirections, cwd }, scope);
    stdin = evaluation.commands[start]?.stdin ?? stdin;
  }
  const output = walkNode(evaluation, node, { ...scope, stdin });
  return writeFiles(evaluation, redirections, output, scope);
}

function walkCommand(evaluation: Evaluation, node: Command, scope: Scope): Output {
  const assignments: Assignment[] = [];
  const redirections: Redirection[] = [];
  for (const part of node.prefix) {
    if (part.type !== "Assignment") redirections.push(...expandRedirection(evaluation, part, scope));
    else assignments.push(...walkAssignment(evaluation, part, scope, node.name === undefined));
  }
  let alternatives: Word[][] =
    node.name === undefined ? [[]] : expandWord(evaluation, node.name, scope).map((fields) => [...fields]);
  for (const part of node.suffix) {
    if (part.type === "Word" || part.type === "Assignment") {
      const next = part.type === "Word" ? expandWord(evaluation, part, scope) : [argumentOf(evaluation, part, scope)];
      const [fields] = next;
      if (next.length === 1 && fields !== undefined) {
        for (const argv of alternatives) for (const field of fields) argv.push(field);
      } else alternatives = product(evaluation, alternatives, next).map(([before, added]) => [...before, ...added]);
    } else redirections.push(...expandRedirection(evaluation, part, scope));
  }
  const { cwds } = scope.state;
  const [argv] = alternatives;
  const [cwd] = cwds;
  let output: Output;
  if (alternatives.length === 1 && cwds.length === 1 && argv !== undefined && cwd !== undefined) {
    output = runCall(evaluation, { argv, assignments, redirections, cwd }, scope);
  } else {
    const outputs = product(evaluation, alternatives, cwds).map(([argv, cwd], way): Output => {
      // Its words were paid for once, and are judged for every way it may go.
      if (way > 0) evaluation.spend(argv.length);
      const call: Call = { argv, assignments, redirections, cwd };
      return runCall(evaluation, call, scope);
    });
    output =
      outputs.length === 1
        ? (outputs[0] ?? NO_OUTPUT)
        : [{ kind: "unknown", source: render(literal(node.name?.text ?? "")) }];
  }
  return redirections.length === 0 ? output : writeFiles(evaluation, redirections, output, scope);
}

function walkAssignment(evaluation: Evaluation, node: AssignmentNode, scope: Scope, stays: boolean): Assignment[] {
  const { name, value, append: appends } = node;
  if (value.type === "ArrayValue") {
    const words = value.elements
      .flatMap((element) => expandWord(evaluation, element, scope)[0] ?? [])
      .map((word) => (stays ? keepElement(name, word, scope.state) : word));
    if (stays && appends) scope.state.append(name, words, true);
    else if (stays) scope.state.set(name, words);
    return words.slice(0, 1).map((word) => ({ name, value: word }));
  }
  const values = expandWhole(evaluation, value, scope);
  const [first] = values;
  if (first === undefined) return [];
  if (stays && node.index !== undefined) {
    const [key] = expandWhole(evaluation, node.index, scope);
    scope.state.setElement(name, render(key ?? literal(node.index.text)).replace(/^(["'])(.*)\1$/, "$2"), first);
  } else if (stays) {
    if (appends) scope.state.append(name, [first], false);
    else scope.state.set(name, [first]);
    for (const other of values.slice(1)) {
      const also = scope.state.fork();
      also.set(name, [other]);
      scope.state.join(also);
    }
  }
  return values.map((word) => ({ name, value: word }));
}

/** `[key]=value` in an array: the value, kept under its key. */
function keepElement(name: string, word: Word, state: State): Word {
  const key = /^\[([^\]]*)\]=/.exec(render(word));
  if (key === null || !startOf(word).startsWith(key[0])) return word;
  const value = dropStart(word, key[0].length);
  state.set(elementName(name, key[1] ?? ""), [value]);
  return value;
}

/** `export X=...` hands its assignment over as an argument. */
function argumentOf(evaluation: Evaluation, node: Exclude<CommandArgument, AstWord>, scope: Scope): Word[] {
  if (node.value.type === "ArrayValue") {
    walkAssignment(evaluation, node, scope, true);
    return [];
  }
  const [value] = expandWhole(evaluation, node.value, scope);
  return [wordOf([{ kind: "text", text: `${node.name}${node.append ? "+" : ""}=` }, ...(value?.pieces ?? [])])];
}

const KINDS: Readonly<Record<string, Redirection["kind"]>> = {
  "<": "read",
  ">": "write",
  ">|": "write",
  "&>": "write",
  ">>": "append",
  "&>>": "append",
  "<>": "both",
  "<&": "duplicate",
  ">&": "duplicate",
};

function expandRedirection(evaluation: Evaluation, node: RedirectionNode, scope: Scope): Redirection[] {
  const fd = node.descriptor?.type === "FileDescriptor" ? node.descriptor.value : null;
  if (node.type === "HereDoc") {
    const texts = node.delimiter?.quoted
      ? [evaluation.wordOfText(node.body.text)]
      : expandWhole(evaluation, node.body, scope);
    return texts.map((target) => ({ fd, kind: "text", target }));
  }
  if (node.target === undefined) return [];
  const targets = expandWhole(evaluation, node.target, scope);
  if (node.type === "HereString") {
    return targets.map((target) => ({
      fd,
      kind: "text",
      target: wordOf([...target.pieces, { kind: "text", text: "\n" }]),
    }));
  }
  return targets.map((target) => {
    const kind = KINDS[node.operator] ?? "both";
    // `>& file` writes to it; only a number or `-` is a descriptor.
    return { fd, kind: kind === "duplicate" && !/^(\d+-?|-)$/.test(target.text ?? "") ? "write" : kind, target };
  });
}
