import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ask, block, createHarness, type Harness, type Json, modify, remind, stop } from "@hooks/core";
import { afterAll, expect, test } from "vitest";
import { backtest } from "./backtest.js";
import { LineBuffer } from "./line-buffer.js";
import { readTape } from "./read.js";
import { isEntry } from "./records.js";
import { replayTape } from "./replay.js";
import { openTape, resumeTape } from "./tape.js";

const directory = fs.mkdtempSync(join(tmpdir(), "harn-replay-"));
afterAll(() => fs.rmSync(directory, { recursive: true }));

const bash = (command: string) => ({ tool: { name: "Bash", args: { command } } });
const pause = (ms: number) => new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), ms));

/** Hooks of every kind of effect and fault. */
function arm(harness: Harness): void {
  harness.register({
    event: "PreToolUse",
    id: "guard",
    handler({ tool }) {
      const command = String(tool.args.command);
      if (command.includes("rm")) return block("no rm");
      if (command.includes("push")) return ask("it leaves the machine");
      if (command.includes("npm i")) return modify({ args: { command: "npm ci" } });
      if (command.includes("note")) return remind({ body: "be careful", tags: ["x"] });
      if (command.includes("halt")) return stop("enough");
      if (command.includes("throw")) throw new Error("broken");
      return undefined;
    },
  });
  harness.register({ event: "PreToolUse", id: "soft", on_error: "allow", handler: () => ({ nonsense: 1 }) as never });
  harness.register({
    event: "PreToolUse",
    id: "when",
    on_error: "allow",
    when: () => {
      throw new Error("bad condition");
    },
    handler: () => undefined,
  });
  harness.register({ event: "PreToolUse", id: "raise", pattern: "Raise", on_error: "raise", handler: () => fail() });
  harness.registerToolHook({ pattern: "*", max_output: 20 });
  harness.registerSessionHook("permission_asked", () => ({ decision: "deny", reason: "never" }));
  harness.registerSessionHook("session_idle", () => ({ block: true }) as never);
  harness.observe({ event: "*", id: "audit", handler: () => {} });
  harness.observe({ event: "*", id: "late", pattern: "PostToolUse", handler: async () => {} });
  harness.observe({ event: "*", id: "broken", pattern: "SessionIdle", handler: fail });
  harness.observe({ event: "PermissionAsked", id: "unsure", when: () => fail(), handler: () => {} });
}

function fail(): never {
  throw new Error("raised");
}

const COMMANDS = ["ls", "rm -r", "git push", "npm i", "note", "halt", "throw", "export DB_PASSWORD=hunter22"];

async function record(events: number): Promise<string> {
  const tape = openTape({ session: "s", directory, sync: "none", mask: { key: "k" } });
  const harness = createHarness({ tape, ports: { warn: () => {} } });
  arm(harness);
  for (let i = 0; i < events; i++) {
    await harness.fire("PreToolUse", bash(`${COMMANDS[i % COMMANDS.length]}`));
    if (i % 5 === 0)
      await harness.fire("PostToolUse", { ...bash("ls"), result: { text: "x".repeat(100), is_error: false } });
    if (i % 7 === 0) await harness.fire("PermissionAsked", bash("ls"));
    if (i % 11 === 0) await harness.fire("SessionIdle", {});
    if (i % 13 === 0) expect(() => harness.fire("PreToolUse", { tool: { name: "Raise", args: {} } })).toThrow("raised");
  }
  await tape.close();
  return tape.file;
}

test("a tape of 10,000 events replays byte for byte, without any handler", async () => {
  const file = await record(7_200);
  const to = join(directory, "again.jsonl");
  const { identical, events, divergences } = await replayTape(file, { to });
  expect(divergences).toEqual([]);
  expect(identical).toBe(true);
  expect(events).toBeGreaterThan(10_000);
  expect(fs.readFileSync(to).equals(fs.readFileSync(file))).toBe(true);
});

test("dispatches that ran at the same time replay in the order they had", async () => {
  const tape = openTape({ session: "s", directory, sync: "none", mask: false });
  const harness = createHarness({ tape });
  harness.register({ event: "PreToolUse", id: "slow", handler: ({ tool }) => pause(Number(tool.args.command)) });
  harness.register({ event: "PreToolUse", id: "late", handler: async () => block("late") });
  harness.observe({ event: "PreToolUse", id: "audit", handler: async () => {} });
  await Promise.all([40, 1, 20, 10].map((ms) => harness.fire("PreToolUse", bash(String(ms)))));
  await tape.close();
  const order = [...readTape(tape.file)].flatMap(({ record }) => (record.kind === "outcome" ? [record.dispatch] : []));
  expect(order).toEqual([2, 4, 3, 1]);
  expect(await replayTape(tape.file)).toMatchObject({ identical: true, divergences: [] });
});

test("what a harness with larger limits has recorded replays, as does what became longer by its mask", async () => {
  const mask = { paths: ["**.p"], key: "k" };
  const tape = openTape({ session: "s", directory, sync: "none", mask });
  const harness = createHarness({ tape, limits: { depth: 300, size: 1e8 } });
  harness.register({ event: "PreToolUse", handler: ({ tool }) => ({ args: { ...tool.args, more: true } }) });
  harness.register({ event: "PreToolUse", handler: () => undefined });
  const deep = Array.from({ length: 200 }).reduce<Json>((inner) => [inner], 1);
  const many = Array.from({ length: 350_000 }, () => ({ p: "x" }));
  await harness.fire("PreToolUse", { tool: { name: "x", args: { deep, many } } });
  await tape.close();
  expect(await replayTape(tape.file)).toMatchObject({ identical: true, divergences: [] });
});

test("a long tape is replayed and asked again in the memory of a short one", async () => {
  const tape = openTape({ session: "s", directory, sync: "none", mask: false });
  const harness = createHarness({ tape });
  harness.register({ event: "PreToolUse", handler: () => undefined });
  const command = "x".repeat(20_000);
  for (let i = 0; i < 1_500; i++) await harness.fire("PreToolUse", bash(command));
  await tape.close();
  const script = `import { createHarness } from "@hooks/core"; import { backtest, replayTape } from "@hooks/tape";
    const file = process.argv[1];
    const { identical } = await replayTape(file);
    console.log(identical, (await backtest([file], createHarness())).events);`;
  const cwd = fileURLToPath(new URL("../../..", import.meta.url));
  const args = ["--max-old-space-size=32", "--input-type=module", "-e", script, tape.file];
  const said = spawnSync(process.execPath, args, { cwd, encoding: "utf8" });
  expect(said.stdout).toBe("true 1500\n");
});

test("dispatches whose observers answer while others go on replay in the same order", async () => {
  const tape = openTape({ session: "s", directory, sync: "none", mask: false });
  const harness = createHarness({ tape });
  harness.register({ event: "PreToolUse", id: "hook", handler: async () => undefined });
  harness.observe({ event: "PreToolUse", id: "observer", handler: async () => {} });
  await Promise.all(
    Array.from({ length: 5 }, async (_, place) => {
      for (let tick = 0; tick < place; tick++) await undefined;
      await harness.fire("PreToolUse", bash("ls"));
    }),
  );
  await tape.close();
  expect(await replayTape(tape.file)).toMatchObject({ identical: true, divergences: [] });
  // What the last answer brings about follows it at once.
  const kinds = [...readTape(tape.file)].flatMap(({ record }) =>
    isEntry(record) ? [`${record.kind} ${record.dispatch}`] : [],
  );
  for (const dispatch of [1, 2, 3, 4, 5]) {
    const end = kinds.indexOf(`outcome ${dispatch}`);
    expect(kinds[end - 1]).toBe(`hook_returned ${dispatch}`);
  }
});

test("a tape of several processes, one of them killed, replays too", async () => {
  const file = await record(3);
  const lines = fs.readFileSync(file, "utf8").split("\n");
  fs.writeFileSync(file, `${lines.slice(0, 7).join("\n")}\n{"hash`);
  const tape = resumeTape({ file, mask: false });
  await createHarness({ tape }).fire("PreToolUse", bash("ls"));
  await tape.close();
  expect(await replayTape(file)).toMatchObject({ identical: true, divergences: [] });
});

/** Writes a tape anew, with a chain that fits, from changed records. */
function forge(file: string, change: (records: Record<string, unknown>[]) => Record<string, unknown>[]): string {
  const records = change([...readTape(file)].map(({ record }) => record as unknown as Record<string, unknown>));
  const sorted = (value: unknown): unknown =>
    typeof value !== "object" || value === null || Array.isArray(value)
      ? value
      : Object.fromEntries(
          Object.entries(value)
            .sort(([a], [b]) => (a < b ? -1 : 1))
            .map(([key, item]) => [key, sorted(item)]),
        );
  const lines = new LineBuffer();
  for (const record of records) lines.add([JSON.stringify(sorted(record))]);
  const to = join(directory, `forged-${fs.readdirSync(directory).length}.jsonl`);
  fs.writeFileSync(to, lines.take());
  return to;
}

test("a replay writes over nothing", async () => {
  const file = await record(1);
  await expect(replayTape(file, { to: file })).rejects.toMatchObject({
    code: "HARN_E_TAPE_OPEN",
    message: expect.stringContaining("it exists already"),
  });
});

test("what does not follow from the tape is a divergence with both sides", async () => {
  const tape = openTape({ session: "s", directory, sync: "none", mask: false });
  const harness = createHarness({ tape });
  harness.registerToolHook({ pattern: "*", deny: "no" });
  await harness.fire("PreToolUse", bash("ls"));
  await tape.close();
  const changed = await replayTape(
    forge(tape.file, (all) =>
      all.map((record) => (record.kind === "outcome" ? { ...record, verdict: "allow" } : record)),
    ),
  );
  expect(changed).toMatchObject({
    identical: false,
    divergences: [{ kind: "different", seq: 5, recorded: { verdict: "allow" }, replayed: { verdict: "block" } }],
  });
  const dropped = await replayTape(forge(tape.file, (all) => all.filter(({ kind }) => kind !== "outcome")));
  expect(dropped).toMatchObject({ identical: false, divergences: [{ kind: "extra", replayed: { kind: "outcome" } }] });
  const doubled = await replayTape(forge(tape.file, (all) => [...all, all[5] ?? {}]));
  expect(doubled).toMatchObject({
    identical: false,
    divergences: [{ kind: "missing", seq: 7, recorded: { kind: "outcome" } }],
  });
});

test("a backtest says what another policy changes, by hook and tool", async () => {
  const file = await record(80);
  const strict = createHarness({ ports: { warn: () => {} } });
  arm(strict);
  strict.register({
    event: "PreToolUse",
    id: "no-ls",
    handler: ({ tool }) => (tool.args.command === "ls" ? block("no ls") : undefined),
  });
  const tighter = await backtest([file], strict);
  expect(tighter).toMatchObject({ loosened: false, changed: 10, problems: [] });
  expect(tighter.changes).toMatchObject([
    {
      direction: "tightened",
      tool: "Bash",
      from: { verdict: "allow" },
      to: { verdict: "block", by: "no-ls" },
      count: 10,
    },
  ]);
  expect(tighter.changes[0]?.examples).toHaveLength(3);
  const seen: number[] = [];
  const laxer = await backtest([file, join(directory, "none.jsonl")], createHarness(), {
    onProgress: ({ bytes }) => seen.push(bytes),
  });
  expect(laxer.loosened).toBe(true);
  expect(laxer.problems).toEqual([expect.stringContaining("there is no such file")]);
  expect(laxer.changes.map(({ direction, from }) => [direction, from.by])).toContainEqual(["loosened", "guard"]);
  expect(laxer.changes.map(({ direction }) => direction)).toContain("rewritten");
  expect(seen.at(-1)).toBe(fs.statSync(file).size);
});

test("a fault that is raised lets nothing pass, on the tape as in the other policy", async () => {
  const raising = (tape?: ReturnType<typeof openTape>) => {
    const harness = createHarness({ ...(tape && { tape }), ports: { warn: () => {} } });
    const handler = () => {
      throw new Error("broken");
    };
    harness.register({ event: "PreToolUse", id: "raise", on_error: "raise", handler });
    return harness;
  };
  const tape = openTape({ session: "s", directory, sync: "none", mask: false });
  expect(() => raising(tape).fire("PreToolUse", bash("ls"))).toThrow("broken");
  await tape.close();
  expect(await backtest([tape.file], raising())).toMatchObject({ events: 1, changed: 0 });
  const lax = await backtest([tape.file], createHarness());
  expect(lax).toMatchObject({ loosened: true, changes: [{ from: { verdict: "block", by: "raise" }, count: 1 }] });
});

test("a permission that a policy grants where another left the question to a person is loosened", async () => {
  const tape = openTape({ session: "s", directory, sync: "none", mask: false });
  await createHarness({ tape }).fire("PermissionAsked", bash("ls"));
  await tape.close();
  const granting = createHarness();
  granting.registerSessionHook("permission_asked", () => ({ decision: "allow", reason: "fine" }));
  expect(await backtest([tape.file], granting)).toMatchObject({ loosened: true, changed: 1 });
});
