import { dirname, join } from "node:path";
import { type HookInit, harn } from "@hooks/core";
import { type Document, type Finding, type Path, placeFindings, readDocument } from "./document.js";
import { MANIFEST } from "./find.js";
import { inLayer, type Layer, PROJECT, PROJECT_RANK, runOf } from "./layer.js";
import { type FileStack, loadMarkdown, type MarkdownStack, nameTaken, type Placed } from "./markdown/load.js";
import type { Run } from "./markdown/run.js";
import { compileWhen } from "./markdown/script.js";
import type { Named } from "./markdown/sources.js";
import { type Modules, readFunctions } from "./modules.js";
import { Packages } from "./packages.js";
import type { Problem } from "./problem.js";
import { commands, manifestHandler, observerHandler } from "./process/dialect.js";
import { type Binding, type Checked, type CommandBinding, checkManifest } from "./rules.js";
import { checkShape, type Manifest, type Waiver } from "./schema.js";
import type { SettingsOptions } from "./settings/load.js";
import { waived } from "./waivers.js";

/** What every manifest of one load shares. */
export interface Loading {
  /** The name of a path in messages. */
  readonly show: (path: string) => string;
  readonly run: Run;
}

/** One manifest with the files of hooks beside it: the project's, or a pack's. Read and checked; nothing of it has run. */
export interface Unit {
  readonly layer: Layer;
  /** Whether it is part of an installed package, and not of the project. */
  readonly isInstalled: boolean;
  readonly path: string;
  readonly root: string;
  readonly document: Document;
  readonly manifest: Manifest;
  readonly checked: Checked;
  readonly files: FileStack;
  /** What is wrong with the manifest itself; whoever checks more adds to it. */
  readonly findings: Finding[];
  /** What waives its hooks, by the place of their entries. */
  readonly waivers: Map<number, Waiver>;
  /** What manifests below made of its hooks, by the place of their entries. */
  readonly changes: Map<number, string[]>;
}

/** Reads and checks a manifest. The problem is what keeps it from being read at all. */
export async function readUnit(
  path: string,
  file: string,
  layer: (manifest: Manifest) => Layer,
  { show, run }: Loading,
): Promise<Unit | { readonly problem: Problem; readonly text: string }> {
  const read = await readDocument(path, file);
  if ("problem" in read) return read;
  const { document } = read;
  const root = dirname(path);
  const shape = checkShape(document.value);
  const spoilt = new Set(shape.map((finding) => JSON.stringify(finding.path)));
  const manifest = salvage(document, spoilt);
  const isSpoilt = (part: Path) => spoilt.has(JSON.stringify(part));
  const checked = await checkManifest({ root, manifest, packages: new Packages(root), resolved: new Map(), isSpoilt });
  const sourceFindings: Finding[] = [];
  const own = layer(manifest);
  const isStrict = manifest.policy?.strict ?? false;
  const markdown = await loadMarkdown({
    root,
    named: namedSources(manifest, "markdown", sourceFindings),
    show,
    isStrict,
    allowedDomains: manifest.network?.allowed_domains ?? [],
    run: runOf(own, run),
  });
  const settings = await settingsOf(manifest, { root, show, isStrict }, sourceFindings);
  const findings = [...shape, ...checked.findings, ...sourceFindings, ...takenIds(manifest, markdown)];
  const files = {
    placed: [...markdown.placed, ...settings.placed],
    problems: [...markdown.problems, ...settings.problems],
    texts: new Map([...markdown.texts, ...settings.texts]),
  };
  return {
    layer: own,
    isInstalled: false,
    path,
    root,
    document,
    manifest,
    checked,
    files,
    findings,
    waivers: new Map(),
    changes: new Map(),
  };
}

/** What `[sources]` lists of one kind, each with the way to complain about it. */
function namedSources({ sources }: Manifest, kind: "markdown" | "settings", findings: Finding[]): Named[] | undefined {
  // What is no text was reported already.
  return sources?.[kind]?.flatMap((directory, index) => {
    if (typeof directory !== "string") return [];
    const refuse = (message: string, help: string) =>
      void findings.push({ code: "HARN_E_SOURCE_READ", path: ["sources", kind, index], message, help });
    return [{ directory, refuse }];
  });
}

async function settingsOf(
  manifest: Manifest,
  home: Pick<SettingsOptions, "root" | "show" | "isStrict">,
  findings: Finding[],
): Promise<FileStack> {
  const named = namedSources(manifest, "settings", findings) ?? [];
  if (named.length === 0) return { placed: [], problems: [], texts: new Map() };
  // Loaded only for those who have such a file: a parser that knows places takes its time to load.
  const { loadSettings } = await import("./settings/load.js");
  return loadSettings({ ...home, named, env: manifest.policy?.env ?? [] });
}

/** The Markdown hooks of a project without a manifest. */
export async function readBareUnit(root: string, { show, run }: Loading): Promise<Unit> {
  const files = await loadMarkdown({ root, named: undefined, show, isStrict: false, allowedDomains: [], run });
  const document = { file: show(root), text: "", value: {} };
  const checked = { findings: [], bindings: [], commands: [] };
  const path = join(root, ".harness");
  return {
    layer: PROJECT,
    isInstalled: false,
    path,
    root,
    document,
    manifest: {},
    checked,
    files,
    findings: [],
    waivers: new Map(),
    changes: new Map(),
  };
}

export function isBroken({ findings, files }: Unit): boolean {
  return [...findings, ...files.problems].some(({ severity }) => severity !== "warning");
}

/** Everything that is wrong with a unit, with its places. */
export async function problemsOf({ document, findings, files }: Unit): Promise<Problem[]> {
  return [...(await placeFindings(findings, document)), ...files.problems];
}

/**
 * Loads the modules of a unit, and what is wrong with them is added to its findings. Of a broken one its own modules are
 * loaded, to report their mistakes too, and no package's. Without modules nothing runs: their texts are read instead.
 */
export async function bindUnit(unit: Unit, modules: Modules | null, isRefused: boolean): Promise<readonly HookInit[]> {
  const { checked, findings, layer, document, files } = unit;
  const isOwn = (binding: Binding) => layer.kind === "project" && binding.target.package === undefined;
  const loadable = checked.bindings.filter((binding) => !isRefused || isOwn(binding));
  const bound = await (modules === null ? readFunctions(loadable) : modules.functionsOf(loadable));
  findings.push(...bound.findings);
  if (isRefused || bound.findings.length > 0) return [];
  const own = [
    ...checked.bindings.map((binding, place) => ({
      index: binding.index,
      hook: toInit(binding, bound.functions[place] as HookInit["handler"], document.file),
    })),
    ...checked.commands.map((binding) => ({ index: binding.index, hook: commandInit(binding, document.file) })),
  ].sort((a, b) => a.index - b.index);
  const hooks = own.map(({ index, hook }) => {
    const waiver = unit.waivers.get(index);
    const changes = unit.changes.get(index);
    const known = changes === undefined ? hook : { ...hook, source: { layer: layer.kind, ...hook.source, changes } };
    return waiver === undefined ? known : waived(known, waiver, hook.dialect ?? harn);
  });
  const placed = [...files.placed, { place: MANIFEST, hooks }];
  return inOrder(placed).map((hook) => inLayer(hook, layer));
}

/** Hooks of equal priority run in the order of the files they come from, and of their place in the file. */
function inOrder(placed: readonly Placed[]): HookInit[] {
  return [...placed].sort((a, b) => (a.place < b.place ? -1 : 1)).flatMap(({ hooks }) => hooks);
}

function takenIds({ hooks = [] }: Manifest, { names }: MarkdownStack): Finding[] {
  return hooks.flatMap(({ id }, index) => {
    const other = id === undefined ? undefined : names.get(id);
    if (id === undefined || other === undefined) return [];
    const { code, message, help } = nameTaken(id, other, other);
    return [{ code, message, help, path: ["hooks", index, "id"] }];
  });
}

function toInit({ target, options, ...declared }: Binding, handler: HookInit["handler"], file: string): HookInit {
  const { name, version, description } = target.package ?? {};
  const described = description?.hooks[target.exportName]?.priority;
  const entry = described === undefined ? declared.entry : { priority: described, ...declared.entry };
  const init = declaredInit({ ...declared, entry }, handler, entry.handler ?? "", file);
  return { ...init, package: name, version, options };
}

function commandInit(declared: CommandBinding, file: string): HookInit {
  const { command, observes } = declared;
  const handler = observes ? observerHandler(command) : manifestHandler(command);
  return { ...declaredInit(declared, handler, command.argv.join(" "), file), dialect: commands };
}

/** What the manifest itself says of a hook. */
function declaredInit(
  { index, entry, event, threshold, observes }: Omit<CommandBinding, "command">,
  handler: HookInit["handler"],
  handlerName: string,
  file: string,
): HookInit {
  const { id, priority, timeout_ms, on_error, pattern, when } = entry;
  const test = when === undefined ? undefined : compileWhen(when);
  return {
    event,
    handler,
    handlerName,
    rank: PROJECT_RANK,
    source: { layer: "project", file, path: ["hooks", index] },
    pattern,
    threshold,
    ...(observes ? { observes } : {}),
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
