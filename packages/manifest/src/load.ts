import { stat } from "node:fs/promises";
import { dirname, relative, resolve } from "node:path";
import type { HookInit } from "@hooks/core";
import { digestOf } from "./digest.js";
import { type Document, type Path, placeFindings, readDocument } from "./document.js";
import { findManifest, MANIFEST } from "./find.js";
import { Modules } from "./modules.js";
import { Packages } from "./packages.js";
import type { Problem } from "./problem.js";
import { type Binding, checkManifest, hasMarkdownHooks, UNREAD_MARKDOWN } from "./rules.js";
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
  /** The SHA-256 of the manifest and of the hooks it was resolved to. */
  readonly digest: string;
  readonly warnings: readonly Problem[];
  /** Lets go of what the hooks hold: their workers. */
  close(): void;
}

const NO_STACK: Stack = {
  manifest: null,
  strict: false,
  hooks: [],
  digest: digestOf("", []),
  warnings: [],
  close: () => {},
};

/** What a load ends with: a stack, or everything that is wrong. */
export type LoadResult =
  | { readonly ok: true; readonly stack: Stack; readonly text: string }
  | { readonly ok: false; readonly manifest: string; readonly problems: readonly Problem[]; readonly text: string };

/** Finds, reads, checks and binds a manifest. No package's module is loaded unless everything else is right. */
export async function loadStack(options: FindOptions = {}, isFresh = false): Promise<LoadResult> {
  const cwd = resolve(options.cwd ?? process.cwd());
  await stat(cwd);
  const path = options.manifest === undefined ? await findManifest(cwd) : resolve(cwd, options.manifest);
  if (path === null) return withoutManifest(cwd);
  const read = await readDocument(path, relative(cwd, path) || MANIFEST);
  if ("problem" in read) return { ok: false, manifest: path, problems: [read.problem], text: read.text };
  const { document } = read;
  const shape = checkShape(document.value);
  const spoilt = new Set(shape.map((finding) => JSON.stringify(finding.path)));
  const manifest = salvage(document, spoilt);
  const root = dirname(path);
  const isSpoilt = (part: Path) => spoilt.has(JSON.stringify(part));
  const checked = await checkManifest({ root, manifest, packages: new Packages(root), resolved: new Map(), isSpoilt });
  const findings = [...shape, ...checked.findings];
  const isBroken = findings.some(({ severity }) => severity !== "warning");
  const modules = new Modules(root, isFresh);
  // Of a broken manifest the project's own modules are loaded, to report their mistakes too, and no package's.
  const loadable = checked.bindings.filter(({ target }) => !isBroken || target.package === undefined);
  const bound = await modules.functionsOf(loadable);
  const problems = await placeFindings([...findings, ...bound.findings], document);
  if (isBroken || bound.findings.length > 0) {
    modules.close();
    return { ok: false, manifest: path, problems, text: document.text };
  }
  const strict = manifest.policy?.strict ?? false;
  const hooks = checked.bindings.map((binding, place) =>
    toInit(binding, bound.functions[place] as HookInit["handler"], document.file),
  );
  const digest = digestOf(document.text, hooks);
  const stack: Stack = { manifest: path, strict, hooks, digest, warnings: problems, close: () => modules.close() };
  return { ok: true, stack, text: document.text };
}

/** No manifest is a clear state, unless there are hooks that are waiting for one. */
async function withoutManifest(cwd: string): Promise<LoadResult> {
  if (!(await hasMarkdownHooks(cwd))) return { ok: true, text: "", stack: NO_STACK };
  const file = ".harness/hooks";
  const problem: Problem = { ...UNREAD_MARKDOWN, severity: "error", place: { file, line: 1, column: 1, length: 1 } };
  return { ok: false, manifest: resolve(cwd, file), problems: [problem], text: "" };
}

const PROJECT_RANK = 100;

function toInit(binding: Binding, handler: HookInit["handler"], file: string): HookInit {
  const { index, entry, event, threshold, target, options } = binding;
  const { id, priority, timeout_ms, on_error, pattern, handler: handlerName = "" } = entry;
  return {
    event,
    handler,
    handlerName,
    rank: PROJECT_RANK,
    source: { layer: "project", file, path: ["hooks", index] },
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
function salvage({ value }: Document, spoilt: ReadonlySet<string>): Manifest {
  const keep = (part: unknown, path: Path): unknown => {
    if (spoilt.has(JSON.stringify(path))) return undefined;
    // A blank stands in for an element of a list: the places of the others must not move.
    if (Array.isArray(part)) return part.map((item, index) => keep(item, [...path, index]) ?? {});
    if (typeof part !== "object" || part === null || part instanceof Date) return part;
    const entries = Object.entries(part).map(([key, item]) => [key, keep(item, [...path, key])] as const);
    return Object.fromEntries(entries.filter(([, item]) => item !== undefined));
  };
  return keep(value, []) as Manifest;
}
