import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, expect, test } from "vitest";
import { bin, harn, makeProject } from "./run.js";

const project = makeProject();
const manifest = join(project.root, "harn.toml");
writeFileSync(manifest, readFileSync(manifest, "utf8").replaceAll('"Bash"', '"mcp__demo__run"'));
harn(project, ["trust", "--yes"]);

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly protocolVersion?: string; readonly arguments?: { readonly command: string } };
}

/** What the server was told beside its messages. */
const seen: { method: string | undefined; session: unknown; key: unknown; resumed: unknown }[] = [];
const ran: string[] = [];

/** A server of streamable HTTP whose stream breaks before the answer to "BREAK", and goes on where it was left. */
const server = createServer(async (request, response) => {
  const { "mcp-session-id": session, "x-key": key, "last-event-id": resumed } = request.headers;
  seen.push({ method: request.method, session, key, resumed });
  if (request.method === "DELETE") return void response.writeHead(200).end();
  const events = { "content-type": "text/event-stream" };
  const answer = (id: number, text: string) =>
    `data: ${JSON.stringify({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text }] } })}\n\n`;
  if (request.method === "GET") {
    if (resumed === undefined) return void response.writeHead(405).end();
    return void response.writeHead(200, events).end(answer(Number(resumed), "taken up again"));
  }
  const { id, method, params } = JSON.parse(await textOf(request)) as Message;
  if (id === undefined) return void response.writeHead(202).end();
  if (method === "initialize") {
    const result = { protocolVersion: "2025-06-18", capabilities: {}, serverInfo: { name: "demo", version: "1" } };
    response.writeHead(200, { "content-type": "application/json", "mcp-session-id": "the-session" });
    return void response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
  }
  const command = params?.arguments?.command ?? "";
  ran.push(command);
  response.writeHead(200, events);
  if (command === "BREAK") response.end(`id: ${id}\nretry: 10\ndata:\n\n`);
  else response.end(answer(id, `ran ${command}`));
});
await listen(server);
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(dirname(project.root), { recursive: true });
});

test("a server over streamable HTTP: its session, its broken stream, and the calls that never reach it", async () => {
  const child = spawn(process.execPath, [bin, "mcp", "--name", "demo", "--url", url, "--header", "X-Key: secret"], {
    cwd: project.root,
    env: project.env,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ask = async (message: object) => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    if (!("id" in message)) return "";
    const { value } = await answers.next();
    const { result } = JSON.parse(String(value)) as { result: { content?: { text: string }[]; isError?: boolean } };
    return `${result.isError === true ? "error: " : ""}${result.content?.[0]?.text ?? "no content"}`;
  };
  const call = (id: number, command: string) =>
    ask({ id, method: "tools/call", params: { name: "run", arguments: { command } } });
  const client = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } };
  await ask({ id: 0, method: "initialize", params: client });
  await ask({ method: "notifications/initialized" });
  expect(await call(1, "ls")).toBe("ran ls");
  expect(await call(2, "HARM")).toBe("error: this is not done here");
  expect(await call(3, "REWRITE")).toBe("ran rewritten");
  expect(await call(4, "BREAK")).toBe("taken up again");
  child.stdin.end();
  const [code] = await once(child, "exit");
  expect(code).toBe(0);
  expect(ran).toEqual(["ls", "rewritten", "BREAK"]);
  expect(new Set(seen.map(({ key }) => key))).toEqual(new Set(["secret"]));
  expect(seen.slice(1).every(({ session }) => session === "the-session")).toBe(true);
  expect(seen.map(({ resumed }) => resumed)).toContain("4");
  expect(seen.at(-1)?.method).toBe("DELETE");
});

test("a server that is not there is an error of each request", async () => {
  const asked = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n';
  const { stdout } = harn(project, ["mcp", "--url", "http://127.0.0.1:1/mcp", "--no-tape"], asked);
  expect(JSON.parse(stdout)).toMatchObject({ id: 1, error: { code: -32000 } });
});

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function listen(to: Server): Promise<void> {
  return new Promise((resolve) => to.listen(0, "127.0.0.1", resolve));
}
