import { type Dialect, type EventName, nearest, typeName } from "@hooks/core";
import type { Path } from "../document.js";
import type { Problem } from "../problem.js";
import { isVariableName } from "../process/environment.js";
import { isTable, Report } from "../report.js";
import { agentDialect, agentEvents, ELSEWHERE } from "./agent.js";
import { readEntry } from "./entry.js";
import { readGroup } from "./group.js";
import type { Reading, SettingsHook } from "./hook.js";
import type { JsonDocument } from "./json.js";

/** Where the hooks of a settings file live. */
export interface Home {
  readonly root: string;
  readonly isStrict: boolean;
  /** Environment variables its programs get. */
  readonly env: readonly string[];
}

/** Reads the hooks of a settings file, of either shape. `file` is what messages call it. */
export function readHooks(
  document: JsonDocument,
  file: string,
  { root, isStrict, env }: Home,
): { readonly hooks: readonly SettingsHook[]; readonly problems: readonly Problem[] } {
  const report = new Report(file, document, isStrict, (key, value) => `"${key}": ${value}`);
  const reading = { report, root, env, variables: variablesOf(document.value), agent: agentDialect(root) };
  for (const path of document.repeated) {
    const message = `the key "${String(path.at(-1))}" stands twice: what stands under the first one would be lost`;
    report.add({ code: "HARN_E_KEY_TYPE", path, atKey: true, message, help: "make one of the two" });
  }
  return { hooks: hooksOf(document.value, reading), problems: report.problems.sort(byPlace) };
}

/** What a settings file says under "env", as far as it can be the environment of anything. */
function variablesOf(root: unknown): Readonly<Record<string, string>> {
  const env = isTable(root) && isTable(root.env) ? root.env : {};
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => {
      const [name, value] = entry;
      return isVariableName(name) && typeof value === "string" && !value.includes("\0");
    }),
  );
}

function byPlace({ place: a }: Problem, { place: b }: Problem): number {
  return a.line - b.line || a.column - b.column;
}

const EXAMPLE = '"hooks": {"PreToolUse": [{"path": "hooks/Guard.ts"}]}';

function hooksOf(root: unknown, reading: Reading): SettingsHook[] {
  const { report } = reading;
  if (!isTable(root)) return refuse(report, [], `a settings file must be an object, got ${typeName(root)}`);
  if (root.disableAllHooks === true) {
    report.add({
      code: "HARN_W_NO_EFFECT",
      severity: "warning",
      path: ["disableAllHooks"],
      atKey: true,
      message: '"disableAllHooks" has no effect: a policy is not switched off by the file it stands in',
      help: "take the file out of [sources] settings",
    });
  }
  const { hooks } = root;
  if (hooks === undefined) {
    const near = nearest("hooks", Object.keys(root));
    report.add({
      code: "HARN_E_KEY_MISSING",
      path: near === undefined ? [] : [near],
      atKey: true,
      message: '"hooks" is missing',
      hint: near === undefined ? undefined : 'did you mean "hooks"?',
      help: `write ${EXAMPLE}`,
    });
    return [];
  }
  if (!isTable(hooks)) return refuse(report, ["hooks"], `"hooks" must be an object, got ${typeName(hooks)}`);
  return Object.entries(hooks).flatMap(([name, entries]) => underEvent(name, entries, reading));
}

function underEvent(name: string, entries: unknown, reading: Reading): SettingsHook[] {
  const { report, agent } = reading;
  const path = ["hooks", name];
  const event = agent.resolve(name)?.event;
  if (event === undefined) {
    if (ELSEWHERE.includes(name)) {
      report.add({
        code: "HARN_W_NOT_LOADED",
        severity: report.isStrict ? "error" : "warning",
        path,
        atKey: true,
        message: `${name} is never fired here: its hooks are not loaded`,
        help: `events of settings files: ${agentEvents.join(", ")}`,
      });
    } else unknownEvent(name, path, reading);
    return [];
  }
  if (!Array.isArray(entries)) return refuse(report, path, `"${name}" must be a list, got ${typeName(entries)}`);
  return entries.flatMap((entry: unknown, index) => {
    const own = [...path, index];
    if (!isTable(entry)) return refuse(report, own, `a hook must be an object, got ${typeName(entry)}`);
    const read = "hooks" in entry ? readGroup : readEntry;
    return read(entry, { name, event, path: own }, reading);
  });
}

function unknownEvent(name: string, path: Path, { report, agent }: Reading): void {
  const same = agentEvents.find((known) => plain(known) === plain(name));
  const near = same ?? nameOf(name, agent) ?? nearest(name, agentEvents);
  report.add({
    code: "HARN_E_EVENT_UNKNOWN",
    path,
    atKey: true,
    message: `unknown event "${name}"`,
    hint: near === undefined ? undefined : `did you mean "${near}"?`,
    help: `events of settings files: ${agentEvents.join(", ")}`,
  });
}

/** `pre_tool_use` and `preToolUse` are written the way another system writes them. */
function plain(name: string): string {
  return name.toLowerCase().replace(/[^a-z]/g, "");
}

function nameOf(event: string, agent: Dialect): string | undefined {
  return agent.names[event as keyof Dialect["names"] & EventName]?.[0];
}

function refuse(report: Report, path: Path, message: string): [] {
  report.add({ code: "HARN_E_KEY_TYPE", path, message, help: `write ${EXAMPLE}` });
  return [];
}
