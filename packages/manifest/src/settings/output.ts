import {
  type Call,
  type Effect,
  HookContractError,
  inject,
  isGate,
  isJsonObject,
  type JsonObject,
  parseReminder,
  rewrittenResult,
  type Verdict,
} from "@hooks/core";

const KEYS: readonly string[] = [
  "continue",
  "stopReason",
  "suppressOutput",
  "systemMessage",
  "decision",
  "reason",
  "message",
  "hookSpecificOutput",
  "terminalSequence",
  "async",
  "asyncTimeout",
];

const SPECIFIC_KEYS: readonly string[] = [
  "hookEventName",
  "permissionDecision",
  "permissionDecisionReason",
  "updatedInput",
  "additionalContext",
  "updatedToolOutput",
  "updatedMCPToolOutput",
  "decision",
];

// What each word for a decision means. None of those for an approval grants anything: hooks have no such power.
const VERDICTS: Readonly<Record<string, Verdict>> = {
  approve: "allow",
  allow: "allow",
  defer: "allow",
  block: "block",
  deny: "block",
  ask: "ask",
};

/**
 * What an object means that a hook of a coding agent printed. Keys nobody knows are said; one that has no other kind is
 * text, but on PreToolUse a broken contract: a decision with a typo in it must not turn into harmless context.
 */
export function parseOutput(object: JsonObject, call: Call): Effect {
  const keys = Object.keys(object);
  const unknown = keys.filter((key) => !KEYS.includes(key));
  if (keys.length > 0 && unknown.length === keys.length) {
    if (call.event !== "PreToolUse") return inject(JSON.stringify(object));
    throw new HookContractError(`not a decision: ${JSON.stringify(object).slice(0, 200)}`, HELP);
  }
  const specific = specificOf(object);
  const decision = isJsonObject(specific.decision) ? specific.decision : {};
  const verdict = strictest([
    verdictOf(object.decision, "decision"),
    verdictOf(specific.permissionDecision, "permissionDecision"),
    verdictOf(decision.behavior, "behavior"),
    stopsHere(object, call) ? "block" : "allow",
  ]);
  const answers = decision.behavior !== undefined && call.spec.honours.includes("decision");
  const reason = firstText(
    decision.message,
    specific.permissionDecisionReason,
    object.reason,
    object.message,
    object.stopReason,
  );
  const change = changeOf({ ...decision, ...specific }, call);
  const context = firstText(specific.additionalContext);
  const warnings = warningsOf(object, specific, unknown);
  return {
    verdict,
    ...(verdict === "allow" ? {} : { reason: reason ?? FALLBACK[verdict](call.event) }),
    ...(answers ? { decision: verdict === "block" ? ("deny" as const) : ("allow" as const) } : {}),
    ...(change === undefined ? {} : { change }),
    ...(context === undefined
      ? {}
      : { reminders: [parseReminder({ body: context, tags: ["context"], ttl_turns: 1 })] }),
    ...(object.continue === false && call.spec.honours.includes("stop")
      ? { stop: reason === undefined ? {} : { reason } }
      : {}),
    ...(warnings.length === 0 ? {} : { warnings }),
  };
}

const HELP =
  'Print {"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "..."}}, or exit with 2.';

const FALLBACK = {
  block: (event: string) => `${event} hook blocked the operation`,
  ask: (event: string) => `${event} hook asks for confirmation`,
};

function specificOf({ hookSpecificOutput: specific }: JsonObject): JsonObject {
  if (specific === undefined || specific === null) return {};
  if (!isJsonObject(specific)) throw new HookContractError("hookSpecificOutput must be an object", HELP);
  return specific;
}

function verdictOf(word: unknown, key: string): Verdict {
  if (word === undefined || word === null) return "allow";
  const verdict = typeof word === "string" && Object.hasOwn(VERDICTS, word) ? VERDICTS[word] : undefined;
  if (verdict !== undefined) return verdict;
  throw new HookContractError(`${key} cannot be ${JSON.stringify(word)?.slice(0, 100)}`, HELP);
}

const STRICTER: readonly Verdict[] = ["allow", "ask", "block"];

function strictest(verdicts: readonly Verdict[]): Verdict {
  return verdicts.reduce((most, next) => (STRICTER.indexOf(next) > STRICTER.indexOf(most) ? next : most), "allow");
}

/**
 * Whether `continue: false` refuses what is about to happen. What already happened is not undone by it, and an agent that
 * is about to stop anyway is not to be kept from it.
 */
function stopsHere(object: JsonObject, { event, spec }: Call): boolean {
  return object.continue === false && isGate(spec) && !/^(?:PostToolUse|Stop|SubagentStop)$/.test(event);
}

function changeOf(specific: JsonObject, { event, payload }: Call): Effect["change"] {
  const { updatedInput, updatedMCPToolOutput, updatedToolOutput = updatedMCPToolOutput } = specific;
  if (updatedInput !== undefined) {
    // What a hook meant to take out must not go through as it was.
    if (event !== "PreToolUse") throw new HookContractError(`${event} cannot update an input; PreToolUse can`);
    if (!isJsonObject(updatedInput)) throw new HookContractError("updatedInput must be an object", HELP);
    return { value: updatedInput };
  }
  if (!event.startsWith("PostToolUse") || updatedToolOutput === undefined) return undefined;
  return { value: rewrittenResult(updatedToolOutput, payload) };
}

function firstText(...values: readonly unknown[]): string | undefined {
  return values.find((value): value is string => typeof value === "string" && value.trim() !== "");
}

/** What a person should hear of: what the hook has to say to one, and what it said that nobody reads. */
function warningsOf(object: JsonObject, specific: JsonObject, unknown: readonly string[]): string[] {
  const message = firstText(object.systemMessage);
  const unread = [...unknown, ...Object.keys(specific).filter((key) => !SPECIFIC_KEYS.includes(key))];
  return [
    ...(message === undefined ? [] : [message]),
    ...unread.map((key) => `it printed ${JSON.stringify(key.slice(0, 100))}, which nobody reads here`),
  ];
}
