import { universe } from "./library/universe.js";
import { freeze } from "./values/freeze.js";
import { isValue, refuseValue, type Value } from "./values/values.js";

/** What the host gives a program beside the built-ins, by name. */
export type Predeclared = ReadonlyMap<string, Value> | Readonly<Record<string, Value>>;

/** The built-ins together with what the host gives, frozen: no program may change what another one sees. */
export function withUniverse(own: Predeclared | undefined): ReadonlyMap<string, Value> {
  if (own === undefined) return universe;
  const predeclared = new Map(universe);
  for (const [name, value] of own instanceof Map ? (own as ReadonlyMap<string, Value>) : Object.entries(own)) {
    if (!isValue(value)) refuseValue(`the predeclared ${name}`);
    freeze(value);
    predeclared.set(name, value);
  }
  return predeclared;
}
