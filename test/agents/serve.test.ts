import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { dirname, join } from "node:path";
import { afterAll, afterEach, expect, test } from "vitest";
import { bin, harn, harnLater, makeProject, type Project } from "./run.js";

interface Running {
  readonly child: ChildProcess;
  readonly url: string;
  readonly socket: string;
  readonly token: string;
}

const projects: Project[] = [];
const running: ChildProcess[] = [];
afterEach(async () => {
  for (const child of running.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill("SIGKILL");
    await once(child, "exit");
  }
});
afterAll(() => {
  for (const { root } of projects) rmSync(dirname(root), { recursive: true });
});

async function serve(...flags: string[]): Promise<{ place: Project; server: Running }> {
  const place = makeProject();
  projects.push(place);
  return { place, server: await serveIn(place, flags) };
}

async function serveIn(place: Project, flags: readonly string[], env: Record<string, string> = {}): Promise<Running> {
  const child = spawn(process.execPath, [bin, "serve", "--json", ...flags], {
    cwd: place.root,
    env: { ...place.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  running.push(child);
  const [line] = (await once(child.stdout as NodeJS.ReadableStream, "data")) as [Buffer];
  return { child, ...(JSON.parse(line.toString()) as Omit<Running, "child">) };
}

function payload(place: Project, command: string, session = "s"): string {
  return JSON.stringify({
    hook_event_name: "PreToolUse",
    session_id: session,
    cwd: place.root,
    tool_name: "Bash",
    tool_input: { command },
  });
}

function post(
  { url, token }: Running,
  path: string,
  body: string,
  auth = `Bearer ${token}`,
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const call = request(
      `${url}${path}`,
      { method: body === "" ? "GET" : "POST", headers: { authorization: auth } },
      (response) => {
        let text = "";
        response.on("data", (chunk) => {
          text += chunk;
        });
        response.on("end", () => resolve({ status: response.statusCode ?? 0, body: text }));
      },
    );
    call.on("error", reject).end(body);
  });
}

const healthOf = async (server: Running) =>
  JSON.parse((await post(server, "/health", "")).body) as { answered: number; under_way: number };

test("answers over HTTP with the token, and nobody without", async () => {
  const { place, server } = await serve();
  expect(JSON.parse((await post(server, "/hook/claude", payload(place, "HARM"))).body)).toEqual({
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: "deny",
      permissionDecisionReason: "this is not done here",
    },
  });
  expect(await post(server, "/hook/claude", payload(place, "ls"))).toEqual({ status: 200, body: "{}" });
  expect((await post(server, "/hook/claude", payload(place, "ls"), "Bearer wrong")).status).toBe(401);
  expect((await post(server, "/health", "", "")).status).toBe(401);
  expect((await post(server, "/hook/nobody", "{}")).status).toBe(404);
  expect((await post(server, "/hook/claude", "{")).body).toContain("Harn refuses");
  expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:/);
});

test("harn hook uses it, and goes on without it", async () => {
  const { place, server } = await serve();
  const asked = await harnLater(place, ["hook", "claude"], payload(place, "HARM"));
  expect([asked.status, asked.stderr]).toEqual([2, "this is not done here\n"]);
  expect((await healthOf(server)).answered).toBe(1);
  expect((await harnLater(place, ["hook", "claude", "--no-server"], payload(place, "HARM"))).status).toBe(2);
  expect((await healthOf(server)).answered).toBe(1);
  server.child.kill("SIGKILL");
  await once(server.child, "exit");
  expect(existsSync(server.socket)).toBe(true);
  expect(harn(place, ["hook", "claude"], payload(place, "HARM")).status).toBe(2);
  expect(harn(place, ["hook", "claude"], payload(place, "ls")).status).toBe(0);
});

test("a hook that loops, hangs or throws somewhere is refused, and the server lives", async () => {
  const { place, server } = await serve("--budget", "700");
  for (const command of ["SPIN", "HANG", "THROW", "LATER"]) {
    expect((await post(server, "/hook/claude", payload(place, command))).body).toContain('"deny"');
  }
  expect((await post(server, "/hook/claude", payload(place, "ls"))).body).toBe("{}");
});

test("an agent whose server dies under its question is refused", async () => {
  const { place } = await serve();
  const { status, stdout } = await harnLater(place, ["hook", "claude"], payload(place, "EXIT"));
  expect(status).toBe(2);
  expect(stdout).toContain("the server was asked and is gone");
});

test("a policy that changes is loaded again, and one that is broken blocks", async () => {
  const { place, server } = await serve();
  const ask = async (command: string) => {
    await new Promise((resolve) => setTimeout(resolve, 250));
    return (await post(server, "/hook/claude", payload(place, command))).body;
  };
  expect(await ask("ls")).toBe("{}");
  const module = join(place.root, "policy.mjs");
  const before = readFileSync(module, "utf8");
  writeFileSync(module, before.replace('"HARM"', '"ls"').replace("this is not done here", "changed"));
  expect(await ask("pwd")).toContain("not trusted");
  harn(place, ["trust", "--yes"]);
  expect(await ask("ls")).toContain("changed");
  const manifest = readFileSync(join(place.root, "harn.toml"), "utf8");
  writeFileSync(join(place.root, "harn.toml"), manifest.replace("PreToolUse", "Nonsense"));
  expect(await ask("pwd")).toContain("the policy did not load");
  writeFileSync(join(place.root, "harn.toml"), manifest);
  expect(await ask("pwd")).toBe("{}");
});

test("a module deep in a large project, or beside it, is looked at too", async () => {
  const place = makeProject();
  projects.push(place);
  for (let at = 0; at < 2_100; at++) {
    const directory = join(place.root, "src", String(at % 30));
    if (at < 30) mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, `${at}.ts`), "");
  }
  const hooks = join(place.root, "policy/hooks");
  mkdirSync(hooks, { recursive: true });
  mkdirSync(join(place.root, "../shared"));
  const shared = join(place.root, "../shared/words.mjs");
  writeFileSync(shared, 'export const word = "HARM";');
  const module = (reason: string) =>
    writeFileSync(
      join(hooks, "policy.mjs"),
      `import { word } from "../../../shared/words.mjs";
export const guard = ({ tool }) => (tool.args.command.includes(word) ? { deny: "${reason}" } : undefined);
export const prompt = () => {}, result = prompt;`,
    );
  module("first");
  const manifest = join(place.root, "harn.toml");
  writeFileSync(manifest, readFileSync(manifest, "utf8").replace('"policy.mjs"', '"policy/hooks/policy.mjs"'));
  harn(place, ["trust", "--yes"]);
  const server = await serveIn(place, []);
  const ask = async (command: string) => {
    await new Promise((resolve) => setTimeout(resolve, 250));
    return (await post(server, "/hook/claude", payload(place, command))).body;
  };
  expect(await ask("HARM")).toContain("first");
  module("second");
  harn(place, ["trust", "--yes"]);
  expect(await ask("HARM")).toContain("second");
  writeFileSync(shared, 'export const word = "ls";');
  expect(await ask("HARM")).toContain("not trusted");
  harn(place, ["trust", "--yes"]);
  expect(await ask("ls")).toContain("second");
  expect(await ask("HARM")).toBe("{}");
});

test("harn hook goes on by itself when the server is busy, or does not wake up", async () => {
  const { place, server } = await serve("--most", "1", "--budget", "3000");
  const slow = post(server, "/hook/claude", payload(place, "HANG"));
  while ((await healthOf(server)).under_way === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  const busy = await harnLater(place, ["hook", "claude"], payload(place, "HARM"));
  expect([busy.status, busy.stderr]).toEqual([2, "this is not done here\n"]);
  await slow;
  server.child.kill("SIGSTOP");
  const asleep = await harnLater(place, ["hook", "claude"], payload(place, "HARM"));
  expect([asleep.status, asleep.stderr]).toEqual([2, "this is not done here\n"]);
  server.child.kill("SIGCONT");
  // What it was never sent it does not answer either, late as it may be.
  expect((await healthOf(server)).answered).toBe(1);
  expect((await harnLater(place, ["hook", "claude"], payload(place, "ls"))).status).toBe(0);
  expect((await healthOf(server)).answered).toBe(2);
});

test("a token of one's own stays the same, and a short one is refused", async () => {
  const place = makeProject();
  projects.push(place);
  const token = "a-token-that-is-long-enough-to-keep";
  expect((await serveIn(place, [], { HARN_TOKEN: token })).token).toBe(token);
  expect(harn({ ...place, env: { ...place.env, HARN_TOKEN: "short" } }, ["serve"]).status).toBe(64);
});

test("a state directory may be deep, and a port may be taken", async () => {
  const place = makeProject();
  projects.push(place);
  const deep = { ...place, env: { ...place.env, XDG_STATE_HOME: join(place.home, "d".repeat(120)) } };
  harn(deep, ["trust", "--yes"]);
  const server = await serveIn(deep, []);
  expect((await harnLater(deep, ["hook", "claude"], payload(place, "HARM"))).status).toBe(2);
  expect((await healthOf(server)).answered).toBe(1);
  const taken = harn(place, ["serve", "--port", new URL(server.url).port]);
  expect([taken.status, taken.stderr]).toEqual([74, expect.stringContaining("somebody else listens there")]);
});

test.each([
  ["/hook/claude?budget=soon", "budget must be"],
  ["/hook/claude?project=%2Fnowhere", "Harn refuses"],
  ["/hook/claude?manifest=nowhere.toml", "the policy did not load"],
])("%s is a refusal, and no error an agent would pass over", async (path, why) => {
  const { place, server } = await serve();
  const { status, body } = await post(server, path, payload(place, "ls"));
  expect([status, body]).toEqual([200, expect.stringContaining(why)]);
  expect(body).toContain('"deny"');
});

test("there is one for each user; what a dead one left behind is no obstacle", async () => {
  const { place, server } = await serve();
  const second = harn(place, ["serve"]);
  expect(second.status).toBe(74);
  expect(second.stderr).toContain("HARN_E_SERVER");
  server.child.kill("SIGKILL");
  await once(server.child, "exit");
  const third = spawn(process.execPath, [bin, "serve", "--json"], {
    cwd: place.root,
    env: place.env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  running.push(third);
  expect(String((await once(third.stdout as NodeJS.ReadableStream, "data"))[0])).toContain('"ok":true');
});

test("told to stop, it finishes what it has begun", async () => {
  const { place, server } = await serve("--budget", "3000");
  const slow = post(server, "/hook/claude", payload(place, "HANG"));
  while ((await healthOf(server)).under_way === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  server.child.kill("SIGTERM");
  expect((await slow).body).toContain("did not answer within 3000 ms");
  const [code] = await once(server.child, "exit");
  expect(code).toBe(0);
  expect(existsSync(server.socket)).toBe(false);
});

test("more calls than it takes are refused, not queued", async () => {
  const { place, server } = await serve("--most", "1", "--budget", "2000");
  const slow = post(server, "/hook/claude", payload(place, "HANG"));
  while ((await healthOf(server)).under_way === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  expect((await post(server, "/hook/claude", payload(place, "ls"))).body).toContain("1 calls to answer already");
  await slow;
});

test("what hooks say after their agent was refused is on no tape, and the tape replays", async () => {
  const { place, server } = await serve("--budget", "1500");
  const asked = ["SLOW 1", "SLOW 2"].map((command) => post(server, "/hook/claude", payload(place, command)));
  for (const { body } of await Promise.all(asked)) expect(body).toContain('"deny"');
  // Long enough for the hooks to come to their end.
  await new Promise((resolve) => setTimeout(resolve, 1500));
  const tapes = join(place.env.XDG_STATE_HOME ?? "", "harn/tapes");
  const [file = ""] = readdirSync(tapes).filter((name) => name.endsWith(".jsonl"));
  expect(harn(place, ["replay", join(tapes, file)]).stdout).toContain("identical");
  expect(readFileSync(join(tapes, file), "utf8")).not.toMatch(/"kind":"(?:hook_returned|outcome)"/);
});

test("what is to be masked is masked on the tapes it writes, whoever asks", async () => {
  const { place, server } = await serve();
  const [ours, theirs] = [join(place.root, "ours.jsonl"), join(place.root, "theirs.jsonl")];
  const mask = "tool.args.command";
  const asked = await harnLater(
    place,
    ["hook", "claude", "--mask", mask, "--tape", ours],
    payload(place, "plain-4711"),
  );
  expect(asked.status).toBe(0);
  expect(
    (await post(server, `/hook/claude?mask=**.pin&mask=${mask}&tape=${theirs}`, payload(place, "plain-4711"))).body,
  ).toBe("{}");
  expect((await healthOf(server)).answered).toBe(2);
  for (const file of [ours, theirs]) {
    expect(readFileSync(file, "utf8")).toContain("[masked:path:");
    expect(readFileSync(file, "utf8")).not.toContain("plain-4711");
  }
});

test("calls of several sessions at once go to a tape each", async () => {
  const { place, server } = await serve();
  await Promise.all(
    ["a", "b", "a", "b"].map((session) => post(server, "/hook/claude", payload(place, "HARM", session))),
  );
  const tapes = join(place.env.XDG_STATE_HOME ?? "", "harn/tapes");
  const files = readdirSync(tapes).filter((name) => name.endsWith(".jsonl"));
  expect(files).toHaveLength(2);
  for (const file of files) {
    const lines = readFileSync(join(tapes, file), "utf8").split("\n");
    expect(lines.filter((line) => line.includes('"kind":"outcome"'))).toHaveLength(2);
  }
});
