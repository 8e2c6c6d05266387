import type { Format } from "./formats.js";
import type { Sink } from "./queue.js";

const PATIENCE_MS = 30_000;

/** Sends lines to an endpoint; they are there when it answers with success. */
export function httpSink(endpoint: string, headers: Readonly<Record<string, string>>, { type, body }: Format): Sink {
  return {
    async write(lines) {
      const response = await fetch(endpoint, {
        method: "POST",
        headers: { "content-type": type, ...headers },
        body: body(lines),
        redirect: "error",
        signal: AbortSignal.timeout(PATIENCE_MS),
      });
      await response.body?.cancel();
      if (!response.ok) throw new Error(`${new URL(endpoint).host} answered ${response.status}`);
    },
  };
}
