import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentName } from "@hooks/agents";
import { verifyTape } from "@hooks/tape";
import { root } from "../house/repository.js";
import { type Client, clients, type Place } from "./clients.js";
import { startModel } from "./model.js";

// Runs the real clients, without a person and without a network, against the policy of test/agents/project. The model
// is a script on loopback that asks for a harmless command, a harmful one, one that is rewritten, and one whose result
// has a secret in it. Packages are large, so they are kept outside of the repository: HARN_CLIENTS names the place.

const COMMANDS = [
  "echo fine > harmless.txt",
  "echo HARM > harmful.txt",
  "echo REWRITE > rewritten.txt",
  "printf 'the %s' SECRET-42",
  "echo REMIND > reminded.txt",
  "echo CONFIRM > confirmed.txt",
];
const PATIENCE_MS = 180_000;
const bin = join(root, "packages/cli/dist/bin.js");
const cache = process.env.HARN_CLIENTS ?? join(homedir(), ".cache", "harn-clients");

function install(name: string, packages: readonly string[], proof: string): string {
  const directory = join(cache, name);
  if (existsSync(join(directory, proof))) return directory;
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, "package.json"), '{ "private": true }\n');
  console.log(`  installing ${packages.join(" ")} into ${directory}`);
  const { status, stderr } = spawnSync("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", ...packages], {
    cwd: directory,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`npm install failed: ${stderr}`);
  return directory;
}

interface Check {
  readonly what: string;
  readonly holds: boolean;
}

/** What a client does with one policy, and what came of it. */
interface Run {
  readonly code: number | null;
  /** The last request of the client, with everything the model was told. */
  readonly last: string;
  readonly records: string;
  readonly isIntact: boolean;
  /** What is in a file of the project; null when it is not there. */
  file(name: string): string | null;
}

async function runClient(client: Client): Promise<Check[]> {
  const { code, last, records, isIntact, file } = await drive(client);
  const gone = await drive(client, { flags: ["--command", "/nowhere/harn"] });
  const mcp = await drive(client, { isMcp: true });
  return [
    { what: "the client ran to its end", holds: code === 0 },
    { what: "the harmless command ran", holds: file("harmless.txt") === "fine" },
    { what: "the harmful command did not run", holds: file("harmful.txt") === null },
    { what: "the model was told why", holds: last.includes("this is not done here") },
    { what: "the rewritten command ran in its place", holds: file("rewritten.txt") === "rewritten" },
    {
      what: "the result was withheld from the model",
      holds: last.includes("the secret was removed") && !last.includes("the SECRET-42"),
    },
    {
      what: `a reminder ${client.reminds ? "reached the model" : "has no place"}, and the command ran`,
      holds: last.includes("remember the milk") === client.reminds && file("reminded.txt") === "REMIND",
    },
    { what: "what nobody confirmed did not run", holds: file("confirmed.txt") === null },
    { what: "the block is on the tape", holds: /"by":"guard"[^\n]*"verdict":"block"/.test(records) },
    {
      what: "so are the start of the session and the prompt",
      holds: records.includes('"event":"SessionStart"') && records.includes('"event":"UserPromptSubmit"'),
    },
    { what: "the tape is intact", holds: isIntact },
    { what: "nothing runs when harn is not there", holds: gone.file("harmless.txt") === null },
    { what: "a tool of an MCP server ran", holds: mcp.last.includes("ran echo fine") },
    {
      what: "a harmful call of it did not, and the model was told why",
      holds: !mcp.last.includes("ran echo HARM") && mcp.last.includes("this is not done here"),
    },
  ];
}

/** A person looked at the policy, and said yes. */
function trust(project: string, env: Record<string, string>): void {
  const { status, stderr } = spawnSync(process.execPath, [bin, "trust", "--yes"], {
    cwd: project,
    env,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`harn trust failed: ${stderr}`);
}

interface Drive {
  /** Flags of `harn init`. */
  readonly flags?: readonly string[];
  /** Whether the model asks for a tool of an MCP server, and the policy is about that. */
  readonly isMcp?: true;
  /** Whose settings Harn is put into, when it is not the client's own. */
  readonly settings?: AgentName;
  /** Changes what `harn init` wrote. */
  adapt?(place: Place, env: Record<string, string>): Promise<() => Promise<unknown>>;
}

async function drive(client: Client, { flags = [], isMcp, settings, adapt }: Drive = {}): Promise<Run> {
  const directory = install(client.agent, client.packages, client.program.at(-1) ?? "");
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), `harn-client-${client.agent}-`)));
  const project = join(scratch, "project");
  const home = join(scratch, "home");
  cpSync(join(root, "test/agents/project"), project, { recursive: true });
  mkdirSync(home);
  const model = await startModel(COMMANDS, isMcp ? client.mcp : client.shell);
  const place: Place = { home, project, cache, url: model.url };
  const env = { PATH: process.env.PATH ?? "", HOME: home, ...client.env(place) };
  client.prepare?.(place);
  let more: readonly string[] = [];
  if (isMcp) {
    const file = join(project, "harn.toml");
    writeFileSync(file, readFileSync(file, "utf8").replaceAll('"Bash"', '"mcp__demo__*"'));
    more = client.addServer(place, [process.execPath, mcpProgram(), bin, "server"]);
  }
  trust(project, env);
  const installed = spawnSync(process.execPath, [bin, "init", "--agent", settings ?? client.agent, ...flags], {
    cwd: project,
    env,
    encoding: "utf8",
  });
  if (installed.status !== 0) throw new Error(`harn init failed: ${installed.stderr}`);
  spawnSync(process.execPath, [bin, "trust", "--yes"], { cwd: project, env });
  const end = await adapt?.(place, env);
  const [program = "", ...before] = client.program.map((part) =>
    part.startsWith("node_modules") ? join(directory, part) : part,
  );
  const { code, output } = await run(program, [...before, ...client.args("do the task", place), ...more], project, env);
  await end?.();
  const last = model.requests.filter((text) => text.includes("HARM")).at(-1) ?? "";
  const tapes = join(home, ".local/state/harn/tapes");
  const tape = existsSync(tapes) ? readdirSync(tapes).filter((name) => name.endsWith(".jsonl")) : [];
  const records = tape.map((name) => readFileSync(join(tapes, name), "utf8")).join("");
  const verified = await Promise.all(tape.map((name) => verifyTape(join(tapes, name))));
  const file = (name: string) =>
    existsSync(join(project, name)) ? readFileSync(join(project, name), "utf8").trim() : null;
  await model.close();
  if (process.env.HARN_CLIENTS_KEEP) {
    writeFileSync(join(scratch, "output.txt"), output);
    writeFileSync(join(scratch, "requests.jsonl"), model.requests.join("\n"));
    console.log(`  kept ${scratch}`);
  }
  const names = ["harmless", "harmful", "rewritten", "reminded", "confirmed"].map((name) => `${name}.txt`);
  const files = new Map(names.map((name) => [name, file(name)]));
  if (!process.env.HARN_CLIENTS_KEEP) rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
  const isIntact = verified.length > 0 && verified.every(({ intact }) => intact);
  return { code, last, records, isIntact, file: (name) => files.get(name) ?? null };
}

function run(
  program: string,
  args: readonly string[],
  cwd: string,
  env: Record<string, string>,
): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
    let output = "";
    const take = (chunk: Buffer) => {
      output += chunk;
    };
    child.stdout.on("data", take);
    child.stderr.on("data", take);
    const timer = setTimeout(() => process.kill(-(child.pid ?? 0), "SIGKILL"), PATIENCE_MS);
    child.on("error", reject).on("close", (code) => {
      clearTimeout(timer);
      resolve({ code, output });
    });
  });
}

/** What agents do with settings that are not their own, or with a server in the place of a command. */
async function runVariants(): Promise<Check[]> {
  const named = (agent: AgentName) => clients.find((client) => client.agent === agent) as Client;
  const http = await drive(named("claude"), { adapt: overHttp });
  const copilot = await drive(named("copilot"), { settings: "claude" });
  const holds = ({ file, last, records }: Run) =>
    file("harmless.txt") === "fine" &&
    file("harmful.txt") === null &&
    file("rewritten.txt") === "rewritten" &&
    last.includes("this is not done here") &&
    /"by":"guard"[^\n]*"verdict":"block"/.test(records);
  return [
    { what: "Claude Code over HTTP hooks of harn serve: as with commands", holds: holds(http) },
    { what: "Copilot CLI with the hooks of Claude Code's settings: as with its own", holds: holds(copilot) },
  ];
}

/** Has Claude Code ask a server before and after its tools, and no command. */
async function overHttp({ project }: Place, env: Record<string, string>): Promise<() => Promise<unknown>> {
  const token = "a-token-for-the-test-of-http-hooks";
  env.HARN_TOKEN = token;
  const server = spawn(process.execPath, [bin, "serve", "--json"], {
    cwd: project,
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [line] = (await once(server.stdout, "data")) as [Buffer];
  const { url } = JSON.parse(line.toString()) as { url: string };
  const hook = {
    type: "http",
    url: `${url}/hook/claude`,
    headers: { Authorization: "Bearer $HARN_TOKEN" },
    allowedEnvVars: ["HARN_TOKEN"],
    onFailure: "block",
  };
  const hooks = { PreToolUse: [{ hooks: [hook] }], PostToolUse: [{ hooks: [hook] }] };
  writeFileSync(join(project, ".claude/settings.json"), JSON.stringify({ hooks }));
  return () => {
    server.kill("SIGTERM");
    return once(server, "exit");
  };
}

const SDKS = ["ai@6.0.326", "@anthropic-ai/claude-agent-sdk@0.3.326", "@openai/agents@0.20.0", "zod@4"];

/** Runs the examples of the SDKs as their users would: the packages of the registry, and Harn beside them. */
async function runExamples(): Promise<Check[]> {
  const directory = install("sdks", SDKS, "node_modules/@openai/agents/package.json");
  mkdirSync(join(directory, "node_modules/@hooks"), { recursive: true });
  for (const name of ["agents", "core"]) {
    const link = join(directory, "node_modules/@hooks", name);
    rmSync(link, { force: true });
    symlinkSync(join(root, "packages", name), link);
  }
  const model = await startModel(["echo HARM > harmful.txt"], { name: "Bash", argument: "command" });
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: mkdtempSync(join(tmpdir(), "harn-sdks-")),
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: "dummy",
  };
  const checks: Check[] = [];
  for (const example of readdirSync(join(root, "packages/agents/examples"))) {
    cpSync(join(root, "packages/agents/examples", example), join(directory, example));
    const { code, output } = await run(process.execPath, [example], directory, env);
    const wasTold = /^the model was told: (?:nothing is deleted here|.*this is not done here)/m.test(output);
    if (code !== 0 || !wasTold) console.log(output);
    checks.push({
      what: `${example}: the harmful call was refused, and the model told why`,
      holds: code === 0 && wasTold,
    });
  }
  await model.close();
  rmSync(env.HOME, { recursive: true, force: true });
  cpSync(join(root, "test/clients/sdks.mts"), join(directory, "sdks.mts"));
  const flags = ["--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "--target", "es2023"];
  const { code, output } = await run(join(root, "node_modules/.bin/tsc"), [...flags, "sdks.mts"], directory, env);
  if (code !== 0) console.log(output);
  checks.push({ what: "the types of the SDKs and ours fit each other", holds: code === 0 });
  return checks;
}

const MCP_SEEN = {
  tools: ["run"],
  resource: "a note",
  harmless: "ran ls",
  harmful: "error this is not done here",
  rewritten: "ran rewritten",
  secret: "the secret was removed",
  sampled: "sampled",
  progress: [1, 2],
  cancelled: "cancelled",
};

/** A program with a client and a server of the official SDK, where that SDK is installed. */
function mcpProgram(): string {
  const directory = install(
    "mcp",
    ["@modelcontextprotocol/sdk@1.32.2", "zod@4"],
    "node_modules/@modelcontextprotocol/sdk/package.json",
  );
  const program = join(directory, "mcp.mjs");
  cpSync(join(root, "test/clients/mcp.mjs"), program);
  return program;
}

/** A client and a server of the official SDK, with `harn mcp` between them. */
async function runMcp(): Promise<Check[]> {
  const program = mcpProgram();
  const checks: Check[] = [];
  for (const way of ["stdio", "http"]) {
    const project = mkdtempSync(join(tmpdir(), "harn-mcp-"));
    cpSync(join(root, "test/agents/project"), project, { recursive: true });
    const manifest = join(project, "harn.toml");
    writeFileSync(manifest, readFileSync(manifest, "utf8").replaceAll('"Bash"', '"mcp__demo__run"'));
    const env = { PATH: process.env.PATH ?? "", HOME: project };
    trust(project, env);
    const { output } = await run(process.execPath, [program, bin, way], project, env);
    const seen = output.split("\n").find((line) => line.startsWith('{"tools"')) ?? "{}";
    for (const [what, expected] of Object.entries(MCP_SEEN)) {
      const found = JSON.stringify((JSON.parse(seen) as Record<string, unknown>)[what]);
      checks.push({ what: `${way}: ${what} is ${found}`, holds: found === JSON.stringify(expected) });
    }
    if (seen === "{}") console.log(output);
    rmSync(project, { recursive: true, force: true });
  }
  return checks;
}

function report(checks: readonly Check[]): number {
  for (const { what, holds } of checks) console.log(`  ${holds ? "ok  " : "FAIL"} ${what}`);
  return checks.filter(({ holds }) => !holds).length;
}

const wanted = process.argv.slice(2);
let failures = 0;
for (const client of clients) {
  if (wanted.length > 0 && !wanted.includes(client.agent)) continue;
  console.log(`${client.agent} (${client.packages.join(" ")})`);
  failures += report(await runClient(client));
}
if (wanted.length === 0 || wanted.includes("variants")) {
  console.log("variants (claude over HTTP, copilot with the settings of claude)");
  failures += report(await runVariants());
}
if (wanted.length === 0 || wanted.includes("sdks")) {
  console.log(`sdks (${SDKS.join(" ")})`);
  failures += report(await runExamples());
}
if (wanted.length === 0 || wanted.includes("mcp")) {
  console.log("mcp (@modelcontextprotocol/sdk@1.32.2)");
  failures += report(await runMcp());
}
process.exitCode = failures === 0 ? 0 : 1;
