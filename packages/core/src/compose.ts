import type { Effect, PermissionDecision, Verdict } from "./effect.js";
import { HookContractError, unfitModify } from "./errors.js";
import { type EventSpec, isGate, type Payload } from "./events.js";
import { copyJson, type Json, type JsonLimits, type JsonObject, jsonEqual, valueAt, withValueAt } from "./json.js";
import { checkPayload, prepared } from "./payload.js";
import { addReminder, type Reminder } from "./reminder.js";

/**
 * The law of composition, one effect at a time. Block absorbs and ends the chain; ask survives later allows; a modify
 * is seen by everything after it; a veto where none is honoured changes nothing.
 */
export class Composition {
  /** A permission question nobody answers stays a question. */
  verdict: Verdict;
  reason: string | undefined;
  /** The hook that decided. */
  by: string | undefined;
  decision: PermissionDecision | undefined;
  modified = false;
  reminders: readonly Reminder[] = NONE;
  stop: { readonly reason?: string; readonly by: string } | undefined;

  constructor(
    readonly spec: EventSpec,
    public payload: Payload,
    private readonly limits: JsonLimits,
  ) {
    this.verdict = openingVerdict(spec);
  }

  /** Takes in what one hook did. True: the chain ends here. Throws when the event does not honour it. */
  apply(effect: Effect, hook: string): boolean {
    this.refuseWhatIsNotHonoured(effect);
    if (effect.change !== undefined) this.modify(effect.change.value, effect.change.dropped ?? 0);
    for (const reminder of effect.reminders ?? NONE) this.reminders = addReminder(this.reminders, reminder);
    if (effect.stop !== undefined) this.stop ??= { ...effect.stop, by: hook };
    if (!isGate(this.spec)) return false;
    if (outranks(effect, this)) this.decide(effect, hook);
    return effect.verdict === "block";
  }

  private decide({ verdict, reason, decision }: Effect, hook: string): void {
    this.verdict = verdict;
    this.reason = reason;
    this.by = hook;
    if (this.spec.honours.includes("decision")) this.decision = decision ?? "deny";
  }

  private refuseWhatIsNotHonoured(effect: Effect): void {
    const { honours } = this.spec;
    const event = this.payload.event;
    if (effect.change !== undefined && !honours.includes("modify")) {
      throw new HookContractError(`${event} cannot be modified`);
    }
    if (effect.stop !== undefined && !honours.includes("stop")) {
      throw new HookContractError(`${event} cannot stop the agent`);
    }
    const answersPermission = effect.decision !== undefined && honours.includes("decision");
    if (effect.verdict === "ask" && isGate(this.spec) && !honours.includes("ask") && !answersPermission) {
      throw new HookContractError(`${event} cannot ask a person`, "Block with a reason instead.");
    }
  }

  private modify(value: Json, dropped: number): void {
    const path = (this.spec.modifies ?? "").split(".");
    const before = valueAt(this.payload as unknown as Json, path);
    let next = copyJson(value, this.limits, path);
    if (path[0] === "result") next = countDropped(next as JsonObject, before as JsonObject | undefined, dropped);
    if (before !== undefined && jsonEqual(before, next)) return;
    const payload = prepared(withValueAt(this.payload as unknown as JsonObject, path, next));
    const problems = checkPayload(this.spec, payload);
    if (problems.length > 0) throw unfitModify(this.payload.event, problems);
    this.payload = payload;
    this.modified = true;
  }
}

const NONE: readonly Reminder[] = Object.freeze([]);
const RANK: Readonly<Record<Verdict, number>> = { allow: 0, ask: 1, block: 2 };

/** What an event comes to when no hook says anything. */
export function openingVerdict({ honours }: EventSpec): Verdict {
  return honours.includes("decision") ? "ask" : "allow";
}

// Stricter wins. A permission question has one answer below all others: none yet.
function outranks(effect: Effect, { verdict, decision, spec }: Composition): boolean {
  const isOpen = spec.honours.includes("decision") && decision === undefined;
  return isOpen ? effect.decision !== undefined || effect.verdict === "block" : RANK[effect.verdict] > RANK[verdict];
}

// What was dropped adds up, whatever a later hook says of it: a cut result cannot pass for a whole one.
function countDropped(next: JsonObject, before: JsonObject | undefined, dropped: number): JsonObject {
  const total = Number(before?.dropped ?? 0) + dropped;
  const { dropped: _claimed, ...rest } = next;
  return copyJson(total === 0 ? rest : { ...rest, dropped: total }) as JsonObject;
}
