import { type Call, type Dialect, indexNames, onlyKeys, reasonOr } from "../dialect.js";
import { type Effect, NEUTRAL } from "../effect.js";
import { cannotModify, HookContractError, shown, typeName } from "../errors.js";
import { type EventName, type Payload, rowOf } from "../events.js";
import {
  copyJson,
  frozenObject,
  frozenShape,
  has,
  isJsonObject,
  type Json,
  type JsonObject,
  jsonEqual,
  textOf,
} from "../json.js";

/** The dialect of Markdown hooks: dotted names, flat payloads, and allow / block / modify. */
export const markdown: Dialect = {
  name: "markdown",
  names: {
    SessionStart: ["session.start"],
    SessionEnd: ["session.end"],
    SessionError: ["error"],
    SessionIdle: [],
    UserPromptSubmit: [],
    TurnStart: ["turn.start"],
    TurnEnd: ["turn.end"],
    PostTurn: [],
    PreCompletion: ["completion.pre"],
    PostCompletion: ["completion.post"],
    PreToolUse: ["tool.pre"],
    // A failed tool is a tool.post whose `is_error` is true: PostToolUse fires for it as well.
    PostToolUse: ["tool.post"],
    PostToolUseFailure: [],
    PermissionAsked: [],
    PermissionReplied: [],
    PermissionDenied: [],
    FileEdited: [],
    PreCompact: [],
    PostCompact: [],
    SubagentStart: ["delegation.pre"],
    SubagentVerify: ["delegation.post_verify"],
    SubagentStop: ["delegation.post"],
    Stop: ["agent.stop"],
    PreStep: [],
    PostStep: [],
    OnApprovalRequested: [],
    OnHandoffEmitted: [],
    OnPersonaPaused: [],
    OnPersonaResumed: [],
    OnBudgetThreshold: [],
    PreFinish: [],
    OnUnsettledDetected: [],
    PostFinish: [],
    ModelSwitch: [],
    RetryAttempt: [],
    MemoryUpdate: [],
    "custom.*": ["custom.<name>"],
    "meta.*": ["meta.<name>"],
  },
  resolve(name) {
    const event = index.get(name) ?? (rowOf(name)?.endsWith(".*") === true ? (name as EventName) : undefined);
    return event && { event };
  },
  view(payload) {
    // A payload never changes, and a chain of hooks asks for the view of the same one again and again.
    if (seen?.payload !== payload) seen = { payload, view: shapeOf(payload.event).view(payload) };
    return seen.view;
  },
  parse(returned, call) {
    if (!isJsonObject(returned) || !has(returned, "action")) {
      throw new HookContractError(
        `handle must return a decision, got ${typeName(returned)}`,
        "Return allow(), block(reason) or modify(payload).",
      );
    }
    if (returned.action === "block") return parseBlock(returned, call);
    onlyKeys(returned, ["action", "reason", "payload"], "a decision");
    if (returned.action === "allow") return NEUTRAL;
    if (returned.action === "modify") return parseModify(returned.payload, call);
    throw new HookContractError(`unknown action ${shown(returned.action)}`, "Return allow, block or modify.");
  },
  // "Any other return is treated as allow() with a runtime warning"; "If `when` raises, the hook is non-matching".
  tolerates: (fault, _event, isStrict) => !isStrict && (fault === "HARN_E_CONTRACT" || fault === "HARN_E_WHEN"),
};

let seen: { readonly payload: Payload; readonly view: Json } | undefined;

const index = indexNames(markdown.names);

// A broken decision passes with a warning here, so a block must not break over what stands beside it.
function parseBlock(returned: JsonObject, call: Call): Effect {
  const { reason } = returned;
  const text = typeof reason === "string" || reason === undefined || reason === null ? reason : shown(reason);
  const extra = Object.keys(returned).filter((key) => key !== "action" && key !== "reason");
  const effect: Effect = {
    verdict: "block",
    reason: reasonOr(text ?? undefined, `${call.event} hook blocked the operation`),
  };
  return extra.length === 0 ? effect : { ...effect, warnings: [`a block has no ${extra.join(", ")}`] };
}

/** How one event looks in Markdown hooks, and the way back from a rewritten view. */
interface Shape {
  view(payload: Payload): Json;
  /** The keys of the view a hook may rewrite; null: the view is one value. */
  readonly rewrites?: readonly string[] | null;
  /** The new value of the path the event modifies, from the view with the rewrite merged in. */
  back?(next: Json, payload: Payload): Json;
}

function shape<E extends EventName>(spec: {
  view: (payload: Payload<E>) => Json;
  rewrites?: readonly string[] | null;
  back?: (next: never, payload: Payload<E>) => Json;
}): Shape {
  return spec as unknown as Shape;
}

const toolCall = frozenShape(function toolCall({ call_id = "", name, args }: Payload<"PreToolUse">["tool"]) {
  this.id = call_id;
  this.name = name;
  this.arguments = textOf(args);
  this.args = args;
});

const shapes: Partial<Record<EventName, Shape>> = {
  SessionStart: shape({ view: () => null }),
  SessionEnd: shape({ view: () => null }),
  SessionError: shape<"SessionError">({ view: ({ error }) => error as Json }),
  TurnStart: shape<"TurnStart">({ view: ({ prompt }) => prompt, rewrites: null, back: (next: Json) => next }),
  TurnEnd: shape<"TurnEnd">({
    view: ({ text, tool_calls, usage, logs }) =>
      frozenObject({
        text,
        tool_calls: (tool_calls ?? NONE) as Json,
        usage: usage as Json | undefined,
        logs: logs as Json | undefined,
      }),
    rewrites: ["text"],
    back: (next: JsonObject) => next.text as Json,
  }),
  PreCompletion: shape<"PreCompletion">({ view: ({ request }) => request, back: (next: Json) => next }),
  PostCompletion: shape<"PostCompletion">({ view: ({ response }) => response, back: (next: Json) => next }),
  PreToolUse: shape<"PreToolUse">({
    view: ({ tool }) => toolCall(tool),
    rewrites: ["args", "arguments"],
    back: (next: JsonObject, { tool }) =>
      // A hook that rewrote only the raw text means it; the decoded view is what everybody else reads.
      jsonEqual(next.args as Json, tool.args) ? decodeArguments(next.arguments) : (next.args as Json),
  }),
  PostToolUse: shape<"PostToolUse">({
    view: ({ tool, result }) =>
      frozenObject({
        call_id: tool.call_id ?? "",
        name: tool.name,
        content: result.text,
        is_error: result.is_error,
        result: result.value ?? decoded(result.text),
      }),
    rewrites: ["content", "is_error", "result"],
    back(next: { content: string; is_error: boolean; result: Json }, { result }) {
      const before = result.value ?? decoded(result.text);
      const value = jsonEqual(next.result, before) ? undefined : next.result;
      const text = next.content !== result.text || value === undefined ? next.content : encoded(value);
      const kept = value ?? (text === result.text ? result.value : undefined);
      return frozenObject({ text, value: kept, is_error: next.is_error });
    },
  }),
  SubagentStart: shape<"SubagentStart">({
    view: ({ subagent, prompt }) =>
      frozenObject({ agent: subagent.name, prompt: prompt ?? "", depth: subagent.depth ?? 0 }),
    rewrites: ["prompt"],
    back: (next: JsonObject) => next.prompt as Json,
  }),
  SubagentVerify: shape<"SubagentVerify">({
    view: ({ subagent, result, attempt }) => frozenObject({ ...delegation(subagent, result), attempt }),
    rewrites: ["result"],
    back: delegationResult,
  }),
  SubagentStop: shape<"SubagentStop">({
    view: ({ subagent, result }) => frozenObject(delegation(subagent, result)),
    rewrites: ["result"],
    back: delegationResult,
  }),
  Stop: shape<"Stop">({
    view: ({ text, finish_reason, iteration }) => frozenObject({ text: text ?? "", finish_reason, iteration }),
    rewrites: ["text"],
    back: (next: JsonObject) => next.text as Json,
  }),
};

const NONE: readonly Json[] = Object.freeze([]);

const data = shape<`custom.${string}`>({ view: (payload) => payload.data, back: (next: Json) => next });
const whole = shape({ view: (payload) => payload as unknown as Json });

function shapeOf(event: EventName): Shape {
  return shapes[event] ?? (rowOf(event)?.endsWith(".*") === true ? data : whole);
}

/**
 * Merges a rewrite over the view it was made from, and finds the value the operation will use. A rewrite that cannot
 * be made is no bad return value that may pass: what should have been redacted would go through as it was.
 */
function parseModify(payload: unknown, call: Call): Effect {
  const { back, rewrites, view } = shapeOf(call.event);
  if (call.spec.modifies === null || back === undefined) {
    throw cannotModify(`${call.event} cannot be modified`);
  }
  if (payload === undefined) throw cannotModify("modify needs a payload");
  const change = copyJson(payload);
  const before = view(call.payload);
  if (rewrites === null || !isJsonObject(before))
    return { verdict: "allow", change: { value: back(change, call.payload) } };
  if (!isJsonObject(change)) throw cannotModify(`modify needs an object, got ${typeName(change)}`);
  const partial = change;
  for (const key of rewrites === undefined ? [] : Object.keys(partial)) {
    if (has(before, key) && jsonEqual(partial[key] as Json, before[key] as Json)) continue;
    if (!rewrites?.includes(key))
      throw cannotModify(`modify cannot change "${key}"`, `It can change ${rewrites?.join(", ")}.`);
  }
  const next = frozenObject({ ...before, ...partial });
  return jsonEqual(next, before) ? NEUTRAL : { verdict: "allow", change: { value: back(next, call.payload) } };
}

function decodeArguments(raw: Json | undefined): Json {
  try {
    return JSON.parse(String(raw)) as Json;
  } catch {
    throw cannotModify("modify: arguments is not JSON", "Rewrite args, the decoded dict, instead.");
  }
}

function decoded(text: string): Json {
  try {
    return copyJson(JSON.parse(text));
  } catch {
    return text;
  }
}

function encoded(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function delegation(
  subagent: Payload<"SubagentStop">["subagent"],
  result: Payload<"SubagentStop">["result"],
): Record<string, Json | undefined> {
  return { agent: subagent.name, result: result?.value ?? result?.text ?? null, depth: subagent.depth ?? 0 };
}

function delegationResult(next: JsonObject, { result }: Payload<"SubagentStop" | "SubagentVerify">): Json {
  const value = next.result as Json;
  const is_error = result?.is_error ?? false;
  return typeof value === "string" ? { text: value, is_error } : { text: encoded(value), value, is_error };
}
