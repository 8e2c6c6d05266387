import { hash } from "node:crypto";
import { fdatasyncSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHarness, memoryTape, type TapeSink } from "@hooks/core";
import { openTape, readTape, replayTape, type Tape, verifyTape } from "@hooks/tape";
import { compare, report } from "./measure.js";

const directory = mkdtempSync(join(tmpdir(), "harn-bench-"));
const mask = { key: "bench" };
const RECORDS = 16;
const DISPATCHES = 10_000;
const PAYLOADS = 20_000;
const COMMAND = "cd packages/core && npm run build -- --watch=false 2>&1 | tee build.log && git status --short";
const bash = { tool: { name: "Bash", args: { command: COMMAND } } };

function dispatchOn(tape?: TapeSink) {
  const harness = createHarness(tape === undefined ? {} : { tape });
  for (let i = 0; i < 7; i++) harness.register({ event: "PreToolUse", id: `hook-${i}`, handler: () => undefined });
  // More than a contestant fires: a tape knows the payloads it has seen, and none may come to it a second time.
  const payloads = Array.from({ length: PAYLOADS }, () => harness.prepare("PreToolUse", bash));
  let next = 0;
  return () => harness.dispatch(payloads[next++ % payloads.length] as (typeof payloads)[number]);
}

const tapes: Tape[] = [];
function opened(sync: "outcome" | "group" | "none", masked = true): Tape {
  const tape = openTape({ session: "bench", directory, sync, mask: masked ? mask : false });
  tapes.push(tape);
  return tape;
}

/** The lines a dispatch of seven hooks makes, to splice and to hash: what no tape with a chain can do without. */
function spliced(isSynced = false) {
  const memory = memoryTape();
  dispatchOn(memory)();
  const texts = memory.records.map((record) => JSON.stringify(record));
  const fd = openSync(join(directory, `spliced-${isSynced}`), "a");
  let prev = "";
  return () => {
    let lines = "";
    for (const text of texts) {
      const body = `"prev":"${prev}","record":${text}`;
      prev = hash("sha256", body);
      lines += `{"hash":"${prev}",${body}}\n`;
    }
    writeSync(fd, lines);
    if (isSynced) fdatasyncSync(fd);
  };
}

try {
  report(
    `a dispatch of 7 hooks, ${RECORDS} records`,
    await compare({
      "splice, sha256 and one write": spliced(),
      "no tape": dispatchOn(),
      "in memory": dispatchOn(memoryTape()),
      "file, no sync, no mask": dispatchOn(opened("none", false)),
      "file, no sync": dispatchOn(opened("none")),
    }),
    { "file, no sync": "<= 2x" },
  );

  const group = dispatchOn(opened("group"));
  const TOGETHER = 64;
  const durable = await compare({
    "splice, sha256, one write and one fdatasync": spliced(true),
    "sync: outcome": dispatchOn(opened("outcome")),
    "sync: group, alone": group,
    [`sync: group, ${TOGETHER} together`]: async () =>
      void (await Promise.all(Array.from({ length: TOGETHER }, group))),
  });
  report("durable before the agent hears of it", durable, { "sync: outcome": "<= 1.2x" });
  const together = durable.at(-1)?.nanoseconds ?? 0;
  console.log(`  ${Math.round((TOGETHER * RECORDS * 1e9) / together)} records/s   target >= 100000`);

  const long = openTape({ session: "long", directory, sync: "none", mask });
  const dispatch = dispatchOn(long);
  for (let i = 0; i < DISPATCHES; i++) dispatch();
  await long.close();
  const megabytes = readFileSync(long.file).length / 1e6;
  const read = await compare({
    "sha256 of the file": () => hash("sha256", readFileSync(long.file)),
    verify: () => verifyTape(long.file),
    "read every record": () => {
      for (const { seq } of readTape(long.file)) if (seq < 0) throw new Error("never");
    },
    replay: () => replayTape(long.file),
  });
  report(`a tape of ${DISPATCHES * RECORDS} records, ${megabytes.toFixed(0)} MB`, read, { verify: "<= 3x" });
  for (const { name, nanoseconds } of read.slice(1)) {
    const seconds = nanoseconds / 1e9;
    const records = Math.round((DISPATCHES * RECORDS) / seconds);
    console.log(`  ${name}: ${(megabytes / seconds).toFixed(0)} MB/s, ${records} records/s`);
  }
} finally {
  await Promise.all(tapes.map((tape) => tape.close()));
  rmSync(directory, { recursive: true });
}
