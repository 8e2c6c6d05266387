import { type Harness, type Hook, isJsonObject, type Json, type JsonObject, printable } from "@hooks/core";
import type { Terminal } from "./terminal.js";

/** Which hooks an event would reach, for a policy whose code must not run. */
export function explainStatically(
  { hooks }: Pick<Harness, "hooks">,
  asked: JsonObject,
  json: boolean,
  terminal: Terminal,
) {
  const chain = hooks
    .filter(({ event, observes }) => event === asked.event && !observes)
    .map((hook) => ({ hook: hook.ref.id, priority: hook.priority, ...reaches(hook, asked) }));
  if (json) {
    terminal.json({ ok: false, trusted: false, asked, hooks: chain });
    return;
  }
  terminal.print(terminal.paint("bold", String(asked.event)));
  for (const { hook, priority, skipped, when } of chain) {
    const what = skipped ?? (when === null ? "would run" : `would run when ${when} holds`);
    terminal.print(printable(`${String(priority).padStart(5)}  ${hook}  ${what}`));
  }
  terminal.talk("No verdict: the policy is not trusted, and nothing of it was run. Look at it, then run harn trust.");
}

function reaches({ pattern, spec, whenText }: Hook, asked: JsonObject): { skipped?: string; when: string | null } {
  const subject = (spec.subject ?? "")
    .split(".")
    .reduce<Json | undefined>((value, key) => (isJsonObject(value) ? value[key] : undefined), asked);
  const isReached =
    (pattern.subject?.(typeof subject === "string" ? subject : "") ?? true) && (pattern.payload?.(asked) ?? true);
  const skipped = isReached ? {} : { skipped: `skipped: pattern ${JSON.stringify(pattern.source)} does not match` };
  return { ...skipped, when: whenText };
}
