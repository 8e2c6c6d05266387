import { readFile } from "node:fs/promises";
import { type Harness, type HarnessOptions, type Hook, printable } from "@hooks/core";
import { type Loaded, loadHarness, type ManifestHarness, type Problem, placesOf } from "@hooks/manifest";
import { EXIT, type Exit } from "./exit.js";
import type { Terminal } from "./terminal.js";

export interface PolicyFlags {
  readonly manifest: string | undefined;
  readonly json: boolean;
}

/** Loads the policy of a command. No policy at all is refused: a guard nobody wrote guards nothing. */
export async function loadPolicy(
  manifest: string | undefined,
  { host, talk }: Terminal,
  harness: HarnessOptions = {},
): Promise<Loaded> {
  const warn: NonNullable<HarnessOptions["ports"]>["warn"] = ({ event, hook, message }) =>
    talk(printable(`warning: ${event} hook "${hook}": ${message}`));
  const options: HarnessOptions = { ...harness, ports: { warn, ...harness.ports } };
  const loaded = await loadHarness({
    cwd: host.cwd,
    harness: options,
    ...(manifest === undefined ? {} : { manifest }),
  });
  const isNone = loaded.ok && loaded.harness.manifest === null && loaded.harness.hooks.length === 0;
  // Asked for by name, the manifest that is not there is an error, and its harness blocks every gate.
  return isNone ? loadHarness({ cwd: host.cwd, harness: options, manifest: "harn.toml" }) : loaded;
}

/** The policy of a command that can do nothing without one; tells what is wrong with a broken one. */
export async function requirePolicy(
  { manifest, json }: PolicyFlags,
  terminal: Terminal,
  options?: HarnessOptions,
): Promise<ManifestHarness | Exit> {
  const loaded = await loadPolicy(manifest, terminal, options);
  if (loaded.ok) return loaded.harness;
  terminal.talk(loaded.message);
  if (json) terminal.json({ ok: false, problems: loaded.problems satisfies readonly Problem[] });
  return EXIT.data;
}

/** Where each hook stands: `harn.toml:12`, or the file alone where it is one hook. */
export async function sourcesOf(harness: Harness & { readonly manifest: string | null }): Promise<Map<Hook, Source>> {
  const { manifest, hooks } = harness;
  const located = hooks.filter(({ source }) => source.path !== undefined);
  const text = manifest === null || located.length === 0 ? "" : await readFile(manifest, "utf8");
  const locate = await placesOf({ file: "", text: text.replaceAll("\r\n", "\n").replace(/^\uFEFF/, "") });
  return new Map(
    hooks.map((hook): [Hook, Source] => {
      const { layer, file, path } = hook.source;
      if (file === undefined) return [hook, { layer, file: null, line: null }];
      return [hook, { layer, file, line: path === undefined ? 1 : locate(path).line }];
    }),
  );
}

export interface Source {
  readonly layer: string;
  readonly file: string | null;
  readonly line: number | null;
}
