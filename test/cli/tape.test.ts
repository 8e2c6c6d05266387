import { spawn, spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { root } from "../house/repository.js";
import { trust } from "../house/trusted.js";

const bin = join(root, "packages/cli/dist/bin.js");
const cwd = realpathSync(mkdtempSync(join(tmpdir(), "harn-cli-tape-")));
afterAll(() => rmSync(cwd, { recursive: true }));
cpSync(join(root, "test/cli/policy.mjs"), join(cwd, "policy.mjs"));
cpSync(join(root, "test/cli/run-block/harn.toml"), join(cwd, "harn.toml"));

const env = { PATH: process.env.PATH, HOME: cwd };
await trust(cwd, env);
const asks = (...commands: string[]) =>
  commands
    .map((command) => JSON.stringify({ event: "PreToolUse", payload: { tool: { name: "Bash", args: { command } } } }))
    .join("\n");

function harn(args: readonly string[], input = "") {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...args], { cwd, env, input, encoding: "utf8" });
  return { status, stdout, stderr, json: () => JSON.parse(stdout) };
}

const asked = (event: string, more: object = {}) =>
  JSON.stringify({ session_id: "agent", cwd, transcript_path: "/t", hook_event_name: event, ...more });
const bash = (command: string) => asked("PreToolUse", { tool_name: "Bash", tool_input: { command }, tool_use_id: "c" });

test("the tape of an agent's session is closed with its SessionEnd, and goes on when that is resumed", () => {
  const verified = () => {
    const found = harn(["tape", "verify", "agent.jsonl", "--complete"]).status;
    return [found, harn(["replay", "agent.jsonl"]).status];
  };
  const ask = (input: string) => harn(["hook", "claude", "--tape", "agent.jsonl", "--no-server"], input).status;
  expect([ask(asked("SessionStart", { source: "startup" })), ask(bash("ls"))]).toEqual([0, 0]);
  expect(verified()).toEqual([1, 0]);
  expect(ask(asked("SessionEnd", { reason: "exit" }))).toBe(0);
  expect(verified()).toEqual([0, 0]);
  expect([ask(asked("SessionStart", { source: "resume" })), ask(asked("SessionEnd", { reason: "exit" }))]).toEqual([
    0, 0,
  ]);
  expect(verified()).toEqual([0, 0]);
});

test("a record that was never finished is a finding until it is cut off", () => {
  expect(harn(["run", "--tape", "torn.jsonl"], asks("ls")).status).toBe(0);
  appendFileSync(join(cwd, "torn.jsonl"), '{"hash":"12');
  expect(harn(["tape", "verify", "torn.jsonl"])).toMatchObject({ status: 1, stdout: expect.stringMatching(/TORN/) });
  expect(harn(["tape", "recover", "torn.jsonl", "--json"]).json()).toMatchObject({ ok: true, cut: 11 });
  expect(harn(["tape", "recover", "torn.jsonl"]).stdout).toMatch(/nothing to cut off/);
  expect(harn(["tape", "verify", "torn.jsonl", "--complete"]).status).toBe(0);
});

test("a session is recorded, goes on, is verified, replayed, shown and asked again", async () => {
  expect(harn(["run", "--tape", "t.jsonl"], asks("ls", "shutdown now")).status).toBe(0);
  expect(
    harn(["run", "--tape", "t.jsonl"], asks("git push", "curl -H 'Authorization: Bearer abcdef0123456789abcdef'"))
      .status,
  ).toBe(0);
  expect(harn(["tape", "verify", "t.jsonl", "--complete", "--json"]).json()).toMatchObject({
    ok: true,
    tapes: [{ intact: true, complete: true }],
  });
  const { tapes } = harn(["replay", "t.jsonl", "--json"]).json();
  expect(tapes).toMatchObject([{ identical: true, events: 4, divergences: [] }]);
  const { dispatches } = harn(["tape", "show", "t.jsonl", "--json"]).json();
  expect(dispatches.map(({ verdict }: { verdict: string }) => verdict)).toEqual(["allow", "block", "ask", "allow"]);
  // What a record says of the time is told by the clock on the wall.
  const { started } = JSON.parse(readFileSync(join(cwd, "t.jsonl"), "utf8").split("\n")[0] ?? "").record;
  const { time } = dispatches[0] as { time: string };
  expect(Math.abs(Date.parse(time.replace(" ", "T")) - started)).toBeLessThan(600_000);
  expect(readFileSync(join(cwd, "t.jsonl"), "utf8")).not.toContain("abcdef0123456789abcdef");
  // The manifest's digest is on the tape, and another policy is asked about what was recorded.
  expect(readFileSync(join(cwd, "t.jsonl"), "utf8")).toMatch(/"policy":"[0-9a-f]{16,}"/);
  expect(harn(["backtest", "t.jsonl"])).toMatchObject({ status: 0 });
  writeFileSync(join(cwd, "lax.toml"), "[policy]\nstrict = true\n");
  await trust(cwd, env, "lax.toml");
  const lax = harn(["backtest", "t.jsonl", "--manifest", "lax.toml", "--json"]);
  expect(lax.status).toBe(1);
  expect(lax.json()).toMatchObject({ ok: false, loosened: true, changed: 2, hooks: [{ name: "guard", loosened: 2 }] });
});

test("what --mask names is not on the tape, and a path that is none is refused before anything is answered", () => {
  const line = JSON.stringify({
    event: "PreToolUse",
    payload: { tool: { name: "pay", args: { pin: "open sesame", to: "bob" } } },
  });
  expect(harn(["run", "--tape", "masked.jsonl", "--mask", "tool.args.pin"], line).status).toBe(0);
  const claude = JSON.stringify({
    hook_event_name: "PreToolUse",
    session_id: "s",
    tool_name: "pay",
    tool_input: { pin: "open sesame", to: "bob" },
  });
  expect(harn(["hook", "claude", "--tape", "hooked.jsonl", "--mask", "**.pin"], claude).status).toBe(0);
  for (const file of ["masked.jsonl", "hooked.jsonl"]) {
    const text = readFileSync(join(cwd, file), "utf8");
    expect([text.includes("open sesame"), text.includes("bob")]).toEqual([false, true]);
  }
  expect(harn(["run", "--tape", "never.jsonl", "--mask", "tool..pin"], line)).toMatchObject({ status: 65, stdout: "" });
  expect(harn(["run", "--mask", "tool.args.pin"], line)).toMatchObject({ status: 64, stdout: "" });
});

test("a tape that ends in the middle of a record is cut back, and the person hears of it", () => {
  harn(["run", "--tape", "torn.jsonl"], asks("ls"));
  appendFileSync(join(cwd, "torn.jsonl"), '{"hash":"12');
  const { status, stderr } = harn(["run", "--tape", "torn.jsonl"], asks("ls"));
  expect([status, stderr]).toEqual([0, expect.stringContaining("never finished: 11 bytes were cut off") as string]);
  expect(harn(["tape", "verify", "torn.jsonl", "--complete"]).status).toBe(0);
});

test("a tape replays where neither policy nor packages are", () => {
  harn(["run", "--tape", "moved.jsonl"], asks("ls", "shutdown now", "npm i"));
  const elsewhere = join(cwd, "elsewhere");
  mkdirSync(elsewhere);
  cpSync(join(cwd, "moved.jsonl"), join(elsewhere, "moved.jsonl"));
  const { status, stdout } = spawnSync(process.execPath, [bin, "replay", "moved.jsonl"], {
    cwd: elsewhere,
    env,
    encoding: "utf8",
  });
  expect([status, stdout]).toEqual([0, expect.stringContaining("3 events") as string]);
});

test.skipIf(process.platform === "win32")("a tape that cannot be written means no allow, and exit code 74", () => {
  expect(harn(["run", "--tape", "no/such/place.jsonl"], asks("ls"))).toMatchObject({ status: 74, stdout: "" });
  const limited = spawnSync(
    "sh",
    ["-c", 'ulimit -f 48 && exec "$0" "$@"', process.execPath, bin, "run", "--tape", "full.jsonl"],
    {
      cwd,
      // The code cache of the command line is a file too, and larger than that.
      env: { ...env, HARN_CODE_CACHE: "off" },
      input: asks(...Array.from({ length: 20 }, (_, n) => `echo ${n} ${"x".repeat(500)}`)),
      encoding: "utf8",
    },
  );
  const answers = limited.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const first = answers.findIndex(({ verdict }) => verdict === "block");
  expect(first).toBeGreaterThan(0);
  expect(answers.slice(first).every(({ verdict, by }) => verdict === "block" && by === "tape")).toBe(true);
  expect(answers.at(-1).reason).toContain("EFBIG");
  expect(limited.status).toBe(74);
});

test("without a tape they are those of the state directory, the newest first", () => {
  const state = join(cwd, "state");
  const own = { ...env, XDG_STATE_HOME: state };
  const run = (...args: string[]) => spawnSync(process.execPath, [bin, ...args], { cwd, env: own, encoding: "utf8" });
  expect(run("tape", "show")).toMatchObject({
    status: 74,
    stderr: expect.stringContaining("there is no tape in") as string,
  });
  expect(run("tape", "list")).toMatchObject({ status: 0, stdout: "" });
  const tapes = join(state, "harn", "tapes");
  mkdirSync(tapes, { recursive: true });
  chmodSync(join(state, "harn"), 0o700);
  cpSync(join(root, "test/cli/tape-show/tape.jsonl"), join(tapes, "one.jsonl"));
  expect(run("tape", "show").stdout.trim().split("\n")).toHaveLength(8);
  expect(run("tape", "list").stdout).toContain("state/harn/tapes/one.jsonl");
  expect(JSON.parse(run("tape", "list", "--json").stdout)).toMatchObject({
    ok: true,
    tapes: [{ bytes: expect.any(Number) }],
  });
  expect(run("tape", "verify").stdout).toContain("intact and complete");
  expect(run("replay").stdout).toContain("identical");
});

test("tail --follow shows what is written while it looks", async () => {
  harn(["run", "--tape", "live.jsonl"], asks("ls"));
  const child = spawn(process.execPath, [bin, "tape", "tail", "live.jsonl", "--follow", "--json"], { cwd, env });
  try {
    let said = "";
    let heard = () => {};
    child.stdout.on("data", (text) => {
      said += text;
      heard();
    });
    const until = (lines: number) =>
      new Promise<void>((resolve, reject) => {
        const late = setTimeout(() => reject(new Error(`it said ${said}`)), 20_000);
        heard = () => {
          if (said.split("\n").length <= lines) return;
          clearTimeout(late);
          resolve();
        };
        heard();
      });
    await until(1);
    harn(["run", "--tape", "live.jsonl"], asks("shutdown now"));
    await until(2);
    expect(
      said
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).verdict),
    ).toEqual(["allow", "block"]);
  } finally {
    child.kill();
  }
});
