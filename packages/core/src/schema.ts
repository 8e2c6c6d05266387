import type { EventSpec } from "./events.js";
import { has } from "./json.js";

interface Definition {
  readonly type: string;
  readonly entries?: Readonly<Record<string, string>>;
  readonly shape?: Readonly<Record<string, Schema>>;
  readonly innerType?: Schema;
}

interface Schema {
  readonly _zod: { readonly def: Definition };
}

/**
 * The keys the payload of an event can have at a path: "any" where the schema leaves it open, and undefined where the
 * path does not lead anywhere.
 */
export function keysAt(spec: EventSpec, path: readonly string[]): readonly string[] | "any" | undefined {
  const definition = definitionAt(spec, path);
  return definition?.type === "custom" ? "any" : definition && Object.keys(definition.shape ?? {});
}

/** The texts a value at a path can be, where the schema lists them. */
export function valuesAt(spec: EventSpec, path: readonly string[]): readonly string[] | undefined {
  const definition = definitionAt(spec, path);
  if (definition?.type === "boolean") return ["true", "false"];
  return definition?.entries && Object.values(definition.entries);
}

function definitionAt(spec: EventSpec, path: readonly string[]): Definition | undefined {
  let definition = unwrap(spec.payload as unknown as Schema);
  for (const key of path) {
    if (definition.type === "custom") return definition;
    const next = definition.shape !== undefined && has(definition.shape, key) ? definition.shape[key] : undefined;
    if (next === undefined) return undefined;
    definition = unwrap(next);
  }
  return definition;
}

function unwrap(schema: Schema): Definition {
  const { def } = schema._zod;
  return def.type === "optional" && def.innerType !== undefined ? unwrap(def.innerType) : def;
}
