import { isAbort } from "./abort.js";
import { complete, describeError, type RetryPolicy } from "./completion.js";
import { type Delegated, type Delegation, delegate } from "./delegation.js";
import { sessionMisused } from "./errors.js";
import type { Change, EventName, Payload, SessionRef } from "./events.js";
import type { Harness } from "./harness.js";
import type { Json, JsonObject } from "./json.js";
import type { Model, ModelRequest, ModelResponse, ToolCall } from "./model.js";
import type { Outcome } from "./outcome.js";
import { compilePermissions, type PermissionDecided, type PermissionPolicy, type Permissions } from "./permissions.js";
import { type Budget, notify, type PersonaNotice, reportBudget, runStep, type Step, type Stepped } from "./personas.js";
import { type SessionPorts, systemSessionPorts } from "./ports.js";
import { createReminders, type PendingReminder, type Reminders } from "./reminders.js";
import { type Ruling, rule, Stage, type StagePayload, type Unsettled } from "./stage.js";
import type { Tool } from "./tool.js";
import { callTool, type ToolCallResult } from "./tool-call.js";

/** Why a session ended. */
export type EndReason = "complete" | "abort" | "maxTurns" | "error";

export interface SessionOptions {
  readonly id?: string;
  /** The agent's name. */
  readonly agent?: string;
  readonly cwd?: string;
  readonly transcript_path?: string;
  readonly model?: Model;
  /** The session was restored from an earlier one. */
  readonly isResume?: boolean;
  readonly permissions?: PermissionPolicy;
  /** How deep subagents may delegate; 8 when absent. */
  readonly maxDepth?: number;
  readonly ports?: Partial<SessionPorts>;
  /** Sees the outcome of every event of the session and of its subagents. */
  readonly observe?: (outcome: Outcome) => void;
}

/** How a session starts. */
export interface SessionStart {
  readonly prompt?: string;
  /** Ends the session wherever it is. */
  readonly signal?: AbortSignal;
  /** Where the session comes from; `startup`, or `resume` when it is resumed. */
  readonly source?: string;
  /** The model to go on with. Another one than a resumed session had is a switch; the first one is none. */
  readonly model?: Model;
}

/** A file that was written. */
export type FileEdit = StagePayload<"FileEdited">;

/** What a turn of the user came to. */
export type TurnOutput = Omit<StagePayload<"TurnEnd">, "turn" | "logs">;

/** What compaction made of a conversation. */
export interface Compacted {
  readonly summary?: string | undefined;
  readonly message_count?: number | undefined;
}

/** The other half of an agent's loop: it fires the events of a session in their order, and applies what comes back. */
export interface Session {
  readonly id: string;
  readonly agent: string | undefined;
  /** 0, and one more for each level of subagents. */
  readonly depth: number;
  readonly isOpen: boolean;
  readonly signal: AbortSignal;
  readonly model: Model | undefined;
  readonly reminders: Reminders;
  /** What was begun and is not over. */
  readonly unsettled: readonly Unsettled[];

  /** Opens the session. One that has ended is resumed. */
  start(start?: SessionStart): Promise<void>;
  /** Lets the hooks see a prompt before the agent does. */
  prompt(text: string, source?: string): Promise<Ruling<string>>;
  /** A turn of the user from its start to its end: `run` gets the prompt as the hooks left it, and makes the output. */
  turn(prompt: string, run: (prompt: string) => TurnOutput | Promise<TurnOutput>): Promise<Ruling<string>>;
  /** Begins a turn of the user, where `turn` does not fit. */
  startTurn(prompt: string): Promise<Ruling<string>>;
  /** What to put in front of the model now; a reminder's life is counted in the requests it was part of. */
  takeReminders(): readonly PendingReminder[];
  /** Sends a request to the session's model. */
  completion(request: ModelRequest, retry?: RetryPolicy): Promise<Ruling<ModelResponse>>;
  /** Takes a tool call through its whole lifecycle. All calls of one message have to be over before `postTurn`. */
  toolCall(tool: Tool | undefined, call: ToolCall): Promise<ToolCallResult>;
  /** Decides on a permission outside of a tool call. */
  permission(tool: Payload<"PreToolUse">["tool"], reason?: string): Promise<PermissionDecided>;
  /** Queues a file that was written; hooks hear of it at the next boundary: of an iteration, a turn, a wait, or the end. */
  fileEdited(edit: FileEdit): void;
  /** A model/tool iteration is recorded: tells of the queued edits, then that the iteration is over. */
  postTurn(turn: Omit<StagePayload<"PostTurn">, "turn">): Promise<void>;
  /** The agent wants to stop; a refusal is what it has to go on with. */
  stop(about: StagePayload<"Stop">): Promise<Ruling<string>>;
  /** Ends a turn of the user with its output. */
  endTurn(output: TurnOutput): Promise<Ruling<string>>;
  /** Compacts the conversation, unless a hook has this pass skipped. */
  compact<T extends Compacted>(about: StagePayload<"PreCompact">, run: () => T | Promise<T>): Promise<Ruling<T>>;
  /** Gives work to a subagent. It runs in a session of its own, under the same hooks and permissions. */
  delegate(delegation: Delegation): Promise<Delegated>;
  /** Runs a step of a persona. */
  step(step: Step, run: (args: Json) => Json | Promise<Json>): Promise<Stepped>;
  approvalRequested(notice: PersonaNotice): Promise<void>;
  handoffEmitted(notice: PersonaNotice): Promise<void>;
  personaPaused(notice: PersonaNotice): Promise<void>;
  personaResumed(notice: PersonaNotice): Promise<void>;
  /** Reports how much of a persona's budget is used. */
  budget(budget: Budget): Promise<void>;
  /** Switches the model. Hooks hear of it when the name is another one. */
  setModel(model: Model): Promise<void>;
  /** Tells what memory extraction did, when it did something. */
  memoryUpdated(changes: StagePayload<"MemoryUpdate">): Promise<void>;
  /** Fires an event of your own. */
  emit<const E extends `custom.${string}` | `meta.${string}`>(event: E, data: Json): Promise<Ruling<Json>>;
  /** Keeps a structured log entry for the end of the turn. */
  log(entry: JsonObject): void;
  /** Notes that something was begun, such as a job in the background; call what it returns when that is over. */
  track(kind: string, name: string): () => void;
  /** A daemon's wait between turns. */
  idle<T>(wait: (signal: AbortSignal) => T | Promise<T>, wake_interval_ms?: number): Promise<T>;
  /** Hands out the result: what is unsettled is told between PreFinish and the callback. */
  finish<T extends Json>(result: T, onFinish?: (result: T) => T | undefined | Promise<T | undefined>): Promise<T>;
  /** Tells of the error that ends the session; `end` has to follow. */
  fail(error: unknown): Promise<void>;
  end(reason: EndReason): Promise<void>;
}

interface Inherited {
  readonly parent: Stage;
  readonly permissions: Permissions;
}

/**
 * Makes a session on a stack of hooks.
 *
 * @example
 * const session = createSession(harness, { id: "s-1", permissions: { deny: ["Bash"] } });
 * await runAgent({ session, model, tools, prompt: "hello" });
 */
export function createSession(harness: Harness, options: SessionOptions = {}): Session {
  return makeSession(harness, options, undefined);
}

function makeSession(harness: Harness, options: SessionOptions, inherited: Inherited | undefined): Session {
  const ports = { ...systemSessionPorts(), ...options.ports };
  const ref = refOf(options, ports, inherited?.parent.ref.id);
  let reminderCount = 0;
  const reminders =
    inherited?.parent.reminders.child(ref.id) ?? createReminders(ref.id, () => `${ref.id}:reminder-${++reminderCount}`);
  const depth = inherited === undefined ? 0 : inherited.parent.depth + 1;
  const stage = new Stage(harness, ref, depth, ports, reminders, options.observe);
  const permissions = inherited?.permissions ?? compilePermissions(options.permissions);

  let model = options.model;
  let wasRun = options.isResume ?? false;
  let turns = 0;
  let iterations = 0;
  let children = 0;
  const edits: FileEdit[] = [];
  let logs: JsonObject[] = [];
  let isEnding = false;

  /** Told, not fired: what was written is written, also when the session is aborted meanwhile. */
  async function drainEdits(): Promise<void> {
    for (let edit = edits.shift(); edit !== undefined; edit = edits.shift()) await stage.tell("FileEdited", edit);
  }

  function openChild(agent: string, id: string): Session {
    const child: SessionOptions = { ...options, id, agent, ports, isResume: false };
    return makeSession(harness, model === undefined ? child : { ...child, model }, { parent: stage, permissions });
  }

  async function switchModel(next: Model): Promise<void> {
    stage.mustBeOpen("a switch of the model");
    const previous = model;
    model = next;
    if (previous === undefined || previous.name === next.name) return;
    await stage.fire("ModelSwitch", { previous_model: previous.name, new_model: next.name });
  }

  const session: Session = {
    id: ref.id,
    agent: options.agent,
    depth,
    reminders,
    get isOpen() {
      return stage.state === "open" && !isEnding;
    },
    get signal() {
      return stage.signal;
    },
    get model() {
      return model;
    },
    get unsettled() {
      return [...stage.unsettled];
    },

    async start({ prompt, signal, source, model: next } = {}) {
      if (stage.state === "open") throw sessionMisused("it is started already", "Wait until the run before has ended.");
      stage.signal = signal ?? inherited?.parent.signal ?? new AbortController().signal;
      stage.state = "open";
      const is_resume = wasRun;
      wasRun = true;
      if (!is_resume) model = next ?? model;
      // Told also when it is aborted already, so that every end has its start.
      await stage.tell("SessionStart", {
        source: source ?? (is_resume ? "resume" : "startup"),
        is_resume,
        prompt,
        model: (next ?? model)?.name,
      });
      if (next !== undefined) await switchModel(next);
    },
    async prompt(text, source) {
      const outcome = await stage.fire("UserPromptSubmit", { prompt: text, source });
      return rule(outcome, "user_prompt_submit", () => outcome.payload.prompt);
    },
    async turn(prompt, run) {
      const started = await session.startTurn(prompt);
      if (!started.ok) return started;
      const output = await stage.await("TurnStart", "turn", () => run(started.value));
      return session.endTurn(output);
    },
    async startTurn(prompt) {
      const outcome = await stage.fire("TurnStart", { prompt, turn: { index: turns } });
      return rule(outcome, "turn_start", () => outcome.payload.prompt);
    },
    takeReminders() {
      const taken = reminders.pending;
      reminders.turnEnded();
      return taken;
    },
    async completion(request, retry) {
      if (model === undefined) throw sessionMisused("it has no model", "Give createSession or runAgent one.");
      return complete(stage, model, request, retry);
    },
    toolCall: (tool, call) =>
      callTool(stage, permissions, tool, call, (ruled) => ({
        call_id: call.id,
        signal: stage.signal,
        session,
        fileEdited: (path, details) => session.fileEdited({ path, tool: ruled, ...details }),
      })),
    permission: (tool, reason) => permissions.decide(stage, tool, reason),
    fileEdited(edit) {
      stage.mustBeOpen("a file edit");
      edits.push(edit);
    },
    async postTurn(turn) {
      await drainEdits();
      await stage.fire("PostTurn", { ...turn, turn: { index: iterations++ } });
    },
    async stop(about) {
      const outcome = await stage.fire("Stop", about);
      return rule(outcome, "stop", () => outcome.payload.text ?? "");
    },
    async endTurn(output) {
      await drainEdits();
      const logged = logs.length === 0 ? {} : { logs };
      logs = [];
      const outcome = await stage.fire("TurnEnd", { ...output, ...logged, turn: { index: turns++ } });
      return rule(outcome, "turn_end", () => outcome.payload.text);
    },
    async compact(about, run) {
      const before = await stage.fire("PreCompact", about);
      if (before.verdict === "block") return rule(before, "pre_compact", () => undefined as never);
      const value = await stage.await("PreCompact", "compact", run);
      reminders.compacted();
      const { summary, message_count } = value;
      await stage.fire("PostCompact", { trigger: about.trigger, summary, message_count });
      return { ok: true, value };
    },
    delegate: (delegation) => delegate(stage, delegation, options.maxDepth ?? 8, `${ref.id}.${++children}`, openChild),
    step: (step, run) => runStep(stage, step, run),
    approvalRequested: (notice) => notify(stage, "OnApprovalRequested", notice),
    handoffEmitted: (notice) => notify(stage, "OnHandoffEmitted", notice),
    personaPaused: (notice) => notify(stage, "OnPersonaPaused", notice),
    personaResumed: (notice) => notify(stage, "OnPersonaResumed", notice),
    budget: (budget) => reportBudget(stage, budget),
    setModel: switchModel,
    async memoryUpdated(changes) {
      const { created = [], updated = [], deleted = [] } = changes;
      if (created.length + updated.length + deleted.length > 0) await stage.fire("MemoryUpdate", changes);
    },
    async emit(event, data) {
      const outcome: Outcome<EventName> = await stage.fire(event as `custom.${string}`, { data });
      const { data: final } = outcome.payload as unknown as Change<`custom.${string}`>;
      return rule(outcome, event.replace(".", "_"), () => final);
    },
    log: (entry) => void logs.push(entry),
    track: (kind, name) => stage.track(kind, name),
    async idle(wait, wake_interval_ms) {
      await drainEdits();
      await stage.fire("SessionIdle", { wake_interval_ms });
      return stage.await("SessionIdle", "wake", () => wait(stage.signal));
    },
    async finish(result, onFinish) {
      await drainEdits();
      await stage.fire("PreFinish", { result });
      if (stage.unsettled.size > 0) {
        await stage.fire("OnUnsettledDetected", { unsettled: [...stage.unsettled].map((entry) => ({ ...entry })) });
      }
      const replaced =
        onFinish === undefined ? undefined : await stage.await("PreFinish", "onFinish", () => onFinish(result));
      const final = replaced ?? result;
      await stage.fire("PostFinish", { result: final });
      return final;
    },
    async fail(error) {
      if (!isAbort(error, stage.signal)) await stage.tell("SessionError", { error: describeError(error) });
    },
    async end(reason) {
      stage.mustBeOpen("end");
      // Whoever gave up waiting for an end must not tell another one.
      if (isEnding) throw sessionMisused("it is ending already", "Wait until it has ended.");
      isEnding = true;
      try {
        await drainEdits();
      } finally {
        try {
          await stage.tell("SessionEnd", { reason });
        } finally {
          stage.state = "ended";
          isEnding = false;
        }
      }
    },
  };
  return session;
}

function refOf(options: SessionOptions, { newId }: SessionPorts, parent: string | undefined): SessionRef {
  const { id, agent, cwd, transcript_path } = options;
  return {
    id: id ?? newId(),
    ...(agent === undefined ? {} : { agent }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(transcript_path === undefined ? {} : { transcript_path }),
    ...(parent === undefined ? {} : { parent_id: parent }),
  };
}
