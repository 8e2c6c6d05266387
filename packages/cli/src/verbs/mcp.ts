import { McpRelay } from "@hooks/agents";
import { AgentTape, tapeOf } from "../agent-tape.js";
import { now } from "../clock.js";
import { EXIT, usage } from "../exit.js";
import { interruptible } from "../interruptible.js";
import { readLines } from "../lines.js";
import { connectServer, startServer } from "../mcp/upstream.js";
import { Policies } from "../serve/policies.js";
import { defineVerb, MASK_FLAG, POLICY_FLAGS } from "../verb.js";

const BUDGET_MS = 25_000;

export const verb = defineVerb({
  usage:
    "mcp [--name SERVER] [--manifest FILE] [--tape FILE [--mask PATH ...] | --no-tape] -- COMMAND [ARG...] | mcp --url URL [--header LINE]",
  about: `Stands between a client of the Model Context Protocol and one of its servers, and asks the policy about every call of
a tool: PreToolUse before the server sees it, PostToolUse before the client sees the result. A refused call is a tool
error with the reason. Everything else passes as it is: progress, cancellation, sampling, resources, prompts.

Put it in front of the server's command in the client's configuration. The server is a command, or a URL that speaks
streamable HTTP; either way the client starts this and talks to it over standard input and output. In the policy its tools
are mcp__SERVER__tool. A policy that changes is loaded again; one that does not load refuses every call.`,
  flags: {
    name: { type: "string", value: "SERVER", about: "what the server is called in the policy; server when absent" },
    url: { type: "string", value: "URL", about: "a server that speaks streamable HTTP, in the place of a command" },
    header: { type: "string", multiple: true, value: "LINE", about: 'a header for it: "Authorization: Bearer ..."' },
    manifest: POLICY_FLAGS.manifest,
    tape: { type: "string", value: "FILE", about: "the tape, instead of one in the state directory" },
    mask: MASK_FLAG,
    "no-tape": { type: "boolean", about: "record nothing" },
    json: { type: "boolean", about: "what it does anyway" },
  },
  words: { least: 0, most: Number.POSITIVE_INFINITY },
  examples: [
    {
      command: "harn mcp --name files -- npx @modelcontextprotocol/server-filesystem .",
      shows: "a server that is a command",
    },
    {
      command: 'harn mcp --name crm --url https://mcp.example.com/mcp --header "Authorization: Bearer $TOKEN"',
      shows: "a server that is elsewhere",
    },
  ],
  async run({ flags, words }, terminal) {
    const { host, talk } = terminal;
    if ((flags.url === undefined) === (words.length === 0))
      throw usage("harn mcp needs a command behind --, or --url", "harn mcp --help");
    const server = flags.name ?? "server";
    if (!/^[\w.-]+$/.test(server))
      throw usage(`"${server}" is not the name of a server`, "use letters, digits, - and _");
    const session = `mcp-${server}-${process.pid}-${Date.now().toString(36)}`;
    let digest: string | null = null;
    const tape = flags["no-tape"]
      ? null
      : new AgentTape(flags.tape ?? tapeOf("mcp", session), session, () => digest, flags.mask);
    const policies = new Policies(terminal, tape);
    const toClient = (line: string) => void host.out.write(`${line}\n`);
    const trouble = (message: string) => talk(`harn mcp: ${message}`);
    const judging = new Set<Promise<void>>();
    const track = (work: Promise<void>) => {
      const tracked = work.finally(() => judging.delete(tracked));
      judging.add(tracked);
    };
    const fromServer = (line: string) => track(relay.fromServer(line));
    const upstream =
      flags.url === undefined
        ? startServer(words, fromServer, trouble)
        : connectServer(flags.url, headersOf(flags.header), fromServer, trouble);
    const relay = new McpRelay({
      server,
      session: { id: session, cwd: host.cwd },
      toClient,
      toServer: upstream.send,
      async fire(event, payload) {
        const harness = await policies.of(host.cwd, flags.manifest);
        if (typeof harness === "string") throw new Error(harness);
        digest = policies.digestOf(harness);
        return interruptible(() => harness.fire(event, payload), now() + BUDGET_MS);
      },
    });
    const client = (async () => {
      for await (const { text } of readLines(host.stdin())) {
        if (text?.trim() !== "") track(relay.fromClient(text ?? ""));
      }
      // Whoever closes the door behind a question still wants it answered.
      await Promise.all(judging);
      upstream.end();
    })();
    const code = await upstream.ended;
    await Promise.all(judging);
    policies.close();
    // The client may still be talking to a server that is gone.
    void client.catch(() => {});
    return code === 0 ? EXIT.fine : EXIT.findings;
  },
});

function headersOf(lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    lines.map((line) => {
      const [, name, value] = /^([\w-]+):\s*(.*)$/.exec(line) ?? [];
      if (name === undefined || value === undefined)
        throw usage(`--header cannot be "${line}"`, 'write it as "Name: value"');
      return [name.toLowerCase(), value];
    }),
  );
}
