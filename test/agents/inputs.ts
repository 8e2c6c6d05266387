import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentName } from "@hooks/agents";
import type { JsonObject } from "@hooks/core";
import { root } from "../house/repository.js";

/** What an agent sends its hooks, by a name that starts with its event: `PreToolUse:Bash`. */
export type Inputs = Readonly<Record<string, JsonObject>>;

export function inputsOf(agent: AgentName): Inputs {
  return JSON.parse(readFileSync(join(root, "test/agents/inputs", `${agent}.json`), "utf8")) as Inputs;
}

/** What was observed with the real client, where that is at hand; null elsewhere. */
export function observedInputs(agent: AgentName): Inputs | null {
  const file = join(root, "../shared/agents", `${agent}.json`);
  if (!existsSync(file)) return null;
  const found = JSON.parse(readFileSync(file, "utf8")) as Record<string, { readonly stdin: JsonObject }>;
  return Object.fromEntries(Object.entries(found).map(([name, { stdin }]) => [name, stdin]));
}

export function eventOf(name: string): string {
  return name.replace(/[:@].*/, "");
}
