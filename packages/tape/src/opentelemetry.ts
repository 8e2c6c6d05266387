import type {
  EventRecord,
  HookFailedRecord,
  HookRef,
  JsonObject,
  OutcomeRecord,
  TapeEntry,
  TapeSink,
} from "@hooks/core";
import {
  type Attributes,
  context,
  diag,
  type Meter,
  metrics,
  type Span,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { isRaised } from "./records.js";

export interface OpenTelemetryOptions {
  /** Makes the spans; that of the provider the host has registered when absent. */
  readonly tracer?: Tracer;
  /** Makes the instruments; that of the provider the host has registered when absent. */
  readonly meter?: Meter;
  /** When the clock of the harness was at zero; that of the process when absent. */
  readonly origin?: number;
}

/** A dispatch on its way. */
interface Running {
  readonly span: Span;
  readonly started: number;
  readonly attributes: Attributes;
  /** The span of the hook that was called last; the chain runs one after another. */
  hook: Span | null;
}

const NAME = "@hooks/tape";

/**
 * A sink that exports a span for each dispatch, with one for each hook in it, and counts what was decided. It holds
 * names and verdicts, never payloads or reasons: those are on the tape, masked. Telemetry is no record, so its failure
 * is told to OpenTelemetry's own diagnostics and stops no agent.
 *
 * @example
 * createHarness({ tape: teeSink(openTape({ session }), openTelemetrySink()) });
 */
export function openTelemetrySink(options: OpenTelemetryOptions = {}): TapeSink {
  const { origin = performance.timeOrigin } = options;
  const tracer = options.tracer ?? trace.getTracer(NAME);
  const instruments = instrumentsOf(options.meter);
  const running = new Map<string, Running>();

  function start({ event, session, dispatch, at, payload }: EventRecord): void {
    const { tool, subagent } = payload as JsonObject as { tool?: { name?: string }; subagent?: { name?: string } };
    const attributes = {
      "harn.event": event,
      ...(typeof tool?.name === "string" ? { "harn.tool": tool.name } : {}),
      ...(typeof subagent?.name === "string" ? { "harn.subagent": subagent.name } : {}),
    };
    const span = tracer.startSpan(`harn ${event}`, {
      startTime: origin + at,
      attributes: { ...attributes, "harn.session": session, "harn.dispatch": dispatch },
    });
    running.set(keyOf(session, dispatch), { span, started: at, attributes, hook: null });
  }

  function settle(
    one: Running,
    { at, hook, event }: TapeEntry & { hook: HookRef },
    result: string,
    duration: number,
  ): void {
    const attributes = { "harn.event": event, "harn.hook": hook.id, "harn.result": result };
    one.hook?.setAttribute("harn.result", result).end(origin + at);
    one.hook = null;
    const { hookTime, calls } = instruments();
    hookTime.record(duration, attributes);
    calls.add(1, attributes);
  }

  function fail(one: Running, entry: HookFailedRecord): void {
    const { hook, code, event, on_error } = entry;
    const span = one.hook ?? one.span;
    span.setStatus({ code: SpanStatusCode.ERROR, message: code });
    span.setAttributes({ "harn.error": code, "harn.on_error": on_error, "harn.failed_hook": hook.id });
    instruments().failures.add(1, { "harn.event": event, "harn.hook": hook.id, "harn.error": code });
    settle(one, entry, "failed", entry.duration_ms);
    if (isRaised(entry)) end(one, entry, "raised");
  }

  function end(one: Running, { session, dispatch, at }: OutcomeRecord | HookFailedRecord, verdict: string): void {
    running.delete(keyOf(session, dispatch));
    one.span.setAttribute("harn.verdict", verdict).end(origin + at);
    const attributes = { ...one.attributes, "harn.verdict": verdict };
    const { dispatches, dispatchTime } = instruments();
    dispatches.add(1, attributes);
    dispatchTime.record(at - one.started, attributes);
  }

  function take(entry: TapeEntry): void {
    if (entry.kind === "event") return start(entry);
    const one = running.get(keyOf(entry.session, entry.dispatch));
    if (one === undefined) return;
    switch (entry.kind) {
      case "hook_call": {
        const { hook, at } = entry;
        const parent = trace.setSpan(context.active(), one.span);
        one.hook = tracer.startSpan(
          `harn hook ${hook.id}`,
          { startTime: origin + at, attributes: describe(hook) },
          parent,
        );
        return;
      }
      case "hook_returned":
        return settle(one, entry, entry.result, entry.duration_ms);
      case "hook_vetoed":
        one.span.addEvent(
          "harn.veto",
          { "harn.hook": entry.hook.id, "harn.honoured": entry.honoured },
          origin + entry.at,
        );
        return;
      case "hook_failed":
        return fail(one, entry);
      case "outcome":
        if (entry.by !== undefined) one.span.setAttribute("harn.by", entry.by);
        return end(one, entry, entry.decision ?? entry.verdict);
    }
  }

  return {
    write(entry): undefined {
      try {
        take(entry);
      } catch (error) {
        diag.error("harn: a record could not be exported", error);
      }
    },
  };
}

/**
 * The instruments of a meter. A tracer of the API finds its provider whenever that comes; a meter does not, so that of the
 * host is asked for again once another provider is there: a sink may be made before telemetry is started.
 */
function instrumentsOf(own: Meter | undefined): () => ReturnType<typeof createInstruments> {
  let provider = metrics.getMeterProvider();
  let instruments = createInstruments(own ?? provider.getMeter(NAME));
  return () => {
    const now = metrics.getMeterProvider();
    if (own === undefined && now !== provider) {
      provider = now;
      instruments = createInstruments(now.getMeter(NAME));
    }
    return instruments;
  };
}

function createInstruments(meter: Meter) {
  const unit = "ms";
  return {
    dispatches: meter.createCounter("harn.dispatches", { description: "Events that were ruled on" }),
    dispatchTime: meter.createHistogram("harn.dispatch.duration", {
      unit,
      description: "From an event to its outcome",
    }),
    calls: meter.createCounter("harn.hook.calls", { description: "Hooks that answered" }),
    failures: meter.createCounter("harn.hook.failures", { description: "Hooks that failed" }),
    hookTime: meter.createHistogram("harn.hook.duration", { unit, description: "From a hook's call to its answer" }),
  };
}

function keyOf(session: string, dispatch: number): string {
  return `${dispatch} ${session}`;
}

function describe({ id, handler, package: name, version }: HookRef): Attributes {
  return {
    "harn.hook": id,
    "harn.handler": handler,
    ...(name === undefined ? {} : { "harn.package": name }),
    ...(version === undefined ? {} : { "harn.version": version }),
  };
}
