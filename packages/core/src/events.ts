import * as z from "zod/mini";
import { unknownEvent } from "./errors.js";
import { isJsonObject, type Json, type JsonObject } from "./json.js";

/** What an event does with an answer: the lattice `block`/`ask`, and the effects beside it. */
export type Honour = "block" | "modify" | "ask" | "decision" | "remind" | "stop";

/** What a fault does: stand in as a veto, be noted and passed over, or be thrown at the host. */
export type OnError = "block" | "allow" | "raise";

/** One row of the catalogue. */
export interface EventSpec {
  /** When it fires, in one line. */
  readonly summary: string;
  readonly honours: readonly Honour[];
  /** The payload path a glob pattern is matched against; null where there is nothing to match. */
  readonly subject: string | null;
  /** The one payload path a hook may rewrite. */
  readonly modifies: string | null;
  /** What a fault does unless the hook says otherwise. */
  readonly fault: OnError;
  readonly payload: z.core.$ZodType;
}

const text = z.string();
const count = z.number().check(z.int(), z.gte(0));
const json = z.custom<Json>((value) => value !== undefined);
const object = z.custom<JsonObject>(isJsonObject);

const session = z.strictObject({
  id: text,
  transcript_path: z.optional(text),
  cwd: z.optional(text),
  agent: z.optional(text),
  parent_id: z.optional(text),
});
// `name` and `args` mean the same whoever the agent is; `native_name` is what that agent calls its tool.
const tool = z.strictObject({
  name: text,
  args: object,
  call_id: z.optional(text),
  native_name: z.optional(text),
});
const result = z.strictObject({
  text,
  value: z.optional(json),
  is_error: z.boolean(),
  dropped: z.optional(count),
});
const subagent = z.strictObject({ name: text, id: z.optional(text), depth: z.optional(count) });
const error = z.strictObject({ message: text, name: z.optional(text), code: z.optional(text) });
const turn = z.strictObject({ index: count });
const usage = z.strictObject({ input_tokens: count, output_tokens: count });
const toolCalls = z.array(z.strictObject({ name: text, args: object }));

/**
 * Declares one event. Its fault policy follows from what it honours: a gate that cannot answer must not let things
 * through, an observer that fails must not stop the agent.
 */
function event<const S extends { honours: readonly Honour[]; modifies?: string }, Shape extends z.core.$ZodLooseShape>(
  spec: S & { summary: string; subject?: string; payload: () => Shape },
) {
  const isGate = spec.honours.includes("block") || spec.honours.includes("decision");
  const make = () => z.strictObject({ event: text, session, extra: z.optional(object), ...spec.payload() });
  let payload: ReturnType<typeof make> | undefined;
  return {
    summary: spec.summary,
    honours: spec.honours as S["honours"],
    subject: spec.subject ?? null,
    modifies: (spec.modifies ?? null) as S extends { modifies: infer Path } ? Path : null,
    fault: (isGate ? "block" : "allow") as OnError,
    // A process that is started for one event needs one of fifty.
    get payload() {
      payload ??= make();
      return payload;
    },
  };
}

const persona = { persona: text, step: z.optional(z.strictObject({ name: text })), details: z.optional(object) };

/** Every event of Harn. The canonical payload is nested and snake_case, so a path reads the same in every language. */
export const catalogue = {
  SessionStart: event({
    summary: "A session is open, before its loop starts.",
    honours: ["remind"],
    subject: "source",
    payload: () => ({
      source: z.optional(text),
      is_resume: z.optional(z.boolean()),
      prompt: z.optional(text),
      model: z.optional(text),
    }),
  }),
  SessionEnd: event({
    summary: "The session's loop has exited.",
    honours: ["remind"],
    subject: "reason",
    payload: () => ({ reason: z.optional(text) }),
  }),
  SessionError: event({
    summary: "The loop ended with an error, before SessionEnd.",
    honours: ["remind"],
    subject: "error.name",
    payload: () => ({ error }),
  }),
  SessionIdle: event({
    summary: "A daemon-mode loop enters its wait between turns.",
    honours: ["remind"],
    payload: () => ({ wake_interval_ms: z.optional(count) }),
  }),
  UserPromptSubmit: event({
    summary: "The user sent a prompt, before the agent sees it.",
    honours: ["block", "modify", "remind"],
    subject: "source",
    modifies: "prompt",
    payload: () => ({ prompt: text, source: z.optional(text) }),
  }),
  TurnStart: event({
    summary: "Before the model is called for a new turn of the user.",
    honours: ["block", "modify", "remind"],
    modifies: "prompt",
    payload: () => ({ prompt: text, turn: z.optional(turn) }),
  }),
  TurnEnd: event({
    summary: "After the model produced the output of its turn.",
    honours: ["block", "modify", "remind"],
    modifies: "text",
    payload: () => ({
      text,
      tool_calls: z.optional(toolCalls),
      usage: z.optional(usage),
      logs: z.optional(z.array(object)),
      turn: z.optional(turn),
    }),
  }),
  PostTurn: event({
    summary: "After a model/tool iteration is recorded, before the loop decides whether to continue.",
    honours: ["remind"],
    payload: () => ({ turn, text: z.optional(text), tool_calls: z.optional(toolCalls) }),
  }),
  PreCompletion: event({
    summary: "Before a completion request goes to the provider; once per provider call.",
    honours: ["block", "modify", "remind"],
    subject: "request.model",
    modifies: "request",
    payload: () => ({ request: object }),
  }),
  PostCompletion: event({
    summary: "After the provider answered a completion request.",
    honours: ["block", "modify", "remind"],
    subject: "response.model",
    modifies: "response",
    payload: () => ({ response: object }),
  }),
  PreToolUse: event({
    summary: "Before a tool runs.",
    honours: ["block", "modify", "ask", "remind", "stop"],
    subject: "tool.name",
    modifies: "tool.args",
    payload: () => ({ tool }),
  }),
  PostToolUse: event({
    summary: "After a tool ran, successfully or not; a block withholds the result from the model.",
    honours: ["block", "modify", "remind", "stop"],
    subject: "tool.name",
    modifies: "result",
    payload: () => ({ tool, result, duration_ms: z.optional(z.number()) }),
  }),
  PostToolUseFailure: event({
    summary: "After PostToolUse, when the tool failed.",
    honours: ["modify", "remind", "stop"],
    subject: "tool.name",
    modifies: "result",
    payload: () => ({ tool, result, duration_ms: z.optional(z.number()) }),
  }),
  PermissionAsked: event({
    summary: "The permission policy needs to escalate; a decision answers in its place.",
    honours: ["decision", "remind"],
    subject: "tool.name",
    payload: () => ({ tool, mode: z.optional(text), reason: z.optional(text) }),
  }),
  PermissionReplied: event({
    summary: "After the permission policy decided.",
    honours: ["remind"],
    subject: "tool.name",
    payload: () => ({ tool, decision: z.enum(["allow", "deny"]), reason: z.optional(text), by: z.optional(text) }),
  }),
  PermissionDenied: event({
    summary: "A tool call was denied, by a rule, by the person, or because nobody could be asked.",
    honours: ["remind"],
    subject: "tool.name",
    payload: () => ({ tool, reason: z.optional(text) }),
  }),
  FileEdited: event({
    summary: "The agent wrote a file.",
    honours: ["remind"],
    subject: "path",
    payload: () => ({
      path: text,
      is_new: z.optional(z.boolean()),
      tool: z.optional(tool),
      metadata: z.optional(object),
    }),
  }),
  PreCompact: event({
    summary: "Before the transcript is compacted; a block skips this pass.",
    honours: ["block", "remind"],
    subject: "trigger",
    payload: () => ({ trigger: z.optional(text), instructions: z.optional(text), message_count: z.optional(count) }),
  }),
  PostCompact: event({
    summary: "After compaction replaced messages.",
    honours: ["remind"],
    subject: "trigger",
    payload: () => ({ trigger: z.optional(text), summary: z.optional(text), message_count: z.optional(count) }),
  }),
  SubagentStart: event({
    summary: "Before a subagent starts.",
    honours: ["block", "modify", "remind"],
    subject: "subagent.name",
    modifies: "prompt",
    payload: () => ({ subagent, prompt: z.optional(text) }),
  }),
  SubagentVerify: event({
    summary:
      "After a subagent that declares verification answered; a block makes it try again, a bounded number of times.",
    honours: ["block", "modify", "remind"],
    subject: "subagent.name",
    modifies: "result",
    payload: () => ({ subagent, result, attempt: count, max_attempts: z.optional(count) }),
  }),
  SubagentStop: event({
    summary: "After a subagent finished.",
    honours: ["block", "modify", "remind"],
    subject: "subagent.name",
    modifies: "result",
    payload: () => ({ subagent, result: z.optional(result) }),
  }),
  Stop: event({
    summary: "The agent is about to stop; a block keeps it working, with the reason.",
    honours: ["block", "modify", "remind"],
    subject: "finish_reason",
    modifies: "text",
    payload: () => ({
      text: z.optional(text),
      finish_reason: z.optional(text),
      iteration: z.optional(count),
      stop_hook_active: z.optional(z.boolean()),
    }),
  }),
  PreStep: event({
    summary: "Before a step of a persona runs.",
    honours: ["block", "modify", "remind"],
    subject: "target",
    modifies: "step.args",
    payload: () => ({
      target: text,
      persona: text,
      step: z.strictObject({ name: text, function: z.optional(text), args: json }),
    }),
  }),
  PostStep: event({
    summary: "After a step of a persona ran.",
    honours: ["modify", "remind"],
    subject: "target",
    modifies: "output",
    payload: () => ({
      target: text,
      persona: text,
      step: z.strictObject({ name: text, function: z.optional(text), args: z.optional(json) }),
      output: json,
    }),
  }),
  OnApprovalRequested: event({
    summary: "A persona asked for approval.",
    honours: ["remind"],
    subject: "persona",
    payload: () => persona,
  }),
  OnHandoffEmitted: event({
    summary: "A persona handed its work to another.",
    honours: ["remind"],
    subject: "persona",
    payload: () => persona,
  }),
  OnPersonaPaused: event({
    summary: "A persona was paused.",
    honours: ["remind"],
    subject: "persona",
    payload: () => persona,
  }),
  OnPersonaResumed: event({
    summary: "A paused persona goes on.",
    honours: ["remind"],
    subject: "persona",
    payload: () => persona,
  }),
  OnBudgetThreshold: event({
    summary: "A persona's budget was used up to a percentage.",
    honours: ["remind"],
    subject: "persona",
    payload: () => ({
      ...persona,
      budget: z.strictObject({
        pct: z.optional(z.number()),
        used: z.optional(z.number()),
        limit: z.optional(z.number()),
      }),
    }),
  }),
  PreFinish: event({
    summary: "Just before the pipeline's finish callback runs.",
    honours: ["remind"],
    payload: () => ({ result: z.optional(json) }),
  }),
  OnUnsettledDetected: event({
    summary: "Between PreFinish and the finish callback, only when something is unsettled.",
    honours: ["remind"],
    payload: () => ({ unsettled: json }),
  }),
  PostFinish: event({
    summary: "After the finish callback returned, before the pipeline's value goes to the host.",
    honours: ["remind"],
    payload: () => ({ result: z.optional(json) }),
  }),
  ModelSwitch: event({
    summary: "The active model changed.",
    honours: ["remind"],
    subject: "new_model",
    payload: () => ({ previous_model: text, new_model: text }),
  }),
  RetryAttempt: event({
    summary: "Before a request is retried.",
    honours: ["remind"],
    subject: "error.name",
    payload: () => ({ attempt: count, max_attempts: count, error, delay_ms: count }),
  }),
  MemoryUpdate: event({
    summary: "Memory extraction created, updated or deleted entries.",
    honours: ["remind"],
    payload: () => ({
      created: z.optional(z.array(text)),
      updated: z.optional(z.array(text)),
      deleted: z.optional(z.array(text)),
    }),
  }),
  "custom.*": event({
    summary: "An event of your own: `custom.` and a name of a-z, 0-9 and _.",
    honours: ["block", "modify", "remind"],
    modifies: "data",
    payload: () => ({ data: json }),
  }),
  "meta.*": event({
    summary: "Something is registered or called at run time: `meta.` and a name of a-z, 0-9 and _.",
    honours: ["block", "remind"],
    payload: () => ({ data: json }),
  }),
} as const satisfies Record<string, EventSpec>;

type Catalogue = typeof catalogue;

/** In the place of an event: all of them. For observers only, because no verdict fits every event. */
export const ANY_EVENT = "*";

let anyPayload: z.core.$ZodType | undefined;

/** What an observer of every event can rely on: any payload of the catalogue. Its subject is the event's own name. */
export const anyEvent: EventSpec = {
  summary: "Every event; observers only.",
  honours: [],
  subject: "event",
  modifies: null,
  fault: "allow",
  get payload() {
    anyPayload ??= z.strictObject(anyShape());
    return anyPayload;
  },
};

type Shape = Record<string, z.core.$ZodType>;

function anyShape(): Shape {
  const shape: Shape = {};
  for (const { payload } of Object.values(catalogue)) {
    for (const [key, part] of Object.entries(payload._zod.def.shape as Shape)) {
      const known = Object.hasOwn(shape, key) ? shape[key] : undefined;
      // Where two events mean different things by one key, nothing is promised about what is below it.
      shape[key] = known === undefined || bare(known) === bare(part) ? part : json;
    }
  }
  return shape;
}

function bare(schema: z.core.$ZodType): z.core.$ZodType {
  const { type, innerType } = schema._zod.def as unknown as { type: string; innerType?: z.core.$ZodType };
  return type === "optional" && innerType !== undefined ? bare(innerType) : schema;
}

/** A row of the catalogue; the two families `custom.*` and `meta.*` are one row each. */
export type CatalogueName = keyof Catalogue;

/** The name of an event, canonical spelling. */
export type EventName = Exclude<CatalogueName, `${string}.*`> | `custom.${string}` | `meta.${string}`;

/** The catalogue row that holds an event. */
export type RowOf<E extends EventName> = E extends CatalogueName
  ? E
  : E extends `custom.${string}`
    ? "custom.*"
    : "meta.*";

type Frozen<T> = T extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : T extends object
    ? { readonly [K in keyof T]: Frozen<T[K]> }
    : T;

/** Which session an event belongs to. */
export type SessionRef = Frozen<z.infer<typeof session>>;

/** What a hook of this event sees. Frozen: the way to change it is to return a modify. */
export type Payload<E extends EventName = EventName> = Frozen<
  Omit<z.infer<Catalogue[RowOf<E>]["payload"]>, "event">
> & { readonly event: E };

/** What a host passes to fire this event: the payload without what the harness fills in. */
export type PayloadInput<E extends EventName> = Omit<Payload<E>, "event" | "session"> & {
  readonly session?: SessionRef;
};

/** What this event honours. */
export type HonoursOf<E extends EventName> = Catalogue[RowOf<E>]["honours"][number];

type Leaf<Path> = Path extends `${string}.${infer Rest}` ? Leaf<Rest> : Path;
type At<T, Path> = Path extends `${infer Key}.${infer Rest}`
  ? Key extends keyof T
    ? At<T[Key], Rest>
    : never
  : Path extends keyof T
    ? Exclude<T[Path], undefined>
    : never;

/**
 * The rewrite an event takes: the last word of the path it modifies, and the new value. A result is replaced by a
 * string (its text) or by any other JSON (its structured value), and `dropped` says how much of it was cut off.
 */
export type Change<E extends EventName> = Catalogue[RowOf<E>]["modifies"] extends infer Path
  ? Path extends string
    ? Path extends "result"
      ? { readonly result: Json; readonly dropped?: number }
      : { readonly [Key in Leaf<Path> & string]: At<Payload<E>, Path> }
    : never
  : never;

/** Every row's name, in the order of the catalogue. */
export const catalogueNames = Object.keys(catalogue) as CatalogueName[];

const FAMILY = /^(custom|meta)\.[a-z0-9_]+$/;

/** The row that holds an event name, or undefined when there is no such event. */
export function rowOf(name: string): CatalogueName | undefined {
  if (Object.hasOwn(catalogue, name) && !name.endsWith(".*")) return name as CatalogueName;
  return FAMILY.test(name) ? (`${name.slice(0, name.indexOf("."))}.*` as CatalogueName) : undefined;
}

/** The catalogue's row for an event; throws for a name that is not in it. */
export function specOf(name: string, where = "event"): EventSpec {
  const row = rowOf(name);
  if (row === undefined) throw unknownEvent(where, name, catalogueNames);
  return catalogue[row];
}

/** Whether an event honours a veto. */
export function isGate(spec: EventSpec): boolean {
  return spec.honours.includes("block") || spec.honours.includes("decision");
}
