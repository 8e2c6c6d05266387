import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A model that asks for these shell commands, one after the other, and then is done. */
export interface FakeModel {
  readonly url: string;
  /** What the client sent, request by request. */
  readonly requests: readonly string[];
  close(): Promise<void>;
}

/** The name of a tool that takes a command, and the argument its command goes into. */
export interface CommandTool {
  readonly name: string;
  readonly argument: string;
  /** Where the client's model has its tools in groups: the group. */
  readonly namespace?: string;
}

type Body = { readonly [key: string]: unknown };

/** What a turn of the model is: a tool call or the last word. */
type Turn = { readonly id: string; readonly name: string; readonly namespace?: string; readonly args: Body } | null;

/** Speaks the four wire formats the clients use. It remembers nothing: how far it is stands in what the client sends. */
export async function startModel(commands: readonly string[], tool: CommandTool): Promise<FakeModel> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    read(request).then((text) => {
      requests.push(text);
      if (process.env.HARN_CLIENTS_DEBUG) console.error(`${request.method} ${request.url} ${text.length}`);
      answer(request.url ?? "", text, response);
    });
  });

  function turnOf(done: number, hasTools: boolean): Turn {
    const command = commands[done];
    if (command === undefined || !hasTools) return null;
    const { name, argument, namespace } = tool;
    const args = { [argument]: command, description: "a test" };
    return { id: `call_${done}`, name, args, ...(namespace === undefined ? {} : { namespace }) };
  }

  function answer(url: string, text: string, response: ServerResponse): void {
    const path = url.replace(/\?.*/, "");
    if (path.startsWith("/npm/")) return void response.writeHead(404).end();
    const body = (text.startsWith("{") ? JSON.parse(text) : {}) as Body;
    const done = countResults(text);
    const turn = turnOf(done, JSON.stringify(body.tools ?? []).includes(`"${tool.name}"`));
    if (path.endsWith("/messages")) return send(response, anthropic(turn));
    if (path.endsWith("/responses")) return send(response, responses(turn));
    if (path.includes("GenerateContent")) return send(response, gemini(turn));
    if (path.includes("generateContent")) return json(response, (gemini(null)[0]?.[1] ?? {}) as Body);
    if (path.endsWith("/chat/completions")) return send(response, chat(turn));
    if (path.endsWith("/models")) return json(response, { data: [{ id: "fake-model", object: "model" }] });
    json(response, {});
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** How many results of tools there are in a request, in any of the formats. */
function countResults(text: string): number {
  const kinds = /"type":\s*"(?:tool_result|function_call_output)"|"functionResponse":|"role":\s*"tool"/g;
  return text.match(kinds)?.length ?? 0;
}

type Events = readonly (readonly [event: string | null, data: unknown])[];

function anthropic(turn: Turn): Events {
  const usage = { input_tokens: 10, output_tokens: 5 };
  const message = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "fake",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage,
  };
  const [block, delta] =
    turn === null
      ? [
          { type: "text", text: "" },
          { type: "text_delta", text: "ALL DONE" },
        ]
      : [
          { type: "tool_use", id: `toolu_${turn.id}`, name: turn.name, input: {} },
          { type: "input_json_delta", partial_json: JSON.stringify(turn.args) },
        ];
  const end = { stop_reason: turn === null ? "end_turn" : "tool_use", stop_sequence: null };
  return [
    ["message_start", { type: "message_start", message }],
    ["content_block_start", { type: "content_block_start", index: 0, content_block: block }],
    ["content_block_delta", { type: "content_block_delta", index: 0, delta }],
    ["content_block_stop", { type: "content_block_stop", index: 0 }],
    ["message_delta", { type: "message_delta", delta: end, usage }],
    ["message_stop", { type: "message_stop" }],
  ];
}

function responses(turn: Turn): Events {
  const usage = {
    input_tokens: 10,
    output_tokens: 5,
    total_tokens: 15,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens_details: { reasoning_tokens: 0 },
  };
  const item =
    turn === null
      ? { type: "message", role: "assistant", id: "msg_1", content: [{ type: "output_text", text: "ALL DONE" }] }
      : {
          type: "function_call",
          id: `fc_${turn.id}`,
          call_id: turn.id,
          name: turn.name,
          ...(turn.namespace === undefined ? {} : { namespace: turn.namespace }),
          arguments: JSON.stringify(turn.args),
        };
  return [
    ["response.created", { type: "response.created", response: { id: "resp_1" } }],
    ["response.output_item.done", { type: "response.output_item.done", output_index: 0, item }],
    ["response.completed", { type: "response.completed", response: { id: "resp_1", usage } }],
  ];
}

function gemini(turn: Turn): Events {
  const part = turn === null ? { text: "ALL DONE" } : { functionCall: { name: turn.name, args: turn.args } };
  const candidate = { content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 };
  const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 };
  return [[null, { candidates: [candidate], usageMetadata, modelVersion: "fake" }]];
}

function chat(turn: Turn): Events {
  const base = { id: "chat_1", object: "chat.completion.chunk", created: 1, model: "fake-model" };
  const call = turn && {
    index: 0,
    id: turn.id,
    type: "function",
    function: { name: turn.name, arguments: JSON.stringify(turn.args) },
  };
  const delta =
    turn === null
      ? { role: "assistant", content: "ALL DONE" }
      : { role: "assistant", content: null, tool_calls: [call] };
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  return [
    [null, { ...base, choices: [{ index: 0, delta, finish_reason: null }] }],
    [
      null,
      { ...base, choices: [{ index: 0, delta: {}, finish_reason: turn === null ? "stop" : "tool_calls" }], usage },
    ],
    [null, "[DONE]"],
  ];
}

function send(response: ServerResponse, events: Events): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const [event, data] of events) {
    const text = typeof data === "string" ? data : JSON.stringify(data);
    response.write(`${event === null ? "" : `event: ${event}\n`}data: ${text}\n\n`);
  }
  response.end();
}

function json(response: ServerResponse, body: Body): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
