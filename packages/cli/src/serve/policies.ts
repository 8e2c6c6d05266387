import { resolve } from "node:path";
import { type Harness, messageOf, type TapeSink } from "@hooks/core";
import { findManifest, type Loaded, type Problem } from "@hooks/manifest";
import { now } from "../clock.js";
import { loadPolicy } from "../policy.js";
import type { Terminal } from "../terminal.js";
import { fingerprint, pathsOf } from "./fingerprint.js";

/** How often a policy's files are looked at: this is how long an old policy may still answer. */
const LOOK_MS = 200;
const MOST_POLICIES = 32;

interface Kept {
  loaded: Loaded;
  /** What it is made of. */
  paths: readonly string[];
  print: string;
  looked: number;
  /** What is wrong since the files changed; while it is, gates block, as they would without a server. */
  broken: string | undefined;
  /** Nobody trusted it yet, or it could not be read at all: that may change although its files do not. */
  isUntrusted: boolean;
  /** It is being loaded again, and whoever asks meanwhile waits for that. */
  refreshing: Promise<void> | undefined;
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
    const path = resolve(project, manifest ?? (await findManifest(project)) ?? "harn.toml");
    const known = this.kept.get(path);
    if (known !== undefined) {
      // The one that was asked last is the last to go.
      this.kept.delete(path);
      this.kept.set(path, known);
    }
    const kept = await (known ?? this.load(path, project));
    if (kept.refreshing === undefined && now() - kept.looked > LOOK_MS) this.look(path, project, kept);
    await kept.refreshing;
    return kept.broken ?? kept.loaded.harness;
  }

  digestOf(harness: Harness): string | null {
    return "digest" in harness ? (harness.digest as string) : null;
  }

  close(): void {
    for (const kept of this.kept.values()) letGo(kept);
  }

  private load(path: string, project: string): Promise<Kept> {
    if (this.kept.size >= MOST_POLICIES) {
      const [[oldest, kept] = []] = this.kept;
      if (oldest !== undefined) this.kept.delete(oldest);
      if (kept !== undefined) letGo(kept);
    }
    const loading = this.make(path, project);
    this.kept.set(path, loading);
    loading.catch(() => this.kept.delete(path));
    return loading;
  }

  private async make(path: string, project: string): Promise<Kept> {
    const paths = await pathsOf(path, project);
    const print = fingerprint(paths);
    const loaded = await loadPolicy(
      path,
      { ...this.terminal, host: { ...this.terminal.host, cwd: project } },
      this.tape === null ? {} : { tape: this.tape },
    );
    return {
      loaded,
      paths,
      print,
      looked: now(),
      broken: undefined,
      refreshing: undefined,
      isUntrusted: !loaded.ok && isUntrusted(loaded.problems),
    };
  }

  /** Looks at the files, and loads again what changed. */
  private look(path: string, project: string, kept: Kept): void {
    kept.looked = now();
    if (fingerprint(kept.paths) === kept.print && !kept.isUntrusted) return;
    kept.refreshing = this.refresh(path, project, kept)
      .catch((error: unknown) => {
        kept.broken = `the policy did not load: ${messageOf(error)}`;
        kept.isUntrusted = true;
      })
      .finally(() => {
        kept.refreshing = undefined;
      });
  }

  private async refresh(path: string, project: string, kept: Kept): Promise<void> {
    if (kept.loaded.ok) {
      kept.paths = await pathsOf(path, project);
      kept.print = fingerprint(kept.paths);
    } else {
      const { refreshing } = kept;
      Object.assign(kept, await this.make(path, project), { refreshing });
    }
    if (!kept.loaded.ok) return;
    // Modules that a broken load has read are in the cache of this process: only a reload reads them anew.
    const result = await kept.loaded.harness.reload();
    kept.isUntrusted = !result.ok && isUntrusted(result.problems);
    kept.broken = result.ok ? undefined : `the policy did not load: ${result.problems[0]?.message ?? result.message}`;
  }
}

function letGo(kept: Promise<Kept>): void {
  kept.then(({ loaded }) => loaded.ok && loaded.harness.close()).catch(() => {});
}
