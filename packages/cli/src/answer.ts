import {
  type Dialect,
  type EventName,
  HarnError,
  type Harness,
  isGate,
  isJsonObject,
  type Json,
  type JsonObject,
  messageOf,
  nearest,
  type Outcome,
  readView,
  rowOf,
  specOf,
  typeName,
  type Verdict,
} from "@hooks/core";

/** What a request asks: an event and its payload, in the words of a dialect. */
export interface Request {
  readonly event: EventName;
  readonly payload: JsonObject;
}

/** One line of `harn run`. Its keys are always there. */
export interface Answer {
  /** What the request called itself, when it did. */
  readonly id?: Json;
  readonly event: string | null;
  readonly verdict: Verdict;
  readonly reason: string | null;
  readonly by: string | null;
  readonly decision: string | null;
  readonly modified: boolean;
  /** What the operation must use; null when the request could not be read. */
  readonly payload: Json;
  readonly reminders: readonly unknown[];
  readonly stop: unknown;
  readonly hooks: readonly unknown[];
  readonly faults: readonly unknown[];
  /** Why the request was not answered by the hooks. */
  readonly error?: { readonly code: string; readonly message: string };
}

/** An answer, and whether the request could be read. */
export interface Answered {
  readonly answer: Answer;
  readonly isReadable: boolean;
}

/** Answers one line. What cannot be read is answered too: with a block, unless it is known to be no gate. */
export async function answerLine(text: string | null, harness: Harness, dialect: Dialect): Promise<Answered> {
  let id: Json | undefined;
  let event: string | null = null;
  try {
    const line = parseLine(text);
    id = line.id;
    if (typeof line.event === "string") event = line.event;
    const request = readRequest(line, dialect);
    event = request.event;
    const outcome = await harness.fire(request.event, request.payload as never);
    return { answer: withId(id, answerOf(outcome, dialect)), isReadable: true };
  } catch (error) {
    return { answer: withId(id, refusal(error, event)), isReadable: error instanceof HarnError && "hook" in error };
  }
}

function withId(id: Json | undefined, answer: Answer): Answer {
  return id === undefined ? answer : { id, ...answer };
}

const KEYS = ["id", "event", "payload"];

function parseLine(text: string | null): JsonObject {
  if (text === null) throw new Unreadable("it is longer than 32 MiB, or not UTF-8");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Unreadable(`it is not JSON: ${messageOf(error)}`);
  }
  if (!isJsonObject(value)) throw new Unreadable(`it must be an object {"event", "payload"}, got ${typeName(value)}`);
  return value;
}

/** Reads a request in the words of a dialect; throws what is wrong with it. */
export function readRequest(line: JsonObject, dialect: Dialect): Request {
  const { event, payload = {} } = line;
  const stray = Object.keys(line).find((key) => !KEYS.includes(key));
  if (typeof event !== "string") throw new Unreadable(`"event" must be a text, got ${typeName(event)}`);
  const resolved = dialect.resolve(event);
  if (resolved === undefined) throw unknownEvent(event, dialect);
  if (stray !== undefined) throw new Unreadable(`unknown key "${stray}"; a request has ${KEYS.join(", ")}`);
  return { event: resolved.event, payload: readView(dialect, resolved.event, payload as Json) };
}

function unknownEvent(event: string, dialect: Dialect): Unreadable {
  const near = nearest(event, Object.values(dialect.names).flat());
  const meant = near === undefined ? "" : ` Did you mean "${near}"?`;
  return new Unreadable(`the ${dialect.name} dialect has no event "${event}".${meant}`);
}

class Unreadable extends Error {}

function answerOf(outcome: Outcome, dialect: Dialect): Answer {
  const { event, verdict, reason, by, decision, modified, payload, reminders, stop, faults, trace } = outcome.toJSON();
  return {
    event,
    verdict,
    reason: reason ?? null,
    by: by ?? null,
    decision: decision ?? null,
    modified,
    payload: dialect.view(payload),
    reminders,
    stop: stop ?? null,
    hooks: trace,
    faults,
  };
}

/** The answer to a line whose dispatch will never end: whoever waits for it must not take silence for a yes. */
export function answerUnfinished(text: string | null, dialect: Dialect, why: string): Answer {
  let line: JsonObject = {};
  try {
    line = parseLine(text);
  } catch {
    // It was on its way to be refused for that.
  }
  const event = typeof line.event === "string" ? (dialect.resolve(line.event)?.event ?? line.event) : null;
  return withId(line.id, refused(event, why, null, "HARN_E_ENDED"));
}

/** The answer to what was not dispatched. An agent that cannot ask properly must not act. */
function refusal(error: unknown, event: string | null): Answer {
  if (error instanceof HarnError && "hook" in error)
    return refused(event, messageOf(error), String(error.hook), error.code);
  const isAdvisory = event !== null && rowOf(event) !== undefined && !isGate(specOf(event));
  const message = `the request cannot be read: ${messageOf(error)}`;
  const answer = refused(event, message, null, error instanceof HarnError ? error.code : "HARN_E_INPUT");
  return isAdvisory ? { ...answer, verdict: "allow" } : answer;
}

function refused(event: string | null, message: string, by: string | null, code: string): Answer {
  return {
    event,
    verdict: "block",
    reason: message,
    by,
    decision: null,
    modified: false,
    payload: null,
    reminders: [],
    stop: null,
    hooks: [],
    faults: [],
    error: { code, message },
  };
}
