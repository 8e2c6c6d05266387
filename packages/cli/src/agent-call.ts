import { type Agent, answerCall, type Call, type Reply, refuseCall, sessionOf } from "@hooks/agents";
import type { Harness } from "@hooks/core";
import { AgentTape, tapeOf } from "./agent-tape.js";
import { interruptible } from "./interruptible.js";
import { loadPolicy } from "./policy.js";
import type { Terminal } from "./terminal.js";

export interface CallOptions {
  readonly manifest: string | undefined;
  /** The tape; undefined: that of the session. False: none. */
  readonly tape: string | undefined | false;
  /** Paths of payloads that are masked on the tape. */
  readonly mask?: readonly string[];
  /** When it must be answered, on the clock of the process. */
  readonly deadline: number;
}

/** A call that is under way. */
export interface PendingCall {
  readonly reply: Promise<Reply>;
  /** Keeps what is known of it so far, for a call that will not come to its end. */
  abandon(): void;
}

/** Where the project of a call is: where its agent says, and not where the agent has moved to since. */
export function projectOf({ projectVariable }: Agent, env: Terminal["host"]["env"], cwd: string): string {
  const named = projectVariable === undefined ? undefined : env[projectVariable];
  return named === undefined || named === "" ? cwd : named;
}

/** Loads the policy and asks it. */
export function startCall(call: Call, options: CallOptions, terminal: Terminal): PendingCall {
  let digest: string | null = null;
  const tape = options.tape === false ? null : sessionTape(call, options.tape, () => digest, options.mask);
  const reply = (async () => {
    if (call.problem !== undefined) return refuseCall(call, call.problem);
    const loaded = await loadPolicy(options.manifest, terminal, tape === null ? {} : { tape });
    if (loaded.ok) digest = loaded.harness.digest;
    return answerWith(call, loaded.harness, options.deadline);
  })();
  return { reply, abandon: () => tape?.abandon() };
}

/** Asks a stack that is loaded. */
export function answerWith(call: Call, harness: Harness, deadline: number): Promise<Reply> {
  return answerCall(call, (event, payload) => interruptible(() => harness.fire(event, payload as never), deadline));
}

/** The tape of the session a call belongs to. */
export function sessionTape(
  call: Call,
  file: string | undefined,
  policy: () => string | null,
  mask?: readonly string[],
): AgentTape {
  const session = sessionOf(call);
  return new AgentTape(file ?? tapeOf(call.agent.name, session), session, policy, mask);
}
