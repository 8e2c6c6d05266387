import { isAbort } from "./abort.js";
import { HarnError } from "./errors.js";
import type { Payload } from "./events.js";
import { asJson, type Model, type ModelRequest, type ModelResponse, readRequest, readResponse } from "./model.js";
import { type Ruling, refusal, rule, type Stage } from "./stage.js";

/** How often, and how soon, a request is tried again. */
export interface RetryPolicy {
  /** Attempts after the first; 2 when absent. */
  readonly maxAttempts?: number;
  /** Milliseconds before an attempt, counted from 1; half a second, doubled each time, when absent. */
  readonly delay?: (attempt: number, error: unknown) => number;
  /** Which errors are worth it; those with `isRetryable: true` when absent. */
  readonly isRetryable?: (error: unknown) => boolean;
}

/** Sends one request to the model: PreCompletion, the attempts with RetryAttempt between them, PostCompletion. */
export async function complete(
  stage: Stage,
  model: Model,
  request: ModelRequest,
  retry: RetryPolicy = {},
): Promise<Ruling<ModelResponse>> {
  const before = await stage.fire("PreCompletion", { request: asJson(request) });
  if (before.verdict === "block") return refusal(before, "completion");
  const final = before.modified ? readRequest(before.payload.request) : request;
  const response = await attempt(stage, model, final, retry);
  const after = await stage.fire("PostCompletion", { response: asJson(response) });
  return rule(after, "completion", () => (after.modified ? readResponse(after.payload.response) : response));
}

async function attempt(
  stage: Stage,
  model: Model,
  request: ModelRequest,
  { maxAttempts = 2, delay = doubling, isRetryable = saysSo }: RetryPolicy,
): Promise<ModelResponse> {
  for (let retries = 0; ; retries++) {
    try {
      const answered = await stage.await("PreCompletion", `model ${model.name}`, () =>
        model.complete(request, { signal: stage.signal }),
      );
      return readResponse(answered);
    } catch (error) {
      const isFinal = isAbort(error, stage.signal) || error instanceof HarnError;
      if (isFinal || retries >= maxAttempts || !isRetryable(error)) throw error;
      const delay_ms = Math.max(0, Math.round(delay(retries + 1, error)));
      await stage.fire("RetryAttempt", {
        attempt: retries + 1,
        max_attempts: maxAttempts,
        error: describeError(error),
        delay_ms,
      });
      await stage.await("RetryAttempt", "sleep", () => stage.ports.sleep(delay_ms, stage.signal));
    }
  }
}

function doubling(attempt: number): number {
  return 500 * 2 ** (attempt - 1);
}

function saysSo(error: unknown): boolean {
  return typeof error === "object" && error !== null && (error as { isRetryable?: unknown }).isRetryable === true;
}

/** An error as events carry it. */
export function describeError(error: unknown): Payload<"SessionError">["error"] {
  if (!(error instanceof Error)) return { message: String(error) };
  const { code } = error as { code?: unknown };
  return { message: error.message, name: error.name, ...(typeof code === "string" ? { code } : {}) };
}
