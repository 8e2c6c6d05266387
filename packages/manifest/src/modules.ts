import { type HookContext, type Json, nearest } from "@hooks/core";
import { readFile } from "./disk.js";
import type { Finding } from "./document.js";
import { createImporter, functionNames, type Namespace, ownExport } from "./import.js";
import { withLoadDeadline } from "./load-deadline.js";
import { describeFailure } from "./load-failure.js";
import type { Binding } from "./rules.js";
import { mayExport, readExports } from "./source-text.js";
import { HookWorker } from "./worker.js";

export type HandlerFunction = (view: Json, context: HookContext) => unknown;

/** The modules of one load, each of them loaded once, in this process or in a worker. */
export class Modules {
  private readonly loaded = new Map<string, Promise<Namespace>>();
  private readonly workers = new Map<string, HookWorker>();

  private readonly import: (file: string) => Promise<Namespace>;

  constructor(
    private readonly root: string,
    /** Evaluates everything again, so that a reload sees what changed. */
    isFresh: boolean,
    private readonly loadTimeoutMs: number,
  ) {
    this.import = createImporter(root, isFresh);
  }

  /** The functions of bindings in their order, or what is wrong with those that have none. */
  async functionsOf(bindings: readonly Binding[]): Promise<{ functions: HandlerFunction[]; findings: Finding[] }> {
    const functions: HandlerFunction[] = [];
    const findings: Finding[] = [];
    const broken = new Set<string>();
    for (const binding of bindings) {
      const found = await this.functionOf(binding);
      if (typeof found === "function") functions.push(found);
      // A module that does not load is one mistake, however many hooks are waiting for it.
      else if (found.code !== "HARN_E_MODULE_LOAD" || !broken.has(binding.target.file)) {
        broken.add(binding.target.file);
        findings.push({ ...found, path: ["hooks", binding.index, "handler"] });
      }
    }
    return { functions, findings };
  }

  /** Lets the workers go, each when it has nothing left to do. */
  close(): void {
    for (const worker of this.workers.values()) worker.close();
  }

  private async functionOf(binding: Binding): Promise<HandlerFunction | Omit<Finding, "path">> {
    const { target, entry, isolation } = binding;
    try {
      return isolation === "worker" ? await this.workerFunction(binding) : await this.inlineFunction(binding);
    } catch (error) {
      if (error instanceof MissingExport) return missing(error, entry.handler ?? "", target.exportName);
      const { why, where } = await describeFailure(error, target.file, this.root);
      return {
        code: "HARN_E_MODULE_LOAD",
        message: `the module of "${entry.handler}" failed to load: ${why}`,
        help:
          target.package === undefined
            ? `correct ${where}`
            : `ask the authors of ${target.package.name}, or reinstall it`,
      };
    }
  }

  private async inlineFunction({ target }: Binding): Promise<HandlerFunction> {
    const { file, exportName } = target;
    const known = this.loaded.get(file) ?? withLoadDeadline(this.import(file), this.loadTimeoutMs);
    this.loaded.set(file, known);
    const namespace = await known;
    const exported = ownExport(namespace, exportName);
    if (typeof exported !== "function") throw new MissingExport(exported !== undefined, functionNames(namespace));
    return exported as HandlerFunction;
  }

  private async workerFunction({ target }: Binding): Promise<HandlerFunction> {
    const { file, exportName, package: found } = target;
    const capabilities = found?.description?.hooks[exportName]?.capabilities ?? [];
    const root = found?.root ?? this.root;
    // Hooks of one package share a worker, unless one of them may do more than another.
    const key = JSON.stringify([root, [...capabilities].sort()]);
    const worker = this.workers.get(key) ?? new HookWorker(root, capabilities, this.loadTimeoutMs);
    this.workers.set(key, worker);
    const names = await worker.load(file);
    if (!names.includes(exportName)) throw new MissingExport(false, names);
    return worker.handler(file, exportName);
  }
}

/** Functions that are known by name only, for those who look and run nothing; what their modules' texts tell is checked. */
export async function readFunctions(
  bindings: readonly Binding[],
): Promise<{ functions: HandlerFunction[]; findings: Finding[] }> {
  const findings: Finding[] = [];
  for (const { index, target, entry } of bindings) {
    if (target.package?.description?.hooks !== undefined) continue;
    const text = await readFile(target.file, "utf8");
    if (mayExport(text, target.exportName)) continue;
    const { names } = readExports(text);
    const mistake = missing(new MissingExport(false, [...names]), entry.handler ?? "", target.exportName);
    findings.push({ ...mistake, path: ["hooks", index, "handler"] });
  }
  return { functions: bindings.map(() => notLoaded), findings };
}

function notLoaded(): never {
  throw new Error("it was looked at and not loaded");
}

class MissingExport extends Error {
  constructor(
    readonly isThere: boolean,
    readonly names: readonly string[],
  ) {
    super("missing export");
  }
}

function missing({ isThere, names }: MissingExport, handler: string, exportName: string): Omit<Finding, "path"> {
  const near = nearest(exportName, names);
  return {
    code: "HARN_E_EXPORT_MISSING",
    message: isThere
      ? `the export "${exportName}" of "${handler}" is no function`
      : `the module of "${handler}" exports no "${exportName}"`,
    hint: near === undefined || near === exportName ? undefined : `did you mean "${near}"?`,
    help: `it exports ${names.join(", ") || "no function"}`,
  };
}
