import { stat } from "node:fs/promises";
import { dirname, relative, resolve, sep } from "node:path";
import type { HookInit } from "@hooks/core";
import { digestOf } from "./digest.js";
import { type Document, type Finding, type Path, placeFindings, readDocument } from "./document.js";
import { findManifest, findProject, MANIFEST } from "./find.js";
import { loadMarkdown, type MarkdownStack, nameTaken } from "./markdown/load.js";
import { createRun, type Run } from "./markdown/run.js";
import { compileWhen } from "./markdown/script.js";
import { Modules } from "./modules.js";
import { Packages } from "./packages.js";
import type { Problem, Texts } from "./problem.js";
import { type Binding, checkManifest } from "./rules.js";
import { checkShape, type Manifest } from "./schema.js";

export interface FindOptions {
  /** Where to look for a manifest from; the working directory when absent. */
  readonly cwd?: string;
  /** The manifest itself, instead of looking for one. */
  readonly manifest?: string;
  /** What the hooks of this run share; one of their own when absent. */
  readonly run?: Run;
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
  /** What its Markdown hooks share with each other and with the host. */
  readonly run: Run;
  /** Lets go of what the hooks hold: their workers. */
  close(): void;
}

/** What a load ends with: a stack, or everything that is wrong. */
export type LoadResult =
  | { readonly ok: true; readonly stack: Stack; readonly text: Texts }
  | { readonly ok: false; readonly manifest: string; readonly problems: readonly Problem[]; readonly text: Texts };

/** Finds, reads, checks and binds a manifest. No package's module is loaded unless everything else is right. */
export async function loadStack(options: FindOptions = {}, isFresh = false): Promise<LoadResult> {
  const cwd = resolve(options.cwd ?? process.cwd());
  await stat(cwd);
  const run = options.run ?? createRun();
  const path = options.manifest === undefined ? await findManifest(cwd) : resolve(cwd, options.manifest);
  if (path === null) return withoutManifest(cwd, run);
  const file = relative(cwd, path) || MANIFEST;
  const read = await readDocument(path, file);
  if ("problem" in read) return { ok: false, manifest: path, problems: [read.problem], text: read.text };
  const { document } = read;
  const shape = checkShape(document.value);
  const spoilt = new Set(shape.map((finding) => JSON.stringify(finding.path)));
  const manifest = salvage(document, spoilt);
  const root = dirname(path);
  const isSpoilt = (part: Path) => spoilt.has(JSON.stringify(part));
  const checked = await checkManifest({ root, manifest, packages: new Packages(root), resolved: new Map(), isSpoilt });
  const strict = manifest.policy?.strict ?? false;
  const sourceFindings: Finding[] = [];
  const refuseSource = (index: number) => (message: string, help: string) => {
    sourceFindings.push({ code: "HARN_E_SOURCE_READ", path: ["sources", "markdown", index], message, help });
  };
  // What is no text was reported already.
  const named = manifest.sources?.markdown?.flatMap((directory, index) =>
    typeof directory !== "string" ? [] : [{ directory, refuse: refuseSource(index) }],
  );
  const markdown = await loadMarkdown({
    root,
    named,
    show: (part) => shownFrom(cwd, part),
    isStrict: strict,
    allowedDomains: manifest.network?.allowed_domains ?? [],
    run,
  });
  const findings = [...shape, ...checked.findings, ...sourceFindings, ...takenIds(manifest, markdown)];
  const isBroken = [...findings, ...markdown.problems].some(({ severity }) => severity !== "warning");
  const modules = new Modules(root, isFresh);
  // Of a broken manifest the project's own modules are loaded, to report their mistakes too, and no package's.
  const loadable = checked.bindings.filter(({ target }) => !isBroken || target.package === undefined);
  const bound = await modules.functionsOf(loadable);
  const problems = [...(await placeFindings([...findings, ...bound.findings], document)), ...markdown.problems];
  const text = new Map([...markdown.texts, [file, document.text]]);
  if (isBroken || bound.findings.length > 0) {
    modules.close();
    return { ok: false, manifest: path, problems, text };
  }
  const own = checked.bindings.map((binding, place) =>
    toInit(binding, bound.functions[place] as HookInit["handler"], document.file),
  );
  const hooks = inOrder([...markdown.placed, { place: MANIFEST, hooks: own }]);
  const digest = digestOf([document.text, ...markdown.texts.values()].join("\0"), hooks);
  const stack: Stack = { manifest: path, strict, hooks, digest, warnings: problems, run, close: () => modules.close() };
  return { ok: true, stack, text };
}

/** No manifest is a clear state: the Markdown hooks of the project, if it has any. */
async function withoutManifest(cwd: string, run: Run): Promise<LoadResult> {
  const root = await findProject(cwd);
  const none = { manifest: null, strict: false, run, close: () => {} };
  if (root === null)
    return { ok: true, text: "", stack: { ...none, hooks: [], digest: digestOf("", []), warnings: [] } };
  const show = (part: string) => shownFrom(cwd, part);
  const loaded = await loadMarkdown({ root, named: undefined, show, isStrict: false, allowedDomains: [], run });
  const { problems, texts: text, placed } = loaded;
  if (problems.some(({ severity }) => severity === "error")) {
    return { ok: false, manifest: resolve(root, ".harness"), problems, text };
  }
  const hooks = inOrder(placed);
  const digest = digestOf([...text.values()].join("\0"), hooks);
  return { ok: true, text, stack: { ...none, hooks, digest, warnings: problems } };
}

/** Hooks of equal priority run in the order of the files they come from, and of their place in the file. */
function inOrder(placed: MarkdownStack["placed"]): HookInit[] {
  return [...placed].sort((a, b) => (a.place < b.place ? -1 : 1)).flatMap(({ hooks }) => hooks);
}

function shownFrom(cwd: string, path: string): string {
  return relative(cwd, path).split(sep).join("/") || ".";
}

function takenIds({ hooks = [] }: Manifest, { names }: MarkdownStack): Finding[] {
  return hooks.flatMap(({ id }, index) => {
    const other = id === undefined ? undefined : names.get(id);
    if (id === undefined || other === undefined) return [];
    const { code, message, help } = nameTaken(id, other, other);
    return [{ code, message, help, path: ["hooks", index, "id"] }];
  });
}

const PROJECT_RANK = 100;

function toInit(binding: Binding, handler: HookInit["handler"], file: string): HookInit {
  const { index, entry, event, threshold, target, options } = binding;
  const { id, priority, timeout_ms, on_error, pattern, when, handler: handlerName = "" } = entry;
  const test = when === undefined ? undefined : compileWhen(when);
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
    ...(typeof test === "function" ? { when: test as unknown as (view: never) => boolean, whenText: when } : {}),
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
