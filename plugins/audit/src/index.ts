import type { HookContext, JsonObject, Observation } from "@hooks/core";
import { entriesOf } from "./entry.js";
import { FileSink } from "./file-sink.js";
import { httpSink } from "./http-sink.js";
import { Queue } from "./queue.js";
import { type Settings, settingsOf } from "./settings.js";

interface Audit {
  readonly settings: Settings;
  readonly queue: Queue;
}

const bySource = new Map<string, Audit>();

/** Writes down what an event came to: one line for it, and one for each hook that failed. */
export async function audit(observation: Observation, { options }: HookContext): Promise<void> {
  const { settings, queue } = auditOf(options);
  const { filter, format, events } = settings;
  const lines = entriesOf(observation)
    .filter(({ kind }) => events === "all" || kind !== "event")
    .map((entry) => `${JSON.stringify(format.line(filter(entry as unknown as JsonObject)))}\n`);
  if (lines.length > 0) await queue.push(lines);
}

/** One queue for each sink, whoever writes to it. In a worker each call brings a copy of the options. */
function auditOf(options: unknown): Audit {
  const source = JSON.stringify(options ?? {});
  const known = bySource.get(source);
  if (known !== undefined) return known;
  const settings = settingsOf(options);
  const { endpoint, headers, format } = settings;
  const sink = endpoint === undefined ? new FileSink(settings) : httpSink(endpoint, headers, format);
  const made = { settings, queue: new Queue(sink) };
  bySource.set(source, made);
  return made;
}
