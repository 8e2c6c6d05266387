import { isJsonObject, type Message, type Model, type ModelRequest, type ModelResponse } from "@hooks/core";
import { generateText, jsonSchema, type LanguageModel, type ModelMessage, type ToolSet, tool } from "ai";

/**
 * Makes any language model of the AI SDK the model of a session. The SDK only asks the model: the session's loop runs the
 * tools, so that no call gets past the hooks, and tries again, so that every attempt is told.
 */
export function aiSdkModel(model: Exclude<LanguageModel, string>): Model {
  return {
    name: model.modelId,
    async complete({ messages, tools }, { signal }): Promise<Partial<ModelResponse>> {
      const { text, toolCalls, finishReason, usage, response } = await generateText({
        model,
        messages: messages.map(asModelMessage),
        tools: asToolSet(tools),
        allowSystemInMessages: true,
        abortSignal: signal,
        maxRetries: 0,
      });
      return {
        text,
        tool_calls: toolCalls.map(({ toolCallId, toolName, input }) => ({
          id: toolCallId,
          name: toolName,
          // A model may write anything; the SDK hands out what it could not read as it is.
          ...(isJsonObject(input)
            ? { args: input }
            : { args: {}, unreadable: `no JSON object: ${JSON.stringify(input)}` }),
        })),
        finish_reason: finishReason,
        usage: { input_tokens: usage.inputTokens ?? 0, output_tokens: usage.outputTokens ?? 0 },
        model: response.modelId,
      };
    },
  };
}

/** Tools without an `execute`: the SDK hands their calls out and runs none. */
function asToolSet(tools: ModelRequest["tools"]): ToolSet {
  return Object.fromEntries(
    tools.map(({ name, description, input_schema }) => [
      name,
      tool({ description, inputSchema: jsonSchema(input_schema) }),
    ]),
  );
}

function asModelMessage(message: Message): ModelMessage {
  if (message.role === "tool") {
    const { call_id: toolCallId, name: toolName, content: value, is_error } = message;
    const output = { type: is_error ? "error-text" : "text", value } as const;
    return { role: "tool", content: [{ type: "tool-result", toolCallId, toolName, output }] };
  }
  if (message.role !== "assistant") return message;
  const { content, tool_calls = [] } = message;
  return {
    role: "assistant",
    content: [
      ...(content === "" ? [] : [{ type: "text" as const, text: content }]),
      ...tool_calls.map(({ id: toolCallId, name: toolName, args: input }) => ({
        type: "tool-call" as const,
        toolCallId,
        toolName,
        input,
      })),
    ],
  };
}
