import { isJsonObject, type Json } from "@hooks/core";

/** What changed between two values, path by path: `- tool.args.command "npm i"`, `+ tool.args.command "npm ci"`. */
export function diffLines(before: Json, after: Json, path: string): string[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (!isJsonObject(before) || !isJsonObject(after)) {
    return [`- ${path} ${JSON.stringify(before)}`, `+ ${path} ${JSON.stringify(after)}`];
  }
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return keys.flatMap((key) => {
    const place = path === "" ? key : `${path}.${key}`;
    if (!Object.hasOwn(before, key)) return [`+ ${place} ${JSON.stringify(after[key])}`];
    if (!Object.hasOwn(after, key)) return [`- ${place} ${JSON.stringify(before[key])}`];
    return diffLines(before[key] as Json, after[key] as Json, place);
  });
}

const CONTEXT = 3;

/** The change of a text file as `diff -u` shows it; nothing where there is none. */
export function unifiedDiff(name: string, before: string | null, after: string): string[] {
  if (before === after) return [];
  const [old, now] = [linesOf(before ?? ""), linesOf(after)];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  const marked = [...old.slice(0, start).map((line) => ` ${line}`), ...aligned(old.slice(start), now.slice(start))];
  return [`--- ${before === null ? "/dev/null" : name}`, `+++ ${name}`, ...hunks(marked)];
}

function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** The longest common subsequence, line by line; the files are a person's own and short. */
function aligned(old: readonly string[], now: readonly string[]): string[] {
  const width = now.length + 1;
  const common = new Uint32Array((old.length + 1) * width);
  const at = (i: number, j: number) => common[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      common[i * width + j] = old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const marked: string[] = [];
  for (let i = 0, j = 0; i < old.length || j < now.length; ) {
    if (i < old.length && j < now.length && old[i] === now[j]) marked.push(` ${old[i++]}`) && j++;
    else if (i < old.length && (j === now.length || at(i + 1, j) >= at(i, j + 1))) marked.push(`-${old[i++]}`);
    else marked.push(`+${now[j++]}`);
  }
  return marked;
}

function hunks(marked: readonly string[]): string[] {
  const isNear = marked.map((_, index) =>
    marked.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some((line) => !line.startsWith(" ")),
  );
  const shown: string[] = [];
  let [oldLine, newLine] = [1, 1];
  for (const [index, line] of marked.entries()) {
    if (isNear[index] === true) {
      if (isNear[index - 1] !== true) {
        const end = isNear.indexOf(false, index);
        const part = marked.slice(index, end === -1 ? undefined : end);
        const count = (mark: string) => part.filter((each) => !each.startsWith(mark)).length;
        const [old, now] = [count("+"), count("-")];
        // What has no line has no first one either.
        shown.push(`@@ -${old === 0 ? 0 : oldLine},${old} +${now === 0 ? 0 : newLine},${now} @@`);
      }
      shown.push(line);
    }
    if (!line.startsWith("+")) oldLine++;
    if (!line.startsWith("-")) newLine++;
  }
  return shown;
}
