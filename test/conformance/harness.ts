import type { Dialect } from "../../packages/core/src/dialect.js";
import type { Verdict } from "../../packages/core/src/effect.js";
import type { ErrorCode } from "../../packages/core/src/errors.js";
import { type CatalogueName, type EventName, type OnError, specOf } from "../../packages/core/src/events.js";
import { createHarness } from "../../packages/core/src/harness.js";
import type { CompileWhen } from "../../packages/core/src/hook.js";
import { type Json, valueAt } from "../../packages/core/src/json.js";
import type { Outcome } from "../../packages/core/src/outcome.js";
import type { Warning } from "../../packages/core/src/ports.js";
import { memoryTape, type TapeRecord } from "../../packages/core/src/tape.js";
import { sampleOf } from "./samples.js";

export interface StackOptions {
  readonly strict?: boolean;
  readonly when?: CompileWhen;
}

export interface HookExtras {
  readonly id?: string;
  readonly pattern?: string;
  readonly priority?: number;
  readonly timeout_ms?: number;
  readonly on_error?: OnError;
  readonly when?: string | ((view: never) => boolean);
}

/** One dispatch, and everything a person or a tape got to see of it. */
export interface Fired {
  readonly outcome: Outcome;
  readonly warnings: readonly Warning[];
  readonly records: readonly TapeRecord[];
}

/** A stack of hooks that all speak one dialect. */
export interface Stack {
  /** Adds a hook under one of the dialect's own names. */
  add(name: string, handler: (view: never) => unknown, extras?: HookExtras): void;
  /** Fires a canonical event, with its sample payload unless another is given. */
  fire(event: EventName, payload?: object): Promise<Fired>;
}

/** A harness whose hooks come in the way hooks of this dialect do: by code, by a callback array, or by a loader. */
export function createStack(dialect: Dialect, options: StackOptions = {}): Stack {
  const warnings: Warning[] = [];
  const tape = memoryTape();
  const ports = { warn: (warning: Warning) => void warnings.push(warning) };
  const harness = createHarness({ when: () => () => true, ...options, ports, tape });
  return {
    add(name, handler, extras = {}) {
      const { pattern, ...rest } = extras;
      const matching = (key: string) => (pattern === undefined ? {} : { [key]: pattern });
      if (dialect.name === "harn") {
        harness.register({ event: name, handler, ...matching("pattern"), ...rest } as never);
      } else if (dialect.name === "callback") {
        harness.registerCallbacks([{ event: name, handler, ...matching("matcher"), ...rest } as never]);
      } else {
        const resolved = dialect.resolve(name);
        if (resolved === undefined) throw new Error(`${dialect.name} does not know ${name}`);
        harness.install([{ ...extras, ...resolved, handler, handlerName: `${dialect.name}::${name}`, dialect }]);
      }
    },
    async fire(event, payload = sampleOf(event)) {
      const [before, spoken] = [tape.records.length, warnings.length];
      const outcome = (await harness.fire(event, payload as never)) as Outcome;
      return { outcome, warnings: warnings.slice(spoken), records: tape.records.slice(before) };
    },
  };
}

/** What a dispatch came to, with everything left out that is as if there were no hooks. */
export interface Summary {
  verdict?: Verdict;
  reason?: string;
  decision?: string;
  /** The new value of the path the event modifies. */
  change?: unknown;
  reminders?: readonly string[];
  stop?: true;
  /** Codes of the faults; why a fault blocks is in its own words, so the reason is left out. */
  fault?: ErrorCode;
  /** What the dialect accepted, but told a person about. */
  warning?: string;
  /** A veto that is on the tape and has no effect. */
  unhonoured?: string;
}

export function summaryOf({ outcome, warnings, records }: Fired): Summary {
  const { verdict, reason, decision, modified, reminders, stop, faults, payload } = outcome;
  const { modifies, honours } = specOf(outcome.event);
  const path = (modifies ?? "").split(".");
  // A permission question nobody answers stays a question.
  const quiet = honours.includes("decision") && decision === undefined ? "ask" : "allow";
  const vetoed = records.find((record) => record.kind === "hook_vetoed");
  const warning = warnings.find((spoken) => spoken.error === undefined);
  return {
    ...(verdict === quiet ? {} : { verdict }),
    ...(reason === undefined || faults.length > 0 ? {} : { reason }),
    ...(decision === undefined ? {} : { decision }),
    ...(modified ? { change: valueAt(payload as unknown as Json, path) } : {}),
    ...(reminders.length === 0 ? {} : { reminders: reminders.map(({ body }) => body) }),
    ...(stop === undefined ? {} : { stop: true }),
    ...(faults[0] === undefined ? {} : { fault: faults[0].error.code }),
    ...(warning === undefined ? {} : { warning: warning.message }),
    ...(vetoed === undefined || vetoed.honoured ? {} : { unhonoured: vetoed.reason }),
  };
}

/** One line of a conformance table. */
export interface Row {
  /** The sentence it keeps. */
  readonly seed: string;
  /** The canonical event; the hook is registered under the dialect's first name for it. */
  readonly event: EventName;
  readonly payload?: object;
  readonly returns: unknown;
  readonly expect: Summary;
}

/** Asks one hook that answers with this value. */
export function fireOne(
  dialect: Dialect,
  row: Pick<Row, "event" | "payload" | "returns">,
  options?: StackOptions,
): Promise<Fired> {
  const stack = createStack(dialect, options);
  stack.add(nameFor(dialect, row.event), () => row.returns);
  return stack.fire(row.event, row.payload);
}

/** What a dialect calls an event. */
export function nameFor(dialect: Dialect, event: EventName): string {
  if (/^(custom|meta)\./.test(event)) return event;
  const [name] = dialect.names[event as CatalogueName];
  if (name === undefined) throw new Error(`${dialect.name} has no name for ${event}`);
  return name;
}

/** What a handler of this dialect sees of an event. */
export async function seenBy(dialect: Dialect, event: EventName, payload?: object): Promise<unknown> {
  const stack = createStack(dialect);
  let seen: unknown;
  // The answer is not what is asked about here, and each dialect has another way to say nothing.
  stack.add(
    nameFor(dialect, event),
    (view: unknown) => {
      seen = view;
    },
    { on_error: "allow" },
  );
  await stack.fire(event, payload);
  return seen;
}

/** The path of the first value in here that could still be changed; undefined when there is none. */
export function thawedAt(value: unknown, path = "the view"): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (!Object.isFrozen(value)) return path;
  for (const [key, child] of Object.entries(value)) {
    const found = thawedAt(child, `${path}.${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}
