import type { HookContext, HookInit, Json } from "@hooks/core";
import type { Finding } from "./document.js";
import type { Waiver } from "./schema.js";
import type { Brought } from "./tighten.js";

/** Notes a waiver at the hook it is for; what is wrong with it otherwise. */
export function waive({ id, unit, index }: Brought, waiver: Waiver, place: number, today: string): Finding[] {
  const at = (key: string) => ["waivers", place, key];
  const entry = index === undefined ? undefined : unit.manifest.hooks?.[index];
  // What has the wrong shape was reported already.
  if ([waiver.id, waiver.reason, waiver.approver, waiver.expires].some((value) => value === undefined)) return [];
  if (entry?.waivable !== true) {
    const help = "ask whoever brings it: only waivable = true on the hook permits this";
    return [{ code: "HARN_E_WAIVER", path: at("hook"), message: `"${id}" cannot be waived`, help }];
  }
  if (!isDay(waiver.expires)) {
    const message = `"${waiver.expires}" is no day`;
    return [{ code: "HARN_E_WAIVER", path: at("expires"), message, help: 'write it as "2027-01-31"' }];
  }
  if (waiver.expires < today) {
    const message = `waiver ${waiver.id} expired on ${waiver.expires}: "${id}" counts again`;
    const help = "take the waiver out, or have it approved anew";
    return [{ code: "HARN_W_WAIVER_EXPIRED", severity: "warning", path: at("expires"), message, help }];
  }
  unit.waivers.set(index as number, waiver);
  return [];
}

function isDay(text: string): boolean {
  const date = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00Z`) : undefined;
  return date !== undefined && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/** The day it is, everywhere the same: in UTC. */
export function dayOf(now: number): string {
  return new Date(now).toISOString().slice(0, 10);
}

const WAIVED = Symbol("waived");

/** A hook that is passed over while its waiver holds. Each time is a warning, and on the tape. */
export function waived(hook: HookInit, waiver: Waiver, dialect: NonNullable<HookInit["dialect"]>): HookInit {
  const { id, reason, approver, expires } = waiver;
  const warnings = [`waived by ${id} until ${expires}: ${reason} (approved by ${approver})`];
  const run = hook.handler as (view: Json, context: HookContext) => unknown;
  return {
    ...hook,
    // A process may live longer than a waiver.
    handler: (view: Json, context: HookContext) => (dayOf(Date.now()) > expires ? run(view, context) : WAIVED),
    dialect: {
      ...dialect,
      parse: (returned, call) => (returned === WAIVED ? { verdict: "allow", warnings } : dialect.parse(returned, call)),
    },
  };
}
