import { missingKey, unknownKey, wrongType } from "./errors.js";
import { isJsonObject } from "./json.js";

/** What a key of a registration may hold. */
export type Kind = keyof typeof kinds;

const ON_ERROR: readonly unknown[] = ["block", "allow", "raise"];

const kinds = {
  text: { expected: "a text", test: (value: unknown) => typeof value === "string" },
  reason: {
    expected: "a text that is not empty",
    test: (value: unknown) => typeof value === "string" && value.trim() !== "",
  },
  function: { expected: "a function", test: (value: unknown) => typeof value === "function" },
  condition: {
    expected: "an expression or a function",
    test: (value: unknown) => typeof value === "string" || typeof value === "function",
  },
  integer: { expected: "a whole number", test: (value: unknown) => Number.isSafeInteger(value) },
  count: {
    expected: "a whole number, 0 or more",
    test: (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0,
  },
  duration: {
    expected: "a number of milliseconds above 0",
    test: (value: unknown) => Number.isFinite(value) && Number(value) > 0,
  },
  on_error: { expected: '"block", "allow" or "raise"', test: (value: unknown) => ON_ERROR.includes(value) },
  anything: { expected: "a value", test: () => true },
} as const;

/** Checks a registration's object: no key nobody reads, and every value of its type. */
export function checkConfig(
  surface: string,
  config: unknown,
  keys: Readonly<Record<string, Kind>>,
  required: readonly string[] = [],
): void {
  if (!isJsonObject(config)) throw wrongType(surface, "config", "an object", config);
  const names = Object.keys(keys);
  for (const [key, value] of Object.entries(config)) {
    const kind = Object.hasOwn(keys, key) ? keys[key] : undefined;
    if (kind === undefined) throw unknownKey(surface, key, names);
    if (value !== undefined) checkValue(surface, key, value, kind);
  }
  for (const key of required) {
    if (config[key] === undefined) throw missingKey(surface, key, kinds[keys[key] ?? "anything"].expected);
  }
}

/** Checks one argument of a registration. */
export function checkValue(surface: string, key: string, value: unknown, kind: Kind): void {
  if (!kinds[kind].test(value)) throw wrongType(surface, key, kinds[kind].expected, value);
}
