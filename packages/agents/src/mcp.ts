import type { Harness, Json, JsonObject, SessionRef } from "@hooks/core";
import { type Node, parseTree } from "jsonc-parser";
import { isObject } from "./agent.js";
import { textOf } from "./reading.js";
import { mcpName } from "./tools.js";

/** What stands between a client of the Model Context Protocol and a server. */
export interface McpRelayOptions {
  /** The server's name in the policy: its tools are `mcp__<server>__<tool>`. */
  readonly server: string;
  readonly session: SessionRef;
  /** Asks the policy. */
  readonly fire: Harness["fire"];
  readonly toClient: (line: string) => void;
  readonly toServer: (line: string) => void;
}

interface ToolCall {
  readonly name: string;
  readonly native_name: string;
  readonly args: JsonObject;
  readonly call_id: string;
}

/**
 * Lets every message pass as it is, but for calls of tools: those are asked about before the server sees them, and their
 * results before the client does. It speaks JSON-RPC and knows no transport.
 */
export class McpRelay {
  /** Calls the server has, by the id of their request. */
  private readonly pending = new Map<string, ToolCall>();
  /** Calls that are being judged; one that is cancelled meanwhile never reaches the server. */
  private readonly judged = new Set<string>();
  /** Calls whose result is fetched later. */
  private readonly tasks = new Map<string, ToolCall>();

  constructor(private readonly options: McpRelayOptions) {}

  /** A line of the client. */
  async fromClient(line: string): Promise<void> {
    const messages = readLine(line);
    if (messages === null)
      return this.answer(null, { error: { code: -32600, message: "Harn refuses: this is not one JSON-RPC message" } });
    // A batch is taken apart: a call in it must not pass unseen.
    await Promise.all(
      messages.map((message) => this.takeIn(message, messages.length === 1 ? line : JSON.stringify(message))),
    );
  }

  /** A line of the server. What it cannot be read as is none of our business. */
  async fromServer(line: string): Promise<void> {
    const messages = parse(line);
    const list = Array.isArray(messages) ? messages : [messages];
    const isOurs = list.some(
      (message) => isObject(message) && message.method === undefined && this.pending.has(keyOf(message.id)),
    );
    if (!isOurs) return this.options.toClient(line);
    for (const message of list) this.options.toClient(JSON.stringify(await this.takeOut(message as JsonObject)));
  }

  private async takeIn(message: JsonObject, line: string): Promise<void> {
    const { method, id, params } = message;
    const key = keyOf(id);
    if (method === "notifications/cancelled" && isObject(params) && this.judged.delete(keyOf(params.requestId))) return;
    if (method === "tasks/result" && isObject(params)) {
      const call = this.tasks.get(String(params.taskId));
      if (call !== undefined) this.pending.set(key, call);
    }
    if (method !== "tools/call") return this.options.toServer(line);
    this.judged.add(key);
    const ruling = await this.before(id, params);
    if (!this.judged.delete(key)) return;
    if (typeof ruling === "string") return this.answer(id ?? null, { result: refused(ruling) });
    this.pending.set(key, ruling.call);
    this.options.toServer(
      ruling.isChanged
        ? JSON.stringify({ ...message, params: { ...(params as JsonObject), arguments: ruling.call.args } })
        : line,
    );
  }

  private async before(
    id: Json | undefined,
    params: Json | undefined,
  ): Promise<{ call: ToolCall; isChanged: boolean } | string> {
    if (!isObject(params) || typeof params.name !== "string") return "Harn refuses: a call of a tool has no name";
    const given = params.arguments ?? {};
    if (!isObject(given)) return "Harn refuses: the arguments of a tool are not an object";
    const name = mcpName({ server: this.options.server, tool: params.name });
    const call: ToolCall = { name, native_name: params.name, args: given, call_id: String(id) };
    try {
      const outcome = await this.options.fire("PreToolUse", { tool: call, session: this.options.session });
      const { verdict, reason = "refused by a hook", stop } = outcome;
      if (verdict === "block") return reason;
      if (verdict === "ask") return `${reason} (this needs a person's consent, and a server cannot ask for it)`;
      if (stop !== undefined)
        return `${stop.reason ?? "a hook asked the agent to stop"} (a server cannot stop the agent)`;
      return { call: { ...call, args: outcome.payload.tool.args }, isChanged: outcome.modified };
    } catch (error) {
      return `Harn refuses: ${(error as Error).message}`;
    }
  }

  private async takeOut(message: JsonObject): Promise<JsonObject> {
    const key = keyOf(message.id);
    const call = message.method === undefined ? this.pending.get(key) : undefined;
    if (call === undefined) return message;
    this.pending.delete(key);
    const { result, error } = message;
    if (isObject(result) && isObject(result.task) && typeof result.task.taskId === "string") {
      this.tasks.set(result.task.taskId, call);
      return message;
    }
    const isError = error !== undefined || (isObject(result) && result.isError === true);
    const shown = isObject(error) ? textOf(error.message) : textOf(isObject(result) ? (result.content ?? null) : null);
    const judged = { text: shown, value: (result ?? error ?? null) as Json, is_error: isError };
    const text = await this.after(call, judged);
    if (text === null) return message;
    if (isObject(error)) return { ...message, error: { ...error, message: text.text } };
    const meta = isObject(result) && result._meta !== undefined ? { _meta: result._meta } : {};
    const content = [{ type: "text", text: text.text }];
    if (!isObject(result) || result.structuredContent === undefined || text.isRefused)
      return { ...message, result: { ...meta, content, isError: text.isRefused || isError } };
    // A client holds what a tool gives against what it promised to, but for what failed.
    const structured = parse(text.text);
    return isObject(structured)
      ? { ...message, result: { ...meta, content, structuredContent: structured, isError } }
      : { ...message, result: { ...meta, content, isError: true } };
  }

  /** What the model sees in the place of a result; null: the result. */
  private async after(
    tool: ToolCall,
    result: { text: string; value: Json; is_error: boolean },
  ): Promise<{ text: string; isRefused: boolean } | null> {
    const { session, fire } = this.options;
    try {
      const first = await fire("PostToolUse", { tool, result, session });
      if (first.verdict === "block") return { text: first.reason ?? "the result is withheld", isRefused: true };
      const last = result.is_error
        ? await fire("PostToolUseFailure", { tool, result: first.payload.result, session })
        : first;
      return first.modified || last.modified ? { text: last.payload.result.text, isRefused: false } : null;
    } catch (error) {
      return { text: `Harn refuses: ${(error as Error).message}`, isRefused: true };
    }
  }

  private answer(id: Json, body: JsonObject): void {
    this.options.toClient(JSON.stringify({ jsonrpc: "2.0", id, ...body }));
  }
}

function refused(text: string): JsonObject {
  return { content: [{ type: "text", text }], isError: true };
}

function keyOf(id: Json | undefined): string {
  return JSON.stringify(id ?? null);
}

/** The messages of a line; null when it could mean one thing here and another to the server. */
function readLine(line: string): JsonObject[] | null {
  const value = parse(line);
  const messages = Array.isArray(value) ? value : [value];
  if (messages.length === 0 || !messages.every(isObject)) return null;
  return hasTwins(parseTree(line)) ? null : messages;
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Whether an object has a key twice. Parsers differ in which one counts, and a call could hide behind that. */
function hasTwins(root: Node | undefined): boolean {
  const pending = root === undefined ? [] : [root];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    const { children = [] } = node;
    if (node.type === "object") {
      const keys = children.map((property) => property.children?.[0]?.value as string);
      if (new Set(keys).size < keys.length) return true;
    }
    pending.push(...children);
  }
  return false;
}
