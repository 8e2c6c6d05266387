import { block, createHarness, type TapeEntry } from "@hooks/core";
import { context, diag, metrics, SpanStatusCode, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { expect, test } from "vitest";
import { openTelemetrySink } from "./opentelemetry.js";

/** A harness whose records go through the real SDK, and what came out of it. */
function setUp() {
  const spans = new InMemorySpanExporter();
  const tracer = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }).getTracer("test");
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
  const meter = new MeterProvider({ readers: [reader] }).getMeter("test");
  const tape = openTelemetrySink({ tracer, meter });
  const harness = createHarness({ tape, ports: { warn: () => {} }, session: { id: "s-1" } });
  return {
    harness,
    tape,
    spans: () => spans.getFinishedSpans(),
    async points(name: string) {
      exporter.reset();
      await reader.forceFlush();
      const found = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics));
      return found.flatMap(({ descriptor, dataPoints }): object[] => (descriptor.name === name ? dataPoints : []));
    },
  };
}

const bash = { tool: { name: "Bash", args: { command: "echo a-secret" } } };

test("a span for each dispatch and one for each hook in it, with verdicts and never with payloads", async () => {
  const { harness, spans, points } = setUp();
  harness.register({ event: "PreToolUse", id: "audit", handler: () => undefined });
  harness.register({ event: "PreToolUse", id: "guard", handler: () => block("no a-secret") });
  await harness.fire("PreToolUse", bash);
  const [audit, guard, dispatch] = spans();
  expect(spans().map(({ name }) => name)).toEqual(["harn hook audit", "harn hook guard", "harn PreToolUse"]);
  expect(dispatch?.attributes).toEqual({
    "harn.event": "PreToolUse",
    "harn.tool": "Bash",
    "harn.session": "s-1",
    "harn.dispatch": 1,
    "harn.verdict": "block",
    "harn.by": "guard",
  });
  expect(dispatch?.events.map(({ name, attributes }) => [name, attributes?.["harn.hook"]])).toEqual([
    ["harn.veto", "guard"],
  ]);
  expect(guard?.attributes).toMatchObject({ "harn.hook": "guard", "harn.result": "block" });
  for (const span of [audit, guard]) {
    expect(span?.parentSpanContext?.spanId).toBe(dispatch?.spanContext().spanId);
  }
  expect(Math.abs((dispatch?.startTime[0] ?? 0) * 1e3 - Date.now())).toBeLessThan(60_000);
  expect(JSON.stringify(spans().map(({ attributes, events, status }) => [attributes, events, status]))).not.toContain(
    "a-secret",
  );
  expect(await points("harn.dispatches")).toMatchObject([
    { value: 1, attributes: { "harn.verdict": "block", "harn.tool": "Bash" } },
  ]);
  expect(await points("harn.hook.calls")).toMatchObject([
    { value: 1, attributes: { "harn.hook": "audit", "harn.result": "allow" } },
    { value: 1, attributes: { "harn.hook": "guard", "harn.result": "block" } },
  ]);
  expect(await points("harn.hook.duration")).toHaveLength(2);
  expect(await points("harn.dispatch.duration")).toMatchObject([{ value: { count: 1 } }]);
});

test("a fault is an error of its span, and one that is raised ends the dispatch", async () => {
  const { harness, spans, points } = setUp();
  const fail = () => {
    throw new Error("broken");
  };
  harness.register({ event: "PreToolUse", id: "one", on_error: "allow", handler: fail });
  harness.register({ event: "PreToolUse", id: "two", on_error: "raise", handler: fail });
  expect(() => harness.fire("PreToolUse", bash)).toThrow("broken");
  expect(spans().map(({ name, status }) => [name, status.code])).toEqual([
    ["harn hook one", SpanStatusCode.ERROR],
    ["harn hook two", SpanStatusCode.ERROR],
    ["harn PreToolUse", SpanStatusCode.UNSET],
  ]);
  expect(spans()[2]?.attributes).toMatchObject({ "harn.verdict": "raised" });
  expect(await points("harn.hook.failures")).toMatchObject([{ value: 1 }, { value: 1 }]);
});

test("dispatches that overlap keep their own spans", async () => {
  const { harness, spans } = setUp();
  harness.register({ event: "PreToolUse", id: "slow", handler: async () => {} });
  await Promise.all([harness.fire("PreToolUse", bash), harness.fire("PreToolUse", bash)]);
  const dispatches = spans().filter(({ name }) => name === "harn PreToolUse");
  const hooks = spans().filter(({ name }) => name === "harn hook slow");
  expect(new Set(dispatches.map((span) => span.spanContext().spanId)).size).toBe(2);
  expect(hooks.map((span) => span.parentSpanContext?.spanId).sort()).toEqual(
    dispatches.map((span) => span.spanContext().spanId).sort(),
  );
});

test("telemetry that fails stops nobody, and says so", async () => {
  const errors: unknown[] = [];
  diag.setLogger({ error: (...all) => errors.push(all), warn() {}, info() {}, debug() {}, verbose() {} });
  const tracer = {
    ...trace.getTracer("x"),
    startSpan() {
      throw new Error("no exporter");
    },
  };
  const harness = createHarness({ tape: openTelemetrySink({ tracer: tracer as never }) });
  expect((await harness.fire("PreToolUse", bash)).verdict).toBe("allow");
  expect(errors).toHaveLength(1);
  diag.disable();
});

test("a hook of a package is named with its version", () => {
  const { tape, spans } = setUp();
  const hook = { id: "guard", handler: "@hooks/guard::guard", package: "@hooks/guard", version: "1.2.3" };
  const base = { at: 1, session: "s", dispatch: 1, event: "SubagentStart" };
  tape.write({ ...base, kind: "event", payload: { subagent: { name: "reviewer" } } });
  tape.write({ ...base, kind: "hook_call", hook, payload: null });
  tape.write({ ...base, kind: "hook_returned", hook, result: "allow", duration_ms: 1 });
  tape.write({ ...base, kind: "outcome", verdict: "allow", modified: false, reminders: 0, stop: false });
  expect(spans().map(({ attributes }) => attributes)).toMatchObject([
    { "harn.package": "@hooks/guard", "harn.version": "1.2.3", "harn.handler": "@hooks/guard::guard" },
    { "harn.subagent": "reviewer", "harn.verdict": "allow" },
  ]);
});

test("the providers a host registers are used, also when the sink was there before them, and its span is the parent", async () => {
  const tape = openTelemetrySink();
  const harness = createHarness({ tape });
  harness.register({ event: "PreToolUse", id: "guard", handler: () => block("no") });
  await harness.fire("PreToolUse", bash);
  const exporter = new InMemorySpanExporter();
  const reader = new PeriodicExportingMetricReader({
    exporter: new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE),
    exportIntervalMillis: 3_600_000,
  });
  const contexts = new AsyncLocalStorageContextManager().enable();
  context.setGlobalContextManager(contexts);
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
  try {
    await trace.getTracer("host").startActiveSpan("turn", async (turn) => {
      await harness.fire("PreToolUse", bash);
      turn.end();
    });
    const [hook, dispatch, turn] = exporter.getFinishedSpans();
    expect([hook?.name, dispatch?.name, turn?.name]).toEqual(["harn hook guard", "harn PreToolUse", "turn"]);
    expect(hook?.parentSpanContext?.spanId).toBe(dispatch?.spanContext().spanId);
    expect(dispatch?.parentSpanContext?.spanId).toBe(turn?.spanContext().spanId);
    const { resourceMetrics } = await reader.collect();
    const names = resourceMetrics.scopeMetrics.flatMap(({ metrics }) =>
      metrics.map(({ descriptor }) => descriptor.name),
    );
    expect(names.sort()).toEqual([
      ...["harn.dispatch.duration", "harn.dispatches", "harn.hook.calls", "harn.hook.duration"],
    ]);
  } finally {
    for (const api of [trace, metrics, context]) api.disable();
  }
});

test("without a provider, and with records of a dispatch it did not see begin, nothing happens", () => {
  const sink = openTelemetrySink();
  const entry = { kind: "outcome", at: 1, session: "s", dispatch: 9, event: "Stop" } as unknown as TapeEntry;
  expect(sink.write(entry)).toBeUndefined();
});
