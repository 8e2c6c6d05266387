import { relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { messageOf } from "@hooks/core";

/** Why a module did not load, and where to look: in its own file, or in the first of the project's on the way there. */
export async function describeFailure(
  error: unknown,
  file: string,
  root: string,
): Promise<{ readonly why: string; readonly where: string }> {
  const [first = "", second = ""] = messageOf(error).split("\n");
  const own = relative(root, file);
  if (!(error instanceof Error)) return { why: `it threw ${first}`, where: own };
  const [, unparsed] = /^ParseError: (.*)/.exec(first) ?? [];
  if (unparsed !== undefined) {
    const [, column = ""] = /:(\d+)$/.exec(second.trim()) ?? [];
    const where = placeIn(second, root);
    return { why: unparsed.trim(), where: where === undefined ? own : `${where}:${Number(column) + 1}` };
  }
  return { why: first, where: placeIn(stackOf(error), root) ?? (await unparsedPlace(error, file, own)) };
}

/** The stack of an error, which whoever threw it may have made into anything. */
function stackOf(error: Error): string {
  try {
    return String(error.stack);
  } catch {
    return "";
  }
}

const PLACE = /((?:file:\/\/)?\/[^\n:()]+):(\d+)/g;

/** The first line in a stack that is in a file of the project. Columns are those of what it was compiled to. */
function placeIn(stack: string, root: string): string | undefined {
  for (const [, where = "", line] of stack.matchAll(PLACE)) {
    const path = where.startsWith("file:") ? pathOf(where) : where;
    if (!path.startsWith(root + sep) || path.includes(`${sep}node_modules${sep}`)) continue;
    return `${relative(root, path)}:${line}`;
  }
  return undefined;
}

function pathOf(url: string): string {
  try {
    return fileURLToPath(url);
  } catch {
    return "";
  }
}

// Node says of a module that cannot be parsed what is wrong and not where. The compiler, which is slow to load, knows.
async function unparsedPlace(error: Error, file: string, own: string): Promise<string> {
  if (!(error instanceof SyntaxError)) return own;
  const { syntaxErrorIn } = await import("./compiled.js");
  const place = syntaxErrorIn(file);
  return place === undefined ? own : `${own}:${place}`;
}
