import { type HookInit, markdown } from "@hooks/core";
import { PROJECT_RANK } from "../layer.js";
import type { Problem } from "../problem.js";
import { type FileResult, type MarkdownHook, readHookFile } from "./hook-file.js";
import { Host } from "./host.js";
import { createNetwork, domainMistake } from "./http.js";
import type { Run } from "./run.js";
import { findSources, type Named } from "./sources.js";

export interface MarkdownOptions {
  readonly root: string;
  /** What `[sources] markdown` names; undefined for the default. */
  readonly named: readonly Named[] | undefined;
  /** The name of a path in messages. */
  readonly show: (path: string) => string;
  readonly isStrict: boolean;
  /** Hosts the manifest lets hooks talk to. */
  readonly allowedDomains: readonly string[];
  readonly run: Run;
}

/** The hooks of one file, and where the file stands among the others. */
export interface Placed {
  readonly place: string;
  readonly hooks: readonly HookInit[];
}

/** What files of hooks come to: their hooks, what is wrong with them, and their texts by the name they have in messages. */
export interface FileStack {
  readonly placed: readonly Placed[];
  readonly problems: readonly Problem[];
  readonly texts: ReadonlyMap<string, string>;
}

export interface MarkdownStack extends FileStack {
  /** Every hook's name, and where it is declared. */
  readonly names: ReadonlyMap<string, Problem["place"]>;
}

/** Loads every Markdown hook of a project, in the order of their paths. */
export async function loadMarkdown(options: MarkdownOptions): Promise<MarkdownStack> {
  const { root, named, show, isStrict, run } = options;
  const found = await findSources(root, named, show);
  const problems: Problem[] = [...found.problems];
  const texts = new Map<string, string>();
  // Most projects have none, and the language would be loaded for nothing.
  if (found.sources.length === 0) return { placed: [], problems, texts, names: new Map() };
  const domains: string[] = [...options.allowedDomains];
  // The list is filled while files are read, and used when the first hook runs.
  let network = createNetwork([]);
  const host = new Host(run, {
    refuse: (url) => network.refuse(url),
    fetch: (request, signal) => network.fetch(request, signal),
  });
  const results: { place: string; result: FileResult }[] = [];
  for (const source of found.sources) {
    const file = show(source.path);
    const result = await readHookFile(source, file, isStrict, host);
    texts.set(file, result.text);
    problems.push(...result.problems);
    for (const { domain, spot } of result.allowedDomains) {
      const message = domainMistake(domain);
      if (message === undefined) domains.push(domain);
      else
        problems.push({
          code: "HARN_E_KEY_TYPE",
          severity: "error",
          message,
          place: { file, ...spot },
          help: "list hosts, without scheme, port or path",
        });
    }
    results.push({ place: source.place, result });
  }
  network = createNetwork(domains);
  const names = new Map<string, Problem["place"]>();
  for (const { result } of results) problems.push(...duplicates(result.hooks, names));
  const placed = results.map(({ place, result }) => ({ place, hooks: result.hooks.map(toInit) }));
  return { placed, problems, texts, names };
}

function duplicates(hooks: readonly MarkdownHook[], names: Map<string, Problem["place"]>): Problem[] {
  return hooks.flatMap(({ name, place }) => {
    const other = names.get(name);
    if (other === undefined) {
      names.set(name, place);
      return [];
    }
    return [nameTaken(name, place, other)];
  });
}

/** Two hooks of one name: nobody could say which of them a message is about, and neither replaces the other. */
export function nameTaken(name: string, place: Problem["place"], other: Problem["place"]): Problem {
  return {
    code: "HARN_E_NAME_DUPLICATE",
    severity: "error",
    message: `another hook is called "${name}" (${other.file}:${other.line}); hooks are never overridden`,
    place,
    help: "give one of them another name",
  };
}

function toInit(hook: MarkdownHook): HookInit {
  const { name, event, script, when, pattern, priority, timeout_ms, on_error, place } = hook;
  const eventName = markdown.names[event as keyof typeof markdown.names]?.[0] ?? event;
  const handler: HookInit["handler"] =
    script === undefined ? () => ALLOW : (view, context) => script.run(eventName, view, context);
  return {
    id: name,
    event,
    handler,
    handlerName: name,
    dialect: markdown,
    source: { layer: "project", file: place.file, line: place.line },
    rank: PROJECT_RANK,
    pattern,
    ...(when === undefined ? {} : { when: when.test as unknown as (view: never) => boolean, whenText: when.text }),
    ...(priority === undefined ? {} : { priority }),
    ...(timeout_ms === undefined ? {} : { timeout_ms }),
    ...(on_error === undefined ? {} : { on_error }),
  };
}

const ALLOW = Object.freeze({ action: "allow" });
