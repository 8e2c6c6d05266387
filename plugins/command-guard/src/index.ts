import { ask, block, type HookContext, type HookReturn, type Payload, remind } from "@hooks/core";
import { sentenceOf } from "./answer.js";
import { today } from "./explain.js";
import { judge } from "./judge.js";
import { settingsOf } from "./settings.js";
import { requestOf } from "./tools.js";

export { type ExplainOptions, type Explanation, explain, explanationText } from "./explain.js";
export type { Group, Mode, Rule, Severity } from "./rule.js";
export { rules } from "./rules.js";
export type { Allowance, GroupSetting, GuardOptions, OwnRule } from "./settings.js";
export type { Dialect, Tool } from "./tools.js";

/** Judges the command a shell tool is about to run. */
export function guard(payload: Payload<"PreToolUse">, { options }: HookContext): HookReturn<"PreToolUse"> {
  const settings = settingsOf(options);
  const { tool, session } = payload;
  const requested = requestOf(
    { name: tool.name, args: tool.args as Readonly<Record<string, unknown>> },
    settings.tools,
  );
  if (requested === null) return undefined;
  if (requested.text === null) {
    const reason = `[indeterminate] "${tool.name}" holds no command this guard can read. Say in its option \`tools\` which argument holds it.`;
    return settings.indeterminate === "block" ? block(reason) : ask(reason);
  }
  const cwd = absolute(requested.cwd) ?? absolute(session?.cwd);
  const judgement = judge({ text: requested.text, dialect: requested.dialect, cwd, today: today() }, settings);
  const { verdict } = judgement;
  if (verdict === "allow") return undefined;
  const sentence = sentenceOf(judgement);
  if (verdict === "block") return block(sentence);
  return verdict === "ask" ? ask(sentence) : remind({ body: sentence, tags: ["command-guard"] });
}

function absolute(path: string | undefined): string | undefined {
  return path !== undefined && /^(\/|[A-Za-z]:[\\/])/.test(path) ? path : undefined;
}
