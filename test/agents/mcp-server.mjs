// The least a server of the Model Context Protocol can be: it answers every request with what it was asked.
import { createInterface } from "node:readline";

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const text = method === "tools/call" ? `ran ${params.arguments.command}` : method;
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text }] } })}\n`);
}
