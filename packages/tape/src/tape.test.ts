import { execFile, execFileSync, spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { block, createHarness } from "@hooks/core";
import { afterAll, expect, test } from "vitest";
import { AppendFile } from "./file.js";
import { LineBuffer } from "./line-buffer.js";
import { readTape } from "./read.js";
import { replayTape } from "./replay.js";
import { recoverTape } from "./tail.js";
import { openTape, resumeTape, type SyncPolicy } from "./tape.js";
import { verifyTape } from "./verify.js";

const directory = fs.mkdtempSync(join(tmpdir(), "harn-tape-"));
afterAll(() => fs.rmSync(directory, { recursive: true }));

const bash = (command: string) => ({ tool: { name: "Bash", args: { command } } });
const quiet = { ports: { warn: () => {} } };

async function record(sync: SyncPolicy, events = 3): Promise<string> {
  const tape = openTape({ session: "s1", directory, sync, mask: false, policy: "abc" });
  const harness = createHarness({ tape, session: { id: "s1" } });
  harness.register({
    event: "PreToolUse",
    handler: ({ tool }) => (tool.args.command === "rm" ? block("no") : undefined),
  });
  for (let i = 0; i < events; i++) await harness.fire("PreToolUse", bash(i % 3 === 2 ? "rm" : `ls ${i}`));
  await tape.close();
  return tape.file;
}

test.each<SyncPolicy>(["outcome", "group", "none"])(
  "a session is on its tape, in order and whole (%s)",
  async (sync) => {
    const file = await record(sync);
    expect([...readTape(file)].map(({ record }) => record.kind)).toEqual([
      "session",
      ...["event", "hook_call", "hook_returned", "outcome"],
      ...["event", "hook_call", "hook_returned", "outcome"],
      ...["event", "hook_call", "hook_returned", "hook_vetoed", "outcome"],
      "closed",
    ]);
    expect(await verifyTape(file)).toMatchObject({
      intact: true,
      complete: true,
      records: 15,
      header: { policy: "abc" },
    });
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    expect(fs.existsSync(`${file}.lock`)).toBe(false);
  },
);

test("a tape cut at any byte says so, and keeps what is whole", async () => {
  const file = await record("none", 2);
  const bytes = fs.readFileSync(file);
  const cut = join(directory, "cut.jsonl");
  fs.copyFileSync(file, cut);
  for (let length = bytes.length - 1; length >= 0; length--) {
    fs.truncateSync(cut, length);
    const { complete, intact, records, torn } = await verifyTape(cut);
    const whole = bytes.subarray(0, length).filter((byte) => byte === 10).length;
    const isTorn = length > 0 && bytes[length - 1] !== 10;
    if (complete || records !== whole || intact !== whole > 0 || isTorn !== (torn !== null))
      expect.fail(`cut at ${length}`);
  }
});

test("a flipped bit anywhere is found, and in the record it is in", async () => {
  const file = await record("none", 1);
  const bytes = fs.readFileSync(file);
  const fd = fs.openSync(file, "r+");
  let line = 1;
  for (let place = 0; place < bytes.length; place++) {
    const byte = bytes[place] as number;
    for (let bit = 0; bit < 8; bit++) {
      fs.writeSync(fd, Buffer.of(byte ^ (1 << bit)), 0, 1, place);
      const { complete, problems, torn } = await verifyTape(file);
      const isFound = place < bytes.length - 1 ? problems[0]?.line === line : torn !== null;
      if (complete || !isFound) expect.fail(`bit ${bit} of byte ${place}`);
    }
    fs.writeSync(fd, Buffer.of(byte), 0, 1, place);
    if (byte === 10) line++;
  }
  fs.closeSync(fd);
  expect(await verifyTape(file)).toMatchObject({ complete: true });
});

test.each<[string, (lines: string[]) => string[], string]>([
  ["dropped", (lines) => lines.toSpliced(3, 1), "line 4 (byte BYTE): record 3 is missing before record 4"],
  [
    "swapped",
    (lines) => lines.toSpliced(3, 2, lines[4] ?? "", lines[3] ?? ""),
    "line 4 (byte BYTE): record 3 is missing",
  ],
  ["repeated", (lines) => lines.toSpliced(4, 0, lines[3] ?? ""), "line 5 (byte BYTE): record 3 stands where record 4"],
  ["inserted", (lines) => lines.toSpliced(3, 0, "{}"), "line 4 (byte BYTE): this is no record; record 3"],
  ["without a head", (lines) => lines.slice(1), "line 1 (byte BYTE): record 0 is missing"],
])("a record that is %s is found", async (_, change, message) => {
  const lines = change(
    fs
      .readFileSync(await record("none"), "utf8")
      .trimEnd()
      .split("\n"),
  );
  const file = join(directory, "changed.jsonl");
  fs.writeFileSync(file, `${lines.join("\n")}\n`);
  const { intact, messages, problems } = await verifyTape(file);
  expect(intact).toBe(false);
  expect(messages[0]).toContain(message.replace("BYTE", String(problems[0]?.offset)));
  expect(() => [...readTape(file)]).toThrow(messages[0]);
});

test("a byte that is inserted or dropped anywhere is found", async () => {
  const bytes = fs.readFileSync(await record("none", 1));
  const file = join(directory, "one-byte.jsonl");
  const isFine = async (changed: readonly Uint8Array[]) => {
    fs.writeFileSync(file, Buffer.concat(changed));
    return (await verifyTape(file)).intact;
  };
  for (let place = 0; place <= bytes.length; place++) {
    const [before, after] = [bytes.subarray(0, place), bytes.subarray(place)];
    for (const byte of Buffer.from("\0\n\r 0}")) {
      if (await isFine([before, Buffer.of(byte), after])) expect.fail(`byte ${byte} inserted at ${place}`);
    }
    // Without its last byte a tape is one that is still being written.
    if (place < bytes.length - 1 && (await isFine([before, after.subarray(1)]))) expect.fail(`byte ${place} dropped`);
  }
});

test("what stands behind the last record is torn only as the beginning of the next one", async () => {
  const file = await record("none", 1);
  const { head } = await verifyTape(file);
  const next = `{"hash":"${"a".repeat(64)}","prev":"${head}","record":{"kind"`;
  const whole = fs.readFileSync(file);
  for (let length = 1; length <= next.length; length++) {
    fs.writeFileSync(file, `${whole}${next.slice(0, length)}`);
    expect(await verifyTape(file)).toMatchObject({ intact: true, torn: { offset: whole.length, writer: null } });
    fs.writeFileSync(file, `${whole}${next.slice(0, length - 1)}~`);
    if (length > next.length - '{"kind"'.length) continue;
    expect(await verifyTape(file)).toMatchObject({ intact: false, torn: null, problems: [{ kind: "changed" }] });
    expect(() => [...readTape(file)]).toThrow(/are no part of a record/);
  }
  fs.writeFileSync(`${file}.lock`, `${process.pid}\n`);
  fs.writeFileSync(file, `${whole}{"hash`);
  expect((await verifyTape(file)).messages).toEqual([
    expect.stringContaining(`that process ${process.pid} is writing`),
  ]);
});

test("a record with a right hash that is none is refused wherever a tape is read", async () => {
  const records = fs
    .readFileSync(await record("none", 1), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.stringify((JSON.parse(line) as { record: object }).record));
  const base = { at: 1, session: "s", dispatch: 1, event: "PreToolUse" };
  const hook = { id: "h", handler: "h" };
  const wrong = [
    ...["null", "1", "[]", "{}", "no json", '{"kind":"other"}', '{"kind":"toString"}', '{"kind":"event"}'],
    ...[{ hook: null }, { hook: {} }, { hook: { id: "h" } }, {}].map((part) => ({
      ...base,
      kind: "hook_call",
      ...part,
    })),
    { ...base, kind: "event", payload: null },
    { ...base, kind: "event", payload: {}, dispatch: "1" },
    { ...base, kind: "hook_returned", hook, duration_ms: 1 },
    { ...base, kind: "hook_failed", hook, code: "C", duration_ms: 1 },
    { ...base, kind: "outcome" },
    { kind: "resumed" },
  ].map((one) => (typeof one === "string" ? one : JSON.stringify(one)));
  const file = join(directory, "forged.jsonl");
  for (const one of wrong) {
    for (let place = 0; place < records.length; place++) {
      const lines = new LineBuffer();
      for (const text of records.with(place, one)) lines.add([text]);
      fs.writeFileSync(file, lines.take());
      const where = `${one} as record ${place}`;
      expect((await verifyTape(file)).intact, where).toBe(place > 0);
      const broken = expect.objectContaining({ code: "HARN_E_TAPE_BROKEN" });
      expect(() => [...readTape(file)], where).toThrow(broken);
      await expect(replayTape(file), where).rejects.toEqual(broken);
    }
  }
});

test("records of another tape do not pass, and an anchor shows a tape that was written anew", async () => {
  const [one, other] = [await record("none"), await record("none", 4)].map((file) =>
    fs.readFileSync(file, "utf8").split("\n"),
  );
  const file = join(directory, "spliced.jsonl");
  fs.writeFileSync(file, [...(one?.slice(0, 5) ?? []), ...(other?.slice(5) ?? [])].join("\n"));
  expect((await verifyTape(file)).problems).toMatchObject([{ kind: "foreign", line: 6, seq: 5 }]);
  const whole = await record("none");
  const { head } = await verifyTape(whole);
  expect(await verifyTape(whole, { anchor: head })).toMatchObject({ complete: true });
  expect((await verifyTape(await record("none"), { anchor: head })).messages[0]).toContain("written anew");
});

test("a torn tail is cut, and the tape goes on", async () => {
  const file = await record("none", 1);
  const whole = fs.statSync(file).size;
  fs.appendFileSync(file, '{"hash":"12');
  expect(recoverTape(file)).toMatchObject({ cut: 11, size: whole });
  fs.appendFileSync(file, '{"hash');
  const tape = resumeTape({ file, mask: false, policy: "next" });
  expect(tape.cut).toBe(6);
  await createHarness({ tape }).fire("PreToolUse", bash("ls"));
  await tape.close();
  const records = [...readTape(file)].map(({ record }) => record);
  expect(records[6]).toMatchObject({ kind: "resumed", cut: 6, policy: "next" });
  expect(await verifyTape(file)).toMatchObject({ complete: true, records: 10 });
});

test.each(["", "{", '{"hash":"', `{"hash":"${"1".repeat(64)}","prev":"${"0".repeat(64)}","record":{"kind`])(
  "a tape whose process was gone before its first record was whole begins anew: %j",
  async (text) => {
    const file = join(directory, "early.jsonl");
    fs.writeFileSync(file, text, { mode: 0o600 });
    expect(() => resumeTape({ file, mask: false })).toThrow(/there is no record on it/);
    fs.writeFileSync(file, text);
    const tape = resumeTape({ file, session: "s9", mask: false });
    expect(tape.cut).toBe(text.length);
    await createHarness({ tape }).fire("PreToolUse", bash("ls"));
    await tape.close();
    expect(await verifyTape(file)).toMatchObject({ complete: true, header: { session: "s9" } });
  },
);

test("a file that is no tape is left as it is", () => {
  const file = join(directory, "letter.txt");
  for (const text of ["Dear Sir", "Dear Sir,\nno.", `{"hash":"x"}`]) {
    fs.writeFileSync(file, text);
    for (const open of [() => resumeTape({ file, session: "s", mask: false }), () => recoverTape(file)]) {
      expect(open).toThrow(expect.objectContaining({ code: "HARN_E_TAPE_BROKEN" }));
    }
    expect(fs.readFileSync(file, "utf8")).toBe(text);
    expect(fs.existsSync(`${file}.lock`)).toBe(false);
  }
  expect(() => [...readTape(directory)]).toThrow(expect.objectContaining({ code: "HARN_E_TAPE_READ" }));
});

test("a policy that changes under way is on the tape", async () => {
  let policy = "one";
  const tape = openTape({ session: "s", directory, sync: "none", mask: false, policy: () => policy });
  const harness = createHarness({ tape });
  await harness.fire("SessionIdle", {});
  policy = "two";
  await harness.fire("SessionIdle", {});
  await tape.close();
  const policies = [...readTape(tape.file)].map(({ record }) => ("policy" in record ? record.policy : null));
  expect(policies.filter((found) => found !== null)).toEqual(["one", "two"]);
});

test("two sessions never share a file, and nobody takes one over", async () => {
  const [a, b] = [1, 2].map(() => openTape({ session: "same", directory, mask: false }));
  expect(a?.file).not.toBe(b?.file);
  const file = join(directory, "named.jsonl");
  const tape = openTape({ session: "s", file, mask: false });
  expect(() => openTape({ session: "s", file, mask: false })).toThrow(/is being written by process/);
  expect(() => resumeTape({ file, mask: false })).toThrow(/is being written by process/);
  expect(() => recoverTape(file)).toThrow(/is being written by process/);
  await Promise.all([tape.close(), a?.close(), b?.close()]);
  expect(() => openTape({ session: "s", file, mask: false })).toThrow(/it exists already/);
});

test("a lock of a process that is gone is no lock", async () => {
  const file = join(directory, "abandoned.jsonl");
  const { pid } = spawnSync(process.execPath, ["-e", ""]);
  fs.writeFileSync(`${file}.lock`, `${pid}\n`);
  await openTape({ session: "s", file, mask: false }).close();
  expect(fs.readdirSync(directory).filter((name) => name.startsWith("abandoned"))).toEqual(["abandoned.jsonl"]);
});

test.skipIf(process.platform === "win32")("links and directories others can write are refused", () => {
  const link = join(directory, "link");
  fs.symlinkSync(directory, link);
  expect(() => openTape({ session: "s", directory: link, mask: false })).toThrow(/is a link to one/);
  const open = join(directory, "open");
  fs.mkdirSync(open);
  fs.chmodSync(open, 0o777);
  expect(() => openTape({ session: "s", directory: open, mask: false })).toThrow(/can be written by others/);
  const dangling = join(directory, "dangling.jsonl");
  fs.symlinkSync(join(directory, "elsewhere.jsonl"), dangling);
  expect(() => openTape({ session: "s", file: dangling, mask: false })).toThrow(/it exists already/);
  expect(fs.existsSync(join(directory, "elsewhere.jsonl"))).toBe(false);
});

test("a record after the end is refused, and gates block", async () => {
  const tape = openTape({ session: "s", directory, mask: false });
  const harness = createHarness({ tape, ...quiet });
  await tape.close();
  expect(await harness.fire("PreToolUse", bash("ls"))).toMatchObject({ verdict: "block", by: "tape" });
});

test("a tape that somebody else touches takes nothing more", async () => {
  const tape = openTape({ session: "s", directory, mask: false });
  const harness = createHarness({ tape, ...quiet });
  await harness.fire("PreToolUse", bash("ls"));
  fs.appendFileSync(tape.file, "x");
  const { verdict, reason } = await harness.fire("PreToolUse", bash("ls"));
  expect(verdict).toBe("block");
  expect(reason).toContain("somebody else changed it");
});

test.skipIf(process.platform === "win32")("a tape that is removed under way takes nothing more", async () => {
  const tape = openTape({ session: "s", directory, mask: false });
  const harness = createHarness({ tape, ...quiet });
  await harness.fire("PreToolUse", bash("ls"));
  fs.rmSync(tape.file);
  const { verdict, reason } = await harness.fire("PreToolUse", bash(`rm ${tape.file}`));
  expect([verdict, reason?.includes("somebody removed it")]).toEqual(["block", true]);
});

test.skipIf(process.platform === "win32")(
  "a file that may not grow any further blocks every gate from then on",
  async () => {
    const file = join(directory, "limited.jsonl");
    const script = fileURLToPath(new URL("../../../test/crash/limited.mjs", import.meta.url));
    const said = spawnSync("sh", ["-c", `ulimit -f 16 && exec "$0" "$@"`, process.execPath, script, file], {
      encoding: "utf8",
    });
    const outcomes = said.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { verdict: string; reason?: string });
    const allowed = outcomes.findIndex(({ verdict }) => verdict === "block");
    expect(allowed).toBeGreaterThan(2);
    expect(outcomes.slice(allowed).every(({ verdict }) => verdict === "block")).toBe(true);
    expect(outcomes.at(-1)?.reason).toContain("the file may not grow any further (EFBIG)");
    expect(outcomes.at(-1)?.reason).toContain("gates block");
    // Every allow is on the tape, nothing that was not handed out is, and what is there is whole.
    expect([...readTape(file)].filter(({ record }) => record.kind === "outcome")).toHaveLength(allowed);
    expect(await verifyTape(file)).toMatchObject({ intact: true, torn: null });
  },
);

test.skipIf(process.platform !== "linux")(
  "a device that is full, and a file that was closed, fail the first write and every one after it",
  () => {
    const full = new AppendFile("/dev/full", fs.openSync("/dev/full", "a"), 0);
    const fd = fs.openSync(join(directory, "closed"), "a");
    fs.closeSync(fd);
    const closed = new AppendFile("closed", fd, 0);
    for (const [file, why] of [
      [full, "the disk is full (ENOSPC)"],
      [closed, "EBADF"],
    ] as const) {
      expect(() => file.append(Buffer.from("x"))).toThrow(why);
      expect(() => file.check()).toThrow(why);
      expect(() => file.keep(true)).toThrow(why);
    }
  },
);

test("a directory that takes no file is refused when the tape is opened", () => {
  const file = join(directory, "a-file");
  fs.writeFileSync(file, "");
  expect(() => openTape({ session: "s", directory: join(file, "below"), mask: false })).toThrow(/cannot be made/);
  expect(() => openTape({ session: "s", file: join(directory, "no", "such", "place.jsonl"), mask: false })).toThrow(
    /there is no such file \(ENOENT\)/,
  );
  if (process.platform === "linux") {
    expect(() => openTape({ session: "s", file: "/proc/tape.jsonl", mask: false })).toThrow(/cannot be made/);
  }
});

test("sessions of many processes at once never share a file", async () => {
  const script = fileURLToPath(new URL("../../../test/crash/limited.mjs", import.meta.url));
  const here = join(directory, "many");
  const run = promisify(execFile);
  await Promise.all(Array.from({ length: 4 }, () => run(process.execPath, [script, here])));
  const tapes = fs.readdirSync(here);
  expect(tapes).toHaveLength(4);
  for (const name of tapes) expect(await verifyTape(join(here, name))).toMatchObject({ complete: true });
});

test.skipIf(process.platform !== "linux" || process.geteuid?.() !== 0)(
  "a full disk blocks every gate from then on (needs root to mount one)",
  () => {
    const mount = join(directory, "small");
    fs.mkdirSync(mount);
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k,mode=700", "tmpfs", mount]);
    try {
      const tape = openTape({ session: "s", directory: mount, mask: false });
      const harness = createHarness({ tape, ...quiet });
      const outcomes = Array.from({ length: 60 }, (_, i) =>
        harness.fire("PreToolUse", bash(`${i} ${"x".repeat(2000)}`)),
      );
      const verdicts = outcomes.map((outcome) => ("verdict" in outcome ? outcome.verdict : ""));
      const allowed = verdicts.indexOf("block");
      expect(allowed).toBeGreaterThan(5);
      expect(verdicts.slice(allowed)).toEqual(verdicts.slice(allowed).map(() => "block"));
      expect(outcomes.at(-1)).toMatchObject({ reason: expect.stringContaining("the disk is full (ENOSPC)") });
      // Every allow is on the tape, and nothing else.
      expect([...readTape(tape.file)].filter(({ record }) => record.kind === "outcome")).toHaveLength(allowed);
    } finally {
      execFileSync("umount", ["-l", mount]);
    }
  },
);
