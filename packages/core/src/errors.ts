import { nearest } from "./nearest.js";

/** Every code `@hooks/core` can raise, with the fact it stands for. */
export const errorCodes = {
  HARN_E_EVENT_UNKNOWN: "The event is not in the catalogue of the dialect or surface that names it.",
  HARN_E_KEY_UNKNOWN: "A configuration object has a key nobody reads.",
  HARN_E_KEY_TYPE: "A configuration value has the wrong type.",
  HARN_E_PATTERN: "A pattern cannot be compiled, or can never match.",
  HARN_E_WHEN: "A `when` condition cannot be compiled, raised, or is not available.",
  HARN_E_PAYLOAD: "A payload does not fit the schema of its event.",
  HARN_E_PAYLOAD_JSON: "A payload holds something that is not JSON.",
  HARN_E_PAYLOAD_LIMIT: "A payload is too deep or too large.",
  HARN_E_REMINDER: "A reminder has an unknown key or a wrong value.",
  HARN_E_CONTRACT: "A handler returned something its dialect or its event does not allow.",
  HARN_E_MODIFY: "A hook rewrote what it may not, or into something that no longer fits the schema of its event.",
  HARN_E_HOOK_THREW: "A handler threw or rejected.",
  HARN_E_HOOK_TIMEOUT: "A handler did not settle before its deadline.",
  HARN_E_HOOK_BUDGET: "A sandboxed handler or condition used up its steps, its memory or its depth.",
  HARN_E_HOOK_EXIT: "An executable hook ended with an exit code that is neither 0 nor 2, or by a signal.",
  HARN_E_HOOK_START: "An executable hook could not be started.",
  HARN_E_HOOK_OUTPUT: "An executable hook printed too much, or something that is no text.",
  HARN_E_REFUSED: "A hook refused that a tool or a hook is registered at run time.",
  HARN_E_UNSETTLED: "Hooks rewrote a payload over and over after a policy had passed it.",
  HARN_E_TAPE: "The tape could not be written.",
  HARN_E_SESSION: "A session was used before it was started, after it ended, or twice at once.",
  HARN_E_MODEL: "A model, or a hook that rewrote for it, gave a request or an answer that has not the shape of one.",
  HARN_E_VERIFY_FAILED: "A subagent's answer was not accepted within the attempts it had.",
  HARN_E_VERIFIER: "What was to verify a subagent's answer failed itself.",
  HARN_E_DELEGATION: "A delegation is nested too deeply.",
} as const;

export type ErrorCode = keyof typeof errorCodes;

/** An error with a stable code, the fact, and one remedy. */
export class HarnError extends Error {
  override readonly name: string = "HarnError";
  readonly code: ErrorCode;
  /** What to do about it, in one sentence. */
  readonly help: string | undefined;

  constructor(code: ErrorCode, message: string, help?: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.help = help;
  }
}

/** A handler broke the contract of its dialect or event. */
export class HookContractError extends HarnError {
  override readonly name = "HookContractError";

  constructor(message: string, help?: string) {
    super("HARN_E_CONTRACT", message, help);
  }
}

/** Thrown out of a dispatch by a hook whose `on_error` is `raise`. */
export class HookFaultError extends HarnError {
  override readonly name = "HookFaultError";
  readonly hook: string;

  constructor(hook: string, fault: HarnError) {
    super(fault.code, `hook "${hook}": ${fault.message}`, fault.help, fault);
    this.hook = hook;
  }
}

function suggestion(name: string, valid: Iterable<string>): string {
  const near = nearest(name, valid);
  return near === undefined ? "" : ` Did you mean "${near}"?`;
}

function list(names: Iterable<string>): string {
  return [...names].join(", ");
}

export function unknownEvent(where: string, name: unknown, valid: readonly string[], hint?: string): HarnError {
  if (typeof name !== "string") {
    return new HarnError("HARN_E_EVENT_UNKNOWN", `${where}: event must be a string, got ${typeName(name)}`);
  }
  return new HarnError(
    "HARN_E_EVENT_UNKNOWN",
    `${where}: unknown event "${name}".${hint ? ` ${hint}` : suggestion(name, valid)}`,
    `Use one of: ${list(valid)}.`,
  );
}

export function unknownKey(where: string, key: string, valid: readonly string[]): HarnError {
  return new HarnError(
    "HARN_E_KEY_UNKNOWN",
    `${where}: unknown key "${key}".${suggestion(key, valid)}`,
    `Keys here: ${list(valid)}.`,
  );
}

export function wrongType(where: string, key: string, expected: string, value: unknown): HarnError {
  return new HarnError("HARN_E_KEY_TYPE", `${where}: "${key}" must be ${expected}, got ${typeName(value)}`);
}

export function missingKey(where: string, key: string, expected: string): HarnError {
  return new HarnError("HARN_E_KEY_TYPE", `${where}: "${key}" is required and must be ${expected}`);
}

export function badPattern(pattern: string, why: string, help?: string): HarnError {
  return new HarnError("HARN_E_PATTERN", `pattern ${JSON.stringify(pattern)}: ${why}`, help);
}

export function unsettled(rounds: number): HarnError {
  return new HarnError(
    "HARN_E_UNSETTLED",
    `what was rewritten after it has to pass it again, and did not settle in ${rounds} rounds`,
    "Let the hook that rewrites later leave alone what this one insists on.",
  );
}

export function whenUnavailable(expression: string): HarnError {
  return new HarnError(
    "HARN_E_WHEN",
    `when ${JSON.stringify(expression)}: this harness has no language for conditions`,
    "Give createHarness a `when` port, or pass a function.",
  );
}

export function whenRaised(error: unknown): HarnError {
  return new HarnError("HARN_E_WHEN", `when: ${messageOf(error)}`, undefined, error);
}

export function invalidPayload(event: string, problems: readonly string[]): HarnError {
  return new HarnError(
    "HARN_E_PAYLOAD",
    `payload of ${event}: ${problems.join("; ")}`,
    `docs/events.md has the payload of ${event}.`,
  );
}

export function payloadNotJson(what: string, path: string): HarnError {
  return new HarnError(
    "HARN_E_PAYLOAD_JSON",
    `${path === "" ? "the payload" : path} is not JSON: ${what}`,
    "Pass strings, finite numbers, booleans, null, arrays and plain objects.",
  );
}

export function payloadTooLarge(limit: "depth" | "size", most: number, path: string): HarnError {
  const place = path.length > 120 ? `${path.slice(0, 120)}...` : path;
  return new HarnError(
    "HARN_E_PAYLOAD_LIMIT",
    `the payload is too ${limit === "depth" ? "deep" : "large"} (more than ${most} ${limit === "depth" ? "levels" : "units"}) at ${place === "" ? "its root" : place}`,
    `Send less, or raise limits.${limit} of createHarness.`,
  );
}

export function badReminder(why: string, help?: string): HarnError {
  return new HarnError("HARN_E_REMINDER", `reminder: ${why}`, help);
}

export function unknownReminderKey(key: string, valid: readonly string[]): HarnError {
  return badReminder(`unknown key "${key}".${suggestion(key, valid)}`, `Keys of a reminder: ${list(valid)}.`);
}

export function unfitModify(event: string, problems: readonly string[]): HarnError {
  return new HarnError("HARN_E_MODIFY", `the rewritten payload of ${event} is not valid: ${problems.join("; ")}`);
}

export function cannotModify(why: string, help?: string): HarnError {
  return new HarnError("HARN_E_MODIFY", why, help);
}

export function hookThrew(error: unknown): HarnError {
  return new HarnError("HARN_E_HOOK_THREW", `threw: ${messageOf(error)}`, undefined, error);
}

export function hookTimedOut(milliseconds: number): HarnError {
  return new HarnError(
    "HARN_E_HOOK_TIMEOUT",
    `did not settle within ${milliseconds} ms; it was told to abort and is abandoned`,
    "Listen to ctx.signal, do less, or raise timeout_ms.",
  );
}

export function hookExited(code: number | null, stderr: string, signal = "a signal"): HarnError {
  const said = stderr.trim();
  return new HarnError(
    "HARN_E_HOOK_EXIT",
    `exited with ${code === null ? signal : `code ${code}`}${said === "" ? "" : `: ${said.slice(0, 500)}`}`,
    "Exit 0 to continue, 2 to block.",
  );
}

export function tapeFailed(error: unknown): HarnError {
  return new HarnError("HARN_E_TAPE", `the tape could not be written: ${messageOf(error)}`, undefined, error);
}

export function sessionMisused(why: string, help?: string): HarnError {
  return new HarnError("HARN_E_SESSION", `session: ${why}`, help);
}

export function badModelData(what: string, problems: readonly string[]): HarnError {
  return new HarnError("HARN_E_MODEL", `${what}: ${problems.join("; ")}`, "docs/session.md has its shape.");
}

export function verificationFailed(subagent: string, attempts: number, reason: string): HarnError {
  return new HarnError(
    "HARN_E_VERIFY_FAILED",
    `subagent "${subagent}": not verified after ${attempts} ${attempts === 1 ? "attempt" : "attempts"}: ${reason}`,
    "Raise maxVerifyRetries, or make the task smaller.",
  );
}

export function verifierFailed(subagent: string, error: unknown): HarnError {
  return new HarnError(
    "HARN_E_VERIFIER",
    `subagent "${subagent}": the verifier failed: ${messageOf(error)}`,
    "Repair the verifier: an answer it could not look at counts neither as good nor as bad.",
    error,
  );
}

export function delegationTooDeep(subagent: string, most: number): HarnError {
  return new HarnError(
    "HARN_E_DELEGATION",
    `subagent "${subagent}": delegations are nested more than ${most} deep`,
    "Raise maxDepth of createSession, or find the agents that delegate to each other.",
  );
}

/** The text of anything that can be thrown; never throws itself. */
export function messageOf(error: unknown): string {
  try {
    return error instanceof Error ? String(error.message) : String(error);
  } catch {
    return "an error without a readable message";
  }
}

/** A value as a message can show it: short, and never an error itself. */
export function shown(value: unknown): string {
  try {
    return (JSON.stringify(value) ?? typeName(value)).slice(0, 200);
  } catch {
    return typeName(value);
  }
}

/** The word for a value's type that a person would use. */
export function typeName(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (Object.prototype.toString.call(value) === "[object Date]") return "a date";
  const type = typeof value;
  return type === "object" ? "an object" : type === "undefined" ? "nothing" : `a ${type}`;
}
