import { readFileSync } from "node:fs";
import { createRequire, isBuiltin } from "node:module";
import { sep } from "node:path";
import { pathToFileURL } from "node:url";
import * as core from "@hooks/core";
import { createJiti, type Jiti, type TransformOptions } from "jiti";
import type { Namespace } from "./import.js";

const BRIDGE = "harn:compiled-import";
const CORE = "@hooks/core";

// What a text is compiled to does not change, and most loads of a process find most texts as they were.
const compiled = new Map<string, string>();
const MAX_COMPILED = 500;

/**
 * Makes a function that compiles modules, and everything they import, from what is on disk now; each is evaluated once.
 * Node never reads a module again, and jiti leaves asynchronous imports of JavaScript to Node: so a module compiled
 * here imports through this function too, whether it imports at its top, awaits there, or imports while it runs.
 */
export function createCompiler(root: string): (file: string) => Promise<Namespace> {
  const cache: Jiti["cache"] = {};
  const done = new Map<string, Namespace>();
  const awaiting = new Map<string, Promise<Namespace>>();

  async function evaluate(path: string, from: Jiti): Promise<Namespace> {
    const known = done.get(path) ?? awaiting.get(path);
    if (known !== undefined) return known;
    const source = readFileSync(path, "utf8");
    try {
      return from.evalModule(source, { filename: path, cache }) as Namespace;
    } catch (error) {
      if (!core.messageOf(error).startsWith("await is only valid")) throw error;
    }
    // What began and did not finish is left in the cache, and would be taken for a module without exports.
    for (const begun of Object.keys(cache)) if (!done.has(begun)) delete cache[begun];
    const evaluating = from.evalModule(source, { filename: path, cache, async: true, forceTranspile: true });
    awaiting.set(path, evaluating as Promise<Namespace>);
    return evaluating as Promise<Namespace>;
  }

  const importFrom = (from: Jiti) => async (specifier: string) => {
    if (specifier === CORE) return core;
    if (isBuiltin(specifier) || specifier.startsWith("data:")) return from.import(specifier);
    return asNamespace(await evaluate(from.resolve(specifier), from));
  };

  const base = pathToFileURL(`${root}${sep}`).href;
  const compiler = createJiti(base, { interopDefault: false, fsCache: false });
  const bridge = `require(${JSON.stringify(BRIDGE)})`;
  const compile = (options: TransformOptions): string => {
    const key = JSON.stringify([options.filename, options.async, options.source]);
    const code = compiled.get(key) ?? compiler.transform({ ...options, interopDefault: options.async !== true });
    if (compiled.size >= MAX_COMPILED) compiled.clear();
    compiled.set(key, code);
    return code;
  };
  const jiti = createJiti(base, {
    interopDefault: false,
    moduleCache: false,
    // A compiled policy lying about in a shared directory could be replaced by another one.
    fsCache: false,
    tryNative: false,
    // Handlers speak to the runtime that calls them: its own core is theirs, and is not compiled again.
    virtualModules: { [BRIDGE]: { importFrom, done }, [CORE]: core },
    // The bridge stands on the first line, so that errors keep their line numbers. What is required as CommonJS gets
    // its default here; what is imported has it already.
    transform: (options) => ({
      code: `jitiImport=${bridge}.importFrom(require);${compile(options)}
;${bridge}.done.set(${JSON.stringify(options.filename)},exports);`,
    }),
  });
  return (file) => {
    forgetCommonJs(file, root);
    return evaluate(file, jiti);
  };
}

/** Where a module in JavaScript cannot be parsed, as line:column; nothing of it is evaluated. */
export function syntaxErrorIn(file: string): string | undefined {
  const jiti = createJiti(import.meta.url, { fsCache: false });
  // What it makes of such a module is a statement that tells.
  const code = jiti.transform({ source: readFileSync(file, "utf8"), filename: file });
  const [, report] = /^exports\.__JITI_ERROR__ = (\{.*\})/.exec(code) ?? [];
  if (report === undefined) return undefined;
  const { line, column } = JSON.parse(report) as { line: number; column: number };
  return `${line}:${column + 1}`;
}

/** What an import sees of a module: of CommonJS, its exports as the default beside their names. */
function asNamespace(exports: Namespace): Namespace {
  const isModule = typeof exports === "object" && exports !== null && "__esModule" in exports;
  return isModule ? exports : { ...exports, default: exports };
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
