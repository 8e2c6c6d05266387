import { type IncomingMessage, request } from "node:http";
import { resolve } from "node:path";
import type { AgentName, Reply } from "@hooks/agents";
import { VERSION } from "../version.js";
import { findServer, type Presence } from "./presence.js";

/** One call, as it goes to a server. */
export interface Errand {
  readonly agent: AgentName;
  readonly event: string | undefined;
  readonly manifest: string | undefined;
  readonly tape: string | undefined | false;
  /** Paths of payloads that are masked on the tape. */
  readonly mask: readonly string[];
  readonly project: string;
  readonly budget: number;
  readonly payload: Uint8Array;
}

const CONNECT_MS = 250;

/**
 * Asks the server of this user, if there is one of this very version. Undefined: nobody took the call, and it can be
 * answered here. It is sent when the server says it takes it, and is the server's from then on: asking twice would run
 * hooks twice.
 */
export function askServer(errand: Errand, cwd: string): Promise<Reply | undefined> {
  const server = findServer();
  if (server === undefined || server.version !== VERSION) return Promise.resolve(undefined);
  return new Promise((settle, fail) => {
    const call = request({
      socketPath: server.socket,
      method: "POST",
      path: `/call/${errand.agent}`,
      headers: headersOf(errand, server, cwd),
    });
    let isTaken = false;
    const timer = setTimeout(() => call.destroy(new Error("nobody answers")), CONNECT_MS);
    call.on("continue", () => {
      isTaken = true;
      clearTimeout(timer);
      call.end(errand.payload);
    });
    call.on("response", async (response) => {
      clearTimeout(timer);
      try {
        const text = await read(response);
        if (response.statusCode === 200) settle(JSON.parse(text) as Reply);
        else if (isTaken) fail(new Error(`the server was asked and answered ${response.statusCode}`));
        else settle(undefined);
      } catch (error) {
        fail(error);
      } finally {
        call.destroy();
      }
    });
    call.on("error", (error) => {
      clearTimeout(timer);
      if (isTaken) fail(new Error(`the server was asked and is gone: ${error.message}`));
      else settle(undefined);
    });
    call.flushHeaders();
  });
}

function headersOf(
  { event, manifest, tape, mask, project, budget, payload }: Errand,
  { token }: Presence,
  cwd: string,
) {
  const named = (value: string | undefined) =>
    value === undefined ? undefined : encodeURIComponent(resolve(cwd, value));
  const all = {
    authorization: `Bearer ${token}`,
    expect: "100-continue",
    "content-length": String(payload.length),
    "x-harn-event": event,
    "x-harn-manifest": named(manifest),
    "x-harn-tape": tape === false ? "none" : named(tape),
    "x-harn-mask": mask.length === 0 ? undefined : encodeURIComponent(JSON.stringify(mask)),
    "x-harn-project": encodeURIComponent(project),
    "x-harn-budget": String(budget),
  };
  return Object.fromEntries(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

async function read(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
