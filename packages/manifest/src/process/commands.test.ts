import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { memoryTape, type Outcome, type Warning } from "@hooks/core";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { loadHarness, type ManifestHarness } from "../harness.js";

let project: string;
let warnings: Warning[];

beforeEach(() => {
  project = realpathSync(mkdtempSync(join(tmpdir(), "harn-commands-")));
  warnings = [];
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  rmSync(project, { recursive: true, force: true });
});

function write(file: string, text: string | Buffer, mode = 0o644): void {
  mkdirSync(dirname(join(project, file)), { recursive: true });
  writeFileSync(join(project, file), text);
  chmodSync(join(project, file), mode);
}

const script = (text: string) => write("hook.sh", `#!/bin/sh\n${text}\n`, 0o755);
const words = (...argv: string[]) => `command = ${JSON.stringify(argv)}`;

const tape = () => memoryTape();

async function load(fields: string, options: { strict?: boolean; tape?: ReturnType<typeof tape> } = {}) {
  const policy = options.strict === true ? "[policy]\nstrict = true\n" : "";
  write("harn.toml", `${policy}[[hooks]]\nid = "guard"\n${fields}\n`);
  const ports = { warn: (warning: Warning) => void warnings.push(warning) };
  const loaded = await loadHarness({
    cwd: project,
    harness: { ports, ...(options.tape === undefined ? {} : { tape: options.tape }) },
  });
  if (!loaded.ok) throw new Error(loaded.message);
  return loaded.harness;
}

const session = { id: "abc123-def456", transcript_path: "/path/to/session/transcript.jsonl" };
const tool = { name: "Bash", args: { command: "rm -rf /tmp/build-cache", description: "Clean build cache" } };
const fire = async (harness: ManifestHarness, args: object = tool.args): Promise<Outcome<"PreToolUse">> =>
  await harness.fire("PreToolUse", { session, tool: { ...tool, args: args as never } });

async function guard(body: string, fields = "", options = {}): Promise<Outcome<"PreToolUse">> {
  script(body);
  return fire(await load(`event = "PreToolUse"\n${words("./hook.sh")}\n${fields}`, options));
}

describe("what a command gets", () => {
  it("the payload of the page on standard input, in one line", async () => {
    await guard("cat > seen.json");
    const text = readFileSync(join(project, "seen.json"), "utf8");
    expect(text.endsWith("}\n")).toBe(true);
    expect(JSON.parse(text)).toEqual({
      session_id: "abc123-def456",
      transcript_path: "/path/to/session/transcript.jsonl",
      hook_event_name: "PreToolUse",
      tool_name: "Bash",
      tool_input: tool.args,
    });
  });

  it("on an event the page does not have, everything the payload has", async () => {
    script("cat > seen.json");
    const harness = await load(`event = "FileEdited"\n${words("./hook.sh")}`);
    await harness.fire("FileEdited", { path: "a.ts", is_new: true });
    expect(JSON.parse(readFileSync(join(project, "seen.json"), "utf8"))).toEqual({
      session_id: "local",
      transcript_path: "",
      hook_event_name: "FileEdited",
      path: "a.ts",
      is_new: true,
    });
  });

  it("its arguments as they are written: no shell reads them", async () => {
    script('printf "%s\\n" "$@" > seen.txt');
    const args = ["$HOME", "a b", "*", "`id`", "; rm -rf x", "'", '"', "", "ä"];
    await fire(await load(`event = "PreToolUse"\n${words("./hook.sh", ...args)}`));
    expect(readFileSync(join(project, "seen.txt"), "utf8").split("\n").slice(0, -1)).toEqual(args);
  });

  it("the directory of the manifest to work in, and an environment of its own", async () => {
    vi.stubEnv("SECRET_KEY", "s3cr3t");
    vi.stubEnv("ACME_REGION", "eu");
    vi.stubEnv("LD_PRELOAD", "/nowhere.so");
    await guard("pwd > cwd.txt; env > env.txt", 'env = ["ACME_REGION", "ACME_UNSET"]');
    expect(readFileSync(join(project, "cwd.txt"), "utf8").trim()).toBe(project);
    const names = readFileSync(join(project, "env.txt"), "utf8")
      .split("\n")
      .map((line) => line.slice(0, line.indexOf("=")));
    expect(names).toEqual(expect.arrayContaining(["PATH", "ACME_REGION", "HARN_HOOK", "HARN_PROJECT_DIR"]));
    for (const name of ["SECRET_KEY", "LD_PRELOAD", "ACME_UNSET", "NODE_ENV", "VITEST"])
      expect(names).not.toContain(name);
  });

  it("variables that [policy] lists for every command", async () => {
    vi.stubEnv("ACME_REGION", "eu");
    script("printenv ACME_REGION");
    write("harn.toml", `[policy]\nenv = ["ACME_REGION"]\n[[hooks]]\nevent = "PreToolUse"\n${words("./hook.sh")}\n`);
    const loaded = await loadHarness({ cwd: project });
    const outcome = await loaded.harness.fire("PreToolUse", { tool });
    expect(outcome.reminders).toMatchObject([{ body: "eu" }]);
  });

  it("`when` and `pattern` over the canonical payload, as every hook of the manifest", async () => {
    const fields = `when = 'payload["tool"]["args"]["command"] == "no"'\npattern = "B*"`;
    expect((await guard("exit 2", fields)).trace[0]?.skipped).toContain("is false");
    expect(
      (await fire(await load(`event = "PreToolUse"\n${words("./hook.sh")}\n${fields}`), { command: "no" })).verdict,
    ).toBe("block");
  });

  it("standard input that can be opened by its name, and whose file nobody else finds", async () => {
    const { reminders } = await guard("cat /dev/stdin; ls -l /proc/$$/fd/0 2>/dev/null || true");
    expect(reminders[0]?.body).toContain('"hook_event_name":"PreToolUse"');
    expect(reminders[0]?.body).not.toMatch(/harn-[0-9a-f]+$/m);
  });

  it("a payload of a megabyte, whole", async () => {
    script("wc -c");
    const harness = await load(`event = "PreToolUse"\n${words("./hook.sh")}`);
    const { reminders } = await fire(harness, { text: "x".repeat(1024 * 1024) });
    expect(Number(reminders[0]?.body)).toBeGreaterThan(1024 * 1024);
  });
});

describe("what a command answers", () => {
  it.each([
    ["exit 0", { verdict: "allow", reminders: [] }],
    ["echo 'not here' >&2; exit 2", { verdict: "block", reason: "not here" }],
    ["echo 'not here'; exit 2", { verdict: "block", reason: "not here" }],
    [`echo '{"decision": "block", "message": "no"}'`, { verdict: "block", reason: "no" }],
    [`echo '{"decision": "block", "message": "no"}'; exit 2`, { verdict: "block", reason: "no" }],
    [`echo '{"decision": "ask", "message": "sure?"}'`, { verdict: "ask", reason: "sure?" }],
    [`echo '{"continue": true}'`, { verdict: "allow", reminders: [] }],
    ["echo 'Active branch: main'", { verdict: "allow", reminders: [{ body: "Active branch: main" }] }],
    ["echo debug >&2", { verdict: "allow", reminders: [] }],
  ])("%s", async (body, expected) => {
    vi.spyOn(process.stderr, "write").mockReturnValue(true);
    expect(await guard(body)).toMatchObject({ ...expected, faults: [] });
  });

  it("context is on the tape", async () => {
    const records = tape();
    await guard("echo 'v2.3.1'", "", { tape: records });
    expect(records.records).toContainEqual(
      expect.objectContaining({ kind: "hook_returned", reminders: [expect.objectContaining({ body: "v2.3.1" })] }),
    );
  });

  it("what it says on standard error is for the person, without what a terminal would obey", async () => {
    const shown = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    await guard("printf 'checked \\033[2J\\n' >&2");
    expect(shown).toHaveBeenCalledWith('harn: hook "guard": checked \\u{1b}[2J\n');
  });

  it("a decision with a typo closes the gate", async () => {
    expect(await guard(`echo '{"decison": "block"}'`)).toMatchObject({
      verdict: "block",
      faults: [{ error: { code: "HARN_E_CONTRACT" } }],
    });
  });
});

describe("a command that observes", () => {
  it("gets how the dispatch ended on standard input, whatever a gate said", async () => {
    script("cat >> seen.jsonl");
    write("no.sh", "#!/bin/sh\nexit 2\n", 0o755);
    const gate = `[[hooks]]\nid = "no"\nevent = "PreToolUse"\n${words("./no.sh")}`;
    const harness = await load(`event = "*"\nobserves = true\n${words("./hook.sh")}\n${gate}`);
    expect((await fire(harness)).verdict).toBe("block");
    expect(JSON.parse(readFileSync(join(project, "seen.jsonl"), "utf8"))).toMatchObject({
      event: "PreToolUse",
      verdict: "block",
      by: "no",
      asked: { tool },
    });
  });

  it("fails like any other, and changes nothing", async () => {
    script("exit 2");
    const harness = await load(`event = "PreToolUse"\nobserves = true\n${words("./hook.sh")}`);
    const outcome = await fire(harness);
    expect(outcome).toMatchObject({ verdict: "allow", faults: [{ error: { code: "HARN_E_HOOK_EXIT" } }] });
  });
});

const SPINS = "while :; do :; done";

describe("a command that fails", () => {
  it.each([
    {
      how: "exits with another code",
      body: "echo boom >&2; exit 3",
      code: "HARN_E_HOOK_EXIT",
      says: "exited with code 3: boom",
    },
    { how: "is ended by a signal", body: "kill -SEGV $$", code: "HARN_E_HOOK_EXIT", says: "exited with SIGSEGV" },
    {
      how: "runs on",
      body: SPINS,
      code: "HARN_E_HOOK_TIMEOUT",
      says: "did not settle within 150 ms: it was still running",
    },
    {
      how: "ignores signals",
      body: `trap '' TERM INT HUP; ${SPINS}`,
      code: "HARN_E_HOOK_TIMEOUT",
      says: "killed with everything",
    },
    {
      how: "closes its streams and runs on",
      body: `exec 0<&- 1>&- 2>&-; ${SPINS}`,
      code: "HARN_E_HOOK_TIMEOUT",
      says: "still running",
    },
    {
      how: "leaves somebody behind who holds its output",
      body: "sleep 60 & exit 0",
      code: "HARN_E_HOOK_TIMEOUT",
      says: "it had exited, but something it started held its output open",
    },
  ])("$how: passes with a warning, and strict closes the gate", async ({ body, code, says }) => {
    const fields = "timeout_ms = 150";
    const open = await guard(body, fields);
    expect(open).toMatchObject({ verdict: "allow", faults: [{ error: { code }, on_error: "allow" }] });
    expect(open.faults[0]?.error.message).toContain(says);
    expect(warnings).toMatchObject([{ hook: "guard", error: { code } }]);
    expect(await guard(body, fields, { strict: true })).toMatchObject({
      verdict: "block",
      faults: [{ error: { code } }],
    });
    expect(await guard(body, `${fields}\non_error = "block"`)).toMatchObject({ verdict: "block" });
  });

  it.each([
    {
      how: "floods its output",
      body: "yes | head -c 100000000",
      code: "HARN_E_HOOK_OUTPUT",
      says: "more than 1048576 bytes on standard output",
    },
    {
      how: "floods what it says",
      body: "yes | head -c 100000000 >&2",
      code: "HARN_E_HOOK_OUTPUT",
      says: "bytes on standard error",
    },
    { how: "prints what is no text", body: "printf '\\377\\376'", code: "HARN_E_HOOK_OUTPUT", says: "not UTF-8" },
  ])("$how: it has not answered, and the gate is closed", async ({ body, code, says }) => {
    const outcome = await guard(body);
    expect(outcome).toMatchObject({ verdict: "block", faults: [{ error: { code } }] });
    expect(outcome.faults[0]?.error.message).toContain(says);
    expect(outcome.faults[0]?.error.help).toMatch(/\w/);
  });

  it("never reads what it is given: it is judged by how it ends, however much that is", async () => {
    script("exec 0<&-; exit 0");
    const large = { text: "x".repeat(4 * 1024 * 1024) };
    const harness = await load(`event = "PreToolUse"\n${words("./hook.sh")}`);
    for (let n = 0; n < 5; n++) expect(await fire(harness, large)).toMatchObject({ verdict: "allow", faults: [] });
    script("sleep 60");
    const slow = await load(`event = "PreToolUse"\n${words("./hook.sh")}\ntimeout_ms = 200`);
    expect(await fire(slow, large)).toMatchObject({ faults: [{ error: { code: "HARN_E_HOOK_TIMEOUT" } }] });
  });

  it("a refusal stands although somebody is left behind", async () => {
    expect(await guard("sleep 60 & echo no >&2; exit 2")).toMatchObject({ verdict: "block", reason: "no", faults: [] });
  });

  it("everything it started is killed at the deadline", async () => {
    await guard(
      "(sleep 1; echo late > late.txt) & (trap '' TERM; sleep 1; echo late > later.txt) & sleep 60",
      "timeout_ms = 200",
    );
    await new Promise((done) => setTimeout(done, 1_500));
    expect([existsSync(join(project, "late.txt")), existsSync(join(project, "later.txt"))]).toEqual([false, false]);
  });
});

describe("what a script says of itself", () => {
  it.each([
    ["PreToolUse", []],
    ["Stop", [{ code: "HARN_W_HEADER", message: './hook.sh says "Event: Stop", and is registered on PreToolUse' }]],
  ])("Event: %s", async (event, warnings) => {
    script(`# Hook: another name is nobody's business\n# Event: ${event}\n# Matcher: tool_name = "Bash"\nexit 0`);
    write("harn.toml", `[[hooks]]\nevent = "PreToolUse"\n${words("./hook.sh")}\n`);
    expect(await loadHarness({ cwd: project })).toMatchObject({ ok: true, warnings });
  });
});

describe("a command that cannot be run", () => {
  const python = "#!/usr/bin/env no-such-interpreter\n";

  it.each([
    { argv: ["./missing.sh"], says: "./missing.sh does not exist" },
    { argv: ["no-such-program-here"], says: 'there is no program "no-such-program-here" on PATH' },
    { argv: ["sh ./plain.sh"], says: "sh ./plain.sh does not exist" },
    { argv: ["sh", "hooks/missing.sh"], says: "hooks/missing.sh does not exist" },
    { argv: ["./plain.sh"], says: "./plain.sh is not executable" },
    { argv: ["./directory"], says: "./directory is no file" },
    { argv: ["./env.py"], says: "the interpreter of ./env.py, no-such-interpreter, is not on PATH" },
    { argv: ["./direct.py"], says: "the interpreter of ./direct.py, /no/such/python, does not exist" },
    { argv: ["./windows.sh"], says: "ends with a carriage return" },
    { argv: ["./bare.ts"], says: "./bare.ts has no #! line" },
  ])("$argv: $says", async ({ argv, says }) => {
    write("plain.sh", "#!/bin/sh\nexit 0\n");
    write("directory/file", "");
    write("env.py", python, 0o755);
    write("direct.py", "#!/no/such/python\n", 0o755);
    write("windows.sh", "#!/bin/sh\r\nexit 0\r\n", 0o755);
    write("bare.ts", "process.exit(0)\n", 0o755);
    const harness = await load(`event = "PreToolUse"\n${words(...argv)}`);
    const outcome = await fire(harness);
    expect(outcome).toMatchObject({ verdict: "block", faults: [{ error: { code: "HARN_E_HOOK_START" } }] });
    expect(outcome.faults[0]?.error.message).toContain(says);
    const loaded = await loadHarness({ cwd: project });
    expect(loaded.ok && loaded.warnings).toMatchObject([{ code: "HARN_W_NOT_RUNNABLE", place: { line: 4 } }]);
    await expect(load(`event = "PreToolUse"\n${words(...argv)}`, { strict: true })).rejects.toThrow(
      "HARN_W_NOT_RUNNABLE",
    );
  });

  it.each(["-S -u HOME sh", "--chdir=/ sh", "-S sh -e", "-i sh"])(
    "is not what `env %s` says of itself",
    async (options) => {
      write("odd.sh", `#!/usr/bin/env ${options}\nexit 0\n`, 0o755);
      write("harn.toml", `[[hooks]]\nevent = "PreToolUse"\n${words("./odd.sh")}\n`);
      expect(await loadHarness({ cwd: project })).toMatchObject({ ok: true, warnings: [] });
    },
  );

  it("because it lies where the agent works, and PATH has an entry that is empty or relative", async () => {
    write("helper", "#!/bin/sh\nexit 0\n", 0o755);
    const harness = await load(`event = "PreToolUse"\n${words("helper")}`);
    vi.stubEnv("PATH", `:.:${process.env.PATH}`);
    expect(await fire(harness)).toMatchObject({ faults: [{ error: { code: "HARN_E_HOOK_START" } }] });
  });

  it("whose arguments are more than the system takes", async () => {
    const harness = await load(`event = "PreToolUse"\n${words("true", "x".repeat(500_000))}`);
    const { verdict, faults } = await fire(harness);
    expect(verdict).toBe("block");
    expect(faults[0]?.error).toMatchObject({
      code: "HARN_E_HOOK_START",
      help: expect.stringContaining("standard input"),
    });
  });

  it("that goes away after it was loaded", async () => {
    script("exit 0");
    const harness = await load(`event = "PreToolUse"\n${words("./hook.sh")}`);
    expect((await fire(harness)).verdict).toBe("allow");
    rmSync(join(project, "hook.sh"));
    expect(await fire(harness)).toMatchObject({ verdict: "block", faults: [{ error: { code: "HARN_E_HOOK_START" } }] });
  });
});
