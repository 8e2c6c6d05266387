// Codes that come up where no sample can bring them about: each is raised here by what really raises it.
import fs, { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { block, createHarness } from "@hooks/core";
import { loadHarness } from "@hooks/manifest";
import { openTape, readTape, recoverTape } from "@hooks/tape";
import { afterAll, expect, test } from "vitest";
import { main } from "../../packages/cli/src/main.js";

const scratch = mkdtempSync(join(tmpdir(), "harn-raised-"));
afterAll(() => rmSync(scratch, { recursive: true }));

function tape(name: string) {
  return openTape({ session: "s", file: join(scratch, name), mask: false });
}

function codeOf(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
  return undefined;
}

test("HARN_E_TAPE_OPEN: there is a file already", async () => {
  await tape("there.jsonl").close();
  expect(codeOf(() => tape("there.jsonl"))).toBe("HARN_E_TAPE_OPEN");
});

test("HARN_E_TAPE_BUSY: another writer has it", async () => {
  const open = tape("busy.jsonl");
  expect(codeOf(() => recoverTape(open.file))).toBe("HARN_E_TAPE_BUSY");
  await open.close();
});

test("HARN_E_TAPE_CLOSED: a record after the end", async () => {
  const open = tape("closed.jsonl");
  const harness = createHarness({ tape: open });
  harness.fire("SessionEnd", {});
  await open.close();
  expect(codeOf(() => open.write({ type: "event" } as never))).toBe("HARN_E_TAPE_CLOSED");
});

test("HARN_E_TAPE_READ: nothing is on it", () => {
  writeFileSync(join(scratch, "empty.jsonl"), "");
  expect(codeOf(() => [...readTape(join(scratch, "empty.jsonl"))])).toBe("HARN_E_TAPE_READ");
});

test("HARN_E_TAPE_BROKEN: a byte was changed", async () => {
  const open = tape("broken.jsonl");
  createHarness({ tape: open }).fire("SessionEnd", { reason: "done" });
  await open.close();
  writeFileSync(open.file, readFileSync(open.file, "utf8").replace("done", "gone"));
  expect(codeOf(() => [...readTape(open.file)])).toBe("HARN_E_TAPE_BROKEN");
});

test("HARN_E_TAPE_MASK: a path that is none", () => {
  const open = () => openTape({ session: "s", file: join(scratch, "mask.jsonl"), mask: { paths: ["a..b"] } });
  expect(codeOf(open)).toBe("HARN_E_TAPE_MASK");
});

test("HARN_E_TAPE_WRITE: the disk is full", async () => {
  const open = tape("full.jsonl");
  const { writeSync } = fs;
  fs.writeSync = () => {
    throw Object.assign(new Error("no space"), { code: "ENOSPC" });
  };
  syncBuiltinESMExports();
  try {
    const harness = createHarness({ tape: open, ports: { warn: () => {} } });
    const { verdict, faults } = await harness.fire("PreToolUse", { tool: { name: "Bash", args: {} } });
    expect([verdict, faults[0]?.error.cause]).toEqual([
      "block",
      expect.objectContaining({ code: "HARN_E_TAPE_WRITE" }),
    ]);
  } finally {
    fs.writeSync = writeSync;
    syncBuiltinESMExports();
  }
});

test("HARN_E_TAPE: the sink of a harness throws", async () => {
  const harness = createHarness({
    ports: { warn: () => {} },
    tape: {
      write() {
        throw new Error("no room");
      },
    },
  });
  const { verdict, faults } = await harness.fire("PreToolUse", { tool: { name: "Bash", args: {} } });
  expect([verdict, faults[0]?.error.code]).toEqual(["block", "HARN_E_TAPE"]);
});

test("HARN_E_REFUSED: a policy that lets nobody register hooks", async () => {
  const cwd = join(scratch, "refused");
  mkdirSync(cwd);
  writeFileSync(join(cwd, "policy.mjs"), 'export const refuse = () => ({ block: true, reason: "not at run time" });\n');
  writeFileSync(
    join(cwd, "harn.toml"),
    '[exports]\npolicy = "policy.mjs"\n\n[[hooks]]\nevent = "meta.hook_register"\nhandler = "policy::refuse"\n',
  );
  const loaded = await loadHarness({ cwd });
  const register = () => loaded.harness.register({ event: "PreToolUse", handler: () => block("x") });
  expect(codeOf(register)).toBe("HARN_E_REFUSED");
});

test("HARN_E_INTERNAL: a defect is told as one", async () => {
  const said: string[] = [];
  const host = {
    cwd: scratch,
    env: {},
    isInteractive: false,
    err: { write: (text: string) => said.push(text) },
    out: {
      write() {
        throw new TypeError("nobody thought of this");
      },
    },
    stdin: async function* () {},
  };
  expect(await main(["list", "--events"], host)).toBe(70);
  expect(said.join("")).toMatch(/error\[HARN_E_INTERNAL\]: nobody thought of this\nhelp: this is a defect of harn/);
});
