import { settings } from "@hooks/core";
import type { Path } from "../document.js";
import { commandIn } from "../process/check.js";
import { type Field, isDuration, isText, type Report, type Table } from "../report.js";
import { fieldsOf } from "./agent.js";
import { type Reading, readMatcher, type SettingsHook, toHook, type Under } from "./hook.js";

const KEYS: readonly string[] = ["path", "timeout", "matcher"];
const HELPS = { command: 'a command stands in a list: "hooks": [{"type": "command", "command": "..."}]' };

const BASE: readonly string[] = ["session_id", "transcript_path", "hook_event_name"];
const OWN: Readonly<Record<string, readonly string[]>> = {
  PreToolUse: ["tool_name", "tool_input"],
  UserPromptSubmit: ["prompt"],
};

const PATH: Field<string> = {
  isRight: (value): value is string => isText(value) && value.trim() !== "",
  expected: "a path",
  example: '"hooks/Guard.ts"',
};
const TIMEOUT: Field<number> = {
  isRight: isDuration,
  expected: "a number of milliseconds above 0",
  example: "5000",
};

/** Below this many milliseconds hardly a program has started. */
const TOO_SHORT_MS = 30;

/** An entry that is one hook: `{"path", "timeout", "matcher"}`, the script run as it is. */
export function readEntry(entry: Table, under: Under, reading: Reading): SettingsHook[] {
  const { report, root, env, agent } = reading;
  const { name, event, path } = under;
  report.unknownKeys(entry, path, KEYS, HELPS);
  const script = report.field(entry, path, "path", PATH);
  const timeout_ms = report.field(entry, path, "timeout", TIMEOUT);
  if (timeout_ms !== undefined && timeout_ms < TOO_SHORT_MS) {
    doubtUnit(report, [...path, "timeout"], `${timeout_ms} ms: it is in milliseconds here`, timeout_ms * 1_000);
  }
  if (entry.path === undefined || entry.path === null) {
    const help = 'write "path": "hooks/Guard.ts", or "hooks": [{"type": "command", "command": "..."}]';
    report.add({ code: "HARN_E_KEY_MISSING", path, message: 'a hook needs a "path" or a list of "hooks"', help });
  }
  // The page has six events; of the others a script gets what coding agents give it.
  const isOnPage = settings.resolve(name) !== undefined;
  const dialect = isOnPage ? settings : agent;
  const fields = isOnPage ? [...BASE, ...(OWN[name] ?? [])] : fieldsOf(event).fields;
  const matches = readMatcher(entry, { event, dialect, fields, takesText: false }, path, reading);
  if (script === undefined) return [];
  const argv = [script.includes("/") ? script : `./${script}`];
  const command = commandIn(root, argv, env, timeout_ms);
  const { matcher } = entry;
  const program = { command, handlerName: script, words: argv, matcher, matches, dialect, path: [...path, "path"] };
  return [toHook(program, under, reading)];
}

/** Says that a duration is probably meant in another unit. */
export function doubtUnit(report: Report, path: Path, message: string, better: number): void {
  report.add({ code: "HARN_W_UNIT", severity: "warning", path, message, help: `write "timeout": ${better}` });
}
