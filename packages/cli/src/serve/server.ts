import { timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import {
  type AgentName,
  agents,
  type Call,
  isAgentName,
  MAX_PAYLOAD_BYTES,
  type Reply,
  readCall,
  refuseCall,
} from "@hooks/agents";
import { messageOf } from "@hooks/core";
import { answerWith, sessionTape } from "../agent-call.js";
import { now } from "../clock.js";
import type { Terminal } from "../terminal.js";
import { VERSION } from "../version.js";
import { Policies } from "./policies.js";
import { CallTapes } from "./tapes.js";

export interface ServerOptions {
  readonly token: string;
  /** Calls at a time; what comes on top is refused at once. */
  readonly most: number;
  /** How long the hooks of a call may take when it does not say. */
  readonly budget: number;
  /** Whether calls are recorded. */
  readonly isTaped: boolean;
}

/** Answers calls of agents with hooks that stay loaded. */
export class HookServer {
  private readonly tapes = new CallTapes();
  private readonly policies: Policies;
  private underWay = 0;
  private answered = 0;
  private idle: (() => void) | undefined;

  constructor(
    private readonly options: ServerOptions,
    terminal: Terminal,
  ) {
    this.policies = new Policies(terminal, this.tapes);
  }

  /** One more door: a socket, or a port on loopback. */
  listen(where: { readonly path: string } | { readonly port: number; readonly host: string }): Promise<Server> {
    const server = createServer(
      { keepAliveTimeout: 60_000 },
      (request, response) => void this.handle(request, response),
    );
    // Who asks whether to send a call goes elsewhere when it cannot be taken, and asks nobody else when it can.
    server.on("checkContinue", (request, response) => {
      if (this.underWay >= this.options.most) return send(response, 503, { error: "busy" });
      if (this.isKnown(request)) response.writeContinue();
      void this.handle(request, response);
    });
    return new Promise((resolve, reject) => {
      server.once("error", reject).listen(where, () => resolve(server));
    });
  }

  /** Lets the calls that are under way come to their end, but not for ever. */
  async drain(patienceMs: number): Promise<void> {
    if (this.underWay > 0) {
      await new Promise<void>((resolve) => {
        this.idle = resolve;
        setTimeout(resolve, patienceMs).unref();
      });
    }
    this.policies.close();
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, verb, name = ""] = (request.url ?? "").replace(/\?.*/, "").split("/");
    if (!this.isKnown(request)) return send(response, 401, { error: "the token is missing or wrong" });
    if (request.method === "GET" && verb === "health") return send(response, 200, this.health());
    if (request.method !== "POST" || (verb !== "call" && verb !== "hook") || !isAgentName(name)) {
      return send(response, 404, { error: "POST /call/AGENT, POST /hook/AGENT or GET /health" });
    }
    this.underWay++;
    const reply = await this.answer(request, name).catch((error: unknown) =>
      refuseCall(unread(name), messageOf(error)),
    );
    this.underWay--;
    if (!response.destroyed) this.answered++;
    // An agent with HTTP hooks takes the JSON alone; a call wants all of it.
    if (verb === "call") send(response, 200, reply);
    else response.writeHead(200, { "content-type": "application/json" }).end(reply.stdout === "" ? "{}" : reply.stdout);
    if (this.underWay === 0) this.idle?.();
  }

  private async answer(request: IncomingMessage, name: AgentName): Promise<Reply> {
    const { headers, url = "" } = request;
    const query = new URLSearchParams(url.split("?")[1] ?? "");
    const given = (key: string) => {
      const header = headers[`x-harn-${key}`];
      return typeof header === "string" ? decodeURIComponent(header) : (query.get(key) ?? undefined);
    };
    const budget = Number(given("budget") ?? this.options.budget);
    if (!Number.isInteger(budget) || budget < 1) throw new Error("budget must be a whole number of milliseconds");
    const deadline = now() + budget;
    const call = readCall(agents[name], await read(request), given("event"));
    if (call.problem !== undefined) return refuseCall(call, call.problem);
    if (this.underWay > this.options.most)
      return refuseCall(call, `the server has ${this.options.most} calls to answer already`);
    const project = given("project") ?? (typeof call.input?.cwd === "string" ? call.input.cwd : process.cwd());
    const harness = await this.policies.of(project, given("manifest"));
    if (typeof harness === "string") return refuseCall(call, harness);
    const file = given("tape");
    const masked = headers["x-harn-mask"];
    const mask =
      typeof masked === "string" ? (JSON.parse(decodeURIComponent(masked)) as string[]) : query.getAll("mask");
    const tape =
      !this.options.isTaped || file === "none"
        ? null
        : sessionTape(call, file, () => this.policies.digestOf(harness), mask);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<Reply>((resolve) => {
      timer = setTimeout(() => {
        tape?.abandon();
        resolve(refuseCall(call, `the hooks did not answer within ${budget} ms`));
      }, budget);
    });
    const reply = this.tapes.during(tape, () => answerWith(call, harness, deadline));
    return Promise.race([reply, late]).finally(() => clearTimeout(timer));
  }

  private isKnown({ headers: { authorization = "" } }: IncomingMessage): boolean {
    const given = Buffer.from(authorization);
    const wanted = Buffer.from(`Bearer ${this.options.token}`);
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  }

  private health() {
    return {
      ok: true,
      version: VERSION,
      pid: process.pid,
      under_way: this.underWay,
      answered: this.answered,
      policies: this.policies.size,
    };
  }
}

/** A call that nobody could read. */
function unread(name: AgentName): Call {
  return { agent: agents[name], event: undefined, row: undefined, input: undefined, problem: "it was not read" };
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

/** What is too large is read no further than it takes to know. */
async function read(request: IncomingMessage): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size <= MAX_PAYLOAD_BYTES + 1) chunks.push(chunk as Buffer);
  }
  return size > MAX_PAYLOAD_BYTES ? Buffer.alloc(MAX_PAYLOAD_BYTES + 1) : Buffer.concat(chunks);
}
