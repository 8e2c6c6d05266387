import { randomUUID } from "node:crypto";
import { hostname, userInfo } from "node:os";
import type { Json, JsonObject, Observation } from "@hooks/core";

/** What one line says. */
export interface Entry {
  readonly time: string;
  readonly id: string;
  /** `event`: nobody had anything to say. `decision`: somebody had. `fault`: a hook failed. */
  readonly kind: "event" | "decision" | "fault";
  readonly event: string;
  readonly [key: string]: unknown;
}

/** The lines of one dispatch: one for the event with what was decided, and one for each hook that failed. */
export function entriesOf(observation: Observation): Entry[] {
  const { event, verdict, by, decision, modified, stop, reminders, raised, faults, policy, dispatch } = observation;
  const isQuiet = by === undefined && decision === undefined && !modified && stop === undefined;
  const base = { event, dispatch, policy, ...who(observation) };
  const main: Entry = {
    ...stamp(),
    kind: isQuiet && reminders.length === 0 && !raised ? "event" : "decision",
    ...base,
    ...what(observation),
    verdict,
    ...defined({ reason: observation.reason, by, decision, stop }),
    modified,
    raised,
    reminders: reminders.length,
    faults: faults.length,
    duration_ms: observation.duration_ms,
    hooks: observation.trace,
  };
  const failed = faults.map(({ hook, code, message, on_error }): Entry => {
    const duration_ms = observation.trace.find((entry) => entry.hook === hook)?.duration_ms ?? null;
    return { ...stamp(), kind: "fault", ...base, of: main.id, verdict, hook, code, message, on_error, duration_ms };
  });
  return [main, ...failed];
}

function stamp(): Pick<Entry, "time" | "id"> {
  return { time: new Date().toISOString(), id: randomUUID() };
}

const HOST = hostname();
const USER = userName();

/** In a container a user may have a number and no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return process.env.USER ?? `uid ${process.getuid?.() ?? "unknown"}`;
  }
}

function who({ asked }: Observation): JsonObject {
  return { session: asked.session as unknown as Json, user: USER, host: HOST, pid: process.pid };
}

function what({ asked, payload, modified }: Observation): JsonObject {
  return { payload: body(asked), ...(modified ? { rewritten: body(payload) } : {}) };
}

/** A payload without what the line has already. */
function body(payload: Observation["payload"]): JsonObject {
  const { event: _event, session: _session, ...rest } = payload as unknown as JsonObject;
  return rest;
}

function defined(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
