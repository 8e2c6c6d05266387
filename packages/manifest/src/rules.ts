import {
  ANY_EVENT,
  anyEvent,
  type CatalogueName,
  callback,
  catalogueNames,
  compilePattern,
  type Dialect,
  type EventName,
  HarnError,
  harn,
  isGate,
  markdown,
  nearest,
  rowOf,
  settings,
  specOf,
  typeName,
} from "@hooks/core";
import type { Finding, Path } from "./document.js";
import { domainMistake } from "./markdown/http.js";
import { compileWhen } from "./markdown/script.js";
import { checkOptions } from "./options.js";
import { checkCommand, variableMistakes, withoutEffect } from "./process/check.js";
import type { Command } from "./process/command.js";
import type { HookEntry, Manifest } from "./schema.js";
import { checkExport, type Home, resolveTarget, type Target, type Unresolved } from "./target.js";
import { checkApi, checkVersions } from "./versions.js";

/** A hook of the manifest that has been checked and found: everything but its code. */
export interface Binding {
  readonly index: number;
  readonly entry: HookEntry;
  readonly event: EventName | typeof ANY_EVENT;
  readonly threshold: number | undefined;
  readonly observes: boolean;
  readonly target: Target;
  readonly options: unknown;
  readonly isolation: "inline" | "worker";
}

/** A hook of the manifest that runs a program. */
export interface CommandBinding extends Omit<Binding, "target" | "options" | "isolation"> {
  readonly command: Command;
}

/** What was found so far; thousands of hooks may have thousands of mistakes. */
class Findings {
  readonly all: Finding[] = [];
  errors = 0;
  private readonly messages = new Set<string>();
  private readonly dependencies = new Set<unknown>();

  push(...findings: readonly Finding[]): void {
    for (const finding of findings) {
      this.all.push(finding);
      this.messages.add(finding.message);
      if (finding.severity !== "warning") this.errors++;
      if (finding.path[0] === "dependencies") this.dependencies.add(finding.path[1]);
    }
  }

  /** Whether the reason a handler cannot be found is told already, in [exports] or [dependencies]. */
  tells({ message, missing }: Unresolved): boolean {
    return this.messages.has(message) || (missing !== undefined && this.dependencies.has(missing));
  }
}

export interface Checked {
  readonly findings: readonly Finding[];
  readonly bindings: readonly Binding[];
  readonly commands: readonly CommandBinding[];
}

/** Holds a manifest of the right shape against the world: events, patterns, packages, versions, options. Runs nothing. */
export async function checkManifest(home: Home): Promise<Checked> {
  const { manifest } = home;
  const findings = new Findings();
  findings.push(...networkMistakes(manifest), ...(await checkVersions(home)));
  findings.push(...variableMistakes(manifest.policy?.env, ["policy", "env"]));
  for (const [key, path] of Object.entries(manifest.exports ?? {})) {
    const checked = await checkExport(key, path, home);
    if (typeof checked !== "string") findings.push({ ...checked, path: ["exports", key] });
  }
  const bindings: Binding[] = [];
  const commands: CommandBinding[] = [];
  const hooks = manifest.hooks ?? [];
  for (const [index, entry] of hooks.entries()) {
    if (home.isSpoilt(["hooks", index])) continue;
    const binding = await checkHook(index, entry, home, findings);
    if (binding === undefined) continue;
    if ("command" in binding) commands.push(binding);
    else bindings.push(binding);
  }
  findings.push(...duplicateIds(hooks));
  return { findings: findings.all, bindings, commands };
}

async function checkHook(
  index: number,
  entry: HookEntry,
  home: Home,
  findings: Findings,
): Promise<Binding | CommandBinding | undefined> {
  const at = (...rest: Path): Path => ["hooks", index, ...rest];
  const before = findings.errors;
  findings.push(...whenMistakes(entry, at), ...optionValues(entry.options, at("options")));
  const target = entry.handler === undefined ? undefined : await resolveTarget(entry.handler, home);
  const observes = doesObserve(entry, target);
  const subscription = entry.event === undefined ? undefined : resolveEvent(entry.event, observes);
  if (subscription !== undefined && "code" in subscription) findings.push({ ...subscription, path: at("event") });
  else if (subscription !== undefined) findings.push(...checkEvent(entry, subscription.event, observes, at));
  const event = subscription !== undefined && "event" in subscription ? subscription : undefined;
  if (target === undefined) {
    if (home.isSpoilt(at("handler")) || home.isSpoilt(at("command"))) return undefined;
    const command = checkCommand(entry, home, at);
    findings.push(...command.findings);
    if (command.command === undefined || event === undefined || findings.errors > before) return undefined;
    return { index, entry, event: event.event, threshold: event.threshold, observes, command: command.command };
  }
  if (entry.command !== undefined) {
    findings.push({
      code: "HARN_E_KEY_TYPE",
      path: at("command"),
      atKey: true,
      message: "a hook has a handler or a command, not both",
      help: "make two hooks of it",
    });
  }
  if ("code" in target) {
    if (!findings.tells(target)) findings.push({ ...target, path: at("handler") });
    return undefined;
  }
  if (entry.env !== undefined) findings.push(withoutEffect(at("env"), "a handler runs in no environment of its own"));
  const options = await checkPackage(entry, target, event?.event, at, findings);
  if (event === undefined || findings.errors > before) return undefined;
  const isolation = entry.isolation ?? home.manifest.policy?.isolation ?? "inline";
  return { index, entry, event: event.event, threshold: event.threshold, observes, target, options, isolation };
}

/** What a package says of its hook counts; only where nobody describes a handler, the manifest does. */
function doesObserve(entry: HookEntry, target: Target | Unresolved | undefined): boolean {
  if (target === undefined || "code" in target) return entry.observes ?? false;
  const hooks = target.package?.description?.hooks;
  if (hooks === undefined || !Object.hasOwn(hooks, target.exportName)) return entry.observes ?? false;
  return hooks[target.exportName]?.observes ?? false;
}

/** What a package says of the hook it is asked for. Returns the options its handler will get. */
async function checkPackage(
  entry: HookEntry,
  { package: found, exportName }: Target,
  event: Binding["event"] | undefined,
  at: (...rest: Path) => Path,
  findings: Findings,
): Promise<unknown> {
  if (found === undefined) return entry.options;
  const api = checkApi(found);
  if (api !== undefined) findings.push({ ...api, path: at("handler") });
  const hooks = found.description?.hooks;
  if (hooks === undefined) return entry.options;
  const hook = Object.hasOwn(hooks, exportName) ? hooks[exportName] : undefined;
  if (hook === undefined) {
    const near = nearest(exportName, Object.keys(hooks));
    findings.push({
      code: "HARN_E_EXPORT_MISSING",
      path: at("handler"),
      message: `${found.name} ${found.version ?? ""} offers no hook "${exportName}"`,
      hint: near === undefined ? undefined : `did you mean "${near}"?`,
      help: `it offers ${Object.keys(hooks).join(", ") || "none"}`,
    });
    return undefined;
  }
  if (entry.observes !== undefined && entry.observes !== (hook.observes ?? false)) {
    findings.push({
      code: "HARN_E_KEY_TYPE",
      path: at("observes"),
      message: `${found.name}::${exportName} ${hook.observes === true ? "is an observer" : "is no observer: it decides"}`,
      help: "take observes out: the package says what its hook is",
    });
  }
  if (event !== undefined && !hook.events.some((served) => serves(served, event))) {
    findings.push({
      code: "HARN_E_EVENT_NOT_SERVED",
      path: at("event"),
      message: `${found.name}::${exportName} does not serve ${event}`,
      help: `it serves ${hook.events.join(", ")}`,
    });
  }
  const options = await checkOptions(entry.options, found, exportName, at("options"));
  if ("options" in options) return options.options;
  findings.push(...options.findings);
  return undefined;
}

function serves(served: string, event: Binding["event"]): boolean {
  return served === event || served === ANY_EVENT || (served.endsWith(".*") && event.startsWith(served.slice(0, -1)));
}

function checkEvent(
  entry: HookEntry,
  event: Binding["event"],
  observes: boolean,
  at: (...rest: Path) => Path,
): Finding[] {
  const spec = event === ANY_EVENT ? anyEvent : specOf(event);
  const findings: Finding[] = [];
  if (entry.pattern !== undefined) {
    try {
      compilePattern(entry.pattern, event, spec);
    } catch (error) {
      if (!(error instanceof HarnError)) throw error;
      findings.push({ code: "HARN_E_PATTERN", path: at("pattern"), message: error.message, help: error.help });
    }
  }
  if (entry.on_error === "block" && (observes || !isGate(spec))) {
    findings.push({
      code: "HARN_W_NO_EFFECT",
      severity: "warning",
      path: at("on_error"),
      message: observes
        ? "an observer is told the outcome when it stands: a fault of it cannot block anything"
        : `${event} is advisory: a fault cannot block anything there`,
      help: 'use "allow" or "raise"',
    });
  }
  return findings;
}

type Mistake = Omit<Finding, "path">;

/** A manifest takes the canonical spelling only, so that one event has one name in every manifest there is. */
function resolveEvent(name: string, observes: boolean): { event: Binding["event"]; threshold?: number } | Mistake {
  if (name === ANY_EVENT) {
    if (observes) return { event: ANY_EVENT };
    return {
      code: "HARN_E_EVENT_UNKNOWN",
      message: 'event = "*" is for observers: no verdict fits every event',
      help: "name one event, or write observes = true for a handler that only looks",
    };
  }
  const resolved = harn.resolve(name);
  if (resolved !== undefined && (resolved.event === name || resolved.threshold !== undefined)) return resolved;
  const unknown = { code: "HARN_E_EVENT_UNKNOWN", message: `unknown event "${name}"` } as const;
  if (/^(custom|meta)(\.|$)/i.test(name)) return { ...unknown, ...memberOfFamily(name) };
  const meant = resolved?.event ?? canonicalOf(name);
  if (meant !== undefined) {
    const hint = `did you mean ${nameEverywhere(meant)}?`;
    return {
      ...unknown,
      hint,
      help: `write event = "${meant}${meant === THRESHOLD && name.includes("(") ? "(80)" : ""}"`,
    };
  }
  const several = name.split(/[^\w.]+/).flatMap((part) => (rowOf(part) === undefined ? [] : [part]));
  if (several.length < 2) return { ...unknown, help: `events: ${catalogueNames.join(", ")}` };
  return { ...unknown, help: `make a hook for each: ${several.map((event) => `event = "${event}"`).join(", ")}` };
}

const THRESHOLD: CatalogueName = "OnBudgetThreshold";

/** What a name of `custom.` or `meta.` may be made of, and this one made of it. */
function memberOfFamily(name: string): Pick<Finding, "hint" | "help"> {
  const [family = "", ...rest] = name.toLowerCase().split(".");
  const member = rest.join("_").replace(/[^a-z0-9_]+/g, "_");
  if (/^_*$/.test(member)) return { help: `name one event of the family: event = "${family}.deploy"` };
  return {
    hint: `did you mean "${family}.${member}"?`,
    help: `write event = "${family}.${member}": a-z, 0-9 and _ after the dot`,
  };
}

const DIALECTS: readonly [Dialect, string][] = [
  [harn, "session hooks"],
  [markdown, "Markdown hooks"],
  [settings, "settings files"],
  [callback, "callbacks"],
];

function canonicalOf(name: string): EventName | undefined {
  const names = new Map<string, EventName>();
  for (const [dialect] of DIALECTS) {
    for (const [row, aliases] of Object.entries(dialect.names)) {
      for (const alias of aliases) if (!row.endsWith(".*") && !names.has(alias)) names.set(alias, row as EventName);
    }
  }
  const near = names.has(name) ? name : nearest(name, names.keys());
  return near === undefined ? undefined : names.get(near);
}

function nameEverywhere(event: EventName): string {
  const others = DIALECTS.flatMap(([dialect, where]) => {
    const alias = dialect.names[event as CatalogueName]?.find((name) => name !== event);
    return alias === undefined ? [] : [`"${alias}" in ${where}`];
  });
  return others.length === 0 ? `"${event}"` : `"${event}" (${others.join(", ")})`;
}

function duplicateIds(hooks: readonly HookEntry[]): Finding[] {
  const seen = new Set<string>();
  return hooks.flatMap(({ id }, index) => {
    if (id === undefined || !seen.has(id)) {
      if (id !== undefined) seen.add(id);
      return [];
    }
    return [
      {
        code: "HARN_E_ID_DUPLICATE",
        path: ["hooks", index, "id"],
        message: `another hook has the id "${id}"`,
        help: "give this one another id, or leave it out",
      } as const,
    ];
  });
}

/** Options cross borders as JSON, so they hold nothing else. */
function optionValues(value: unknown, path: Path): Finding[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => optionValues(item, [...path, index]));
  if (typeof value === "object" && value !== null && !(value instanceof Date)) {
    return Object.entries(value).flatMap(([key, item]) => optionValues(item, [...path, key]));
  }
  const isJson = value === undefined || ["string", "boolean"].includes(typeof value) || Number.isFinite(value);
  return isJson
    ? []
    : [
        {
          code: "HARN_E_KEY_TYPE",
          path,
          message: `options cannot hold ${typeof value === "object" ? typeName(value) : String(value)}`,
          help: `write it as a text${typeof value === "object" ? ', as in "2027-01-31"' : ""}`,
        },
      ];
}

function whenMistakes({ when }: HookEntry, at: (...rest: Path) => Path): Finding[] {
  const compiled = when === undefined ? undefined : compileWhen(when);
  if (compiled === undefined || typeof compiled === "function") return [];
  const help = "when sees payload, event and the built-ins of the language";
  return [{ code: "HARN_E_STARLARK", path: at("when"), message: `when: ${compiled.message}`, help }];
}

function networkMistakes({ network }: Manifest): Finding[] {
  return (network?.allowed_domains ?? []).flatMap((domain, index) => {
    const message = typeof domain === "string" ? domainMistake(domain) : undefined;
    if (message === undefined) return [];
    const path = ["network", "allowed_domains", index];
    return [{ code: "HARN_E_KEY_TYPE" as const, path, message, help: "list hosts, without scheme, port or path" }];
  });
}
