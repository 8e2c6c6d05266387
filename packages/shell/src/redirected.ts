import type { Redirection, Stdin } from "./analysis.js";
import { type Evaluation, NO_OUTPUT, type Output, type Scope, within } from "./evaluation.js";
import { isWellFormed, parseScript } from "./parser.js";
import { resolvePath } from "./path.js";
import { textsForLater } from "./start-up.js";
import { readerOf, render, type Word, wordOf } from "./word.js";

/** Keeps what goes into a file, in case the command runs it later; what is left for the pipe. */
export function writeFiles(
  evaluation: Evaluation,
  redirections: readonly Redirection[],
  output: Output,
  scope: Scope,
): Output {
  let left = output;
  for (const { fd, kind, target } of redirections) {
    if ((kind !== "write" && kind !== "append") || (fd !== null && fd !== 1)) continue;
    left = NO_OUTPUT;
    const reader = readerOf(target);
    if (reader !== null) {
      const stdin: Stdin = { kind: "text", text: wordOf(output), from: [] };
      const inner = within(scope, { state: scope.state.fork(), via: [...scope.via, ">(...)"], stdin });
      const script = evaluation.isWithin(inner.depth) ? parseScript(evaluation, reader, true) : null;
      if (script !== null) evaluation.walkScript(evaluation, script, inner);
      continue;
    }
    for (const cwd of scope.state.cwds) {
      const path = render(resolvePath(target, cwd));
      const before = kind === "append" ? (scope.state.files.get(path)?.pieces ?? []) : [];
      const content = wordOf([...before, ...output]);
      if (before.length > 0) evaluation.spendValue(content);
      if (path !== "/dev/null") scope.state.files.set(path, content);
      walkLater(evaluation, path, wordOf(output), scope);
    }
  }
  return left;
}

/** Looks at what is put into a file that runs on its own later; a part of a script that is none by itself is left. */
function walkLater(evaluation: Evaluation, path: string, content: Word, scope: Scope): void {
  const inner = within(scope, { state: scope.state.fork(), via: [...scope.via, path], stdin: { kind: "inherited" } });
  for (const text of textsForLater(path, content)) {
    const script = evaluation.isWithin(inner.depth) && isWellFormed(text) ? parseScript(evaluation, text, true) : null;
    if (script !== null) evaluation.walkScript(evaluation, script, inner);
  }
}
