import { HarnError, type JsonObject, messageOf, type Outcome } from "@hooks/core";
import {
  type Agent,
  type AgentName,
  agentNames,
  BadInput,
  Fields,
  isObject,
  type NativeEvent,
  type Reply,
  type Ruling,
} from "./agent.js";
import { claude } from "./claude.js";
import { codex } from "./codex.js";
import { copilot } from "./copilot.js";
import { cursor } from "./cursor.js";
import { gemini } from "./gemini.js";
import { opencode } from "./opencode.js";
import { refusal, rule } from "./ruling.js";

/** Every agent by its name. */
export const agents: Readonly<Record<AgentName, Agent>> = { claude, codex, gemini, copilot, opencode, cursor };

export function isAgentName(name: string): name is AgentName {
  return (agentNames as readonly string[]).includes(name);
}

/** One call of an agent, as far as it could be read. */
export interface Call {
  readonly agent: Agent;
  /** The agent's name for the event; undefined when neither the payload nor the command line says. */
  readonly event: string | undefined;
  readonly row: NativeEvent | undefined;
  readonly input: JsonObject | undefined;
  /** What is wrong with it. */
  readonly problem: string | undefined;
}

/** Largest payload that is read. */
export const MAX_PAYLOAD_BYTES = 16 * 1024 * 1024;

/** Reads what an agent sent. `hint` is the event of the command line, for agents whose payload does not name it. */
export function readCall(named: Agent, bytes: Uint8Array, hint?: string): Call {
  const read = (event: string | undefined, input: JsonObject | undefined, problem?: string): Call => {
    const agent = speakerOf(named, event);
    const row = event !== undefined && Object.hasOwn(agent.events, event) ? agent.events[event] : undefined;
    return {
      agent,
      event,
      row,
      input,
      problem: problem ?? (row === undefined ? unknownEvent(agent, event) : undefined),
    };
  };
  if (bytes.length > MAX_PAYLOAD_BYTES)
    return read(hint, undefined, `the payload is larger than ${MAX_PAYLOAD_BYTES} bytes`);
  let input: unknown;
  try {
    input = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    return read(hint, undefined, `the payload is not JSON: ${messageOf(error)}`);
  }
  if (!isObject(input)) return read(hint, undefined, "the payload is not an object");
  return read(named.nameOf(input) ?? hint, input);
}

/** Cursor runs the hooks of Claude Code's settings too, and may ask them in its own words. */
function speakerOf(named: Agent, event: string | undefined): Agent {
  const isForeign = named.name === "claude" && event !== undefined && !Object.hasOwn(claude.events, event);
  return isForeign && Object.hasOwn(cursor.events, event) ? cursor : named;
}

function unknownEvent({ title }: Agent, event: string | undefined): string {
  return event === undefined ? "the payload names no event" : `${title} is not known to have an event "${event}"`;
}

/** The session a call belongs to, as its payload will say. */
export function sessionOf({ event, row, input }: Call): string {
  try {
    const [question] = row?.read(new Fields(input ?? {}, event ?? "")).questions ?? [];
    return String((question?.payload(undefined).session as JsonObject | undefined)?.id ?? "unknown");
  } catch {
    return "unknown";
  }
}

export type Fire = (event: Outcome["event"], payload: JsonObject) => Outcome | Promise<Outcome>;

/** Answers one call. It never throws: whatever goes wrong is a refusal, unless the event is no gate. */
export async function answerCall(call: Call, fire: Fire): Promise<Reply> {
  const { agent, event, row, input, problem } = call;
  if (problem !== undefined || row === undefined || input === undefined || event === undefined) {
    return refuseCall(call, problem ?? "the call cannot be read");
  }
  const fields = new Fields(input, event);
  try {
    return encode(agent, row, fields, await rule(agent, row, row.read(fields), fire));
  } catch (error) {
    const what = error instanceof BadInput || (error instanceof HarnError && error.code.startsWith("HARN_E_PAYLOAD"));
    return refuseCall(call, what ? `the payload cannot be read: ${messageOf(error)}` : messageOf(error));
  }
}

/** The answer of a gate that nobody could ask: a veto, in the form the agent takes it. Other events go on. */
export function refuseCall({ agent, event, row, input }: Call, why: string): Reply {
  const reason = `Harn refuses: ${why}`;
  if (row !== undefined && !row.can.includes("block")) return { stdout: agent.silence, stderr: reason, exit: 0 };
  const gate = row ?? (agent.events[agent.gate] as NativeEvent);
  return encode(agent, gate, new Fields(input ?? {}, event ?? agent.gate), refusal(reason));
}

function encode(agent: Agent, row: NativeEvent, fields: Fields, ruling: Ruling): Reply {
  const output = row.write(ruling, fields);
  const stdout = output === undefined ? agent.silence : JSON.stringify(output);
  if (ruling.verdict !== "block") return { stdout, stderr: ruling.notes.join("\n"), exit: 0 };
  // The end of the run is said in JSON only, which exit code 2 would have ignored.
  const exit = ruling.stop === undefined ? (row.veto ?? 2) : 0;
  return { stdout, stderr: ruling.reason, exit };
}
