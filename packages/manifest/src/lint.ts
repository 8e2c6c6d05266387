import { ANY_EVENT, anyEvent, compilePattern, type EventSpec, type HookInit, isGate, specOf } from "@hooks/core";
import { type Finding, type Path, placeFindings } from "./document.js";
import type { Problem } from "./problem.js";
import { parseToml } from "./toml.js";

/** A policy that loads, as it was written. */
export interface Lintable {
  readonly hooks: readonly HookInit[];
  /** What messages call the manifest. */
  readonly file: string;
  readonly text: string;
}

/** What loads and still is probably not meant: hooks that never run, run twice, veto in vain, or have no clear order. */
export async function lintStack({ hooks, file, text }: Lintable): Promise<Problem[]> {
  const value = await parseToml(text);
  const all = inOrder(hooks);
  const own = all.filter(({ source }) => source?.layer === "project" && source.file !== undefined);
  const declared = own.filter((hook) => isDeclared(hook, file));
  // What a pack brings cannot be mended here; that it makes a hook of one's own superfluous can.
  const found = own.map((hook) => ({ hook, findings: lintHook(hook, all.slice(0, all.indexOf(hook)), own) }));
  const inManifest = found.filter(({ hook }) => isDeclared(hook, file)).flatMap(({ findings }) => findings);
  const inFiles = found.filter(({ hook }) => !isDeclared(hook, file));
  return [
    ...(await placeFindings([...unused(value, declared), ...inManifest], { file, text, value })),
    ...inFiles.flatMap(({ hook, findings }) => findings.map((finding) => atHook(finding, hook))),
  ];
}

/** Whether a hook is one of the manifest's own, and not of a file beside it. */
function isDeclared({ source }: HookInit, file: string): boolean {
  return source?.path !== undefined && source.file === file;
}

/** A finding about a hook of a file beside the manifest, at the line where the hook begins. */
function atHook({ code, message, hint, help }: Finding, { source }: HookInit): Problem {
  const place = { file: source?.file ?? "", line: source?.line ?? 1, column: 1, length: 1 };
  return {
    code,
    severity: "warning",
    message,
    place,
    ...(hint === undefined ? {} : { hint }),
    ...(help === undefined ? {} : { help }),
  };
}

function lintHook(hook: HookInit, before: readonly HookInit[], all: readonly HookInit[]): Finding[] {
  return [...deadHook(hook), ...repeated(hook, before), ...vainVeto(hook), ...missingPriority(hook, all)];
}

/** The order of dispatch, so that "earlier" means what it will mean then. */
function inOrder(hooks: readonly HookInit[]): HookInit[] {
  return [...hooks].sort((a, b) => (a.priority ?? 0) - (b.priority ?? 0) || (a.rank ?? 0) - (b.rank ?? 0));
}

function warning(hook: HookInit, key: string, finding: Omit<Finding, "path" | "severity">): Finding {
  return { ...finding, severity: "warning", path: [...(hook.source?.path ?? []), key] };
}

const NEVER = /^\s*(False|None|0|""|''|\[\]|\{\})\s*$/;

function deadHook(hook: HookInit): Finding[] {
  if (hook.threshold !== undefined && hook.threshold > 100) {
    return [
      warning(hook, "event", {
        code: "HARN_W_DEAD",
        message: `a budget is used up at 100 %, so a hook at ${hook.threshold} % never runs`,
        help: 'write a percentage up to 100: event = "OnBudgetThreshold(80)"',
      }),
    ];
  }
  const when = typeof hook.when === "string" ? hook.when : hook.whenText;
  if (when === undefined || !NEVER.test(when)) return [];
  const help = "take the hook out, or write a condition that can hold";
  return [warning(hook, "when", { code: "HARN_W_DEAD", message: `when ${when.trim()} never holds: dead hook`, help })];
}

/** The same handler with the same settings, earlier and for at least as much. */
function repeated(hook: HookInit, before: readonly HookInit[]): Finding[] {
  const same = before.filter((other) => signatureOf(other) === signatureOf(hook));
  const twin = same.find((other) => patternOf(other) === patternOf(hook));
  if (twin !== undefined) {
    return [
      warning(hook, "handler", {
        code: "HARN_W_DUPLICATE",
        message: `${hook.handlerName} is bound to ${hook.event} twice in the same way`,
        hint: `the same as hook "${nameOf(twin)}"`,
        help: "take one of the two out",
      }),
    ];
  }
  const wider = same.find((other) => covers(other, hook));
  if (wider === undefined) return [];
  return [
    warning(hook, "pattern", {
      code: "HARN_W_SHADOWED",
      message: `everything this hook is for has been through ${hook.handlerName} already`,
      hint: `hook "${nameOf(wider)}" runs earlier, for ${JSON.stringify(patternOf(wider))}`,
      help: "take this hook out, or give it other options",
    }),
  ];
}

function signatureOf({ event, handlerName, package: name, source, when, threshold, options }: HookInit): string {
  // Two packs may each have a module of their own that is called the same.
  const home = name ?? [source?.layer, source?.pack];
  return JSON.stringify([event, handlerName, home, when, threshold, options].map((part) => part ?? null));
}

function patternOf({ matches, pattern = matches?.source ?? "*" }: HookInit): string {
  return pattern.trim() === "" ? "*" : pattern.trim();
}

const PLAIN_NAME = /^[\w-]+$/;

function covers(wide: HookInit, narrow: HookInit): boolean {
  if (patternOf(wide) === "*") return true;
  if (wide.matches !== undefined || narrow.matches !== undefined) return false;
  const { subject } = compilePattern(patternOf(wide), wide.event, specFor(wide));
  return subject !== undefined && PLAIN_NAME.test(patternOf(narrow)) && subject(patternOf(narrow));
}

function nameOf({ id, handlerName }: HookInit): string {
  return id ?? handlerName;
}

// What a function would do is not known before it runs; that it speaks of a veto can be read.
const VETO = /\bblock\s*\(|\bask\s*\(|\bblock\s*:\s*true\b|\bdeny\s*:/;

function vainVeto(hook: HookInit): Finding[] {
  if (isGate(specFor(hook)) || !VETO.test(String(hook.handler))) return [];
  return [
    warning(hook, "event", {
      code: "HARN_W_VETO_ADVISORY",
      message: `${hook.handlerName} can veto, and ${hook.event} honours no veto: it would be recorded and have no effect`,
      help: "bind it to a gate (`harn list --events` shows which are), or only remind",
    }),
  ];
}

function specFor({ event }: HookInit): EventSpec {
  return event === ANY_EVENT ? anyEvent : specOf(event);
}

function missingPriority(hook: HookInit, all: readonly HookInit[]): Finding[] {
  const isAlone = all.filter(({ event, observes }) => event === hook.event && observes === hook.observes).length === 1;
  // A settings file has no word for it: its order is the order of the list.
  const isListed = hook.dialect?.name === "settings" && hook.source?.path === undefined;
  if (isAlone || isListed || hook.priority !== undefined) return [];
  const example = hook.dialect?.name === "markdown" ? "priority: 10" : "priority = 10";
  return [
    warning(hook, "priority", {
      code: "HARN_W_PRIORITY_MISSING",
      message: `other hooks answer ${hook.event} too, and this one says no priority: it runs at 0`,
      help: `add ${example} (1-9 audit, 10-19 hard policy, 20-29 soft policy, 30-39 meta, 40 and up shaping)`,
    }),
  ];
}

/** Exports and dependencies no hook of the manifest uses. */
function unused(manifest: Record<string, unknown>, hooks: readonly HookInit[]): Finding[] {
  const modules = hooks.map(({ handlerName }) => handlerName.slice(0, Math.max(0, handlerName.lastIndexOf("::"))));
  const packs = Array.isArray(manifest.extends) ? manifest.extends : [];
  const { name } = (manifest.package ?? {}) as { name?: string };
  const isUsed = (key: string) =>
    packs.includes(key) || modules.some((module) => module === key || module.startsWith(`${key}/`));
  const isOwn = (key: string) => isUsed(key) || (name !== undefined && isUsed(key === "." ? name : `${name}/${key}`));
  const idle = (section: string, key: string, what: string): Finding => {
    const path: Path = [section, key];
    const message = `no hook uses ${what} "${key}"`;
    return { code: "HARN_W_DEAD", severity: "warning", path, atKey: true, message, help: "bind it, or take it out" };
  };
  // What a package exports is for others as much as for its own hooks.
  const exports = name === undefined ? Object.keys(manifest.exports ?? {}) : [];
  return [
    ...exports.filter((key) => !isOwn(key)).map((key) => idle("exports", key, "the export")),
    ...Object.keys(manifest.dependencies ?? {})
      .filter((key) => !isUsed(key))
      .map((key) => idle("dependencies", key, "the package")),
  ];
}
