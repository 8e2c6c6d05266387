import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHarness, createSession, runAgent, scriptedModel, subagentTool } from "@hooks/core";
import { afterAll, expect, test } from "vitest";
import { readTape } from "./read.js";
import { replayTape } from "./replay.js";
import { openSessionTapes } from "./session-tapes.js";
import { verifyTape } from "./verify.js";

const directory = fs.mkdtempSync(join(tmpdir(), "harn-sessions-"));
afterAll(() => fs.rmSync(directory, { recursive: true }));

function sessionsOn(file: string): Set<string> {
  return new Set([...readTape(file)].flatMap(({ record }) => (record.kind === "event" ? [record.session] : [])));
}

test("sessions that run at the same time on one harness have a tape each, with their subagents on it", async () => {
  const tapes = openSessionTapes({ directory, sync: "group", mask: false });
  const harness = createHarness({ tape: tapes });
  harness.register({
    event: "PreToolUse",
    id: "slow",
    handler: () => new Promise((resolve) => setTimeout(resolve, 2)),
  });
  const ids = ["a", "b", "c"];
  const run = async (id: string) => {
    const helper = subagentTool({ name: "helper", model: scriptedModel(["ok"], "small") });
    const model = scriptedModel([{ calls: [{ name: "helper", args: { prompt: "p" } }] }, "done"]);
    await runAgent({ session: createSession(harness, { id }), model, tools: [helper], prompt: id });
  };
  await Promise.all(ids.map(run));
  const files = ids.map((id) => tapes.fileOf(id) ?? "");
  expect(new Set(files).size).toBe(3);
  for (const [place, file] of files.entries()) {
    const id = ids[place] as string;
    expect([...sessionsOn(file)]).toEqual([id, `${id}.1`]);
    expect(await verifyTape(file)).toMatchObject({ complete: true, header: { session: id } });
    expect(await replayTape(file)).toMatchObject({ identical: true, divergences: [] });
  }
});

test("a session that is resumed goes on with its tape, and one that never ends is closed with all of them", async () => {
  const tapes = openSessionTapes({ directory, mask: false });
  const harness = createHarness({ tape: tapes });
  const session = createSession(harness, { id: "again" });
  for (const model of [scriptedModel(["one"]), scriptedModel(["two"])])
    await runAgent({ session, model, prompt: "go" });
  await harness.fire("SessionIdle", { session: { id: "endless" } });
  const [again, endless] = ["again", "endless"].map((id) => tapes.fileOf(id) as string) as [string, string];
  expect([...readTape(again)].filter(({ record }) => record.kind === "resumed")).toHaveLength(1);
  expect(await verifyTape(again)).toMatchObject({ complete: true });
  expect(await verifyTape(endless)).toMatchObject({ intact: true, complete: false });
  await tapes.close();
  expect(await verifyTape(endless)).toMatchObject({ complete: true });
});

test("a tape that fails makes the gates of its own session block", async () => {
  const tapes = openSessionTapes({ directory, mask: false });
  const harness = createHarness({ tape: tapes, ports: { warn: () => {} } });
  const fire = (id: string) => harness.fire("PreToolUse", { tool: { name: "Bash", args: {} }, session: { id } });
  expect(await fire("fine")).toMatchObject({ verdict: "allow" });
  expect(await fire("broken")).toMatchObject({ verdict: "allow" });
  fs.appendFileSync(tapes.fileOf("broken") as string, "x");
  expect(await fire("broken")).toMatchObject({ verdict: "block", by: "tape" });
  expect(await fire("fine")).toMatchObject({ verdict: "allow" });
  const nowhere = openSessionTapes({ directory: join(directory, "no", "\0"), mask: false });
  const lost = createHarness({ tape: nowhere, ports: { warn: () => {} } });
  const { verdict, by } = await lost.fire("PreToolUse", { tool: { name: "Bash", args: {} } });
  expect([verdict, by]).toEqual(["block", "tape"]);
  await tapes.close().catch(() => {});
});
