import { isAbsolute } from "node:path";
import { allow, ask, block, capText, type HookContext, modify, type Payload, remind } from "@hooks/core";

// A list of words shows the shape of a guard. It is no defence against somebody who means to get around it.
const DESTRUCTIVE = ["rm -rf", ":(){ :|:& };:", "mkfs", "dd if=", "shutdown"];

/** Says nothing: that it was called is on the tape, with what it saw. */
export function audit(): void {}

export function guardCommands({ tool }: Payload<"PreToolUse">, { options }: HookContext) {
  const { deny = [] } = (options ?? {}) as { deny?: readonly string[] };
  const found = [...DESTRUCTIVE, ...deny].find((words) => String(tool.args.command).includes(words));
  if (found === undefined) return allow();
  const advice = { body: `A command with "${found}" was refused. Leave deleting to a person.`, ttl_turns: 1 };
  return remind(advice, block(`dangerous command pattern blocked: "${found}"`));
}

export function jailPaths({ tool }: Payload<"PreToolUse">) {
  const asked = String(tool.args.path);
  const path = asked.replace(/^~[\\/]/, "");
  if (isAbsolute(path) || path.split(/[\\/]/).includes("..")) return block(`${asked} is outside of the workspace`);
  return path === asked ? allow() : modify({ args: { ...tool.args, path } });
}

export function askBeforeSending({ tool }: Payload<"PreToolUse">) {
  return ask(`this sends ${String(tool.args.path)} to ${String(tool.args.to)}`);
}

export function refuseRawExec() {
  return block("use a named tool");
}

export function guardPolicy() {
  return block("the policy is not the agent's to edit");
}

export function capOutput({ result }: Payload<"PostToolUse">, { options }: HookContext) {
  const { text, dropped } = capText(result.text, (options as { max: number }).max);
  return dropped === 0 ? undefined : modify({ result: text, dropped });
}

export function houseRules() {
  return { body: "Work in the workspace only.", dedupe_key: "house_rules", preserve_on_compact: true };
}

export function refuseEmptyPrompt({ prompt }: Payload<"UserPromptSubmit">) {
  return prompt.trim() === "" ? block("the prompt is empty") : undefined;
}

export function noteEdit({ path }: Payload<"FileEdited">) {
  return { body: `${path} has changed: read it again before you quote it.`, ttl_turns: 1 };
}
