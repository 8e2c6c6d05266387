import { lstatSync } from "node:fs";
import { resolve } from "node:path";
import type { HookInit } from "@hooks/core";
import { digestOf } from "./digest.js";
import { stat } from "./disk.js";
import { HashCache } from "./hash-cache.js";
import { readLayers, shownFrom } from "./layers.js";
import { LOAD_TIMEOUT_MS } from "./load-deadline.js";
import { createRun, type Run } from "./markdown/run.js";
import { Modules } from "./modules.js";
import type { Problem, Texts } from "./problem.js";
import { checkSupplyRules } from "./registries.js";
import { checkLock, lockPath, resurvey, survey } from "./survey.js";
import { applyLayers } from "./tighten.js";
import { bindUnit, isBroken, problemsOf, type Unit } from "./unit.js";
import { dayOf } from "./waivers.js";

export interface FindOptions {
  /** Where to look for a manifest from; the working directory when absent. */
  readonly cwd?: string;
  /** The manifest itself, instead of looking for one. */
  readonly manifest?: string;
  /** Manifests of whoever manages the machine, instead of the machine-wide one and the one HARN_MANAGED names. */
  readonly managed?: readonly string[];
  /** How long a module may take to load; ten seconds when absent. */
  readonly load_timeout_ms?: number;
  /** Refuses a project whose packages are not locked, and a lock that holds more than it needs: for CI. */
  readonly frozen?: boolean;
  /** Runs nothing: modules are read and not loaded, and the hooks are there to be looked at. */
  readonly inspect?: boolean;
  /**
   * Whether a project's content may run, by its digest. Without it the host says so by loading it: whoever embeds a
   * harness chose the project. See `TrustStore` for one that remembers what a person trusted.
   */
  readonly trust?: (digest: string) => boolean;
  /**
   * A private file, outside of the project, that remembers the hashes of files of packages for as long as they stay as
   * they are. Every load hashes all of them without it.
   */
  readonly hash_cache?: string;
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
  const layers = await readLayers(cwd, options, { show: (part) => shownFrom(cwd, part), run });
  const { manifest, units, unreadable } = layers;
  await applyLayers(units, dayOf(Date.now()));
  checkSupplyRules(units);
  const own = units.flatMap(({ document, files }) => [...files.texts, [document.file, document.text] as const]);
  const text = new Map([...own, ...layers.texts]);
  const isWatched = options.trust !== undefined || options.frozen === true || isLocked(manifest) || hasRules(units);
  const found = isWatched ? await survey(units, cwd, manifest, new HashCache(options.hash_cache)) : null;
  const locked = found === null ? [] : checkLock(found, options.frozen === true);
  const isRefused = unreadable.length + locked.length > 0 || units.some(isBroken);
  const content = options.trust === undefined ? null : (found?.content ?? null);
  // What is not there, or is managed, needs nobody's trust.
  const isNothing = content === null || content.files.size + content.packages.length === 0;
  const isTrusted = isNothing || options.trust?.(content.digest) === true;
  const timeout = options.load_timeout_ms ?? LOAD_TIMEOUT_MS;
  const isRead = options.inspect === true || !isTrusted;
  const modules = isRead ? null : units.map(({ root }) => new Modules(root, isFresh, timeout));
  const close = () => {
    for (const each of modules ?? []) each.close();
  };
  const hooks: HookInit[] = [];
  for (const [place, unit] of units.entries()) {
    hooks.push(...(await bindUnit(unit, modules?.[place] ?? null, isRefused)));
  }
  // The project's own mistakes come first: they are the ones that can be repaired here.
  const mistakes = await Promise.all([...units].reverse().map(problemsOf));
  // What changed between the first look and the loading is found by a second one.
  const since = found === null || isRefused || modules === null ? null : await resurvey(found, units, cwd, manifest);
  const refused = since === null ? locked : since.problems;
  const problems = [...mistakes.flat(), ...unreadable, ...refused, ...layers.ignored];
  const isChanged = content !== null && since?.isChanged === true;
  if (content !== null && !isRefused && ((!isTrusted && options.inspect !== true) || isChanged)) {
    problems.push(untrusted(content.digest, units.at(-1)?.document.file ?? ".", isChanged));
    close();
    return { ok: false, manifest: manifest ?? cwd, problems, text };
  }
  if (isRefused || refused.length > 0 || units.some(isBroken)) {
    close();
    return { ok: false, manifest: manifest ?? units.at(-1)?.path ?? cwd, problems, text };
  }
  const digest = digestOf([...text.values()].join("\0"), hooks);
  const strict = units.some((unit) => unit.manifest.policy?.strict === true);
  return { ok: true, text, stack: { manifest, strict, hooks, digest, warnings: problems, run, close } };
}

function untrusted(digest: string, file: string, isChanged: boolean): Problem {
  return {
    code: "HARN_E_UNTRUSTED",
    severity: "error",
    message: isChanged ? "this policy changed while it was loaded" : "this policy is not trusted on this machine",
    place: { file, line: 1, column: 1, length: 1 },
    help: `look at it, then run harn trust; without a person, set HARN_TRUST=${digest}`,
  };
}

/** Whether somebody says where packages must come from. */
function hasRules(units: readonly Unit[]): boolean {
  return units.some(
    ({ manifest: { policy } }) => policy?.registries !== undefined || policy?.require_provenance !== undefined,
  );
}

/** Whether there is a lock, or something in its place that is none. */
function isLocked(manifest: string | null): boolean {
  return manifest !== null && lstatSync(lockPath(manifest), { throwIfNoEntry: false }) !== undefined;
}
