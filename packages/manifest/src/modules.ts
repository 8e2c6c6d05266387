import { extname } from "node:path";
import { pathToFileURL } from "node:url";
import { messageOf, nearest } from "@hooks/core";
import type { Finding } from "./document.js";
import type { Binding } from "./rules.js";

export type HandlerFunction = (...args: unknown[]) => unknown;

type Namespace = Readonly<Record<string, unknown>>;

const NATIVE = [".js", ".mjs", ".cjs"];
const LOAD_TIMEOUT_MS = 10_000;

/**
 * Loads modules, each of them once. JavaScript is imported as it is; TypeScript goes through jiti, which is loaded
 * only then. A fresh set of modules evaluates everything again, so that a reload sees what changed.
 */
export class Modules {
  private readonly loaded = new Map<string, Promise<Namespace>>();

  constructor(
    private readonly root: string,
    private readonly isFresh: boolean,
  ) {}

  /** The functions of bindings in their order, or what is wrong with those that have none. */
  async functionsOf(bindings: readonly Binding[]): Promise<{ functions: HandlerFunction[]; findings: Finding[] }> {
    const functions: HandlerFunction[] = [];
    const findings: Finding[] = [];
    for (const binding of bindings) {
      const found = await this.functionOf(binding);
      if (typeof found === "function") functions.push(found);
      else findings.push({ ...found, path: ["hooks", binding.index, "handler"] });
    }
    return { functions, findings };
  }

  private async functionOf({ target, entry }: Binding): Promise<HandlerFunction | Omit<Finding, "path">> {
    let namespace: Namespace;
    try {
      namespace = await this.load(target.file);
    } catch (error) {
      return {
        code: "HARN_E_MODULE_LOAD",
        message: `the module of "${entry.handler}" failed to load: ${messageOf(error)}`,
        help: `try it on its own: node -e 'import(${JSON.stringify(target.file)})'`,
      };
    }
    const { exportName } = target;
    const exported = ownExport(namespace, exportName);
    if (typeof exported === "function") return exported as HandlerFunction;
    const names = functionNames(namespace);
    const near = nearest(exportName, names);
    return {
      code: "HARN_E_EXPORT_MISSING",
      message:
        exported === undefined
          ? `the module of "${entry.handler}" exports no "${exportName}"`
          : `the export "${exportName}" of "${entry.handler}" is no function`,
      hint: near === undefined || near === exportName ? undefined : `did you mean "${near}"?`,
      help: `it exports ${names.join(", ") || "no function"}`,
    };
  }

  private load(file: string): Promise<Namespace> {
    const known = this.loaded.get(file) ?? withDeadline(this.evaluate(file));
    this.loaded.set(file, known);
    return known;
  }

  private async evaluate(file: string): Promise<Namespace> {
    if (!this.isFresh && NATIVE.includes(extname(file))) return import(pathToFileURL(file).href) as Promise<Namespace>;
    const { createJiti } = await import("jiti");
    const jiti = createJiti(pathToFileURL(`${this.root}/`).href, {
      interopDefault: false,
      moduleCache: !this.isFresh,
      tryNative: false,
    });
    return jiti.import<Namespace>(file);
  }
}

/** A named export; of a CommonJS module also what Node could not see by reading it. */
function ownExport(namespace: Namespace, name: string): unknown {
  if (Object.hasOwn(namespace, name)) return namespace[name];
  const { default: whole } = namespace;
  const isObject = (typeof whole === "object" || typeof whole === "function") && whole !== null;
  return isObject && Object.hasOwn(whole, name) ? (whole as Namespace)[name] : undefined;
}

function functionNames(namespace: Namespace): string[] {
  const all = { ...(namespace.default as object | undefined), ...namespace } as Namespace;
  return Object.keys(all).filter((name) => typeof all[name] === "function");
}

/** A module that never finishes loading must not hang the agent that waits for its policy. */
async function withDeadline<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not loaded within ${LOAD_TIMEOUT_MS} ms`)), LOAD_TIMEOUT_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
