import type { HookInit } from "@hooks/core";
import { createRun, type Metrics, type Run, type Store } from "./markdown/run.js";

/** Who brought a manifest. */
export interface Layer {
  readonly kind: "managed" | "pack" | "project";
  /** What the ids of its hooks start with; the project's start with nothing. */
  readonly name?: string;
  readonly version?: string | undefined;
  /** Hooks of equal priority run by rank: managed ones, those of packs in their order, the project's, those of code. */
  readonly rank: number;
}

export const PROJECT_RANK = 100;
export const PROJECT: Layer = { kind: "project", rank: PROJECT_RANK };

const FIRST_RANK = { managed: -2_000_000, pack: -1_000_000, project: PROJECT_RANK } as const;

/** The layer of a managed manifest, or of a pack it extends. */
export function managedLayer(name: string, version?: string): Layer {
  return { kind: "managed", name, version, rank: 0 };
}

export function packLayer(name: string, version: string | undefined): Layer {
  return { kind: "pack", name, version, rank: 0 };
}

/** Gives layers of one kind their ranks, in their order. */
export function ranked<U extends { readonly layer: Layer }>(units: readonly U[]): U[] {
  return units.map((unit, place) => ({
    ...unit,
    layer: { ...unit.layer, rank: FIRST_RANK[unit.layer.kind] + place },
  }));
}

/** A hook as its layer brings it: named after it, and in its place. */
export function inLayer(hook: HookInit, { kind, name, version, rank }: Layer): HookInit {
  const pack =
    kind === "project" || name === "managed" ? {} : { pack: version === undefined ? name : `${name} ${version}` };
  return {
    ...hook,
    rank,
    binds: kind !== "project",
    source: { ...hook.source, layer: kind, ...pack },
    ...(name === undefined ? {} : { id: `${name}/${hook.id ?? hook.handlerName}` }),
  };
}

const runs = new WeakMap<Run, Map<string, Run>>();

/**
 * What the Markdown hooks of a layer share. A pack's counters and cache are its own: a project that could write to them
 * could talk a pack's gate into anything. The host sees the counters, under the pack's name.
 */
export function runOf({ name }: Layer, shared: Run): Run {
  if (name === undefined) return shared;
  const known = runs.get(shared) ?? new Map<string, Run>();
  runs.set(shared, known);
  const own = known.get(name) ?? separate(name, shared);
  known.set(name, own);
  return own;
}

function separate(name: string, shared: Run): Run {
  const own = createRun();
  const apart = ({ metrics, cache }: Store, logs: Store["logs"]): Store => ({ cache, logs, metrics: shown(metrics) });
  const show = (metric: string) => shared.metrics.set(`${name}/${metric}`, own.metrics.snapshot()[metric] ?? 0);
  const shown = (metrics: Metrics): Metrics => ({
    snapshot: metrics.snapshot,
    incr(metric, by) {
      metrics.incr(metric, by);
      show(metric);
    },
    set(metric, value) {
      metrics.set(metric, value);
      show(metric);
    },
  });
  const stores = new WeakMap<Store, Store>();
  return {
    ...apart(own, shared.logs),
    store(session) {
      const beside = shared.store(session);
      const known = stores.get(beside);
      if (known !== undefined) return known;
      // A session that has begun anew: what is left of one with this id is over with it.
      own.end(session);
      const made = apart(own.store(session), beside.logs);
      stores.set(beside, made);
      return made;
    },
    end: own.end,
  };
}
