import type { Finding, Judgement } from "./judge.js";

/** What the agent hears: what was found, why it matters, and what to do instead. */
export function sentenceOf({ decisive, findings, allowed }: Judgement): string {
  if (decisive === undefined) return "";
  const others = findings.filter((one) => one !== decisive && one.mode === decisive.mode).length;
  const expired = allowed.find((entry) => entry.expired && entry.finding === decisive);
  const parts = [
    about(decisive),
    decisive.rule?.explanation ?? (decisive.id === "indeterminate" ? "What cannot be followed cannot be judged." : ""),
    insteadOf(decisive),
    expired === undefined
      ? ""
      : `An entry of the allow list ("${expired.reason}") would have let it pass and has expired.`,
    others > 0 ? `${others} more ${others === 1 ? "thing" : "things"} in this command would be stopped too.` : "",
  ];
  return parts.filter((part) => part !== "").join(" ");
}

function about({ id, line, detail }: Finding): string {
  if (id === "indeterminate") return `[indeterminate] ${detail}.`;
  return `[${id}] ${line === "" ? detail : `\`${line}\`: ${detail}.`}`;
}

function insteadOf({ id, rule }: Finding): string {
  if (rule === null) {
    return id === "indeterminate"
      ? "Instead: write the command out, in parts that say what they run."
      : "Instead: ask the person; the options of this guard forbid it.";
  }
  const examples = rule.alternatives.map((command) => `\`${command}\``).join(" or ");
  return `Instead: ${rule.instead}${examples === "" ? "" : ` For example ${examples}.`}`;
}
