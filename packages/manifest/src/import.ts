import { extname } from "node:path";
import { pathToFileURL } from "node:url";

export type Namespace = Readonly<Record<string, unknown>>;

const NATIVE = [".js", ".mjs", ".cjs"];

// Node never reads a module again. Whoever loads a policy a second time means the one that is on disk now.
const evaluated = new Set<string>();

/**
 * Makes the function that evaluates the modules of one load. JavaScript is imported as it is; TypeScript is compiled,
 * and so is whatever was evaluated before or is asked for as it is now on disk. The compiler is loaded only then.
 */
export function createImporter(root: string, isFresh: boolean): (file: string) => Promise<Namespace> {
  let compiler: Promise<(file: string) => Promise<Namespace>> | undefined;
  return async (file) => {
    const isNative = !isFresh && !evaluated.has(file) && NATIVE.includes(extname(file));
    evaluated.add(file);
    if (isNative) return import(pathToFileURL(file).href) as Promise<Namespace>;
    compiler ??= import("./compiled.js").then(({ createCompiler }) => createCompiler(root));
    return (await compiler)(file);
  };
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
