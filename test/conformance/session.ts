import {
  type AgentResult,
  type AgentRun,
  createHarness,
  createSession,
  defineTool,
  type EventName,
  type Harness,
  memoryTape,
  type Payload,
  runAgent,
  type ScriptedAnswer,
  type ScriptedModel,
  type Session,
  type SessionOptions,
  scriptedModel,
  type Tool,
} from "@hooks/core";
import * as z from "zod/mini";

/** What a session of a test fired, as the tape has it. */
export interface Fired {
  readonly event: EventName;
  readonly payload: Payload;
}

/** A harness, a session on it, and everything that was fired. */
export interface Host {
  readonly harness: Harness;
  readonly session: Session;
  readonly model: ScriptedModel;
  readonly slept: number[];
  readonly warnings: string[];
  readonly ran: string[];
  readonly tools: readonly Tool[];
  fired(): Fired[];
  /** The names of what was fired, in order. */
  names(session?: string): string[];
  payloads<E extends EventName>(event: E): Payload<E>[];
  run(run?: Partial<AgentRun>): Promise<AgentResult>;
}

/** Sets up a session whose model says what the script says. */
export function host(script: readonly ScriptedAnswer[] = ["done"], options: SessionOptions = {}): Host {
  const tape = memoryTape();
  const warnings: string[] = [];
  const slept: number[] = [];
  const ran: string[] = [];
  const harness = createHarness({ tape, ports: { warn: ({ message }) => void warnings.push(message) } });
  const model = scriptedModel(script);
  const session = createSession(harness, {
    id: "s",
    ...options,
    ports: {
      sleep: async (ms) => void slept.push(ms),
      warn: ({ message }) => void warnings.push(message),
      ...options.ports,
    },
  });
  const tools: readonly Tool[] = [
    defineTool({
      name: "echo",
      input: z.object({ text: z.string() }),
      run({ text }) {
        ran.push(`echo ${text}`);
        return text;
      },
    }),
    defineTool({
      name: "fail",
      run() {
        ran.push("fail");
        throw new Error("it broke");
      },
    }),
    defineTool({
      name: "write",
      input: z.object({ path: z.string() }),
      run({ path }, { fileEdited }) {
        ran.push(`write ${path}`);
        fileEdited(path, { is_new: true });
        return "written";
      },
    }),
  ];
  const fired = () =>
    tape.records.flatMap((record) =>
      record.kind === "event"
        ? [{ event: record.event as EventName, payload: record.payload as unknown as Payload }]
        : [],
    );
  return {
    harness,
    session,
    model,
    slept,
    warnings,
    ran,
    tools,
    fired,
    names: (id) =>
      fired().flatMap(({ event, payload }) => (id === undefined || payload.session.id === id ? [event] : [])),
    payloads: <E extends EventName>(event: E) =>
      fired().flatMap((one) => (one.event === event ? [one.payload as unknown as Payload<E>] : [])),
    run: (run = {}) => runAgent({ session, model, tools, prompt: "go", ...run }),
  };
}

/** An answer that asks for one call. */
export function call(name: string, args = {}) {
  return { calls: [{ name, args }] };
}
