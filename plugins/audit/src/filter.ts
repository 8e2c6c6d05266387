import type { Json, JsonObject } from "@hooks/core";

interface FilterOptions {
  readonly include?: readonly string[];
  readonly exclude: readonly string[];
  readonly mask: readonly string[];
  readonly max_text: number;
  readonly redact: <T>(value: T) => T;
}

/** Takes out of an entry what is not to be written. */
export type Filter = (entry: JsonObject) => JsonObject;

const MASKED = "[MASKED]";

/** Fields no filter takes out: a line without them says nothing. */
const KEPT: readonly string[] = ["time", "id", "kind", "event", "verdict"];

/** Masked fields go before secrets are looked for, and both before a text is cut: half a secret looks like none. */
export function filterOf({ include, exclude, mask, max_text, redact }: FilterOptions): Filter {
  const kept = include === undefined ? null : treeOf([...KEPT, ...include]);
  const dropped = treeOf(exclude.filter((path) => !KEPT.includes(path)));
  const masked = treeOf(mask);
  return (entry) => {
    const chosen = kept === null ? entry : (pick(entry, kept) as JsonObject);
    return cut(redact(strike(chosen, dropped, masked) as JsonObject), max_text) as JsonObject;
  };
}

/** Dotted paths as a tree of keys; an empty branch is the end of a path. */
interface Tree extends Map<string, Tree> {}

function treeOf(paths: readonly string[]): Tree {
  const root: Tree = new Map();
  for (const path of paths) {
    let place = root;
    for (const key of path.split(".")) {
      const next = place.get(key) ?? new Map();
      place.set(key, next);
      place = next;
    }
    place.set("", new Map());
  }
  return root;
}

const isEnd = (tree: Tree) => tree.has("");

/** What both a key of its own and `*` say of what is below it. */
function below(tree: Tree | undefined, key: string): Tree | undefined {
  return merge(tree?.get(key), tree?.get("*"));
}

/** A list is looked through: `hooks.result` and `hooks.*.result` are the same. */
function items(tree: Tree | undefined): Tree | undefined {
  return merge(tree, tree?.get("*"));
}

function merge(one: Tree | undefined, other: Tree | undefined): Tree | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const both: Tree = new Map(other);
  for (const [name, branch] of one) both.set(name, merge(branch, both.get(name)) as Tree);
  return both;
}

function pick(value: Json, tree: Tree): Json | undefined {
  if (isEnd(tree)) return value;
  if (typeof value !== "object" || value === null) return undefined;
  if (Array.isArray(value)) return present(value.map((item: Json) => pick(item, items(tree) as Tree)));
  return fromEntries(value as JsonObject, (key, item) => {
    const branch = below(tree, key);
    return branch === undefined ? undefined : pick(item, branch);
  });
}

function strike(value: Json, dropped: Tree | undefined, masked: Tree | undefined): Json {
  if (typeof value !== "object" || value === null || (dropped === undefined && masked === undefined)) return value;
  if (Array.isArray(value)) {
    return present(value.map((item: Json) => struck(item, items(dropped), items(masked))));
  }
  return fromEntries(value as JsonObject, (key, item) => struck(item, below(dropped, key), below(masked, key)));
}

function struck(item: Json, dropped: Tree | undefined, masked: Tree | undefined): Json | undefined {
  if (dropped !== undefined && isEnd(dropped)) return undefined;
  return masked !== undefined && isEnd(masked) ? MASKED : strike(item, dropped, masked);
}

function present(values: readonly (Json | undefined)[]): Json[] {
  return values.filter((value) => value !== undefined);
}

function cut(value: Json, most: number): Json {
  if (typeof value === "string") {
    if (value.length <= most) return value;
    const end = /[\uD800-\uDBFF]/.test(value.charAt(most - 1)) ? most - 1 : most;
    return `${value.slice(0, end)}[... ${value.length - end} more]`;
  }
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item: Json) => cut(item, most));
  return fromEntries(value as JsonObject, (_, item) => cut(item, most));
}

function fromEntries(value: JsonObject, change: (key: string, item: Json) => Json | undefined): JsonObject {
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => {
      const next = item === undefined ? undefined : change(key, item);
      return next === undefined ? [] : [[key, next]];
    }),
  );
}
