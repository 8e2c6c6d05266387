import { isDeepStrictEqual } from "node:util";
import { nearest } from "@hooks/core";
import type { Finding } from "./document.js";
import { checkOptions, type DIRECTIONS, readSchema } from "./options.js";
import type { Binding } from "./rules.js";
import type { Unit } from "./unit.js";
import { waive } from "./waivers.js";

type Direction = (typeof DIRECTIONS)[number];
type Mistake = Omit<Finding, "path">;

/** A hook that somebody else brought. */
export interface Brought {
  readonly id: string;
  readonly unit: Unit;
  /** Where its entry stands; absent for a Markdown hook. */
  readonly index?: number;
}

/**
 * What each manifest does to hooks of those above it: options made stricter, and waivers. Everything else is not its to
 * change, and there is no way to write it.
 */
export async function applyLayers(units: readonly Unit[], today: string): Promise<void> {
  for (const unit of units) {
    const higher = units.filter(({ layer }) => layer.rank < unit.layer.rank);
    const above = higher.flatMap(hooksOf);
    unit.findings.push(...borrowedIds(unit, higher));
    // One that names no hook was reported for its shape.
    for (const [index, entry] of (unit.manifest.tighten ?? []).entries()) {
      if (entry.hook === undefined) continue;
      const found = brought(entry.hook, above, hooksOf(unit));
      if ("code" in found) unit.findings.push({ ...found, path: ["tighten", index, "hook"] });
      else {
        const mistakes = await tighten(found, entry.options ?? {}, index);
        unit.findings.push(...mistakes);
        if (mistakes.length === 0) note(found, `tightened by ${nameOf(unit)}: ${JSON.stringify(entry.options ?? {})}`);
      }
    }
    for (const [index, entry] of (unit.manifest.waivers ?? []).entries()) {
      if (entry.hook === undefined) continue;
      const found = brought(entry.hook, above, hooksOf(unit));
      if ("code" in found) unit.findings.push({ ...found, path: ["waivers", index, "hook"] });
      else {
        const mistakes = waive(found, entry, index, today);
        unit.findings.push(...mistakes);
        const { id, expires, reason } = entry;
        if (mistakes.length === 0) note(found, `waived by ${nameOf(unit)}, ${id} until ${expires}: ${reason}`);
      }
    }
  }
}

/** Writes down at a hook what became of it, for whoever asks why it is as it is. */
function note({ unit, index }: Brought, change: string): void {
  if (index !== undefined) unit.changes.set(index, [...(unit.changes.get(index) ?? []), change]);
}

function nameOf({ layer, document }: Unit): string {
  return layer.name ?? document.file;
}

/** Every hook of a unit under the id the stack has it by. */
export function hooksOf(unit: Unit): Brought[] {
  const { layer, checked, files } = unit;
  const taken = new Map<string, number>();
  // As the stack does it: of hooks with one name, every one but the first is numbered.
  const named = (id: string) => {
    const count = (taken.get(id) ?? 0) + 1;
    taken.set(id, count);
    const own = count === 1 ? id : `${id}#${count}`;
    return layer.name === undefined ? own : `${layer.name}/${own}`;
  };
  const declared = [...checked.bindings, ...checked.commands]
    .sort((a, b) => a.index - b.index)
    .map(({ index, entry }) => ({
      id: named(entry.id ?? entry.handler ?? entry.command?.join(" ") ?? ""),
      unit,
      index,
    }));
  const filed = files.placed.flatMap(({ hooks }) => hooks.map(({ id, handlerName }) => id ?? handlerName));
  return [...declared, ...filed.map((id) => ({ id: named(id), unit }))];
}

/** Ids that would pass for those of a higher layer: on a tape nobody could tell whose word it was. */
function borrowedIds(unit: Unit, higher: readonly Unit[]): Finding[] {
  const names = new Set(higher.flatMap(({ layer }) => (layer.name === undefined ? [] : layer.name)));
  return hooksOf(unit).flatMap(({ id, index }) => {
    const owner = [...names].find((name) => name !== unit.layer.name && id.startsWith(`${name}/`));
    if (owner === undefined || index === undefined || unit.manifest.hooks?.[index]?.id === undefined) return [];
    const message = `ids that begin with "${owner}/" are those of ${owner}`;
    const help = "give it an id of its own";
    return [{ code: "HARN_E_LAYER" as const, path: ["hooks", index, "id"], message, help }];
  });
}

function brought(id: string, above: readonly Brought[], own: readonly Brought[]): Brought | Mistake {
  const found = above.find((hook) => hook.id === id);
  if (found !== undefined) return found;
  if (own.some((hook) => hook.id === id)) {
    return { code: "HARN_E_LAYER", message: `"${id}" is a hook of this manifest`, help: "change the hook itself" };
  }
  const ids = above.map((hook) => hook.id);
  const near = nearest(id, ids);
  return {
    code: "HARN_E_LAYER",
    message: `no pack and nobody above brings a hook "${id}"`,
    hint: near === undefined ? undefined : `did you mean "${near}"?`,
    help: ids.length === 0 ? "extend a pack first" : `hooks from above: ${ids.join(", ")}`,
  };
}

async function tighten({ id, unit, index }: Brought, given: object, place: number): Promise<Finding[]> {
  const bindings = unit.checked.bindings as Binding[];
  const at = bindings.findIndex((binding) => binding.index === index);
  const binding = bindings[at];
  const path = ["tighten", place, "options"];
  const schema = binding === undefined ? {} : await propertiesOf(binding);
  const current = (binding?.options ?? {}) as Record<string, unknown>;
  const next: Record<string, unknown> = { ...current };
  const findings: Finding[] = [];
  for (const [key, value] of Object.entries(given)) {
    const { tunable, default: preset } = Object.hasOwn(schema, key) ? (schema[key] ?? {}) : {};
    const moved =
      tunable === undefined
        ? notTunable(id, key, schema)
        : move(tunable, current[key] ?? preset, value, `${key} of "${id}"`);
    if ("code" in moved) findings.push({ ...moved, path: [...path, key], atKey: tunable === undefined });
    else next[key] = moved.value;
  }
  const { package: found, exportName = "" } = binding?.target ?? {};
  if (findings.length > 0 || binding === undefined || found === undefined) return findings;
  const checked = await checkOptions(next, found, exportName, path);
  if ("findings" in checked) return [...checked.findings];
  bindings[at] = { ...binding, options: checked.options };
  return [];
}

interface Property {
  readonly tunable?: Direction;
  readonly default?: unknown;
}

async function propertiesOf({ target }: Binding): Promise<Readonly<Record<string, Property>>> {
  const read = target.package === undefined ? undefined : await readSchema(target.package, target.exportName);
  if (read === undefined || !("schema" in read)) return {};
  return (read.schema as { properties?: Record<string, Property> } | null)?.properties ?? {};
}

function notTunable(id: string, key: string, schema: Readonly<Record<string, Property>>): Mistake {
  const open = Object.keys(schema).filter((name) => schema[name]?.tunable !== undefined);
  const near = nearest(key, open);
  return {
    code: "HARN_E_LAYER",
    message: `"${key}" of "${id}" is not tunable`,
    hint: near === undefined ? undefined : `did you mean "${near}"?`,
    help: open.length === 0 ? "nothing of this hook is; ask whoever brings it" : `tunable: ${open.join(", ")}`,
  };
}

const STRICTNESS = ["allow", "ask", "block"];

/** The option as it will be, or why that would not be stricter. */
function move(direction: Direction, current: unknown, given: unknown, what: string): { value: unknown } | Mistake {
  const refuse = (message: string, help: string): Mistake => ({ code: "HARN_E_LAYER", message, help });
  const is = `it is ${JSON.stringify(current) ?? "not set"}`;
  if (current === undefined && direction !== "on" && direction !== "off") {
    const help = "ask whoever brings it to give it a default in the options schema";
    return refuse(`${what} is not set and has no default, so nothing tells what would be stricter`, help);
  }
  const list = Array.isArray(current) ? (current as unknown[]) : [];
  switch (direction) {
    case "add":
      if (!Array.isArray(given)) return refuse(`${what} must be a list`, "list what is added to it");
      return { value: [...list, ...given.filter((item) => !list.some((known) => isDeepStrictEqual(known, item)))] };
    case "remove": {
      const isPart =
        Array.isArray(given) && given.every((item) => list.some((known) => isDeepStrictEqual(known, item)));
      return isPart ? { value: given } : refuse(`${what} can only lose entries`, `${is}; list what is left of it`);
    }
    case "lower":
      if (typeof given === "number" && given <= Number(current)) return { value: given };
      return refuse(`${what} can only be lowered`, is);
    case "raise":
      if (typeof given === "number" && typeof current === "number" && given >= current) return { value: given };
      return refuse(`${what} can only be raised`, is);
    case "on":
    case "off":
      return given === (direction === "on")
        ? { value: given }
        : refuse(`${what} can only be switched ${direction}`, is);
    case "stricter": {
      const [from, to] = [STRICTNESS.indexOf(String(current)), STRICTNESS.indexOf(String(given))];
      return to >= from && from !== -1
        ? { value: given }
        : refuse(`${what} can only become stricter`, `${is}; allow < ask < block`);
    }
  }
}
