import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { block, createHarness } from "@hooks/core";
import { afterAll, expect, test } from "vitest";
import { readDispatches } from "./dispatches.js";
import { openTape, resumeTape } from "./tape.js";
import { listTapes } from "./tapes.js";

const directory = fs.mkdtempSync(join(tmpdir(), "harn-dispatches-"));
afterAll(() => fs.rmSync(directory, { recursive: true }));

const bash = (command: string) => ({ tool: { name: "Bash", args: { command } } });
const quiet = { warn: () => {} };

test("a dispatch has its hooks, its outcome and its time, in the order dispatches ended", async () => {
  const tape = openTape({ session: "s", directory, sync: "none", mask: false, origin: 1_000_000 });
  let clock = 0;
  const harness = createHarness({ tape, ports: { ...quiet, now: () => ++clock } });
  harness.register({
    event: "PreToolUse",
    id: "guard",
    handler: ({ tool }) => (tool.args.command === "slow" ? new Promise((go) => setTimeout(go, 5)) : block("no")),
  });
  harness.register({
    event: "SubagentStart",
    id: "broken",
    on_error: "allow",
    handler: () => Promise.reject(new Error("x")),
  });
  await Promise.all([harness.fire("PreToolUse", bash("slow")), harness.fire("PreToolUse", bash("ls"))]);
  await harness.fire("SubagentStart", { subagent: { name: "reviewer" } });
  await harness.fire("FileEdited", { path: "a.ts" });
  await tape.close();
  const all = [...readDispatches(tape.file)];
  expect(all.map(({ event, subject, outcome }) => [event, subject, outcome?.verdict])).toEqual([
    ["PreToolUse", "Bash", "block"],
    ["PreToolUse", "Bash", "allow"],
    ["SubagentStart", "reviewer", "allow"],
    ["FileEdited", "a.ts", "allow"],
  ]);
  expect(all[0]).toMatchObject({ dispatch: 2, hooks: [{ hook: { id: "guard" }, result: "block", reason: "no" }] });
  expect(all[0]?.time).toBeGreaterThan(1_000_000);
  expect(all[1]?.duration_ms).toBeGreaterThan(all[0]?.duration_ms ?? 0);
  expect(all[2]?.hooks).toMatchObject([{ result: "failed", reason: expect.stringContaining("HARN_E_HOOK_THREW") }]);
});

test("one that was raised, and one that was cut off, have no outcome", async () => {
  const tape = openTape({ session: "s", directory, sync: "none", mask: false });
  const harness = createHarness({ tape, ports: quiet });
  harness.register({
    event: "PreToolUse",
    on_error: "raise",
    handler: () => {
      throw new Error("x");
    },
  });
  expect(() => harness.fire("PreToolUse", bash("ls"))).toThrow("x");
  await tape.close();
  const lines = fs.readFileSync(tape.file, "utf8").split("\n");
  const cut = join(directory, "cut.jsonl");
  fs.writeFileSync(cut, `${lines.slice(0, 2).join("\n")}\n`);
  const next = resumeTape({ file: cut, sync: "none", mask: false });
  await createHarness({ tape: next }).fire("PreToolUse", bash("pwd"));
  await next.close();
  expect([...readDispatches(tape.file)]).toMatchObject([{ outcome: null, hooks: [{ result: "failed" }] }]);
  expect([...readDispatches(cut)]).toMatchObject([
    { outcome: null, duration_ms: null, payload: bash("ls") },
    { outcome: { verdict: "allow" }, payload: bash("pwd") },
  ]);
});

test("tapes of a directory are listed with the newest first; a directory that is not there has none", () => {
  const here = join(directory, "list");
  fs.mkdirSync(here);
  for (const [name, time] of [
    ["a.jsonl", 1],
    ["b.jsonl", 3],
    ["c.jsonl", 2],
    ["c.jsonl.lock", 9],
  ] as const) {
    fs.writeFileSync(join(here, name), "x");
    fs.utimesSync(join(here, name), time, time);
  }
  expect(listTapes(here).map(({ file, bytes }) => [file.slice(here.length + 1), bytes])).toEqual([
    ["b.jsonl", 1],
    ["c.jsonl", 1],
    ["a.jsonl", 1],
  ]);
  expect(listTapes(join(here, "nothing"))).toEqual([]);
  expect(() => listTapes(join(here, "a.jsonl"))).toThrow(/cannot be read/);
});
