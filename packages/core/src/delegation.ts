import { afterError, isAbort, untilAborted } from "./abort.js";
import { delegationTooDeep, shown, verificationFailed, verifierFailed } from "./errors.js";
import type { Payload } from "./events.js";
import type { Session } from "./session.js";
import { NO_REASON, type Refusal, type Ruling, refusal, rule, type Stage } from "./stage.js";
import { failure, resultOfTool, type ToolResult, type ToolReturn } from "./tool.js";

/** Looks at a subagent's answer; a text says what is wrong with it. */
export type Verify = (
  result: ToolResult,
  attempt: number,
) => string | undefined | null | true | Promise<string | undefined | null | true>;

/** A piece of work for a subagent. */
export interface Delegation {
  /** The subagent's name. */
  readonly agent: string;
  readonly prompt: string;
  /** Does the work in the subagent's session; called again with the reason when the answer is not accepted. */
  readonly run: (session: Session, prompt: string) => ToolReturn | Promise<ToolReturn>;
  /** Declares that the answer is verified: by hooks on SubagentVerify, and by this function before them. */
  readonly verify?: true | Verify;
  /** Attempts after the first; 2 when absent. */
  readonly maxVerifyRetries?: number;
}

/** What a delegation came to. A block at either end is a refusal; an answer nobody accepts is an error. */
export type Delegated = { readonly ok: true; readonly result: ToolResult; readonly attempts: number } | Refusal;

type Subagent = Payload<"SubagentStart">["subagent"];

/** Milliseconds an aborted subagent has to end its session before that is done for it. */
const GRACE_MS = 5_000;

/**
 * Runs a subagent: SubagentStart, its own session under the same hooks, SubagentStop, and SubagentVerify when the
 * delegation declares verification, as often as it takes.
 */
export async function delegate(
  stage: Stage,
  delegation: Delegation,
  maxDepth: number,
  id: string,
  open: (agent: string, id: string) => Session,
): Promise<Delegated> {
  stage.mustBeOpen("a delegation");
  // From its start on: a session must not end between a hook on SubagentStart and the SubagentStop that follows.
  const work = attempts(stage, delegation, maxDepth, id, open);
  stage.delegations.add(work);
  return work.finally(() => stage.delegations.delete(work));
}

async function attempts(
  stage: Stage,
  { agent, prompt, run, verify, maxVerifyRetries = 2 }: Delegation,
  maxDepth: number,
  id: string,
  open: (agent: string, id: string) => Session,
): Promise<Delegated> {
  if (stage.depth >= maxDepth) throw delegationTooDeep(agent, maxDepth);
  const most = maxVerifyRetries + 1;
  const subagent: Subagent = { name: agent, id, depth: stage.depth + 1 };
  let opened: Session | undefined;
  let task = prompt;
  for (let attempt = 1; ; attempt++) {
    stage.signal.throwIfAborted();
    // Told, not fired: an abort in a hook of it must not leave a subagent that started and never stopped.
    const begun = await stage.tell("SubagentStart", { subagent, prompt: task });
    if (begun.verdict === "block") return refusal(begun, "subagent_start");
    // Opened now, so that it inherits what the hooks of its start had to say.
    opened ??= open(agent, id);
    const child = opened;
    const ruling = await answer(stage, subagent, child, () => run(child, begun.payload.prompt ?? task));
    if (!ruling.ok) return ruling;
    if (verify === undefined) return { ok: true, result: ruling.value, attempts: attempt };
    const { result, reason } = await judge(stage, subagent, ruling.value, verify, attempt, most);
    if (reason === undefined) return { ok: true, result, attempts: attempt };
    if (attempt === most) throw verificationFailed(agent, attempt, reason);
    task = `${prompt}\n\nYour last answer was not accepted: ${reason}\nDo the task again, and mind that.`;
  }
}

/** One run of the subagent. Whatever happens in it, a subagent that started also stops. */
async function answer(
  stage: Stage,
  subagent: Subagent,
  child: Session,
  run: () => ToolReturn | Promise<ToolReturn>,
): Promise<Ruling<ToolResult>> {
  const settle = stage.track("subagent", subagent.name);
  let result: ToolResult;
  try {
    result = resultOfTool(await runToItsEnd(stage, child, run));
  } catch (error) {
    await afterError(error, () => stage.tell("SubagentStop", { subagent, result: failure(error) }));
    throw error;
  } finally {
    settle();
  }
  const ended = await stage.tell("SubagentStop", { subagent, result });
  stage.signal.throwIfAborted();
  return rule(ended, "subagent_stop", () => ended.payload.result ?? result);
}

/** Runs the subagent, and ends its session where that was forgotten, or could not be waited for. */
async function runToItsEnd(
  stage: Stage,
  child: Session,
  run: () => ToolReturn | Promise<ToolReturn>,
): Promise<ToolReturn> {
  let work: Promise<ToolReturn> | undefined;
  const start = () => {
    work = (async () => run())();
    return work;
  };
  const late = stage.late("SubagentStop", child.agent ?? child.id);
  try {
    const returned = await untilAborted(stage.signal, start, { late, linger });
    if (child.isOpen) await child.end("complete");
    return returned;
  } catch (error) {
    if (child.isOpen) await afterError(error, () => child.end(isAbort(error, stage.signal) ? "abort" : "error"));
    throw error;
  }

  async function linger(): Promise<void> {
    if (!child.isOpen) return;
    const patience = new AbortController();
    await Promise.race([
      Promise.allSettled([work]),
      stage.ports.sleep(GRACE_MS, patience.signal).catch(() => undefined),
    ]);
    patience.abort();
  }
}

/** What is wrong with an answer, and the answer as the hooks that looked at it left it. */
async function judge(
  stage: Stage,
  subagent: Subagent,
  answered: ToolResult,
  verify: true | Verify,
  attempt: number,
  most: number,
): Promise<{ readonly result: ToolResult; readonly reason: string | undefined }> {
  const reasons: string[] = [];
  if (verify !== true) {
    const said = await lookAt(stage, subagent, () => verify(answered, attempt));
    if (said !== undefined) reasons.push(said);
  }
  const outcome = await stage.fire("SubagentVerify", { subagent, result: answered, attempt, max_attempts: most });
  // Elsewhere a gate that fails says no. Here a no means "try again", and a broken verifier would say it for ever.
  const fault = outcome.faults.find(({ on_error }) => on_error !== "allow");
  if (fault !== undefined) throw verifierFailed(subagent.name, fault.error);
  if (outcome.verdict === "block") reasons.push(outcome.reason ?? NO_REASON);
  return { result: outcome.payload.result, reason: reasons.length === 0 ? undefined : reasons.join("; ") };
}

async function lookAt(stage: Stage, { name }: Subagent, verify: () => ReturnType<Verify>): Promise<string | undefined> {
  let said: unknown;
  try {
    // Nothing is lingered for: this is a part of what others linger for.
    said = await untilAborted(stage.signal, verify, { late: stage.late("SubagentVerify", "verify") });
  } catch (error) {
    throw isAbort(error, stage.signal) ? error : verifierFailed(name, error);
  }
  if (said === undefined || said === null || said === true) return undefined;
  if (typeof said === "string") return said === "" ? NO_REASON : said;
  throw verifierFailed(name, `it returned ${shown(said)}`);
}
