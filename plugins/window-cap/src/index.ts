import {
  block,
  capText,
  estimateTokens,
  type HookContext,
  type HookReturn,
  isJsonObject,
  type Json,
  type JsonObject,
  mapResponseTexts,
  modify,
  type Payload,
} from "@hooks/core";
import { Turns } from "./turns.js";

type CappedEvent = "UserPromptSubmit" | "TurnStart" | "PreCompletion" | "PostCompletion" | "TurnEnd";
type PayloadOf<E extends CappedEvent> = { [K in E]: Payload<K> }[E];
type ReturnOf<E extends CappedEvent> = { [K in E]: HookReturn<K> }[E];

interface Options {
  readonly max_prompt_tokens?: number;
  readonly max_messages?: number;
  readonly max_request_tokens?: number;
  readonly max_output_tokens?: number;
  readonly max_completion_chars?: number;
  readonly max_turn_tokens?: number;
  readonly max_turn_completions?: number;
}

const NO_BOUND = Number.POSITIVE_INFINITY;
const turns = new Turns();

/** Caps what goes to a model and what comes back. */
export function cap<E extends CappedEvent>(payload: Payload<E>, context: HookContext): HookReturn<E>;
export function cap(given: unknown, { options }: HookContext): unknown {
  return capPayload(given as PayloadOf<CappedEvent>, (options ?? {}) as Options);
}

function capPayload(payload: PayloadOf<CappedEvent>, options: Options): ReturnOf<CappedEvent> {
  const { id } = payload.session;
  switch (payload.event) {
    case "UserPromptSubmit":
      turns.begin(id);
      return tooMany(
        "prompt",
        estimateTokens(payload.prompt),
        options.max_prompt_tokens,
        "tokens",
        "send less at once",
      );
    case "TurnStart":
      turns.begin(id);
      return undefined;
    case "PreCompletion":
      return capRequest(payload.request, id, options);
    case "PostCompletion":
      return capResponse(payload.response, id, options);
    case "TurnEnd":
      return capTurn(payload, options);
  }
}

function tooMany(
  what: string,
  count: number,
  most: number | undefined,
  unit: string,
  remedy: string,
): ReturnOf<"UserPromptSubmit" | "PreCompletion"> {
  return count > (most ?? NO_BOUND)
    ? block(`the ${what} has ${count} ${unit}, and ${most} are allowed: ${remedy}`)
    : undefined;
}

/** Names by which providers call the limit of an answer. */
const LIMITS: readonly string[] = [
  "max_tokens",
  "max_output_tokens",
  "max_completion_tokens",
  "maxOutputTokens",
  "maxTokens",
];

function capRequest(request: JsonObject, session: string, options: Options): HookReturn<"PreCompletion"> {
  const {
    max_messages = 200,
    max_request_tokens,
    max_output_tokens = NO_BOUND,
    max_turn_tokens,
    max_turn_completions,
  } = options;
  const { completions, tokens } = turns.of(session);
  const compact = "compact the conversation, or start another";
  const finish = "finish with what there is";
  const refused =
    tooMany("request", messagesOf(request), max_messages, "messages", compact) ??
    // Counting takes a look at every character: only for who asked for it.
    (max_request_tokens === undefined
      ? undefined
      : tooMany("request", estimateTokens(JSON.stringify(request)), max_request_tokens, "tokens", compact)) ??
    tooMany("turn", completions + 1, max_turn_completions, "completions", finish) ??
    tooMany("turn", tokens, max_turn_tokens, "tokens of output", finish);
  if (refused !== undefined) return refused as HookReturn<"PreCompletion">;
  const lowered = lowerLimits(request, max_output_tokens);
  return lowered === request ? undefined : modify({ request: lowered });
}

function messagesOf({ messages, input, contents }: JsonObject): number {
  const list = messages ?? input ?? contents;
  return Array.isArray(list) ? list.length : 0;
}

/** The limits of a request, in whatever place a provider has them. */
function lowerLimits(request: JsonObject, most: number, depth = 0): JsonObject {
  if (most === NO_BOUND) return request;
  const entries = Object.entries(request).map(([key, value]): [string, Json | undefined] => {
    if (LIMITS.includes(key) && typeof value === "number" && value > most) return [key, most];
    const isConfig = /^(?:config|generationConfig|generation_config|options|settings)$/.test(key);
    return isConfig && isJsonObject(value) && depth < 3 ? [key, lowerLimits(value, most, depth + 1)] : [key, value];
  });
  const isSame = entries.every(([key, value]) => value === request[key]);
  return isSame ? request : (Object.fromEntries(entries) as JsonObject);
}

function capResponse(
  response: JsonObject,
  session: string,
  { max_completion_chars = 100_000 }: Options,
): HookReturn<"PostCompletion"> {
  const turn = turns.of(session);
  turn.completions++;
  turn.tokens += outputTokens(response);
  const capped = mapResponseTexts(response, (text) => capText(text, max_completion_chars).text);
  return capped === response ? undefined : modify({ response: capped });
}

/** What the provider counted; an estimate where it did not. */
function outputTokens(response: JsonObject): number {
  const { usage } = response;
  const counted = isJsonObject(usage) ? (usage.output_tokens ?? usage.completion_tokens) : undefined;
  return typeof counted === "number" ? counted : estimateTokens(JSON.stringify(response));
}

function capTurn(
  { text, session }: Payload<"TurnEnd">,
  { max_completion_chars = 100_000 }: Options,
): HookReturn<"TurnEnd"> {
  turns.begin(session.id);
  const capped = capText(text, max_completion_chars);
  return capped.dropped === 0 ? undefined : modify({ text: capped.text });
}
