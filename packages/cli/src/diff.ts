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
