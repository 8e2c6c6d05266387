import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { Model } from "@hooks/core";
import { aiSdkModel } from "./model.js";

/** Models of a provider with an OpenAI-compatible interface, by name. Any other provider of the AI SDK does as well. */
export function openProvider(baseURL: string, apiKey?: string): (model: string) => Model {
  const provider = createOpenAICompatible({ name: "example", baseURL, ...(apiKey === undefined ? {} : { apiKey }) });
  return (model) => aiSdkModel(provider(model));
}
