import { spawn } from "node:child_process";
import { messageOf } from "@hooks/core";
import { readLines } from "../lines.js";

/** A server of the Model Context Protocol, wherever it runs. */
export interface Upstream {
  send(line: string): void;
  /** No more is coming; the server may finish. */
  end(): void;
  /** What the server ended with. */
  readonly ended: Promise<number>;
}

const PATIENCE_MS = 3_000;

/** A server that is a child of this process and speaks over its standard streams. */
export function startServer(
  [program = "", ...args]: readonly string[],
  onLine: (line: string) => void,
  onTrouble: (message: string) => void,
): Upstream {
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.on("error", () => {});
  const ended = new Promise<number>((resolve) => {
    child.once("error", (error) => {
      onTrouble(`the server cannot be started: ${error.message}`);
      resolve(1);
    });
    child.once("close", (code) => resolve(code ?? 1));
  });
  void (async () => {
    for await (const { text } of readLines(child.stdout)) {
      if (text === null) onTrouble("a message of the server is too large, or not UTF-8, and was dropped");
      else if (text.trim() !== "") onLine(text);
    }
  })();
  return {
    send: (line) => void child.stdin.write(`${line}\n`),
    end() {
      child.stdin.end();
      setTimeout(() => child.kill("SIGTERM"), PATIENCE_MS).unref();
      setTimeout(() => child.kill("SIGKILL"), 2 * PATIENCE_MS).unref();
    },
    ended,
  };
}

/** A server that is reached over streamable HTTP: each message is posted, and answers come as JSON or as events. */
export function connectServer(
  url: string,
  headers: Readonly<Record<string, string>>,
  onLine: (line: string) => void,
  onTrouble: (message: string) => void,
): Upstream {
  let session: string | undefined;
  let version: string | undefined;
  let isListening = false;
  const over = new AbortController();
  const { promise: ended, resolve: finish } = withResolver<number>();

  function headersOf(accept: string): Record<string, string> {
    return {
      ...headers,
      accept,
      ...(session === undefined ? {} : { "mcp-session-id": session }),
      ...(version === undefined ? {} : { "mcp-protocol-version": version }),
    };
  }

  async function post(line: string): Promise<void> {
    const accept = "application/json, text/event-stream";
    const response = await fetch(url, {
      method: "POST",
      headers: { ...headersOf(accept), "content-type": "application/json" },
      body: line,
      signal: over.signal,
    });
    session = response.headers.get("mcp-session-id") ?? session;
    if (response.status === 202) return;
    if (!response.ok)
      throw new Error(`the server answered ${response.status}: ${(await response.text()).slice(0, 200)}`);
    if (response.headers.get("content-type")?.startsWith("text/event-stream")) await readEvents(response, take);
    else take(await response.text());
  }

  function take(text: string): void {
    if (text.trim() === "") return;
    version ??= /"protocolVersion"\s*:\s*"([^"]+)"/.exec(text)?.[1];
    onLine(text.replaceAll(/\r?\n/g, " "));
  }

  /** What the server says unasked comes over a stream of its own; servers may have none. */
  async function listen(): Promise<void> {
    const response = await fetch(url, { headers: headersOf("text/event-stream"), signal: over.signal });
    if (response.ok) await readEvents(response, take);
    else await response.body?.cancel();
  }

  return {
    send(line) {
      const id = idOf(line);
      post(line).catch((error: unknown) => {
        if (over.signal.aborted) return;
        onTrouble(messageOf(error));
        if (id !== undefined)
          onLine(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32000, message: messageOf(error) } }));
      });
      if (!isListening && line.includes("notifications/initialized")) {
        isListening = true;
        listen().catch(() => {});
      }
    },
    end() {
      const bye =
        session === undefined
          ? Promise.resolve()
          : fetch(url, { method: "DELETE", headers: headersOf("*/*") }).then(() => {});
      void bye
        .catch(() => {})
        .finally(() => {
          over.abort();
          finish(0);
        });
    },
    ended,
  };
}

async function readEvents(response: Response, take: (data: string) => void): Promise<void> {
  if (response.body === null) return;
  let data: string[] = [];
  for await (const { text } of readLines(response.body as unknown as AsyncIterable<Uint8Array>)) {
    const line = (text ?? "").replace(/\r$/, "");
    if (line.startsWith("data:")) data.push(line.slice(5).trimStart());
    if (line !== "") continue;
    if (data.length > 0) take(data.join("\n"));
    data = [];
  }
  if (data.length > 0) take(data.join("\n"));
}

function idOf(line: string): unknown {
  const { id, method } = JSON.parse(line) as { id?: unknown; method?: unknown };
  return method === undefined ? undefined : id;
}

function withResolver<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
