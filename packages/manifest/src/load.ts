import { dirname, relative, resolve } from "node:path";
import type { HookInit } from "@hooks/core";
import { type Document, type Finding, type Path, placeFindings, readDocument } from "./document.js";
import { findManifest, MANIFEST } from "./find.js";
import { Modules } from "./modules.js";
import { Packages } from "./packages.js";
import { type Problem, renderProblem } from "./problem.js";
import { type Binding, checkManifest } from "./rules.js";
import { checkShape, type Manifest } from "./schema.js";

export interface FindOptions {
  /** Where to look for a manifest from; the working directory when absent. */
  readonly cwd?: string;
  /** The manifest itself, instead of looking for one. */
  readonly manifest?: string;
}

/** A stack as its manifest declares it. */
export interface Stack {
  /** The manifest's path; null when there is none, which is a stack without hooks. */
  readonly manifest: string | null;
  readonly strict: boolean;
  readonly hooks: readonly HookInit[];
  readonly warnings: readonly Problem[];
  /** Lets go of what the hooks hold: their workers. */
  close(): void;
}

const NO_STACK: Stack = { manifest: null, strict: false, hooks: [], warnings: [], close: () => {} };

/** What a load ends with: a stack, or everything that is wrong. */
export type LoadResult =
  | { readonly ok: true; readonly stack: Stack; readonly text: string }
  | { readonly ok: false; readonly manifest: string; readonly problems: readonly Problem[]; readonly text: string };

/** Finds, reads, checks and binds a manifest. Its modules are loaded only when everything else is right. */
export async function loadStack(options: FindOptions = {}, isFresh = false): Promise<LoadResult> {
  const cwd = resolve(options.cwd ?? process.cwd());
  const path = options.manifest === undefined ? await findManifest(cwd) : resolve(cwd, options.manifest);
  if (path === null) return { ok: true, text: "", stack: NO_STACK };
  const read = await readDocument(path, relative(cwd, path) || MANIFEST);
  if ("problem" in read) return { ok: false, manifest: path, problems: [read.problem], text: read.text };
  const { document } = read;
  const shape = checkShape(document.value);
  const manifest = salvage(document, shape);
  const root = dirname(path);
  const checked = await checkManifest({ root, manifest, packages: new Packages(root) });
  const findings = [...shape, ...checked.findings];
  const isBroken = findings.some(({ severity }) => severity !== "warning");
  const modules = new Modules(root, isFresh);
  const bound = isBroken ? undefined : await modules.functionsOf(checked.bindings);
  const problems = await placeFindings([...findings, ...(bound?.findings ?? [])], document);
  if (bound === undefined || bound.findings.length > 0) {
    modules.close();
    return { ok: false, manifest: path, problems, text: document.text };
  }
  const hooks = checked.bindings.map((binding, place) =>
    toInit(binding, bound.functions[place] as HookInit["handler"]),
  );
  const strict = manifest.policy?.strict ?? false;
  const stack: Stack = { manifest: path, strict, hooks, warnings: problems, close: () => modules.close() };
  return { ok: true, stack, text: document.text };
}

const PROJECT_RANK = 100;

function toInit({ entry, event, threshold, target, options }: Binding, handler: HookInit["handler"]): HookInit {
  const { id, priority, timeout_ms, on_error, pattern, handler: handlerName = "" } = entry;
  return {
    event,
    handler,
    handlerName,
    rank: PROJECT_RANK,
    package: target.package?.name,
    version: target.package?.version,
    options,
    pattern,
    threshold,
    ...(id === undefined ? {} : { id }),
    ...(priority === undefined ? {} : { priority }),
    ...(timeout_ms === undefined ? {} : { timeout_ms }),
    ...(on_error === undefined ? {} : { on_error }),
  };
}

/**
 * What is left of a manifest without the values whose shape is wrong, so that their mistakes and those of everything
 * else are reported in one go.
 */
function salvage({ value }: Document, findings: readonly Finding[]): Manifest {
  const copy = structuredClone(value);
  const paths = findings.map(({ path }) => path).sort((a, b) => b.length - a.length);
  for (const path of paths) remove(copy, path);
  return copy as Manifest;
}

function remove(root: Record<string, unknown>, path: Path): void {
  const parent = path
    .slice(0, -1)
    .reduce<unknown>((here, key) => (here as Record<PropertyKey, unknown> | undefined)?.[key], root);
  const key = path.at(-1);
  if (key === undefined || typeof parent !== "object" || parent === null) return;
  // An element of a list is blanked and not taken out: the places of the others must not move.
  if (Array.isArray(parent)) parent[Number(key)] = {};
  else Reflect.deleteProperty(parent, key);
}

/** Every problem of a load, printed with its lines. */
export function renderProblems(problems: readonly Problem[], text: string): string {
  return problems.map((problem) => renderProblem(problem, text)).join("\n\n");
}
