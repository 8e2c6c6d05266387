import { ask, block, type HookContext, type HookReturn, type Payload, remind } from "@hooks/core";
import { shellTextOf } from "@hooks/paths";
import { type Purpose, type Tools, toolsOf } from "./agents.js";
import { purposeOf } from "./purpose.js";

interface Options {
  readonly raw?: readonly string[];
  readonly use?: string;
  readonly tools?: Tools;
  readonly allow?: readonly string[];
  readonly verdict?: "block" | "ask" | "remind";
}

const RAW: readonly string[] = ["exec", "exec.run", "exec_run"];

const DOES: Readonly<Record<Purpose, string>> = {
  read: "reads files",
  write: "writes a file",
  edit: "edits a file",
  search: "searches files",
  find: "finds files",
};

/** Points at the named tool where a shell command does what one is for. */
export function prefer({ tool, session }: Payload<"PreToolUse">, { options }: HookContext): HookReturn<"PreToolUse"> {
  const {
    raw = RAW,
    use = "run_command or another named tool",
    allow = [],
    verdict = "block",
    ...given
  } = (options ?? {}) as Options;
  if (raw.includes(tool.name)) return block(`${tool.name} runs anything: use ${use} instead`);
  const text = shellTextOf(tool);
  const found = text === undefined ? undefined : purposeOf(text);
  if (found === undefined || allow.includes(found.program)) return undefined;
  const tools = given.tools ?? toolsOf(session.agent, tool.name);
  const named = tools[found.purpose];
  if (named === undefined) return undefined;
  return answer(verdict, `${found.program} ${DOES[found.purpose]} here: use ${named} instead, which is made for that`);
}

function answer(verdict: "block" | "ask" | "remind", reason: string): HookReturn<"PreToolUse"> {
  if (verdict === "remind")
    return remind({ body: reason, tags: ["prefer-named-tools"], dedupe_key: reason, ttl_turns: 1 });
  return verdict === "ask" ? ask(reason) : block(reason);
}
