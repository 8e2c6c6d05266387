import { nearest, type OnError, typeName } from "@hooks/core";
import type { Path } from "../document.js";
import { commandIn } from "../process/check.js";
import { type Field, isDuration, isTable, isText, type Report, type Table, valueText } from "../report.js";
import { fieldsOf } from "./agent.js";
import { doubtUnit } from "./entry.js";
import { type Reading, readMatcher, type SettingsHook, toHook, type Under } from "./hook.js";
import { wordsOf } from "./words.js";

const KEYS: readonly string[] = ["matcher", "hooks", "description"];
const HANDLER_KEYS: readonly string[] = [
  "type",
  "command",
  "args",
  "timeout",
  "shell",
  "onFailure",
  "statusMessage",
  "if",
  "async",
  "asyncRewake",
  "once",
];
const OTHER_TYPES: readonly string[] = ["http", "prompt", "agent", "mcp_tool"];
const EXAMPLE = '{"type": "command", "command": "..."}';

const isFilled = (value: unknown): value is string => isText(value) && value.trim() !== "";
const COMMAND: Field<string> = { isRight: isFilled, expected: "a command line", example: '"./hooks/guard.sh"' };
const TIMEOUT: Field<number> = { isRight: isDuration, expected: "a number of seconds above 0", example: "60" };
const ARGS: Field<readonly string[]> = {
  isRight: (value): value is string[] => Array.isArray(value) && value.every(isText),
  expected: "a list of texts",
  example: '["--flag"]',
};
const SHELL: Field<"bash" | "sh"> = {
  isRight: (value): value is "bash" | "sh" => value === "bash" || value === "sh",
  expected: '"bash" or "sh"',
  example: '"bash"',
};
const ON_FAILURE: Field<OnError> = {
  isRight: (value): value is OnError => value === "block" || value === "allow",
  expected: '"block" or "allow"',
  example: '"block"',
};

const DEFAULT_SECONDS = 60;
/** From here on a number of seconds is more likely one of milliseconds. */
const TOO_LONG_SECONDS = 1_000;

/** An entry that lists hooks behind one matcher, the way coding agents write them: command lines for a shell. */
export function readGroup(group: Table, under: Under, reading: Reading): SettingsHook[] {
  const { report, agent } = reading;
  const { event, path } = under;
  report.unknownKeys(group, path, group.path === undefined ? KEYS : [...KEYS, "path"]);
  if (group.path !== undefined) {
    const message = 'an entry has a "path" or a list of "hooks", not both';
    report.add({ code: "HARN_E_KEY_TYPE", path: [...path, "path"], atKey: true, message, help: "make two of it" });
  }
  const { hooks } = group;
  const matches = readMatcher(group, { event, dialect: agent, ...fieldsOf(event), takesText: true }, path, reading);
  if (!Array.isArray(hooks)) {
    const message = `"hooks" must be a list, got ${typeName(hooks)}`;
    report.add({ code: "HARN_E_KEY_TYPE", path: [...path, "hooks"], message, help: `write "hooks": [${EXAMPLE}]` });
    return [];
  }
  return hooks.flatMap((handler: unknown, index) => {
    const own = [...path, "hooks", index];
    if (!isTable(handler)) {
      const message = `a hook must be an object, got ${valueText(handler)}`;
      report.add({ code: "HARN_E_KEY_TYPE", path: own, message, help: `write ${EXAMPLE}` });
      return [];
    }
    if (!isCommand(handler, own, report)) return [];
    const { matcher } = group;
    return readHandler(handler, own, reading).map((program) =>
      toHook({ ...program, matcher, matches, dialect: agent }, under, reading),
    );
  });
}

function isCommand({ type }: Table, path: Path, report: Report): boolean {
  if (type === "command") return true;
  const at = [...path, "type"];
  if (typeof type === "string" && OTHER_TYPES.includes(type)) {
    report.add({
      code: "HARN_W_NOT_LOADED",
      severity: report.isStrict ? "error" : "warning",
      path: at,
      message: `a hook of type "${type}" is not loaded: commands are`,
      help: "write a command that does the same, or take it out",
    });
  } else if (type === undefined) {
    report.add({ code: "HARN_E_KEY_MISSING", path: at, message: '"type" is missing', help: 'write "type": "command"' });
  } else {
    const near = typeof type === "string" ? nearest(type, ["command", ...OTHER_TYPES]) : undefined;
    report.add({
      code: "HARN_E_KEY_TYPE",
      path: at,
      message: `"type" must be "command", got ${valueText(type)}`,
      hint: near === undefined ? undefined : `did you mean "${near}"?`,
      help: 'write "type": "command"',
    });
  }
  return false;
}

function readHandler(handler: Table, path: Path, reading: Reading) {
  const { report, root, env } = reading;
  report.unknownKeys(handler, path, HANDLER_KEYS, { path: 'write "command": "./hooks/guard.sh"' });
  if (handler.command === undefined) {
    const help = 'write "command": "./hooks/guard.sh"';
    report.add({ code: "HARN_E_KEY_MISSING", path, message: '"command" is missing', help });
  }
  const line = report.field(handler, path, "command", COMMAND);
  const args = report.field(handler, path, "args", ARGS);
  const shell = report.field(handler, path, "shell", SHELL) ?? "sh";
  const seconds = report.field(handler, path, "timeout", TIMEOUT);
  const on_error = report.field(handler, path, "onFailure", ON_FAILURE);
  if (seconds !== undefined && seconds >= TOO_LONG_SECONDS) {
    const message = `${seconds} seconds: it is in seconds here`;
    doubtUnit(report, [...path, "timeout"], message, Math.ceil(seconds / 1_000));
  }
  noEffects(handler, path, report);
  if (line === undefined) return [];
  const argv = args === undefined ? [shell, "-c", line] : [line, ...args];
  const command = commandIn(root, argv, env, (seconds ?? DEFAULT_SECONDS) * 1_000);
  // Scripts of coding agents find their project by this name, whichever agent it is.
  const variables = { ...reading.variables, CLAUDE_PROJECT_DIR: root };
  const words = args === undefined ? wordsOf(line, variables) : argv;
  return [{ command: { ...command, variables }, handlerName: line, words, on_error, path: [...path, "command"] }];
}

const NO_EFFECTS: Readonly<Record<string, string>> = {
  if: "the hook runs for everything its matcher selects",
  async: "the agent waits for every hook",
  asyncRewake: "the agent waits for every hook",
  once: "the hook runs every time",
};

function noEffects(handler: Table, path: Path, report: Report): void {
  for (const [key, message] of Object.entries(NO_EFFECTS)) {
    if (handler[key] === undefined || handler[key] === false) continue;
    report.add({
      code: "HARN_W_NO_EFFECT",
      severity: "warning",
      path: [...path, key],
      atKey: true,
      message: `"${key}" has no effect: ${message}`,
      help: "take it out",
    });
  }
}
