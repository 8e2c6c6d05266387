import { spawn } from "node:child_process";
import { messageOf } from "@hooks/core";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
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

/**
 * A server that is reached over streamable HTTP. The transport of the official SDK knows its sessions, takes up streams
 * that broke, and keeps headers from other origins; what it carries is not looked at.
 */
export function connectServer(
  url: string,
  headers: Readonly<Record<string, string>>,
  onLine: (line: string) => void,
  onTrouble: (message: string) => void,
): Upstream {
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  let finish: (code: number) => void = () => {};
  const ended = new Promise<number>((resolve) => {
    finish = resolve;
  });
  /** Requests that have no answer yet. */
  const open = new Set<unknown>();
  let isOver = false;
  let rest: () => void = () => {};
  const answer = (message: JSONRPCMessage) => {
    if (!("method" in message) && "id" in message) open.delete(message.id);
    onLine(JSON.stringify(message));
    if (open.size === 0) rest();
  };
  transport.onerror = (error) => {
    if (!isOver) onTrouble(messageOf(error));
  };
  transport.onmessage = (message) => {
    const { result } = message as { result?: { protocolVersion?: unknown } };
    if (typeof result?.protocolVersion === "string") transport.setProtocolVersion(result.protocolVersion);
    answer(message);
  };
  const started = transport.start();
  return {
    send(line) {
      const message = JSON.parse(line) as JSONRPCMessage;
      const id = "method" in message && "id" in message ? message.id : undefined;
      if (id !== undefined) open.add(id);
      started
        .then(() => transport.send(message))
        .catch((error: unknown) => {
          if (id !== undefined && !isOver)
            answer({ jsonrpc: "2.0", id, error: { code: -32000, message: messageOf(error) } });
        });
    },
    async end() {
      // Whoever asked last may still be waiting.
      await new Promise<void>((resolve) => {
        rest = resolve;
        if (open.size === 0) resolve();
        setTimeout(resolve, PATIENCE_MS).unref();
      });
      isOver = true;
      await transport.terminateSession().catch(() => {});
      await transport.close().catch(() => {});
      finish(0);
    },
    ended,
  };
}
