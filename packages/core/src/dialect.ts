import type { Effect } from "./effect.js";
import { type ErrorCode, HookContractError, typeName } from "./errors.js";
import type { CatalogueName, EventName, EventSpec, Payload } from "./events.js";
import { copyJson, isJsonObject, type Json, type JsonObject } from "./json.js";
import { nearest } from "./nearest.js";

export type DialectName = "harn" | "markdown" | "settings" | "callback";

/** A canonical event as a dialect's name asks for it. */
export interface Subscription {
  readonly event: EventName;
  /** `OnBudgetThreshold(80)`: only from this percentage on. */
  readonly threshold?: number;
}

/** Where a return value comes from. */
export interface Call {
  readonly event: EventName;
  readonly spec: EventSpec;
  readonly payload: Payload;
}

/** How one kind of hook speaks: its names of the events, its view of the payload, and what its handlers may answer. */
export interface Dialect {
  readonly name: DialectName;
  /** Its names for every row of the catalogue; none where it does not know the event. */
  readonly names: Readonly<Record<CatalogueName, readonly string[]>>;
  /** What one of its names stands for. */
  resolve(name: string): Subscription | undefined;
  /** The payload as its handlers see it; frozen. */
  view(payload: Payload): Json;
  /** Turns what a handler returned into an effect; throws a HookContractError where that is not allowed. */
  parse(returned: unknown, call: Call): Effect;
  /** Whether this fault passes with a warning, where the hook itself says nothing else. */
  tolerates(fault: ErrorCode, event: EventName, isStrict: boolean): boolean;
}

/** What a dialect calls an event. */
export function nameIn(dialect: Dialect, event: EventName): string {
  const [name] = dialect.names[event as CatalogueName] ?? [];
  return name ?? event;
}

/** All the names a dialect knows, for messages. */
export function namesOf(dialect: Dialect): string[] {
  return Object.values(dialect.names).flat();
}

/** The rows a dialect's names point at. */
export function indexNames(names: Dialect["names"]): ReadonlyMap<string, EventName> {
  const index = new Map<string, EventName>();
  for (const [row, aliases] of Object.entries(names)) {
    for (const alias of aliases) if (!row.endsWith(".*")) index.set(alias, row as EventName);
  }
  return index;
}

/** The value of a result a hook rewrote: a string is its text, anything else its structured value. */
export function rewrittenResult(rewritten: Json, payload: Payload): JsonObject {
  const value = copyJson(rewritten);
  const previous = (payload as { result?: { is_error: boolean } }).result;
  const is_error = previous?.is_error ?? false;
  return typeof value === "string" ? { text: value, is_error } : { text: JSON.stringify(value), value, is_error };
}

/** The last word of the path an event lets a hook modify: `args`, `result`, `prompt`. */
export function changeKey(spec: EventSpec): string | null {
  return spec.modifies === null ? null : spec.modifies.slice(spec.modifies.lastIndexOf(".") + 1);
}

/** Fails unless every key of a returned object is one of these. */
export function onlyKeys(value: object, keys: readonly string[], what: string): void {
  for (const key of Object.keys(value)) {
    if (keys.includes(key)) continue;
    const near = nearest(key, keys);
    throw new HookContractError(
      `${what}: unknown key "${key}".${near === undefined ? "" : ` Did you mean "${near}"?`}`,
      `Keys here: ${keys.join(", ")}.`,
    );
  }
}

/** The reason a handler gave, or this one where it gave none that anybody could read. */
export function reasonOr(reason: string | undefined, fallback: string): string {
  return reason === undefined || reason.trim() === "" ? fallback : reason;
}

export function optionalText(value: unknown, what: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string") throw new HookContractError(`${what} must be a text, got ${typeName(value)}`);
  return value;
}

export function requiredObject(value: unknown, what: string): JsonObject {
  if (!isJsonObject(value)) throw new HookContractError(`${what} must be an object, got ${typeName(value)}`);
  return value;
}
