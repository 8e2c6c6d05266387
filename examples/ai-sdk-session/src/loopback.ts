import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** One answer of the stand-in: a text, a tool call (its arguments as JSON when they are a text), or a status of trouble. */
export type Answer = string | { readonly tool: string; readonly args: object | string } | { readonly status: number };

export interface Loopback {
  readonly url: string;
  /** The bodies it was sent, in order. */
  readonly requests: readonly { readonly messages: readonly { readonly role: string; readonly content: unknown }[] }[];
  close(): Promise<void>;
}

/** Stands in for a provider on the loopback interface: chat completions over real HTTP, with answers that are known. */
export async function startLoopback(answers: readonly Answer[]): Promise<Loopback> {
  const requests: Loopback["requests"][number][] = [];
  const server = createServer(async (request, response) => {
    requests.push(JSON.parse(await read(request)));
    const answer = answers[requests.length - 1] ?? { status: 500 };
    const isTrouble = typeof answer === "object" && "status" in answer;
    response.writeHead(isTrouble ? answer.status : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(isTrouble ? { error: { message: "busy" } } : completion(answer, requests.length)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function completion(answer: Exclude<Answer, { readonly status: number }>, number: number) {
  const isText = typeof answer === "string";
  const call = isText
    ? undefined
    : {
        id: `call-${number}`,
        type: "function",
        function: {
          name: answer.tool,
          arguments: typeof answer.args === "string" ? answer.args : JSON.stringify(answer.args),
        },
      };
  return {
    id: `completion-${number}`,
    object: "chat.completion",
    created: 0,
    model: "stand-in",
    choices: [
      {
        index: 0,
        finish_reason: isText ? "stop" : "tool_calls",
        message: { role: "assistant", content: isText ? answer : null, ...(call && { tool_calls: [call] }) },
      },
    ],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  };
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
