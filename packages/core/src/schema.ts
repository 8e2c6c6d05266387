import * as z from "zod/mini";
import type { EventSpec } from "./events.js";
import { has, type Json } from "./json.js";

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

/** What a value at a path can be. */
export interface Possible {
  /** Every text it can be, where there is an end of them. */
  readonly texts: readonly string[] | undefined;
  readonly isNumber: boolean;
  /** Whether the payload may be without it. */
  readonly isOptional: boolean;
  /** Whether it can be this JSON value. */
  admits(value: Json): boolean;
}

/** What a value at a path can be by the schema of its event; undefined where the schema leaves that open. */
export function possibleAt(spec: EventSpec, path: readonly string[]): Possible | undefined {
  const found = followed(spec, path);
  if (found === undefined || found.isInside) return undefined;
  const { schema, isOptional } = found;
  const { type, entries } = schema._zod.def;
  return {
    texts: type === "boolean" ? ["true", "false"] : entries && Object.values(entries),
    isNumber: type === "number",
    isOptional,
    admits: (value) => z.safeParse(schema as unknown as z.core.$ZodType, value).success,
  };
}

function definitionAt(spec: EventSpec, path: readonly string[]): Definition | undefined {
  return followed(spec, path)?.schema._zod.def;
}

interface Followed {
  readonly schema: Schema;
  readonly isOptional: boolean;
  /** Whether the path goes on inside a value the schema leaves open. */
  readonly isInside: boolean;
}

function followed(spec: EventSpec, path: readonly string[]): Followed | undefined {
  let schema = spec.payload as unknown as Schema;
  let isOptional = false;
  for (const key of path) {
    const { type, shape } = schema._zod.def;
    if (type === "custom") return { schema, isOptional, isInside: true };
    const next = shape !== undefined && has(shape, key) ? shape[key] : undefined;
    if (next === undefined) return undefined;
    schema = unwrap(next);
    isOptional ||= schema !== next;
  }
  return { schema, isOptional, isInside: false };
}

function unwrap(schema: Schema): Schema {
  const { type, innerType } = schema._zod.def;
  return type === "optional" && innerType !== undefined ? unwrap(innerType) : schema;
}
