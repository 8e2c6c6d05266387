import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { type Harness, type HarnessOptions, type Hook, printable } from "@hooks/core";
import {
  type Loaded,
  type LoadOptions,
  type LoadResult,
  type Locate,
  loadHarness,
  loadStack,
  type ManifestHarness,
  type Problem,
  placesOf,
} from "@hooks/manifest";
import { now } from "./clock.js";
import { EXIT, type Exit } from "./exit.js";
import type { Host, Terminal } from "./terminal.js";
import { hashCacheOf, isTrusted, trustedBy } from "./trust.js";

/** Reads a policy for those who look at it and fire nothing. No policy at all is reported as one that is missing. */
export async function inspectPolicy(
  { cwd, env }: Pick<Host, "cwd" | "env">,
  manifest: string | undefined,
): Promise<LoadResult> {
  const named = manifest === undefined ? {} : { manifest };
  // What a person trusted is loaded, because only code itself tells whether it loads; anything else is read.
  const trusted = await isTrusted({ cwd, env }, manifest);
  const options = { cwd, inspect: !trusted, frozen: isFrozen(env), hash_cache: hashCacheOf({ cwd, env }) };
  const found = await loadStack({ ...options, ...named });
  if (!found.ok || found.stack.manifest !== null || found.stack.hooks.length > 0) return found;
  const missing = await loadStack({ ...options, manifest: "harn.toml" });
  if (missing.ok) return missing;
  // Why files that are there brought no hook is what explains it.
  const problems = [...missing.problems, ...found.stack.warnings];
  return { ...missing, problems, text: found.text };
}

/** Whether what is not locked is refused: for CI. */
function isFrozen({ HARN_FROZEN: frozen = "" }: Host["env"]): boolean {
  return frozen !== "" && frozen !== "0";
}

export interface PolicyFlags {
  readonly manifest: string | undefined;
  readonly json: boolean;
}

/** Loads the policy of a command. No policy at all is refused: a guard nobody wrote guards nothing. */
export async function loadPolicy(
  manifest: string | undefined,
  { host, talk, paintTalk }: Terminal,
  harness: HarnessOptions = {},
  access: Pick<LoadOptions, "inspect" | "trust"> = { trust: trustedBy(host.env) },
): Promise<Loaded> {
  const warn: NonNullable<HarnessOptions["ports"]>["warn"] = ({ event, hook, message }) =>
    talk(printable(`warning: ${event} hook "${hook}": ${message}`));
  const options: HarnessOptions = { ...harness, ports: { warn, now, ...harness.ports } };
  const loaded = await loadHarness({
    cwd: host.cwd,
    harness: options,
    frozen: isFrozen(host.env),
    hash_cache: hashCacheOf(host),
    ...access,
    ...(manifest === undefined ? {} : { manifest }),
  });
  const isNone = loaded.ok && loaded.harness.manifest === null && loaded.harness.hooks.length === 0;
  // Asked for by name, the manifest that is not there is an error, and its harness blocks every gate.
  if (isNone) return loadHarness({ cwd: host.cwd, harness: options, ...access, manifest: "harn.toml" });
  // A hook that loads and does nothing is worse than one that does not load: whoever relies on it hears of it every time.
  if (loaded.ok) for (const warning of loaded.warnings) talk(paintTalk("yellow", lineOf(warning)));
  return loaded;
}

function lineOf({ code, message, place }: Problem): string {
  return `warning[${code}]: ${message} (${place.file}:${place.line}:${place.column})`;
}

/** The policy of a command that can do nothing without one; tells what is wrong with a broken one. */
export async function requirePolicy(
  { manifest, json }: PolicyFlags,
  terminal: Terminal,
  options?: HarnessOptions,
  access?: Pick<LoadOptions, "inspect" | "trust">,
): Promise<ManifestHarness | Exit> {
  const loaded = await loadPolicy(manifest, terminal, options, access);
  if (loaded.ok) return loaded.harness;
  terminal.talk(loaded.message);
  if (json) terminal.json({ ok: false, problems: loaded.problems satisfies readonly Problem[] });
  return exitFor(loaded.problems);
}

/** What a policy that does not load ends a command with. */
export function exitFor(problems: readonly Problem[]): Exit {
  return problems.some(({ code }) => REFUSALS.includes(code)) ? EXIT.untrusted : EXIT.data;
}

const REFUSALS: readonly string[] = ["HARN_E_UNTRUSTED", "HARN_E_LOCK", "HARN_E_REGISTRY", "HARN_E_PROVENANCE"];

/** Where each hook stands: `harn.toml:12`, or the file alone where it is one hook. */
export async function sourcesOf({ hooks }: Pick<Harness, "hooks">, { host }: Terminal): Promise<Map<Hook, Source>> {
  const files = new Set(hooks.flatMap(({ source: { file, path } }) => (path === undefined ? [] : (file ?? []))));
  const located = new Map<string, Locate>();
  for (const file of files) located.set(file, await locateIn(resolve(host.cwd, file)));
  return new Map(
    hooks.map((hook): [Hook, Source] => {
      const { layer, pack = null, file, path, line = 1 } = hook.source;
      if (file === undefined) return [hook, { layer, pack, file: null, line: null }];
      return [hook, { layer, pack, file, line: path === undefined ? line : (located.get(file)?.(path).line ?? null) }];
    }),
  );
}

async function locateIn(path: string): Promise<Locate> {
  const text = readFileSync(path, "utf8");
  return placesOf({ file: "", text: text.replaceAll("\r\n", "\n").replace(/^\uFEFF/, "") });
}

export interface Source {
  readonly layer: string;
  readonly pack: string | null;
  readonly file: string | null;
  readonly line: number | null;
}
