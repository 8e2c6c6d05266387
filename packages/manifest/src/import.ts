import { extname } from "node:path";
import { pathToFileURL } from "node:url";

export type Namespace = Readonly<Record<string, unknown>>;

const NATIVE = [".js", ".mjs", ".cjs"];

/**
 * Evaluates a module. JavaScript is imported as it is; TypeScript goes through jiti, which is loaded only then. A fresh
 * import evaluates the module and all it imports again.
 */
export async function importModule(file: string, root: string, isFresh: boolean): Promise<Namespace> {
  if (!isFresh && NATIVE.includes(extname(file))) return import(pathToFileURL(file).href) as Promise<Namespace>;
  const { createJiti } = await import("jiti");
  const jiti = createJiti(pathToFileURL(`${root}/`).href, {
    interopDefault: false,
    moduleCache: !isFresh,
    // A confined worker may not write, not even a cache.
    fsCache: !("permission" in process),
    tryNative: false,
  });
  return jiti.import<Namespace>(file);
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
