import type { Payload } from "./events.js";
import type { Json, JsonObject } from "./json.js";
import { type Refusal, refusal, type Stage } from "./stage.js";

/** One step of a persona. */
export interface Step {
  readonly persona: string;
  readonly name: string;
  /** The function that does it, where that has a name of its own. */
  readonly function?: string;
  readonly args: Json;
}

/** What a step came to. */
export type Stepped = { readonly ok: true; readonly output: Json } | Refusal;

/** Something a persona tells. */
export interface PersonaNotice {
  readonly persona: string;
  /** The step it is in. */
  readonly step?: string;
  readonly details?: JsonObject;
}

/** How much of a persona's budget is used. */
export interface Budget extends PersonaNotice {
  readonly used: number;
  readonly limit: number;
}

/** Runs a step between PreStep, which may refuse it or rewrite its arguments, and PostStep, which may rewrite its output. */
export async function runStep(
  stage: Stage,
  { persona, name, function: called, args }: Step,
  run: (args: Json) => Json | Promise<Json>,
): Promise<Stepped> {
  const target = `${persona}.${name}`;
  const before = await stage.fire("PreStep", { target, persona, step: { name, function: called, args } });
  if (before.verdict === "block") return refusal(before, "pre_step");
  const { step } = before.payload;
  const output = await stage.await("PreStep", `step ${target}`, () => run(step.args));
  const after = await stage.fire("PostStep", { target, persona, step, output });
  return { ok: true, output: after.payload.output };
}

/** Tells that a persona asked for approval, handed over, paused or went on. */
export async function notify(
  stage: Stage,
  event: "OnApprovalRequested" | "OnHandoffEmitted" | "OnPersonaPaused" | "OnPersonaResumed",
  notice: PersonaNotice,
): Promise<void> {
  await stage.fire(event, noticeOf(notice));
}

/** Tells how much of a budget is used; hooks with a threshold hear it from there on. */
export async function reportBudget(stage: Stage, { used, limit, ...notice }: Budget): Promise<void> {
  const pct = limit > 0 ? (used / limit) * 100 : 100;
  await stage.fire("OnBudgetThreshold", { ...noticeOf(notice), budget: { pct, used, limit } });
}

function noticeOf({
  persona,
  step,
  details,
}: PersonaNotice): Pick<Payload<"OnPersonaPaused">, "persona" | "step" | "details"> {
  return {
    persona,
    ...(step === undefined ? {} : { step: { name: step } }),
    ...(details === undefined ? {} : { details }),
  };
}
