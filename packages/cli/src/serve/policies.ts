import { dirname, resolve } from "node:path";
import type { Harness, TapeSink } from "@hooks/core";
import { findManifest, type Loaded, type Problem } from "@hooks/manifest";
import { loadPolicy } from "../policy.js";
import type { Terminal } from "../terminal.js";
import { fingerprint } from "./fingerprint.js";

/** How often a policy's files are looked at: this is how long an old policy may still answer. */
const LOOK_MS = 200;
const MOST_POLICIES = 32;

interface Kept {
  loaded: Loaded;
  print: string;
  looked: number;
  /** What is wrong since the files changed; while it is, gates block, as they would without a server. */
  broken: string | undefined;
  /** Nobody trusted it yet: that may change although its files do not. */
  isUntrusted: boolean;
}

function isUntrusted(problems: readonly Problem[]): boolean {
  return problems.some(({ code }) => code === "HARN_E_UNTRUSTED");
}

/** The policies a server has loaded, each kept warm and loaded again when its files change. */
export class Policies {
  private readonly kept = new Map<string, Promise<Kept>>();

  constructor(
    private readonly terminal: Terminal,
    private readonly tape: TapeSink | null,
  ) {}

  get size(): number {
    return this.kept.size;
  }

  /** The stack of a project; a text when it cannot be asked. */
  async of(project: string, manifest: string | undefined): Promise<Harness | string> {
    const path = manifest ?? (await findManifest(project)) ?? resolve(project, "harn.toml");
    const kept = await (this.kept.get(path) ?? this.load(path, project));
    if (performance.now() - kept.looked > LOOK_MS) await this.refresh(path, project, kept);
    return kept.broken ?? kept.loaded.harness;
  }

  digestOf(harness: Harness): string | null {
    return "digest" in harness ? (harness.digest as string) : null;
  }

  close(): void {
    for (const kept of this.kept.values()) void kept.then(({ loaded }) => loaded.ok && loaded.harness.close());
  }

  private load(path: string, project: string): Promise<Kept> {
    if (this.kept.size >= MOST_POLICIES) {
      const [oldest] = this.kept.keys();
      if (oldest !== undefined) this.kept.delete(oldest);
    }
    const loading = (async (): Promise<Kept> => {
      const print = fingerprint(dirname(path));
      const loaded = await loadPolicy(
        path,
        { ...this.terminal, host: { ...this.terminal.host, cwd: project } },
        this.tape === null ? {} : { tape: this.tape },
      );
      return {
        loaded,
        print,
        looked: performance.now(),
        broken: undefined,
        isUntrusted: !loaded.ok && isUntrusted(loaded.problems),
      };
    })();
    this.kept.set(path, loading);
    loading.catch(() => this.kept.delete(path));
    return loading;
  }

  private async refresh(path: string, project: string, kept: Kept): Promise<void> {
    kept.looked = performance.now();
    const print = fingerprint(dirname(path));
    if (print === kept.print && !kept.isUntrusted) return;
    kept.print = print;
    if (kept.loaded.ok) {
      const result = await kept.loaded.harness.reload();
      kept.isUntrusted = !result.ok && isUntrusted(result.problems);
      kept.broken = result.ok ? undefined : `the policy did not load: ${result.problems[0]?.message ?? result.message}`;
      return;
    }
    const { loaded } = await this.load(path, project);
    // Modules a broken load has read are in the cache of this process: only a reload reads them anew.
    if (loaded.ok) await loaded.harness.reload();
    kept.loaded = loaded;
    kept.isUntrusted = !loaded.ok && isUntrusted(loaded.problems);
  }
}
