import type { Json, JsonObject } from "@hooks/core";

/** How entries are written. */
export interface Format {
  /** The media type of a request that carries lines. */
  readonly type: string;
  /** One entry, after all filters, as the value its line holds. */
  line(entry: JsonObject): Json;
  /** Lines as the body of one request. */
  body(lines: readonly string[]): string;
}

const jsonl: Format = {
  type: "application/x-ndjson",
  line: (entry) => entry,
  body: (lines) => lines.join(""),
};

/** https://github.com/cloudevents/spec: the JSON format, and its batch for requests. */
const cloudevents: Format = {
  type: "application/cloudevents-batch+json",
  line({ time, id, ...data }) {
    const session = (data.session as JsonObject | undefined)?.id ?? "local";
    return {
      specversion: "1.0",
      id: id as Json,
      source: `/harn/${encodeURIComponent(String(data.host ?? "local"))}/${encodeURIComponent(String(session))}`,
      type: `harn.${data.kind}`,
      subject: String(data.event),
      time: time as Json,
      datacontenttype: "application/json",
      data,
    };
  },
  body: (lines) => `[${lines.map((line) => line.trimEnd()).join(",")}]`,
};

const INFO = { severityNumber: 9, severityText: "INFO" };
const WARN = { severityNumber: 13, severityText: "WARN" };
const ERROR = { severityNumber: 17, severityText: "ERROR" };

/** OpenTelemetry's protocol as JSON: each line is a whole LogsData, as its file format has it. */
const otlp: Format = {
  type: "application/json",
  line(entry) {
    const { time, host, pid, ...rest } = entry;
    const nanos = `${BigInt(Date.parse(String(time))) * 1_000_000n}`;
    const tool = ((rest.payload as JsonObject | undefined)?.tool as JsonObject | undefined)?.name;
    const session = (rest.session as JsonObject | undefined)?.id;
    const record = {
      timeUnixNano: nanos,
      observedTimeUnixNano: nanos,
      ...(rest.kind === "fault" ? ERROR : rest.verdict === "allow" ? INFO : WARN),
      eventName: `harn.${rest.kind}`,
      body: anyValue(rest),
      attributes: attributes({
        "session.id": session,
        "gen_ai.tool.name": tool,
        "error.type": rest.code,
        "harn.event": rest.event,
        "harn.verdict": rest.verdict,
        "harn.by": rest.by,
        "harn.policy": rest.policy,
        "harn.duration_ms": rest.duration_ms,
      }),
    };
    const resource = { attributes: attributes({ "service.name": "harn", "host.name": host, "process.pid": pid }) };
    return { resourceLogs: [{ resource, scopeLogs: [{ scope: { name: "@hooks/audit" }, logRecords: [record] }] }] };
  },
  body(lines) {
    const logs = lines.map((line) => (JSON.parse(line) as { resourceLogs: Json[] }).resourceLogs);
    return JSON.stringify({ resourceLogs: logs.flat() });
  },
};

export const formats = { jsonl, cloudevents, otlp } as const satisfies Record<string, Format>;

function attributes(values: Readonly<Record<string, Json | undefined>>): Json[] {
  return Object.entries(values).flatMap(([key, value]) =>
    value === undefined || value === null ? [] : [{ key, value: anyValue(value) }],
  );
}

function anyValue(value: Json): JsonObject {
  if (value === null) return {};
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  // 64-bit integers are texts in the JSON mapping of protocol buffers.
  if (typeof value === "number")
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  if (Array.isArray(value)) return { arrayValue: { values: value.map((item: Json) => anyValue(item)) } };
  const entries = Object.entries(value as JsonObject).filter(([, item]) => item !== undefined);
  return { kvlistValue: { values: entries.map(([key, item]) => ({ key, value: anyValue(item as Json) })) } };
}
