import { ask, block, createHarness, modify } from "@hooks/core";
import { describe, expect, test } from "vitest";
import { McpRelay } from "./mcp.js";

function relay(slow = 0) {
  const harness = createHarness({ ports: { warn: () => {} } });
  harness.register({
    event: "PreToolUse",
    pattern: "mcp__demo__*",
    async handler({ tool }) {
      if (slow > 0) await new Promise((resolve) => setTimeout(resolve, slow));
      if (tool.args.path === "/etc") return block("not there");
      if (tool.args.path === "/ask") return ask("sure?");
      return tool.args.path === "/old" ? modify({ args: { path: "/new" } }) : undefined;
    },
  });
  harness.register({
    event: "PostToolUse",
    handler({ result }) {
      if (result.text.includes("WITHHELD")) return block("you need not know");
      if (result.text.includes("JSON SECRET")) return modify({ result: result.text.replace("JSON SECRET", "masked") });
      return result.text.includes("SECRET") ? modify({ result: "masked" }) : undefined;
    },
  });
  const toClient: string[] = [];
  const toServer: string[] = [];
  const made = new McpRelay({
    server: "demo",
    session: { id: "s" },
    fire: harness.fire,
    toClient: (line) => void toClient.push(line),
    toServer: (line) => void toServer.push(line),
  });
  return { relay: made, toClient, toServer };
}

const call = (id: unknown, path: string) =>
  JSON.stringify({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name: "read", arguments: { path }, _meta: { progressToken: 7 } },
  });
const result = (id: unknown, text: string, more: object = {}) =>
  JSON.stringify({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text }], ...more } });

describe("what is no call of a tool passes byte for byte", () => {
  test.each([
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"sampling":{}}}}',
    ' { "jsonrpc" : "2.0", "method":"notifications/progress", "params":{"progressToken":7,"progress":12345678901234567890} }',
    '{"jsonrpc":"2.0","id":"x","method":"resources/read","params":{"uri":"file:///a"}}',
    '{"jsonrpc":"2.0","id":5,"result":{"role":"assistant","content":{"type":"text","text":"sampled"}}}',
    '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}',
  ])("%s", async (line) => {
    const { relay: made, toClient, toServer } = relay();
    await made.fromClient(line);
    expect(toServer).toEqual([line]);
    await made.fromServer(line);
    expect(toClient).toEqual([line]);
  });
});

test("a refused call never reaches the server, and is a tool error with the reason", async () => {
  const { relay: made, toClient, toServer } = relay();
  await made.fromClient(call(3, "/etc"));
  await made.fromClient(call("four", "/ask"));
  expect(toServer).toEqual([]);
  expect(toClient.map((line) => JSON.parse(line))).toEqual([
    { jsonrpc: "2.0", id: 3, result: { content: [{ type: "text", text: "not there" }], isError: true } },
    {
      jsonrpc: "2.0",
      id: "four",
      result: { content: [{ type: "text", text: expect.stringContaining("sure?") }], isError: true },
    },
  ]);
});

test("an allowed call passes as it is, a rewritten one with its new arguments and all else", async () => {
  const { relay: made, toServer } = relay();
  await made.fromClient(call(1, "/fine"));
  expect(toServer[0]).toBe(call(1, "/fine"));
  await made.fromClient(call(2, "/old"));
  expect(JSON.parse(toServer[1] ?? "")).toEqual(JSON.parse(call(2, "/new")));
});

test("results are judged before the client sees them, and only those", async () => {
  const { relay: made, toClient } = relay();
  for (const id of [1, 2, 3]) await made.fromClient(call(id, "/fine"));
  await made.fromServer(result(1, "a SECRET", { structuredContent: { key: "a SECRET" }, _meta: { m: 1 } }));
  await made.fromServer(result(2, "WITHHELD"));
  await made.fromServer(result(3, "plain"));
  await made.fromServer(result(9, "a SECRET of something else"));
  expect(toClient.slice(0, 2).map((line) => JSON.parse(line).result)).toEqual([
    // A client would reject a result without the structure its tool promised, unless it failed.
    { _meta: { m: 1 }, content: [{ type: "text", text: "masked" }], isError: true },
    { content: [{ type: "text", text: "you need not know" }], isError: true },
  ]);
  expect(toClient.slice(2)).toHaveLength(2);
  expect(JSON.parse(toClient[3] ?? "").result.content[0].text).toContain("something else");
});

test("a structured result that is rewritten as JSON stays one", async () => {
  const { relay: made, toClient } = relay();
  await made.fromClient(call(1, "/fine"));
  await made.fromServer(result(1, '{"key":"JSON SECRET"}', { structuredContent: { key: "JSON SECRET" } }));
  expect(JSON.parse(toClient[0] ?? "").result).toEqual({
    content: [{ type: "text", text: '{"key":"masked"}' }],
    structuredContent: { key: "masked" },
    isError: false,
  });
});

test("an error of the server is judged as well", async () => {
  const { relay: made, toClient } = relay();
  await made.fromClient(call(1, "/fine"));
  await made.fromServer('{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"SECRET failure"}}');
  expect(JSON.parse(toClient[0] ?? "").error).toEqual({ code: -32603, message: "masked" });
});

test("a call that is cancelled while it is judged goes nowhere", async () => {
  const { relay: made, toClient, toServer } = relay(20);
  const judged = made.fromClient(call(1, "/fine"));
  await made.fromClient('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}');
  await judged;
  expect([toServer, toClient]).toEqual([[], []]);
});

test("a result that is fetched later is judged then", async () => {
  const { relay: made, toClient } = relay();
  await made.fromClient(call(1, "/fine"));
  await made.fromServer('{"jsonrpc":"2.0","id":1,"result":{"task":{"taskId":"t1","status":"working"}}}');
  await made.fromClient('{"jsonrpc":"2.0","id":2,"method":"tasks/result","params":{"taskId":"t1"}}');
  await made.fromServer(result(2, "a SECRET"));
  expect(JSON.parse(toClient[1] ?? "").result.content[0].text).toBe("masked");
});

describe("nothing slips past", () => {
  test.each([
    ["a batch", `[${call(1, "/fine")},${call(2, "/etc")}]`, 1],
    [
      "a key twice",
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":{"path":"/etc"}},"method":"ping"}',
      0,
    ],
    [
      "a key twice, inside",
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":{"path":"/fine","path":"/etc"}}}',
      0,
    ],
    [
      "a key twice, escaped",
      '{"jsonrpc":"2.0","id":1,"method":"ping","\\u006dethod":"tools/call","params":{"name":"read"}}',
      0,
    ],
    ["no JSON", '{"method":"tools/call"', 0],
    ["no object", '"tools/call"', 0],
    ["no name", '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}', 0],
    [
      "arguments that are no object",
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":"/etc"}}',
      0,
    ],
  ])("%s", async (_what, line, passed) => {
    const { relay: made, toClient, toServer } = relay();
    await made.fromClient(line);
    expect(toServer).toHaveLength(passed);
    expect(toClient).toHaveLength(1);
    expect(toServer.join("")).not.toContain("/etc");
  });

  test("a policy that cannot be asked refuses", async () => {
    const toClient: string[] = [];
    const fire = () => Promise.reject(new Error("out of order"));
    const made = new McpRelay({
      server: "demo",
      session: { id: "s" },
      fire,
      toClient: (line) => void toClient.push(line),
      toServer: () => expect.unreachable(),
    });
    await made.fromClient(call(1, "/fine"));
    expect(toClient[0]).toContain("out of order");
  });
});
