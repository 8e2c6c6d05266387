import { afterError, isAbort } from "./abort.js";
import type { RetryPolicy } from "./completion.js";
import { sessionMisused } from "./errors.js";
import type { Message, Model, ModelRequest, ModelResponse, ToolCall, Usage } from "./model.js";
import type { PendingReminder } from "./reminders.js";
import type { EndReason, Session } from "./session.js";
import type { StagePayload } from "./stage.js";
import { describeTool, failure, indexTools, type Tool } from "./tool.js";
import type { ToolCallResult } from "./tool-call.js";

/** Makes a conversation shorter. */
export interface Compaction {
  /** Whether it is time, before a request. */
  readonly isDue: (messages: readonly Message[]) => boolean;
  /** Whether an error of the model says that the conversation is too long; compaction is then tried once. */
  readonly isOverflow?: (error: unknown) => boolean;
  readonly compact: (
    messages: readonly Message[],
    options: { readonly signal: AbortSignal },
  ) => Compacting | Promise<Compacting>;
}

interface Compacting {
  readonly messages: readonly Message[];
  readonly summary?: string;
}

/** What wakes a daemon: the next prompt, nothing yet, or its end. */
export type Wake = { readonly prompt: string; readonly source?: string } | "idle" | "end";

export interface Daemon {
  readonly wake_interval_ms: number;
  /** Waits for something to do, no longer than the interval. */
  readonly wake: (wake_interval_ms: number, signal: AbortSignal) => Wake | Promise<Wake>;
}

/** One run of an agent. */
export interface AgentRun {
  readonly session: Session;
  readonly prompt: string;
  /** Where the prompt comes from; hooks can tell by it. */
  readonly source?: string;
  /** The session's own when absent. */
  readonly model?: Model;
  readonly tools?: readonly Tool[];
  /** The first message, and what a resumed conversation said before. */
  readonly system?: string;
  readonly history?: readonly Message[];
  /**
   * Runs the tool calls of one answer at the same time, each through its own hooks; a person may then be asked about one
   * while asked about another. One after another when absent: two runs then leave the same tape, and a stop keeps the
   * calls behind it from running.
   */
  readonly parallelTools?: boolean;
  /** Requests to the model in one turn of the user; 50 when absent. */
  readonly maxTurns?: number;
  /** How often hooks on Stop may keep the agent working in one turn of the user; 5 when absent. */
  readonly maxStopBlocks?: number;
  readonly retry?: RetryPolicy;
  readonly compaction?: Compaction;
  /** Takes what is worth remembering out of a turn, and says which entries that changed. */
  readonly memory?: (
    messages: readonly Message[],
    options: { readonly signal: AbortSignal },
  ) => StagePayload<"MemoryUpdate"> | Promise<StagePayload<"MemoryUpdate">>;
  readonly daemon?: Daemon;
  /** Sees the text before it is handed out, and may replace it. */
  readonly onFinish?: (text: string) => string | undefined | Promise<string | undefined>;
  readonly signal?: AbortSignal;
}

/** How a run ended. A word with `_blocked` names the gate that refused. */
export type StopReason = "complete" | "stopped" | "max_turns" | "max_stop_blocks" | "abort" | `${string}_blocked`;

export interface AgentResult {
  readonly stop_reason: StopReason;
  /** The agent's last words. */
  readonly text: string;
  /** Why, where a hook or a limit ended it. */
  readonly reason?: string;
  readonly messages: readonly Message[];
  readonly usage: Usage;
}

interface Turn {
  readonly stop_reason: StopReason;
  readonly text: string;
  readonly reason?: string;
}

/**
 * Runs an agent in a session, from SessionStart to SessionEnd. An abort is a way to end; any error is told to the
 * hooks, ends the session, and is thrown as it was.
 */
export async function runAgent(run: AgentRun): Promise<AgentResult> {
  const { session, prompt, signal } = run;
  const conversation = new Conversation(run);
  if (run.model === undefined && session.model === undefined) {
    throw sessionMisused("it has no model", "Give createSession or runAgent one.");
  }
  if (session.isOpen) throw sessionMisused("it is running already", "Wait until the run before has ended.");
  try {
    const { model } = run;
    await session.start({
      prompt,
      ...(signal === undefined ? {} : { signal }),
      ...(model === undefined ? {} : { model }),
    });
    const turn = await conversation.run();
    const text = await session.finish(turn.text, run.onFinish);
    await session.end(ENDS[turn.stop_reason] ?? "complete");
    return conversation.result({ ...turn, text });
  } catch (error) {
    if (!session.isOpen) throw error;
    if (isAbort(error, session.signal)) {
      await session.end("abort");
      return conversation.result({ stop_reason: "abort", text: "" });
    }
    await afterError(error, () => session.fail(error).finally(() => session.end("error")));
    throw error;
  }
}

const ENDS: Partial<Record<StopReason, EndReason>> = { max_turns: "maxTurns", max_stop_blocks: "maxTurns" };

/** What a run has said and heard so far. */
class Conversation {
  private messages: Message[];
  private usage: Usage = { input_tokens: 0, output_tokens: 0 };
  private readonly tools: ReadonlyMap<string, Tool>;

  constructor(private readonly agent: AgentRun) {
    const { system, history = [], tools = [] } = agent;
    this.messages = [...(system === undefined ? [] : [{ role: "system" as const, content: system }]), ...history];
    this.tools = indexTools(tools);
  }

  result(turn: Turn): AgentResult {
    return { ...turn, messages: this.messages, usage: this.usage };
  }

  /** A turn of the user, and, for a daemon, those that follow it. */
  async run(): Promise<Turn> {
    const { session, prompt, source, daemon } = this.agent;
    let last = await this.turn(prompt, source);
    while (daemon !== undefined && last.stop_reason !== "stopped") {
      const { wake_interval_ms, wake } = daemon;
      const woken = await session.idle((signal) => wake(wake_interval_ms, signal), wake_interval_ms);
      if (woken === "end") return last;
      if (woken !== "idle") last = await this.turn(woken.prompt, woken.source);
    }
    return last;
  }

  private async turn(prompt: string, source: string | undefined): Promise<Turn> {
    const { session } = this.agent;
    const submitted = await session.prompt(prompt, source);
    if (!submitted.ok) return refused(submitted);
    const started = await session.startTurn(submitted.value);
    if (!started.ok) return refused(started);
    this.messages.push({ role: "user", content: started.value });
    const calls: { name: string; args: ModelResponse["tool_calls"][number]["args"] }[] = [];
    const before = this.usage;
    const done = await this.iterate(calls);
    if (done.stop_reason.endsWith("_blocked")) return done;
    const usage = {
      input_tokens: this.usage.input_tokens - before.input_tokens,
      output_tokens: this.usage.output_tokens - before.output_tokens,
    };
    const ended = await session.endTurn({ text: done.text, tool_calls: calls, usage });
    if (!ended.ok) return refused(ended);
    await this.remember();
    return { ...done, text: ended.value };
  }

  private async remember(): Promise<void> {
    const { session, memory } = this.agent;
    if (memory === undefined) return;
    await session.memoryUpdated(await memory(this.messages, { signal: session.signal }));
  }

  /** Asks the model, and runs what it asks for, until it has no more to ask. */
  private async iterate(calls: { name: string; args: ModelResponse["tool_calls"][number]["args"] }[]): Promise<Turn> {
    const { session, maxTurns = 50, maxStopBlocks = 5 } = this.agent;
    let stopBlocks = 0;
    let text = "";
    for (let iteration = 0; iteration < maxTurns; iteration++) {
      const ruling = await this.ask();
      if (!ruling.ok) return refused(ruling);
      const answer = ruling.value;
      text = answer.text;
      this.messages.push({
        role: "assistant",
        content: text,
        ...(answer.tool_calls.length === 0 ? {} : { tool_calls: answer.tool_calls }),
      });
      calls.push(...answer.tool_calls.map(({ name, args }) => ({ name, args })));
      const stop = await this.runTools(answer);
      await session.postTurn({ text, tool_calls: answer.tool_calls.map(({ name, args }) => ({ name, args })) });
      if (stop !== undefined) return { stop_reason: "stopped", text, ...stop };
      if (answer.tool_calls.length > 0) continue;
      const stopping = await session.stop({
        text,
        finish_reason: answer.finish_reason,
        iteration,
        stop_hook_active: stopBlocks > 0,
      });
      if (stopping.ok) return { stop_reason: "complete", text: stopping.value };
      if (stopBlocks === maxStopBlocks) return { stop_reason: "max_stop_blocks", text, reason: stopping.reason };
      stopBlocks++;
      this.messages.push({ role: "user", content: stopping.reason });
    }
    return { stop_reason: "max_turns", text, reason: `the model was asked ${maxTurns} times` };
  }

  /** One request. A model that finds the conversation too long gets a shorter one, once. */
  private async ask() {
    const { session, compaction, retry } = this.agent;
    if (compaction?.isDue(this.messages)) await this.compact(compaction, "auto");
    const reminders = session.takeReminders();
    const request = (shown: readonly PendingReminder[]): ModelRequest => ({
      model: session.model?.name ?? "",
      messages: [...this.messages, ...shown.map(messageOf)],
      tools: [...this.tools.values()].map(describeTool),
    });
    const answered = await session.completion(request(reminders), retry).catch(async (error: unknown) => {
      if (compaction?.isOverflow?.(error) !== true) throw error;
      if (!(await this.compact(compaction, "overflow"))) throw error;
      const kept = reminders.filter(({ preserve_on_compact }) => preserve_on_compact);
      return session.completion(request(kept), retry);
    });
    if (answered.ok) this.count(answered.value);
    return answered;
  }

  private count({ usage = { input_tokens: 0, output_tokens: 0 } }: ModelResponse): void {
    this.usage = {
      input_tokens: this.usage.input_tokens + usage.input_tokens,
      output_tokens: this.usage.output_tokens + usage.output_tokens,
    };
  }

  private async compact({ compact }: Compaction, trigger: string): Promise<boolean> {
    const { session } = this.agent;
    const done = await session.compact({ trigger, message_count: this.messages.length }, async () => {
      const compacted = await compact(this.messages, { signal: session.signal });
      return { ...compacted, message_count: compacted.messages.length };
    });
    if (done.ok) this.messages = [...done.value.messages];
    return done.ok;
  }

  /** Runs the calls of one answer, and says whether a hook stops the loop after them. */
  private async runTools({ tool_calls }: ModelResponse): Promise<ToolCallResult["stop"]> {
    const done =
      this.agent.parallelTools === true ? await this.runAtOnce(tool_calls) : await this.runInTurn(tool_calls);
    for (const { call_id, name, result } of done) {
      this.messages.push({ role: "tool", call_id, name, content: result.text, is_error: result.is_error });
    }
    return done.find(({ stop }) => stop !== undefined)?.stop;
  }

  private async runInTurn(calls: readonly ToolCall[]): Promise<ToolCallResult[]> {
    const done: ToolCallResult[] = [];
    let isStopped = false;
    for (const call of calls) {
      // A conversation with a call that has no result is refused by most providers.
      const one: ToolCallResult = isStopped ? notRun(call) : await this.runTool(call);
      isStopped ||= one.stop !== undefined;
      done.push(one);
    }
    return done;
  }

  /** What was started is waited for, also when one of them fails: nothing may go on behind the end of the session. */
  private async runAtOnce(calls: readonly ToolCall[]): Promise<ToolCallResult[]> {
    const running = calls.map((call) => this.runTool(call));
    await Promise.allSettled(running);
    return Promise.all(running);
  }

  private runTool(call: ToolCall): Promise<ToolCallResult> {
    return this.agent.session.toolCall(this.tools.get(call.name), call);
  }
}

function notRun({ id: call_id, name }: ToolCall): ToolCallResult {
  return { call_id, name, result: failure("Not run: the session was stopped by a hook") };
}

function messageOf({ body, role_hint }: PendingReminder): Message {
  return { role: role_hint === "user_block" ? "user" : "system", content: body };
}

function refused({ stop_reason, reason }: { stop_reason: StopReason; reason: string }): Turn {
  return { stop_reason, text: "", reason };
}
