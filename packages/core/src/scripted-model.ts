import { HarnError } from "./errors.js";
import type { JsonObject } from "./json.js";
import type { Model, ModelRequest, ModelResponse } from "./model.js";

/** One answer of a script: a text, tool calls, an error to throw, or a function that makes one of them. */
export type ScriptedAnswer =
  | string
  | Error
  | (Partial<Omit<ModelResponse, "tool_calls">> & {
      readonly calls?: readonly { readonly name: string; readonly args?: JsonObject; readonly id?: string }[];
    })
  | ((request: ModelRequest) => ScriptedAnswer);

/** A model that says what it was given to say. */
export interface ScriptedModel extends Model {
  /** What it was asked, in order. */
  readonly requests: readonly ModelRequest[];
}

/** Stands in for a model in tests and demonstrations: one answer a request, and an error when there is none left. */
export function scriptedModel(script: readonly ScriptedAnswer[], name = "scripted"): ScriptedModel {
  const requests: ModelRequest[] = [];
  let calls = 0;

  function read(answer: ScriptedAnswer, request: ModelRequest): Partial<ModelResponse> {
    if (typeof answer === "function") return read(answer(request), request);
    if (answer instanceof Error) throw answer;
    if (typeof answer === "string") return { text: answer, finish_reason: "stop" };
    const { calls: asked = [], ...rest } = answer;
    const tool_calls = asked.map(({ name, args = {}, id }) => ({ id: id ?? `call-${++calls}`, name, args }));
    return { finish_reason: tool_calls.length === 0 ? "stop" : "tool_calls", ...rest, tool_calls };
  }

  return {
    name,
    requests,
    async complete(request) {
      const answer = script[requests.length];
      requests.push(request);
      if (answer !== undefined) return read(answer, request);
      throw new HarnError("HARN_E_MODEL", `the script of "${name}" has no answer ${requests.length}`, "Add one.");
    },
  };
}
