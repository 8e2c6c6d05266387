import { ANY_EVENT, catalogueNames, nearest, rowOf } from "@hooks/core";
import { isTable, type Table } from "./report.js";

/** The hook API of this runtime: what a handler is called with, and what it may answer. */
export const API_VERSION = "1.0.0";

/** What a hook in a worker may do beyond computing, when its package declares it. */
const CAPABILITIES = ["fs:read", "fs:write", "net", "child_process"] as const;

/** One hook a package offers. */
export interface HookDescription {
  readonly events: readonly string[];
  readonly description?: string;
  readonly observes?: boolean;
  readonly priority?: number;
  readonly capabilities?: readonly (typeof CAPABILITIES)[number][];
  /** The file of its options' JSON Schema. */
  readonly options?: string;
}

/** What a hook package says of itself in the `harn` field of its package.json. */
export interface Description {
  readonly api: number | string;
  readonly hooks: Readonly<Record<string, HookDescription>>;
}

interface Key {
  readonly must: string;
  readonly isRight: (value: unknown) => boolean;
  readonly isRequired?: boolean;
  /** What is wrong with one of several values, in words of its own. */
  readonly mistake?: (value: unknown, path: string) => string | undefined;
}

const isText = (value: unknown) => typeof value === "string";
const isFilledList = (value: unknown) => Array.isArray(value) && value.length > 0;

const KEYS: Readonly<Record<string, Key>> = {
  api: { must: "must be a version", isRight: (value) => isText(value) || Number.isFinite(value), isRequired: true },
  hooks: { must: "must be a table of hooks", isRight: isTable, isRequired: true },
};

const HOOK_KEYS: Readonly<Record<string, Key>> = {
  events: { must: "must be a list of events", isRight: isFilledList, isRequired: true, mistake: eventMistake },
  description: { must: "must be a text", isRight: isText },
  observes: { must: "must be true or false", isRight: (value) => typeof value === "boolean" },
  priority: { must: "must be a whole number", isRight: Number.isSafeInteger },
  capabilities: { must: "must be a list", isRight: Array.isArray, mistake: capabilityMistake },
  options: { must: "must be a file's name", isRight: isText },
};

/**
 * Reads a package's self-description: undefined when it has none, a text that says what is wrong when it is broken.
 * Every package of a policy is read at every start, and a schema library takes longer for it than for all else.
 */
export function readDescription(field: unknown): Description | undefined | string {
  if (field === undefined) return undefined;
  if (!isTable(field)) return "harn must be a table";
  const mistake = tableMistake(field, KEYS, "harn");
  if (mistake !== undefined) return mistake;
  for (const [name, hook] of Object.entries(field.hooks as Table)) {
    const path = `harn.hooks.${name}`;
    const wrong = isTable(hook) ? tableMistake(hook, HOOK_KEYS, path) : `${path} must be a table`;
    if (wrong !== undefined) return wrong;
  }
  return field as unknown as Description;
}

function tableMistake(table: Table, keys: Readonly<Record<string, Key>>, path: string): string | undefined {
  for (const name of Object.keys(table)) {
    const key = Object.hasOwn(keys, name) ? keys[name] : undefined;
    if (key === undefined) return `unknown key "${name}" in ${path}${meant(name, Object.keys(keys))}`;
    const value = table[name];
    if (!key.isRight(value)) return `${path}.${name} ${key.must}`;
    const mistake = key.mistake?.(value, `${path}.${name}`);
    if (mistake !== undefined) return mistake;
  }
  const missing = Object.keys(keys).find((name) => keys[name]?.isRequired === true && !Object.hasOwn(table, name));
  return missing === undefined ? undefined : `${path}.${missing} is missing`;
}

function eventMistake(events: unknown, path: string): string | undefined {
  const isEvent = (name: unknown) => isText(name) && (rowOf(name as string) !== undefined || FAMILIES.includes(name));
  const unknown = (events as unknown[]).find((name) => !isEvent(name));
  if (unknown === undefined) return undefined;
  return `${path} has an unknown event ${JSON.stringify(unknown)}${meant(String(unknown), catalogueNames)}`;
}

const FAMILIES: readonly unknown[] = ["custom.*", "meta.*", ANY_EVENT];

function capabilityMistake(capabilities: unknown, path: string): string | undefined {
  const unknown = (capabilities as unknown[]).find((name) => !(CAPABILITIES as readonly unknown[]).includes(name));
  if (unknown === undefined) return undefined;
  return `${path} has an unknown capability ${JSON.stringify(unknown)}: there are ${CAPABILITIES.join(", ")}`;
}

function meant(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  return near === undefined ? "" : `; did you mean "${near}"?`;
}
