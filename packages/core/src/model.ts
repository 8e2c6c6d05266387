import * as z from "zod/mini";
import { badModelData, messageOf } from "./errors.js";
import { copyJson, isJsonObject, type Json, type JsonObject } from "./json.js";
import { problemsOf } from "./payload.js";

const text = z.string();
const count = z.number().check(z.int(), z.gte(0));
const object = z.custom<JsonObject>(isJsonObject, "must be an object");

const toolCall = z.object({ id: text, name: text, args: object, unreadable: z.optional(text) });

const message = z.discriminatedUnion("role", [
  z.object({ role: z.literal("system"), content: text }),
  z.object({ role: z.literal("user"), content: text }),
  z.object({ role: z.literal("assistant"), content: text, tool_calls: z.optional(z.array(toolCall)) }),
  z.object({ role: z.literal("tool"), call_id: text, name: text, content: text, is_error: z.boolean() }),
]);

const request = z.object({
  model: text,
  messages: z.array(message),
  tools: z.array(z.object({ name: text, description: text, input_schema: object })),
});

const response = z.object({
  text: z._default(text, ""),
  tool_calls: z._default(z.array(toolCall), []),
  finish_reason: z.optional(text),
  usage: z.optional(z.object({ input_tokens: count, output_tokens: count })),
  model: z.optional(text),
});

/** One tool call, as a model asks for it. */
export interface ToolCall {
  /** The model's own id of the call; its result is returned under it. */
  readonly id: string;
  readonly name: string;
  readonly args: JsonObject;
  /** Why the arguments the model wrote are no JSON object. The call is then refused, and the model hears it. */
  readonly unreadable?: string | undefined;
}

/** One message of a conversation, whoever the provider is. */
export type Message =
  | { readonly role: "system" | "user"; readonly content: string }
  | { readonly role: "assistant"; readonly content: string; readonly tool_calls?: readonly ToolCall[] | undefined }
  | {
      readonly role: "tool";
      readonly call_id: string;
      readonly name: string;
      readonly content: string;
      readonly is_error: boolean;
    };

/** What a model is asked. */
export interface ModelRequest {
  readonly model: string;
  readonly messages: readonly Message[];
  readonly tools: readonly {
    readonly name: string;
    readonly description: string;
    /** JSON Schema of the arguments. */
    readonly input_schema: JsonObject;
  }[];
}

export interface Usage {
  readonly input_tokens: number;
  readonly output_tokens: number;
}

/** What a model answered: a text, tool calls, or both. */
export interface ModelResponse {
  readonly text: string;
  readonly tool_calls: readonly ToolCall[];
  /** Why it stopped, in its provider's word. */
  readonly finish_reason?: string | undefined;
  readonly usage?: Usage | undefined;
  readonly model?: string | undefined;
}

/** A model, as far as a session has to know one. */
export interface Model {
  readonly name: string;
  /**
   * Answers a request. An error whose `isRetryable` is true is worth another attempt; any other ends the run.
   */
  complete(
    request: ModelRequest,
    options: { readonly signal: AbortSignal },
  ): Promise<Partial<ModelResponse>> | Partial<ModelResponse>;
}

/** Reads a request a hook may have rewritten. */
export function readRequest(value: unknown): ModelRequest {
  return read(request, value, "the request to the model");
}

/** Reads what a model answered, or what a hook made of it. */
export function readResponse(value: unknown): ModelResponse {
  return read(response, value, "the answer of the model");
}

function read<Schema extends z.core.$ZodType>(schema: Schema, given: unknown, what: string): z.infer<Schema> {
  let value: Json;
  try {
    value = copyJson(given);
  } catch (error) {
    throw badModelData(what, [messageOf(error)]);
  }
  const parsed = z.safeParse(schema, value);
  if (parsed.success) return parsed.data;
  throw badModelData(what, problemsOf(parsed.error, value, "it"));
}

/** A request or an answer as hooks see it. */
export function asJson(value: ModelRequest | ModelResponse): JsonObject {
  return copyJson(value) as { readonly [key: string]: Json };
}
