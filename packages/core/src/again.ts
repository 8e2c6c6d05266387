import type { Payload } from "./events.js";
import type { Hook } from "./hook.js";
import type { JsonObject } from "./json.js";
import { Route } from "./plan.js";

/** How often the hooks that bind are asked again in one dispatch. */
export const MAX_ROUNDS = 5;

/** A rewrite: where in the chain, and the rank of the hook that made it; above all of them in a later round. */
export interface Rewrite {
  readonly place: number;
  readonly rank: number;
}

/**
 * The hooks that bind and have not seen what hooks of a higher rank rewrote after them, also those the payload did not
 * concern before: gates judge what will be executed, and rewriting is no way around a policy.
 */
export function overruled(route: Route, payload: Payload, rewrites: readonly Rewrite[]): Hook[] {
  const last = new Map(route.hooks.map(({ ref }, place) => [ref.id, place]));
  const now = route.reroute?.(payload as unknown as JsonObject) ?? route;
  const binding = new Map(now.hooks.filter(({ binds }) => binds).map((hook) => [hook.ref.id, hook]));
  return [...binding.values()].filter(({ ref, rank }) =>
    rewrites.some((rewrite) => rewrite.rank > rank && rewrite.place > (last.get(ref.id) ?? -1)),
  );
}

/** The route with hooks at its end that are asked again. */
export function extended(route: Route, again: readonly Hook[]): Route {
  // Copies, because a trace tells the two turns of a hook apart by what they are.
  const copies = again.map((hook) => ({ ...hook }));
  return new Route(route.spec, [...route.hooks, ...copies], [...route.all, ...copies], route.observers, route.reroute);
}
