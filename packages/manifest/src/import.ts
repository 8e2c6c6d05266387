import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { extname, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { messageOf } from "@hooks/core";

export type Namespace = Readonly<Record<string, unknown>>;

const NATIVE = [".js", ".mjs", ".cjs"];

// Node never reads a module again. Whoever loads a policy a second time means the one that is on disk now.
const evaluated = new Set<string>();

/**
 * Evaluates a module. JavaScript is imported as it is; TypeScript goes through jiti, which is loaded only then. A fresh
 * import evaluates the module and what it imports again.
 */
export async function importModule(file: string, root: string, wantsFresh: boolean): Promise<Namespace> {
  const isFresh = wantsFresh || evaluated.has(file);
  evaluated.add(file);
  if (!isFresh && NATIVE.includes(extname(file))) return import(pathToFileURL(file).href) as Promise<Namespace>;
  const { createJiti } = await import("jiti");
  const jiti = createJiti(pathToFileURL(`${root}${sep}`).href, {
    interopDefault: false,
    moduleCache: !isFresh,
    // A compiled policy lying about in a shared directory could be replaced by another one.
    fsCache: false,
    tryNative: false,
  });
  if (!isFresh) return jiti.import<Namespace>(file);
  forgetCommonJs(file, root);
  try {
    // Only its synchronous way compiles JavaScript too; the other one leaves that to Node, which never reads it again.
    return jiti(file) as Namespace;
  } catch (error) {
    if (!messageOf(error).startsWith("await is only valid")) throw error;
    const source = await readFile(file, "utf8");
    return jiti.evalModule(source, { filename: file, async: true, forceTranspile: true }) as Promise<Namespace>;
  }
}

/** Takes a CommonJS module, and what it requires inside the project, out of Node's cache. */
function forgetCommonJs(file: string, root: string): void {
  const { cache } = createRequire(file);
  const forget = (path: string): void => {
    const loaded = cache[path];
    delete cache[path];
    for (const child of loaded?.children ?? []) if (child.filename.startsWith(root)) forget(child.filename);
  };
  forget(file);
}

/** A named export; of a CommonJS module also what Node could not see by reading it. */
export function ownExport(namespace: Namespace, name: string): unknown {
  if (Object.hasOwn(namespace, name)) return namespace[name];
  const { default: whole } = namespace;
  const isObject = (typeof whole === "object" || typeof whole === "function") && whole !== null;
  return isObject && Object.hasOwn(whole, name) ? (whole as Namespace)[name] : undefined;
}

/** The names of the functions a module exports, for messages. */
export function functionNames(namespace: Namespace): string[] {
  const { default: whole } = namespace;
  const inner = typeof whole === "object" && whole !== null ? Object.keys(whole) : [];
  return [...new Set([...Object.keys(namespace), ...inner])].filter(
    (name) => typeof ownExport(namespace, name) === "function",
  );
}
