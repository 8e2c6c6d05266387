// A client and a server of the official SDK, with `harn mcp` between them; copied to where that SDK is installed. The first
// argument is the command line of harn, the second how the server is reached.
import { createServer } from "node:http";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { CreateMessageRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";

const [bin, way] = process.argv.slice(2);

function makeServer() {
  const server = new McpServer({ name: "demo", version: "1.0.0" });
  server.registerTool("run", { inputSchema: { command: z.string() } }, async ({ command }, extra) => {
    if (command === "progress") {
      for (const progress of [1, 2]) {
        const params = { progressToken: extra._meta.progressToken, progress, total: 2 };
        await extra.sendNotification({ method: "notifications/progress", params });
      }
    }
    if (command === "sample") {
      const message = { role: "user", content: { type: "text", text: "hello" } };
      const { content } = await server.server.createMessage({ messages: [message], maxTokens: 5 });
      return { content: [content] };
    }
    if (command === "wait")
      await new Promise((_, reject) => extra.signal.addEventListener("abort", () => reject(new Error("cancelled"))));
    return { content: [{ type: "text", text: `ran ${command}` }] };
  });
  server.registerResource("note", "note://1", {}, async (uri) => ({ contents: [{ uri: uri.href, text: "a note" }] }));
  return server;
}

if (way === "server") {
  await makeServer().connect(new StdioServerTransport());
} else {
  let upstream = ["--", process.execPath, process.argv[1], bin, "server"];
  if (way === "http") {
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => "session-1" });
    await makeServer().connect(transport);
    const http = createServer((request, response) => void transport.handleRequest(request, response));
    await new Promise((resolve) => http.listen(0, "127.0.0.1", resolve));
    upstream = ["--url", `http://127.0.0.1:${http.address().port}/mcp`];
  }
  const client = new Client({ name: "test", version: "1.0.0" }, { capabilities: { sampling: {} } });
  client.setRequestHandler(CreateMessageRequestSchema, async () => ({
    model: "fake",
    role: "assistant",
    content: { type: "text", text: "sampled" },
  }));
  const args = [bin, "mcp", "--name", "demo", ...upstream];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env: process.env }));
  const run = (command, options) => client.callTool({ name: "run", arguments: { command } }, undefined, options);
  const told = async (command) =>
    (({ content, isError }) => `${isError ? "error " : ""}${content[0].text}`)(await run(command));
  const steps = [];
  await run("progress", { onprogress: ({ progress }) => steps.push(progress) });
  const stop = new AbortController();
  setTimeout(() => stop.abort("enough"), 300);
  const cancelled = await run("wait", { signal: stop.signal }).catch(() => "cancelled");
  const seen = {
    tools: (await client.listTools()).tools.map(({ name }) => name),
    resource: (await client.readResource({ uri: "note://1" })).contents[0].text,
    harmless: await told("ls"),
    harmful: await told("HARM"),
    rewritten: await told("REWRITE"),
    secret: await told("SECRET"),
    sampled: await told("sample"),
    progress: steps,
    cancelled,
  };
  console.log(JSON.stringify(seen));
  await client.close();
  process.exit(0);
}
