import { hash } from "node:crypto";
import { closeSync, fdatasyncSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHarness, memoryTape, type TapeSink } from "@hooks/core";
import { openTape, readTape, type Tape, verifyTape } from "@hooks/tape";
import { compare, report } from "./measure.js";

const directory = mkdtempSync(join(tmpdir(), "harn-bench-"));
const mask = { key: "bench" };
const COMMAND = "cd packages/core && npm run build -- --watch=false 2>&1 | tee build.log && git status --short";
const bash = { tool: { name: "Bash", args: { command: COMMAND } } };

function dispatchOn(tape?: TapeSink) {
  const harness = createHarness(tape === undefined ? {} : { tape });
  for (let i = 0; i < 7; i++) harness.register({ event: "PreToolUse", id: `hook-${i}`, handler: () => undefined });
  const payload = harness.prepare("PreToolUse", bash);
  return () => harness.dispatch(payload);
}

const tapes: Tape[] = [];
function opened(sync: "outcome" | "group" | "none", masked = true): Tape {
  const tape = openTape({ session: "bench", directory, sync, mask: masked ? mask : false });
  tapes.push(tape);
  return tape;
}

/** The lines a dispatch of seven hooks makes, to splice and to hash: what no tape with a chain can do without. */
function spliced() {
  const memory = memoryTape();
  dispatchOn(memory)();
  const texts = memory.records.map((record) => JSON.stringify(record));
  const fd = openSync(join(directory, "spliced"), "a");
  let prev = "";
  return () => {
    let lines = "";
    for (const text of texts) {
      const body = `"prev":"${prev}","record":${text}`;
      prev = hash("sha256", body);
      lines += `{"hash":"${prev}",${body}}\n`;
    }
    writeSync(fd, lines);
  };
}

try {
  report(
    "a dispatch of 7 hooks, 16 records",
    await compare({
      "splice, sha256 and one write": spliced(),
      "no tape": dispatchOn(),
      "in memory": dispatchOn(memoryTape()),
      "file, no sync, no mask": dispatchOn(opened("none", false)),
      "file, no sync": dispatchOn(opened("none")),
    }),
    { "file, no sync": "<= 2x" },
  );

  const fd = openSync(join(directory, "synced"), "a");
  const group = dispatchOn(opened("group"));
  report(
    "durable before the agent hears of it",
    await compare({
      "write 4 kB and fdatasync": () => {
        writeSync(fd, Buffer.alloc(4096));
        fdatasyncSync(fd);
      },
      "sync: outcome": dispatchOn(opened("outcome")),
      "sync: group, alone": group,
      "sync: group, 64 together": async () => void (await Promise.all(Array.from({ length: 64 }, group))),
    }),
    { "sync: outcome": "<= 1.2x" },
  );
  closeSync(fd);

  const long = openTape({ session: "long", directory, sync: "none", mask });
  const dispatch = dispatchOn(long);
  for (let i = 0; i < 10_000; i++) dispatch();
  await long.close();
  const megabytes = readFileSync(long.file).length / 1e6;
  report(
    `a tape of 160,000 records, ${megabytes.toFixed(0)} MB`,
    await compare({
      "sha256 of the file": () => hash("sha256", readFileSync(long.file)),
      verify: () => verifyTape(long.file),
      "read every record": () => {
        for (const { seq } of readTape(long.file)) if (seq < 0) throw new Error("never");
      },
    }),
    { verify: "<= 3x" },
  );
} finally {
  await Promise.all(tapes.map((tape) => tape.close()));
  rmSync(directory, { recursive: true });
}
