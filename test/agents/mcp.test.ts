import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { root } from "../house/repository.js";
import { harn, makeProject } from "./run.js";

const project = makeProject();
afterAll(() => rmSync(dirname(project.root), { recursive: true }));
const manifest = join(project.root, "harn.toml");
writeFileSync(manifest, readFileSync(manifest, "utf8").replaceAll('"Bash"', '"mcp__demo__run"'));
harn(project, ["trust", "--yes"]);
const server = ["--name", "demo", "--", process.execPath, join(root, "test/agents/mcp-server.mjs")];

function call(id: number, command: string): string {
  return `${JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "run", arguments: { command } } })}\n`;
}

test("harn mcp asks the policy about each call of a tool, and nothing else is on standard output", () => {
  const asked = `{"jsonrpc":"2.0","id":0,"method":"tools/list"}\n${["ls", "HARM", "REWRITE", "NOISE", "THROW"].map((command, place) => call(place + 1, command)).join("")}`;
  const { status, stdout, stderr } = harn(project, ["mcp", ...server], asked);
  expect(status).toBe(0);
  const answers = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { id: number; result: { content: { text: string }[]; isError?: boolean } });
  const told = Object.fromEntries(
    answers.map(({ id, result }) => [id, `${result.isError ? "error: " : ""}${result.content[0]?.text}`]),
  );
  expect(told).toEqual({
    0: "tools/list",
    1: "ran ls",
    2: "error: this is not done here",
    3: "ran rewritten",
    4: "ran NOISE",
    5: expect.stringContaining("error: "),
  });
  expect(stderr).toContain("noise on standard output");
});

test("without a policy that loads every call is refused, and the rest still passes", () => {
  const broken = makeProject();
  writeFileSync(join(broken.root, "harn.toml"), "nonsense");
  const { stdout } = harn(
    broken,
    ["mcp", "--no-tape", ...server],
    `{"jsonrpc":"2.0","id":0,"method":"ping"}\n${call(1, "ls")}`,
  );
  expect(stdout).toContain('"text":"ping"');
  expect(stdout).toMatch(/"id":1,"result":\{"content":\[\{"type":"text","text":"the policy did not load/);
  rmSync(dirname(broken.root), { recursive: true });
});

test.each([
  [["mcp"]],
  [["mcp", "--url", "http://127.0.0.1:1", "--", "server"]],
  [["mcp", "--name", "a b", "--", "server"]],
])("%j is not understood", (args) => {
  expect(harn(project, args).status).toBe(64);
});
