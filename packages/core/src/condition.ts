import { HarnError, typeName, whenRaised } from "./errors.js";
import type { Payload } from "./events.js";
import type { Hook } from "./hook.js";

/** Why a hook that its route leads to is not for this payload; null when it is. Throws when its condition fails. */
export function skipReason(hook: Hook, payload: Payload, eventName: string): string | null {
  if (hook.pattern.payload !== undefined && !hook.pattern.payload(payload as never)) {
    return `pattern ${JSON.stringify(hook.pattern.source)} does not match`;
  }
  if (hook.threshold !== null) {
    const { pct } = (payload as Payload<"OnBudgetThreshold">).budget;
    if (pct === undefined || pct < hook.threshold) return `the budget is below ${hook.threshold} %`;
  }
  if (hook.when === null) return null;
  let holds: unknown;
  try {
    holds = hook.when(hook.dialect.view(payload), eventName);
  } catch (error) {
    // A payload that exhausts a condition must not switch its hook off, as a condition that raises may.
    const isOwn = error instanceof HarnError && (error.code === "HARN_E_WHEN" || error.code === "HARN_E_HOOK_BUDGET");
    throw isOwn ? error : whenRaised(error);
  }
  // A forgotten return, a None or a promise is no answer: taken for a false it would switch a gate off.
  if (typeof holds !== "boolean") throw whenRaised(`it must be true or false, got ${typeName(holds)}`);
  return holds ? null : hook.unmet;
}
